"""Mails that let somebody in: they go out whatever else holds, and the link is gone from the queue when they have."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from notifications.access import Letter, invitation_notice, signin_notice
from notifications.delivery import BACKOFF, deliver
from notifications.outcomes import Outcome, Permanent, Temporary
from notifications.outcomes import Sent as WasSent
from notifications.records import Notice
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG
from tests.notifications.builders import BASE_URL, NOON, Clock
from tests.notifications.sending import Postman, queue, rows

LINK = f"{BASE_URL}/signin/link/{'k' * 32}"


def a_letter() -> Letter:
    return Letter(
        recipient="lena@people.example",
        key="1",
        link=LINK,
        expires_at=NOON + timedelta(minutes=15),
        base_url=BASE_URL,
    )


LETTERS = [signin_notice(a_letter(), "Lena"), invitation_notice(a_letter(), "Ozaukee County", "clerk", is_staff=True)]


def kept(database: Database) -> Mapping[str, Any]:
    [row] = rows(database, SERVICE_LOG)
    return row


@pytest.mark.parametrize("notice", LETTERS)
@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (WasSent(text="250 ok"), "sent"),
        (Permanent(text="550 no such mailbox"), "failed"),
    ],
)
def test_the_link_is_not_kept_when_the_mail_has_come_to_its_end(
    opened: Database, notice: Notice, outcome: Outcome, state: str
) -> None:
    queue(opened, notice, county=SERVICE_LOG)
    assert kept(opened)["content"]["link"] == LINK
    postman = Postman(outcome)
    deliver(opened, [SERVICE_LOG], postman, Clock())
    assert LINK in postman.mails[0].text
    assert kept(opened)["state"] == state
    assert "k" * 32 not in repr(kept(opened))


def test_a_mail_that_waits_keeps_its_link_until_it_has_failed(opened: Database) -> None:
    queue(opened, LETTERS[0], county=SERVICE_LOG)
    clock = Clock()
    for number in range(len(BACKOFF) + 1):
        deliver(opened, [SERVICE_LOG], Postman(Temporary(text="451 later")), clock)
        assert ("link" in kept(opened)["content"]) == (number < len(BACKOFF))
        clock.move(hours=3)
    assert kept(opened)["state"] == "failed"
