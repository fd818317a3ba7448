"""The county's weekly summary: one mail a week and address, on Monday, with the figures of the week before."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from notifications.outbox import MessageState, add_message, claim_next, complete, list_messages
from notifications.queueing import QueueCounts
from notifications.records import Channel, Notice, NoticeKind
from notifications.render import render
from notifications.weekly import queue_weekly, week_of
from reporting.store.derived import replace_assessment
from reporting.store.engine import Database, Store
from reporting.store.matching import insert_reviews
from tests.notifications.builders import (
    BASE_URL,
    NOON,
    OFFICE,
    TODAY,
    a_notice,
    a_program,
    add_tanks,
    late_event,
    missing_event,
    record,
)

DAY = timedelta(days=1)
MONDAY = TODAY
assert MONDAY.weekday() == 0


def made(opened: Database, today: date, county: str = "ozaukee", **settings: Any) -> QueueCounts:
    now = datetime(today.year, today.month, today.day, 17, tzinfo=UTC)
    with opened.transaction(county) as store:
        return queue_weekly(store, a_program(county, **settings), today, now, BASE_URL)


def summaries(opened: Database, county: str = "ozaukee") -> list[dict[str, Any]]:
    with opened.reading(county) as store:
        return list_messages(store, list(MessageState), kinds=["weekly_summary"])


def test_one_mail_a_week_and_address(opened: Database) -> None:
    both = f"{OFFICE}; second@ozaukee.example"
    told = [sum(made(opened, MONDAY + n * DAY, county_email=both).messages.values()) for n in range(15)]
    assert [n for n, count in enumerate(told) if count] == [0, 7, 14]
    assert set(told) == {0, 2}
    keys = sorted(row["dedupe_key"] for row in summaries(opened))
    assert keys[:2] == [f"weekly_summary|2026-W29|{OFFICE}", "weekly_summary|2026-W29|second@ozaukee.example"]


def test_after_an_outage_over_the_monday_it_is_made_on_the_next_day(opened: Database) -> None:
    assert made(opened, MONDAY - 6 * DAY).messages == {"weekly_summary": 1}
    assert made(opened, MONDAY + 2 * DAY).messages == {"weekly_summary": 1}
    assert made(opened, MONDAY + 3 * DAY) == QueueCounts()


@pytest.mark.parametrize(("ahead", "messages"), [(1, {}), (0, {"weekly_summary": 1})])
def test_none_before_the_county_is_live(ahead: int, messages: dict[str, int], opened: Database) -> None:
    assert made(opened, MONDAY, live_from=MONDAY + ahead * DAY).messages == messages


def test_a_county_without_an_address_is_counted_on_mondays(opened: Database) -> None:
    assert made(opened, MONDAY, county_email="").skipped == {"no_county_address": 1}
    assert made(opened, MONDAY + DAY, county_email="").skipped == {}


def a_duty(kind: str, last_day: date, **columns: Any) -> dict[str, Any]:
    return {
        "component": "septic", "component_ref": "", "kind": kind, "rule": "OZ1", "cycle": kind, "state": "overdue",
        "due_on": last_day, "last_day": last_day, "duty_of": "owner", "cite": "9.029(2)(a)1", **columns,
    }  # fmt: skip


def fill(store: Store) -> None:
    """A week's worth, with a day on each side of every limit."""
    add_tanks(store, [1, 2], permit_number="SP-1", site_address="1 Oak\nStreet", municipality="Town of Saukville")
    duties = [
        a_duty("pump", MONDAY - 8 * DAY),
        a_duty("inspect_tank", MONDAY - 7 * DAY),
        a_duty("inspect_dispersal", MONDAY - DAY),
        a_duty("missing_report", MONDAY - DAY),
        a_duty("period_report", MONDAY - 40 * DAY),
        a_duty("correction", MONDAY - DAY, cycle="case:c1:2026-06-01:", state="overdue"),
        a_duty("correction", MONDAY, cycle="case:c2:2026-06-01:", state="due_soon"),
        a_duty("owner_response", MONDAY + 6 * DAY, cycle="case:c3:2026-06-01:", state="upcoming"),
        a_duty("owner_response", MONDAY + 7 * DAY, cycle="case:c4:2026-06-01:", state="upcoming"),
    ]
    replace_assessment(store, "sys_1", {"state": "overdue"}, duties, [])
    replace_assessment(store, "sys_2", {"state": "compliant"}, [], [])
    since = datetime(2026, 7, 6, 5, tzinfo=UTC)  # Monday, 0:00 in Wisconsin
    record(store, late_event(1), at=since - timedelta(seconds=1))
    record(store, late_event(2), missing_event(3), at=since)
    review = {"event": "e", "candidates": [], "created_seq": 1, "reason": "x"}
    insert_reviews(store, [{**review, "id": "r1", "state": "open"}, {**review, "id": "r2", "state": "matched"}])
    letter = Notice(
        kind=NoticeKind.CASE_OPENED, recipient="x", dedupe_key="l", context={"a": 1}, channel=Channel.LETTER
    )
    add_message(store, letter, NOON, "x")
    for number, at in ((1, since - timedelta(seconds=1)), (2, since)):
        add_message(store, a_notice(number), at, "x")
        claim = claim_next(store, NOON, timedelta(minutes=1))
        assert claim is not None
        complete(store, claim, MessageState.FAILED, error="no")


def test_the_figures_of_the_week(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        fill(store)
        found = week_of(store, a_program(), MONDAY)
    names = (
        "newly_overdue", "late_reports", "missing_new", "missing_reports", "missing_periods", "failed_mails",
        "letters_waiting", "reviews", "case_deadlines",
    )  # fmt: skip
    assert {name: found[name] for name in names} == {
        "newly_overdue": 3, "late_reports": 1, "missing_new": 1, "missing_reports": 1, "missing_periods": 1,
        "failed_mails": 1, "letters_waiting": 1, "reviews": 1, "case_deadlines": 2,
    }  # fmt: skip
    assert found["standings"] == {"compliant": 1, "overdue": 1}
    assert [line["what"] for line in found["overdue"]] == ["inspect tank", "correction", "inspect dispersal"]
    assert [line["last_day"] for line in found["cases"]] == ["2026-07-13", "2026-07-19"]
    assert found["overdue"][0]["site_address"] == "1 Oak Street"


def test_another_county_has_its_own_week(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        fill(store)
    with opened.transaction("portage") as store:
        found = week_of(store, a_program("portage"), MONDAY)
    assert [value for value in found.values() if isinstance(value, int) and value] == []
    assert (found["standings"], found["overdue"], found["cases"]) == ({}, [], [])


def test_what_is_not_shown_is_counted(opened: Database) -> None:
    duties = [a_duty("pump", MONDAY - DAY, cycle=str(n)) for n in range(30)]
    with opened.transaction("ozaukee") as store:
        add_tanks(store, [1])
        replace_assessment(store, "sys_1", {"state": "overdue"}, duties, [])
    made(opened, MONDAY)
    [row] = summaries(opened)
    assert "- And 5 more." in render(row["kind"], row["content"], MONDAY).text
