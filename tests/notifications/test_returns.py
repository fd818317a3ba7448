"""What bounces and complaints change: one message, one address of its county; owners get paper from then on."""

from datetime import timedelta
from typing import Any

import pytest

from notifications.bounces import BounceUnreadable
from notifications.delivery import DeliveryCounts, deliver
from notifications.outcomes import Permanent
from notifications.records import Notice
from notifications.returns import ReturnCounts, read_returns
from notifications.suppression import (
    OPTIONAL,
    Reason,
    Suppressing,
    SuppressionRefused,
    lift_suppression,
    suppress_address,
)
from reporting.errors import RecordNotFound
from reporting.store import mail
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG
from tests.notifications.bouncing import a_bounce, a_complaint, mailbox
from tests.notifications.builders import KETTLE_MAIL, NOON, Clock, a_notice, due_event, late_event
from tests.notifications.sending import COUNTY, Postman, queue, rows
from tests.notifications.test_owner_notices import OWNER, POSTAL, add_owned, delinquent, messages, reminder, scan

TENANTS = (SERVICE_LOG, COUNTY, "portage")
ON_MAIL: dict[str, Any] = {"legal_by_letter": False}


def read(database: Database, data: bytes) -> ReturnCounts:
    return read_returns(database, TENANTS, data, NOON + timedelta(hours=1))


def sent(
    database: Database, *notices: Notice, county: str = COUNTY, clock: Clock | None = None
) -> list[dict[str, Any]]:
    """The rows of notices that went, in their order."""
    queue(database, *notices, county=county)
    assert deliver(database, [county], Postman(), clock or Clock()).sent == len(notices)
    by_key = {row["dedupe_key"]: row for row in rows(database, county)}
    return [by_key[notice.dedupe_key] for notice in notices]


def listed(database: Database, county: str = COUNTY) -> list[tuple[str, str]]:
    with database.reading(county) as store:
        return [(row["address"], row["reason"]) for row in mail.list_suppressions(store)]


def test_a_bounce_for_good_fails_the_message_and_its_address_gets_no_more(opened: Database) -> None:
    gone, other = sent(opened, a_notice(1), a_notice(2, "other@x.example"))
    found = read(opened, a_bounce(gone))
    assert found.counts == {"permanent": 1}
    [change] = found.changed
    assert (change.county, change.message, change.suppressed, change.on_paper) == (COUNTY, gone["id"], True, False)
    states = {row["id"]: (row["state"], row["last_error"]) for row in rows(opened)}
    assert states[gone["id"]] == ("failed", "It bounced: 5.1.1 smtp; 550 5.1.1 No such mailbox")
    assert states[other["id"]] == ("sent", None)
    assert listed(opened) == [(KETTLE_MAIL, "bounce")]
    # Read again, it changes nothing.
    before = rows(opened)
    assert read(opened, a_bounce(gone)).counts == {"told_before": 1}
    assert rows(opened) == before
    # What waits for that address, and what would be made for it, is counted and goes to nobody.
    queue(opened, a_notice(3))
    assert deliver(opened, [COUNTY], Postman(), Clock()) == DeliveryCounts(cancelled=1)
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    assert scan(opened, late_event(1)).skipped == {"suppressed": 1}


def test_an_owner_moves_to_the_paper_list(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, delinquent(1), **ON_MAIL)
    assert [row["channel"] for row in messages(opened)] == ["mail"]
    deliver(opened, [COUNTY], Postman(), Clock())
    [change] = read(opened, a_bounce(messages(opened)[0])).changed
    assert (change.suppressed, change.on_paper) == (True, True)
    failed, letter = messages(opened)
    assert (failed["state"], failed["channel"]) == ("failed", "mail")
    assert (letter["state"], letter["channel"], letter["recipient"]) == ("queued", "letter", POSTAL)
    assert letter["content"]["lines"] == failed["content"]["lines"]
    assert ("proof" in letter["content"], letter["content"]["channel"]) == (False, "letter")
    # From now on paper is the way, of reminders too; and what waited moves there when its turn comes.
    scan(opened, reminder(1), **ON_MAIL)
    assert [row["channel"] for row in messages(opened, kinds=["owner_reminder"])] == ["letter"]


@pytest.mark.parametrize(("bad_address", "channels"), [("5.1.1", ["mail", "letter"]), ("", ["mail"])])
def test_an_owner_refused_at_once_gets_paper_and_one_refused_for_another_reason_is_shown(
    opened: Database, bad_address: str, channels: list[str]
) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, delinquent(1), **ON_MAIL)
    refused = Permanent(text="RCPT TO: 550 no", bad_address=bad_address)
    assert deliver(opened, [COUNTY], Postman(refused), Clock()).failed == 1
    assert [row["channel"] for row in messages(opened)] == channels
    assert messages(opened)[0]["last_error"] == "RCPT TO: 550 no"
    assert listed(opened) == ([(OWNER, "bounce")] if bad_address else [])
    assert deliver(opened, [COUNTY], Postman(), Clock()) == DeliveryCounts()


def test_a_mail_that_waits_for_a_dead_address_becomes_a_letter(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, reminder(1), delinquent(1), **ON_MAIL)
    with opened.transaction(COUNTY) as store:
        suppress_address(store, Suppressing(address=OWNER.upper(), reason=Reason.BOUNCE, by="me", now=NOON))
    postman = Postman()
    assert deliver(opened, [COUNTY], postman, Clock()) == DeliveryCounts(cancelled=2)
    assert postman.mails == []
    assert [(row["kind"], row["channel"], row["state"]) for row in messages(opened)] == [
        ("delinquent_owner", "mail", "cancelled"),
        ("delinquent_owner", "letter", "queued"),
        ("owner_reminder", "mail", "cancelled"),
        ("owner_reminder", "letter", "queued"),
    ]


@pytest.mark.parametrize(
    ("owner", "letters"),
    [
        ({}, 1),
        ({"address": None}, 0),
        ({"email": f"{OWNER}; second@lor.example"}, 0),
    ],
)
def test_no_paper_where_there_is_no_address_or_another_mail_works(
    opened: Database, owner: dict[str, Any], letters: int
) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1, **owner)
    scan(opened, delinquent(1), **ON_MAIL)
    deliver(opened, [COUNTY], Postman(), Clock())
    [mine] = [row for row in messages(opened, channel=None) if row["recipient"] == OWNER]
    [change] = read(opened, a_bounce(mine)).changed
    assert change.suppressed
    assert sum(row["channel"] == "letter" for row in messages(opened)) == letters == int(change.on_paper)


def test_delays_are_counted_and_three_in_a_row_are_enough(opened: Database) -> None:
    clock = Clock()
    found = []
    for number in range(1, 7):
        [row] = sent(opened, a_notice(number), clock=clock)
        clock.move(hours=1)
        if number != 3:  # one that arrived breaks the row
            [change] = read(opened, a_bounce(row, action="delayed", status="4.2.2")).changed
            found.append(change.suppressed)
            assert read(opened, a_bounce(row, action="delayed", status="4.2.2")).counts == {"told_before": 1}
    assert found == [False, False, False, False, True]
    assert listed(opened) == [(KETTLE_MAIL, "bounce")]
    assert {row["state"] for row in rows(opened)} == {"sent"}


def test_after_a_delay_the_end_is_news(opened: Database) -> None:
    [row] = sent(opened, a_notice(1))
    assert read(opened, a_bounce(row, action="delayed", status="4.2.2")).counts == {"transient": 1}
    [change] = read(opened, a_bounce(row, status="4.4.7", diagnostic="")).changed
    assert (change.text, change.suppressed) == ("It bounced: 4.4.7", False)
    assert rows(opened)[0]["state"] == "failed"
    assert listed(opened) == []


def test_a_complaint_ends_mail_and_reminders_on_paper_too(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, delinquent(1), **ON_MAIL)
    deliver(opened, [COUNTY], Postman(), Clock())
    [row] = messages(opened)
    [change] = read(opened, a_complaint(row)).changed
    assert (change.told, change.suppressed) == ("complaint", True)
    assert [one["state"] for one in messages(opened, channel=None) if one["channel"] == "mail"] == ["sent"]
    assert listed(opened) == [(OWNER, "complaint")]
    assert scan(opened, reminder(1), **ON_MAIL).skipped == {"opted_out": 1, "suppressed": 1}


def test_a_forged_report_changes_nothing_but_the_message_that_it_names(opened: Database) -> None:
    """Neither a guessed id, nor another recipient, nor a message that has not gone, nor another county."""
    [mine] = sent(opened, a_notice(1))
    [theirs] = sent(opened, a_notice(1), county="portage")
    queue(opened, a_notice(2, "waits@x.example"))
    waits = next(row for row in rows(opened) if row["state"] == "queued")
    assert mine["id"] != theirs["id"]
    kept = rows(opened), rows(opened, "portage"), listed(opened), listed(opened, "portage")
    forged = {
        "other_recipient": a_bounce(mine, recipient="victim@x.example"),
        "unknown_message": a_bounce(mine, message_id=mine["message_id"].replace("@", "x@")),
    }
    for name, data in forged.items():
        assert read(opened, data).counts == {name: 1}
    assert read(opened, a_bounce(mine, message_id=mine["message_id"].replace("reports.", "evil."))).changed == ()
    assert read(opened, a_bounce(waits)).counts == {"unknown_message": 1}
    assert (rows(opened), rows(opened, "portage"), listed(opened), listed(opened, "portage")) == kept
    # The control: the same report with the right words does change its own county, and only that.
    assert read(opened, a_bounce(theirs)).changed[0].county == "portage"
    assert (rows(opened), listed(opened)) == (kept[0], kept[2])
    assert listed(opened, "portage") == [(KETTLE_MAIL, "bounce")]


def test_a_mailbox_with_a_broken_report_is_read_to_its_end(opened: Database) -> None:
    [first, second] = sent(opened, a_notice(1), a_notice(2, "b@x.example"))
    vacation = b"From: a@x.example\r\nSubject: away\r\n\r\nBack on Monday\r\n"
    data = mailbox(a_bounce(first), a_bounce(second, status=""), vacation, a_bounce(second))
    found = read(opened, data)
    assert (found.read, found.counts) == (4, {"permanent": 2, "no_report": 1})
    assert found.refused == ((2, "The report has no Status such as 5.1.1."),)
    with pytest.raises(BounceUnreadable, match="no Status"):
        read(opened, a_bounce(second, status=""))


def test_who_unsubscribed_gets_what_the_law_asks_for_and_no_reminders(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, reminder(1), **ON_MAIL)
    one = Suppressing(address=OWNER, reason=Reason.UNSUBSCRIBED, by="me", now=NOON)
    digest = Suppressing(address=KETTLE_MAIL, reason=Reason.UNSUBSCRIBED, by="me", now=NOON, kind="due_digest")
    with opened.transaction(COUNTY) as store:
        assert suppress_address(store, one)
        assert not suppress_address(store, one)
        assert suppress_address(store, digest)
    assert deliver(opened, [COUNTY], Postman(), Clock()) == DeliveryCounts(cancelled=1)
    assert [row["last_error"] for row in messages(opened)] == ["opted_out"]
    counts = scan(opened, delinquent(1), reminder(1, stage=2), due_event(1), late_event(1), **ON_MAIL)
    assert counts.messages == {"delinquent_owner": 1, "late_report": 1, "late_report_copy": 1}
    assert counts.skipped == {"opted_out": 2}
    with opened.transaction(COUNTY) as store:
        assert lift_suppression(store, OWNER, "me", NOON, "asked by phone") == 1
        with pytest.raises(RecordNotFound):
            lift_suppression(store, OWNER, "me", NOON, "")
    assert scan(opened, reminder(1, stage=3), **ON_MAIL).messages == {"owner_reminder": 1}


def test_what_cannot_be_suppressed_is_refused(opened: Database) -> None:
    usual: dict[str, Any] = {"address": OWNER, "reason": Reason.UNSUBSCRIBED, "by": "me", "now": NOON}
    for values in ({"address": "a@x.example b@x.example"}, {"kind": "late_report"}, {"kind": "x"},
                   {"kind": "due_digest", "reason": Reason.BOUNCE}):  # fmt: skip
        with pytest.raises(SuppressionRefused), opened.transaction(COUNTY) as store:
            suppress_address(store, Suppressing(**{**usual, **values}))
    assert "owner_reminder" in OPTIONAL
    assert "delinquent_owner" not in OPTIONAL
