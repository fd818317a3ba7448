"""The owner tells of each servicing (OZ6): of which a contractor's report is missing, and what reports lack."""

import datetime as dt
from typing import Any

import pytest

from reporting.domain.missing import assess_missing_reports
from reporting.domain.records import Component, Event, History, OwnerNotice, System
from reporting.domain.view import View
from reporting.scenario import evaluate
from tests.reporting.domain.programs import PROGRAMS
from tests.reporting.domain.test_intervals import act, judged, program, pumped

TOLD = dt.date(2026, 5, 4)
NOON = dt.datetime(2026, 5, 15, 17, 0, tzinfo=dt.UTC)
SERVICED = {"on": "2026-05-04", "kind": "serviced"}
MISSING = "the owner told of service on 2026-05-04; no report within 3 days of it"


def answer(*notices: dict[str, Any], events: tuple[dict[str, Any], ...] = (), **system: Any) -> Any:
    numbered = [{"id": f"E{n}", **event} for n, event in enumerate(events)]
    more = {"system": {"kind": "holding", **system}, "events": numbered, "owner_notices": list(notices)}
    found: Any = evaluate({"county": "ozaukee", "as_of": "2026-06-01", **more})
    assert "ignored" not in found
    return found


def view_of(as_of: dt.date, *told: OwnerNotice, events: tuple[Event, ...] = ()) -> View:
    system = System(components=(Component(kind="holding"),))
    history = History(events=events, owner_notices=told)
    return View(program=PROGRAMS["ozaukee"], system=system, history=history, as_of=as_of, known_at=None)


def missing(found: Any) -> list[str]:
    return [o["due_on"] for o in found["obligations"] if o["kind"] == "missing_report"]


def test_what_is_missing_is_said_with_its_day() -> None:
    found = answer(SERVICED)
    [duty] = [o for o in found["obligations"] if o["kind"] == "missing_report"]
    assert (duty["because"], duty["due_on"]) == (MISSING, "2026-05-14")
    told = {f["kind"]: (f["because"], f["due_on"], f["last_day"]) for f in found["findings"]}
    assert told["missing_report"] == (MISSING, "2026-05-14", "2026-05-14")
    violated = f"{MISSING}; the owner has the report provided or violates"
    assert told["records_violation"] == (violated, "2026-05-14", "2026-05-14")


@pytest.mark.parametrize(("event_type", "answers"), [("pumping", True), ("meter_reading", False)])
def test_a_report_of_service_answers_and_a_reading_does_not(event_type: str, answers: bool) -> None:
    found = answer(SERVICED, events=({"event_type": event_type, "service_date": "2026-05-04"},))
    assert missing(found) == ([] if answers else ["2026-05-14"])


def test_notices_are_answered_in_whatever_order_they_came() -> None:
    days = [TOLD - dt.timedelta(days=1), TOLD + dt.timedelta(days=10)]
    events = tuple(
        Event(id=f"E{n}", event_type="pumping", service_date=day, component="holding", received_at=NOON)
        for n, day in enumerate(days)
    )
    notices = [OwnerNotice(on=TOLD + dt.timedelta(days=n), kind="serviced") for n in (9, 0)]
    for told in (notices, notices[::-1]):
        assert assess_missing_reports(view_of(dt.date(2026, 6, 10), *told, events=events)).obligations == ()
        [one] = assess_missing_reports(view_of(dt.date(2026, 6, 10), *told, events=events[1:])).obligations
        assert one.due_on == dt.date(2026, 5, 14)


def test_components_of_which_nothing_is_told_hide_no_tank_after_them() -> None:
    assert missing(answer(SERVICED, components=["septic", "holding"])) == ["2026-05-14"]


@pytest.mark.parametrize(("days", "changes"), [(-1, ()), (0, (dt.date(2026, 5, 15),))])
def test_a_notice_counts_from_its_day_on(days: int, changes: tuple[dt.date, ...]) -> None:
    view = view_of(TOLD + dt.timedelta(days=days), OwnerNotice(on=TOLD, kind="serviced"))
    assert assess_missing_reports(view).changes_on == changes


def test_of_two_deadlines_of_the_same_day_the_first_is_the_one_missed() -> None:
    deadline = act('effect = "report_deadline", events = ["pumping"]', days=10)
    late = pumped("2026-01-05", received_on="2026-02-20T12:00:00-06:00")
    found = judged(program(deadline, deadline), late)["findings"]
    assert [f["rule"] for f in found if f["kind"] == "late_report"] == ["EL1"]


@pytest.mark.parametrize(
    ("held", "because"),
    [
        ({"credential_kind": "soil_tester"}, "soil tester is not entitled to pump"),
        (
            {"credential_kind": "septage_operator", "credential_expires_on": "2026-01-04"},
            "septage operator expired 2026-01-04",
        ),
    ],
)
def test_work_that_does_not_count_says_why(held: dict[str, str], because: str) -> None:
    may = '{ effect = "who_may", activity = "pump", credentials = ["septage_operator"] }'
    found = judged(program(may), {**pumped("2026-01-05"), **held})["findings"]
    assert {f["because"] for f in found if f["kind"] in ("not_qualified", "credential_expired")} == {because}
