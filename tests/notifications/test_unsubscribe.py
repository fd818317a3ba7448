"""One click out of reminders: the headers, the link's signature, what it stops and what it cannot stop."""

from dataclasses import replace
from typing import Any

import pytest

from notifications.delivery import deliver
from notifications.mail import SmtpSender, read_smtp_url
from notifications.unsubscribe import Choice, choose, linker, read_path, unsubscribe_path
from reporting.access.secret import Secret
from reporting.store import mail
from reporting.store.engine import Database
from tests.notifications.builders import BASE_URL, MAIL_FROM, NOON, Clock, a_notice, due_event
from tests.notifications.sending import COUNTY, queue
from tests.notifications.test_owner_notices import OWNER, add_owned, delinquent, messages, reminder, scan
from tests.services.smtp import SmtpServer

SECRET = Secret(key=b"k" * 32)


def test_reminders_carry_the_headers_and_notices_of_law_do_not(opened: Database, smtp_server: SmtpServer) -> None:
    """RFC 8058, section 3.1: both headers, an https address, one click."""
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, reminder(1), delinquent(1), due_event(1), legal_by_letter=False)
    queue(opened, a_notice(1))
    sender = SmtpSender(read_smtp_url(smtp_server.url), MAIL_FROM)
    assert deliver(opened, [COUNTY], sender, Clock(), link=linker(SECRET, BASE_URL)).sent == 4
    by_kind = {one.message["Message-ID"].partition(".")[0].strip("<"): one for one in smtp_server.received}
    for kind in ("owner_reminder", "due_digest"):
        found = by_kind[kind].message
        [row] = messages(opened, kinds=[kind])
        path = f"/unsubscribe/{COUNTY}/{unsubscribe_path(SECRET, COUNTY, row['id'])}"
        assert found["List-Unsubscribe"] == f"<{BASE_URL}{path}>"
        assert found["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert b"\r\nList-Unsubscribe: <https://" in by_kind[kind].raw  # in one piece, whatever its length
        assert shown(found, "plain").endswith(f"\nTo stop reminders like this one:\n{BASE_URL}{path}\n")
        assert f'<a href="{BASE_URL}{path}">Stop reminders like this one</a></p>\n</footer>' in shown(found, "html")
    for kind in ("delinquent_owner", "receipt"):
        assert by_kind[kind].message["List-Unsubscribe"] is None
        assert by_kind[kind].message["List-Unsubscribe-Post"] is None
        assert "unsubscribe" not in shown(by_kind[kind].message, "plain") + shown(by_kind[kind].message, "html")


def shown(message: Any, subtype: str) -> str:
    """The text that a reader of one kind of mail program sees."""
    return str(message.get_body((subtype,)).get_content()).replace("\r\n", "\n")


def test_a_digest_with_a_tank_that_an_ordinance_wants_told_of_cannot_be_refused() -> None:
    link = linker(SECRET, BASE_URL)
    claim: Any = replace(_claim(), kind="due_digest")
    assert link(claim, {"lines": [{"required_by": ""}]}).startswith(f"{BASE_URL}/unsubscribe/ozaukee/")
    assert link(claim, {"lines": [{"required_by": ""}, {"required_by": "9.029(4)(b)2"}]}) == ""


def _claim() -> Any:
    from datetime import timedelta

    from notifications.outbox import Claim, MessageState

    return Claim(
        county=COUNTY, dedupe_key="k", id="msg_" + "a" * 26, kind="receipt", recipient=OWNER, content={},
        message_id="<x@y>", state_before=MessageState.QUEUED, attempts=1, fence=1, lease_until=NOON + timedelta(1),
    )  # fmt: skip


@pytest.fixture
def reminded(opened: Database) -> dict[str, Any]:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, reminder(1), delinquent(1), legal_by_letter=False)
    return {row["kind"]: row for row in messages(opened)}


def test_a_link_that_we_did_not_make_is_none(opened: Database, reminded: dict[str, Any]) -> None:
    row = reminded["owner_reminder"]
    path = unsubscribe_path(SECRET, COUNTY, row["id"])
    law = unsubscribe_path(SECRET, COUNTY, reminded["delinquent_owner"]["id"])  # signed, and all the same refused
    swapped = ("b" if path[0] == "a" else "a") + path[1:]
    flipped = path[:-1] + ("a" if path[-1] != "a" else "q")
    foreign = unsubscribe_path(Secret(key=b"x" * 32), COUNTY, row["id"])
    away = unsubscribe_path(SECRET, "portage", row["id"])
    none = unsubscribe_path(SECRET, COUNTY, "msg_" + "a" * 26)
    with opened.reading(COUNTY) as store:
        for wrong in (law, swapped, flipped, foreign, away, none, "", path + "a", path.upper()):
            assert read_path(store, SECRET, wrong) is None, wrong
        asked = read_path(store, SECRET, path)
    with opened.reading("portage") as store:
        assert read_path(store, SECRET, path) is None
    assert asked is not None
    assert (asked.address, asked.kind, asked.title) == (OWNER, "owner_reminder", "service due soon")


def test_choices_hold_until_the_next_one(opened: Database, reminded: dict[str, Any]) -> None:
    path = unsubscribe_path(SECRET, COUNTY, reminded["owner_reminder"]["id"])

    def chosen(*choices: Choice) -> list[tuple[str, str]]:
        for choice in choices:
            with opened.transaction(COUNTY) as store:
                asked = read_path(store, SECRET, path)
                assert asked is not None
                choose(store, asked, choice, NOON)
        with opened.reading(COUNTY) as store:
            return [(row["reason"], row["kind"]) for row in mail.list_suppressions(store)]

    assert chosen(Choice.AGAIN) == []
    assert chosen(Choice.KIND, Choice.KIND) == [("unsubscribed", "owner_reminder")]
    assert chosen(Choice.REMINDERS) == [("unsubscribed", ""), ("unsubscribed", "owner_reminder")]
    assert chosen(Choice.AGAIN) == []
