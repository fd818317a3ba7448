"""The county's switch, the trial with one address, and what a dry run says."""

import json
from datetime import timedelta

import pytest

from notifications.delivery import DeliveryCounts, deliver
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outbox import oldest_waiting
from notifications.pauses import AlreadyPaused, Hand, PauseRefused, find_pause, pause_mail, resume_mail
from notifications.planning import plan_mails
from notifications.staging import StagingSender
from reporting.errors import RecordNotFound
from reporting.store import mail
from reporting.store.engine import Database
from reporting.store.log import detail_of, entries_of, head
from tests.notifications.builders import KETTLE_MAIL, MAIL_FROM, NOON, Clock, a_notice
from tests.notifications.sending import COUNTY, Postman, queue, rows
from tests.notifications.test_delivery import abandon
from tests.notifications.test_owner_notices import OWNER, add_owned, delinquent, reminder, scan
from tests.services.smtp import SmtpServer

HAND = Hand(by="key_clerk", now=NOON)
OTHER = "other@x.example"


def pause(database: Database, county: str = COUNTY, **what: str) -> str:
    with database.transaction(county) as store:
        return pause_mail(store, HAND, "moving house", **what)


def resume(database: Database, made: str) -> int:
    with database.transaction(COUNTY) as store:
        return resume_mail(store, HAND, made, "all set up")


@pytest.mark.parametrize(
    ("what", "sent", "held"),
    [
        ({}, [], {"receipt": 2}),
        ({"kind": "receipt"}, [], {"receipt": 2}),
        ({"kind": "owner_reminder"}, [KETTLE_MAIL, OTHER], {}),
        ({"recipient": OTHER.upper()}, [KETTLE_MAIL], {"receipt": 1}),
        ({"recipient": OTHER, "kind": "owner_reminder"}, [KETTLE_MAIL, OTHER], {}),
    ],
)
def test_what_is_paused_waits_and_is_counted(
    opened: Database, what: dict[str, str], sent: list[str], held: dict[str, int]
) -> None:
    """A receipt is a notice of law: it is held, too, and not dropped."""
    queue(opened, a_notice(1), a_notice(2, OTHER))
    made = pause(opened, **what)
    postman = Postman()
    count = sum(held.values())
    counts = deliver(opened, [COUNTY], postman, Clock())
    assert counts == DeliveryCounts(sent=2 - count, still_queued=count, held=count)
    assert sorted(one.recipient for one in postman.mails) == sorted(sent)
    with opened.reading(COUNTY) as store:
        assert mail.count_held(store) == held
        assert oldest_waiting(store, NOON + timedelta(days=3)) is None  # held is not stuck
    assert resume(opened, made) == count
    assert deliver(opened, [COUNTY], postman, Clock()) == DeliveryCounts(sent=count)


def test_a_pause_of_one_county_holds_no_other(opened: Database) -> None:
    queue(opened, a_notice(1))
    queue(opened, a_notice(1), county="portage")
    pause(opened, "portage")
    counts = deliver(opened, [COUNTY, "portage"], Postman(), Clock())
    assert (counts.sent, counts.still_queued, counts.held) == (1, 1, 1)


def test_two_pauses_hold_until_both_have_ended(opened: Database) -> None:
    queue(opened, a_notice(1))
    first, second = pause(opened), pause(opened, kind="receipt")
    assert resume(opened, first) == 0
    assert deliver(opened, [COUNTY], Postman(), Clock()).held == 1
    assert resume(opened, second) == 1


def test_what_is_resumed_is_judged_again(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 2)
    scan(opened, reminder(2))
    made = pause(opened)
    deliver(opened, [COUNTY], Postman(), Clock())
    abandon(opened, ["sys_2"], 5)
    resume(opened, made)
    assert deliver(opened, [COUNTY], Postman(), Clock()) == DeliveryCounts(cancelled=1)
    assert [row["last_error"] for row in rows(opened) if row["channel"] == "mail"] == ["inactive"]


def test_the_record_says_who_paused_what_when_and_why(opened: Database) -> None:
    made = pause(opened, kind="receipt", recipient=OTHER)
    resume(opened, made)
    with opened.reading(COUNTY) as store:
        size = head(store).size
        entries = [json.loads(entry) for entry in entries_of(store, range(1, size + 1)).values()]
        words = [detail_of(store, seq)["words"] for seq in range(1, size + 1)]
        [row] = mail.list_pauses(store, ended=True)
        assert mail.list_pauses(store) == []
    assert [(one["type"], one["content"]) for one in entries] == [
        ("mail_paused", {"pause": made, "kind": "receipt", "by": "key_clerk"}),
        ("mail_resumed", {"pause": made, "by": "key_clerk"}),
    ]
    assert words == [{"reason": "moving house", "recipient": OTHER}, {"reason": "all set up"}]
    assert (row["ended_by"], row["end_reason"], row["ended_at"]) == ("key_clerk", "all set up", NOON)


def test_what_cannot_be_paused_is_refused_in_words(opened: Database) -> None:
    made = pause(opened)
    with pytest.raises(AlreadyPaused):
        pause(opened)
    for what, words in (
        ({"kind": "signin_link"}, "Give the kind as one of receipt, "),
        ({"kind": "x"}, "Give the kind as one of"),
        ({"recipient": "a@x.org, b@x.org"}, "one plain mail address"),
    ):
        with pytest.raises(PauseRefused, match=words):
            pause(opened, **what)
    for reason in (" ", "x" * 501, "two\nlines"):
        with pytest.raises(PauseRefused, match="Say why"), opened.transaction(COUNTY) as store:
            pause_mail(store, HAND, reason, kind="receipt")
    assert resume(opened, made) == 0
    with pytest.raises(RecordNotFound):
        resume(opened, made)
    with pytest.raises(RecordNotFound), opened.reading(COUNTY) as store:
        find_pause(store)
    assert pause(opened) != made


def test_a_trial_mails_one_address_only_and_names_the_recipient(opened: Database, smtp_server: SmtpServer) -> None:
    queue(opened, a_notice(1), a_notice(2, OTHER))
    sender = StagingSender(SmtpSender(read_smtp_url(smtp_server.url), MAIL_FROM), "trial@county.example")
    assert deliver(opened, [COUNTY], sender, Clock(), link=lambda claim, content: "https://x.example/u").sent == 2
    assert {one.recipients for one in smtp_server.received} == {("trial@county.example",)}
    for one in smtp_server.received:
        real = one.message["X-Pumper-Recipient"]
        assert real in (KETTLE_MAIL, OTHER)
        assert one.message["Subject"].startswith(f"[for {real}] Ozaukee County: ")
        assert one.message["To"] == "trial@county.example"
        assert one.message["List-Unsubscribe"] is None  # it would be the recipient's, not the tester's
    answers = {row["content"]["proof"]["answer"] for row in rows(opened)}
    assert all(answer.startswith("staging: went to trial@county.example only; 250 ") for answer in answers)


def test_a_dry_run_says_what_would_go_and_why_the_rest_would_not(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
        add_owned(store, 2, email="two@lor.example")
    scan(opened, reminder(1), reminder(2), delinquent(1))
    abandon(opened, ["sys_2"], 5)
    queue(opened, a_notice(1), a_notice(2, OTHER), a_notice(3, "later@x.example"))
    pause(opened, recipient=OTHER)
    before = rows(opened)
    with opened.reading(COUNTY) as store:
        plan = plan_mails(store, NOON, NOON + timedelta(hours=12))
        none_today = plan_mails(store, NOON, NOON)
    assert sorted((one.kind, one.recipient, one.state) for one in plan.going) == [
        ("delinquent_owner", OWNER, "queued"),
        ("owner_reminder", OWNER, "queued"),
        ("receipt", "later@x.example", "queued"),
        ("receipt", KETTLE_MAIL, "queued"),
    ]
    assert plan.staying == {"inactive": 1, "on_paper": 1, "paused": 1}
    assert (none_today.going, none_today.staying) == ((), {"on_a_later_day": 5, "on_paper": 1, "paused": 1})
    assert rows(opened) == before
    # The control: what it said would go, goes, and nothing else.
    postman = Postman()
    deliver(opened, [COUNTY], postman, Clock())
    assert sorted(one.recipient for one in postman.mails) == sorted(one.recipient for one in plan.going)
