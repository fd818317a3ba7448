"""From the store's events to its messages: each once, in the right county, every skip counted."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from notifications.outbox import MessageState, claim_next, complete, list_messages
from notifications.queueing import QueueCounts, queue_notices
from notifications.records import DomainEvent
from reporting.store.derived import replace_assessment
from reporting.store.engine import Database
from reporting.store.events_out import pending_domain_events
from reporting.store.facts import insert_events, insert_facts
from tests.notifications.builders import (
    BASE_URL,
    KETTLE,
    KETTLE_MAIL,
    NOON,
    OFFICE,
    TODAY,
    a_program,
    add_contractor,
    add_people,
    add_tanks,
    an_event,
    due_event,
    late_event,
    missing_event,
    needs_event,
    receipt_event,
    record,
)

LEASE = timedelta(minutes=15)


def scan(
    database: Database, *events: DomainEvent, day: int = 0, county: str = "ozaukee", **settings: Any
) -> QueueCounts:
    """Record the events and queue what follows, so many days later."""
    later = timedelta(days=day)
    with database.transaction(county) as store:
        record(store, *events, at=NOON + later)
        return queue_notices(store, a_program(county, **settings), TODAY + later, NOON + later, BASE_URL)


def messages(database: Database, county: str = "ozaukee") -> list[dict[str, Any]]:
    with database.reading(county) as store:
        found = list_messages(store, list(MessageState), 10_000)
    return sorted(found, key=lambda row: row["dedupe_key"])


def tanks_in(message: dict[str, Any]) -> list[str]:
    return [line["system"] for line in message["content"]["lines"]]


def test_every_event_is_handled_once_and_counted(opened: Database) -> None:
    events = [
        due_event(1),
        due_event(2),
        due_event(3, contractor_license=""),
        late_event(4),
        missing_event(5),
        receipt_event(),
        an_event("something_else", "other:1", {}),
    ]
    counts = scan(opened, *events)
    assert counts == QueueCounts(
        events=7,
        messages={
            "due_digest": 1,
            "late_report": 1,
            "late_report_copy": 1,
            "missing_report": 1,
            "missing_report_copy": 1,
            "receipt": 1,
        },
        lines=2,
        skipped={"no_contractor": 1, "unknown_event": 1},
    )
    assert scan(opened, *events) == QueueCounts()
    with opened.reading("ozaukee") as store:
        assert pending_domain_events(store, 10) == []
    assert len(messages(opened)) == 6


def test_what_the_county_knows_goes_into_the_notice(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        add_tanks(store, [1], owner="Laverne\r\nBcc: all@example.org")
        report = {
            "id": "rep_1",
            "seq": 1,
            "system": "sys_1",
            "component": "septic",
            "event_type": "pumping",
            "service_date": TODAY - timedelta(days=19),
            "received_at": NOON,
            "first_received_at": NOON,
            "identity": "i",
            "content_sha": "s",
            "report_ref": "T-77",
            "content": {},
        }
        insert_events(store, [report])
    event = late_event(1)
    content = {key: value for key, value in event.content.items() if key not in ("service_date", "report_ref")}
    scan(opened, an_event("late_report", event.cause_key, content))
    copy, mine = sorted(messages(opened), key=lambda row: row["recipient"], reverse=True)
    assert (copy["recipient"], mine["recipient"]) == (OFFICE, KETTLE_MAIL)
    told, tank = copy["content"]["tank"], mine["content"]["tank"]
    assert told["owner_name"] == "Laverne Bcc: all@example.org"
    assert told["access_notes"] == "Lid under the lilac; dog in the yard."
    # Whoever reports a number learns nothing of what the county has on file of it.
    assert "Laverne" not in str(mine["content"])
    assert "lilac" not in str(mine["content"])
    assert (tank["service_date"], tank["report_ref"]) == ("2026-06-24", "T-77")
    assert tank["component"] == "septic tank"
    assert tank["duty_of"] == "contractor"


@pytest.mark.parametrize(
    ("columns", "facts", "reason"),
    [
        ({}, [], None),
        ({"status": "abandoned"}, [], "inactive"),
        ({}, [{"kind": "hold", "opened_on": "2026-07-01"}], "on_hold"),
        ({}, [{"kind": "hold", "opened_on": "2026-07-01", "closed_on": "2026-07-02"}], None),
    ],
)
def test_a_tank_out_of_use_or_on_hold_is_not_reminded_of(
    columns: dict[str, Any], facts: list[dict[str, Any]], reason: str | None, opened: Database
) -> None:
    with opened.transaction("ozaukee") as store:
        add_tanks(store, [1], **columns)
        insert_facts(store, [{"kind": "case", "system": "sys_1", "seq": 1, "id": "c", "content": c} for c in facts])
    assert scan(opened, due_event(1)).skipped == ({reason: 1} if reason else {})


@pytest.mark.parametrize(
    ("state", "skipped"), [("overdue", {}), ("met", {"already_serviced": 1}), ("suspended", {"exempt": 1})]
)
def test_the_assessment_of_the_moment_decides(state: str, skipped: dict[str, int], opened: Database) -> None:
    duty = {
        "component": "septic",
        "component_ref": "",
        "kind": "pump_or_inspect",
        "rule": "OZ1",
        "cycle": "rep_1",
        "state": state,
        "duty_of": "owner",
        "cite": "9.029(2)(a)1",
    }
    with opened.transaction("ozaukee") as store:
        add_tanks(store, [1])
        replace_assessment(store, "sys_1", {"state": "overdue"}, [duty], [])
    assert scan(opened, due_event(1)).skipped == skipped


@pytest.mark.parametrize(
    ("states", "skipped"),
    [
        (["due_soon"], {}),
        (["upcoming", "due_soon"], {}),
        (["due_soon", "upcoming"], {}),
        ([], {"already_serviced": 1}),
    ],
)
def test_a_holding_tank_is_judged_by_its_own_duties(
    states: list[str], skipped: dict[str, int], opened: Database
) -> None:
    about = {"component": "holding", "component_ref": "", "kind": "service_holding", "cycle": "rep_1", "cite": "x"}
    duties = [{**about, "rule": f"R{n}", "state": state, "duty_of": "owner"} for n, state in enumerate(states)]
    with opened.transaction("ozaukee") as store:
        add_tanks(store, [1])
        replace_assessment(store, "sys_1", {"state": "due_soon", "needs_service": True}, duties, [])
    assert scan(opened, needs_event(1)).skipped == skipped


def test_before_the_county_is_live_events_are_handled_and_nobody_told(opened: Database) -> None:
    live_from = TODAY + timedelta(days=1)
    assert scan(opened, due_event(1), late_event(2), live_from=live_from) == QueueCounts(
        events=2, skipped={"not_live_yet": 2}
    )
    assert scan(opened, day=1, live_from=live_from) == QueueCounts()


def test_an_event_without_sense_stops_nobody(opened: Database) -> None:
    broken = [
        an_event("late_report", "late:x:OZ5", {"event": "x"}),
        an_event("receipt", "receipt:y", {"contractor_id": KETTLE}),
        late_event(8, due_on="soon"),
    ]
    counts = scan(opened, *broken, receipt_event())
    assert (counts.messages, counts.skipped) == ({"receipt": 1}, {"unreadable_event": 3})


def test_two_businesses_with_one_licence_number_are_told_apart_or_not_told(opened: Database) -> None:
    with opened.transaction(None) as store:
        add_contractor(store, "con_a", "A Plumbing", "a@plumbing.example", "777", "master_plumber")
        add_contractor(store, "con_b", "B Inspections", "b@inspect.example", "777", "powts_inspector")
        add_contractor(store, "con_c", "C Plumbing", "c@plumbing.example", "00412", "master_plumber")
    counts = scan(opened, due_event(1, contractor_license="777"), due_event(2))
    assert counts.skipped == {"unknown_contractor": 1}
    assert [row["recipient"] for row in messages(opened)] == [KETTLE_MAIL]


def test_a_second_scan_adds_to_the_digest_that_has_not_left(opened: Database) -> None:
    assert scan(opened, due_event(2)).messages == {"due_digest": 1}
    again = scan(opened, due_event(1), due_event(3))
    assert (again.messages, again.lines) == ({}, 2)
    (digest,) = messages(opened)
    assert tanks_in(digest) == ["sys_1", "sys_2", "sys_3"]


def test_one_digest_a_day_and_no_cause_in_two(opened: Database) -> None:
    scan(opened, due_event(1))
    with opened.transaction("ozaukee") as store:
        claim = claim_next(store, NOON, LEASE)
        assert claim is not None
        complete(store, claim, MessageState.SENT, sent_at=NOON)
    assert scan(opened, due_event(1), due_event(2)).messages == {"due_digest": 1}
    assert scan(opened, due_event(3)).messages == {}
    assert scan(opened, due_event(4), day=1).messages == {}
    today, tomorrow = messages(opened)
    assert (tanks_in(today), tanks_in(tomorrow)) == (["sys_1"], ["sys_2", "sys_3", "sys_4"])
    assert tomorrow["not_before"].isoformat() == "2026-07-14T11:00:00+00:00"
    with opened.transaction("ozaukee") as store:
        assert claim_next(store, NOON, LEASE) is None
        assert claim_next(store, NOON + timedelta(days=1), LEASE) is not None


def test_after_an_outage_only_the_latest_stage_is_told(opened: Database) -> None:
    counts = scan(opened, missing_event(1, stage=2), missing_event(1), missing_event(2))
    assert counts.skipped == {"later_stage": 1}
    told = [(row["content"]["system"], row["content"]["stage"]) for row in messages(opened)]
    assert sorted(told) == [("sys_1", 2), ("sys_1", 2), ("sys_2", 1), ("sys_2", 1)]


def test_a_cause_that_moves_its_date_is_told_once(opened: Database) -> None:
    scan(opened, late_event(1))
    assert scan(opened, late_event(1, due_on="2026-07-08", last_day="2026-07-08")) == QueueCounts()
    assert len(messages(opened)) == 2


def test_scans_at_the_same_time_make_each_message_once(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        record(store, *[late_event(n) for n in range(40)], *[due_event(n) for n in range(40)])
    start = threading.Barrier(4)
    found: list[QueueCounts] = []

    def run() -> None:
        start.wait()
        found.append(scan(opened))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found, QueueCounts()) == QueueCounts(
        events=80, messages={"late_report": 40, "late_report_copy": 40, "due_digest": 1}, lines=40
    )
    assert len(messages(opened)) == 81


def test_a_county_speaks_for_itself_only(opened: Database) -> None:
    scan(opened, late_event(1))
    scan(opened, late_event(1), county="portage", county_email="clerk@portage.example")
    assert {row["recipient"] for row in messages(opened, "portage")} == {KETTLE_MAIL, "clerk@portage.example"}
    assert {row["recipient"] for row in messages(opened)} == {KETTLE_MAIL, OFFICE}
    ids = [{row["message_id"] for row in messages(opened, county)} for county in ("ozaukee", "portage")]
    assert not ids[0] & ids[1]
    with pytest.raises(ValueError, match="portage"), opened.transaction("ozaukee") as store:
        queue_notices(store, a_program("portage"), TODAY, NOON, BASE_URL)


def test_a_contractor_without_address_is_counted_and_the_county_told(opened: Database) -> None:
    add_people(opened, email=None)
    counts = scan(opened, needs_event(1), due_event(2))
    assert (counts.messages, counts.skipped) == ({"undesignated_digest": 1}, {"no_address": 2})
    (digest,) = messages(opened)
    assert (digest["recipient"], digest["content"]["lines"][0]["not_told"]) == (OFFICE, "no_address")


def test_the_message_id_follows_from_the_key_and_names_the_service(opened: Database) -> None:
    scan(opened, receipt_event())
    (row,) = messages(opened)
    assert row["message_id"] == f"<receipt.{row['id'].removeprefix('msg_')}@reports.example.org>"
    assert len(row["id"]) == 30
