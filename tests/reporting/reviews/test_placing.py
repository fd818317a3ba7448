"""A wrong match is undone: the report moves or waits again, and the due dates follow on both systems."""

from datetime import date, timedelta

import pytest

from reporting.errors import DecisionRefused, ReasonMissing, RecordNotFound, ReportEnded
from reporting.reviews.placing import send_back
from tests.reporting.intake.sending import NOW, a_report
from tests.reporting.reviews.clerk import LATER, Clerk

MOVED = LATER + timedelta(days=1)


def test_the_dates_follow_a_report_that_moves(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", "SP-1987"))
    assert (clerk.due("SP-1987"), clerk.due("SP-2044")) == (date(2029, 7, 6), date(2027, 5, 1))
    done = clerk.move(str(row.report_id), "SP-2044")
    assert (clerk.due("SP-1987"), clerk.due("SP-2044")) == (date(2026, 5, 1), date(2029, 7, 6))
    back = clerk.move(done.reports[str(row.report_id)], "SP-1987", now=MOVED)
    assert (clerk.due("SP-1987"), clerk.due("SP-2044")) == (date(2029, 7, 6), date(2027, 5, 1))
    assert len(clerk.desk.events()) == 1
    first, second = clerk.system("SP-1987"), clerk.system("SP-2044")
    days = {
        when: [len(clerk.status(system, when).services) for system in (first, second)] for when in (NOW, LATER, MOVED)
    }
    assert days == {NOW: [2, 1], LATER: [1, 2], MOVED: [2, 1]}
    assert set(back.systems) == {first, second}


def test_a_report_sent_back_counts_for_nothing_and_waits(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", "SP-1987"))
    done = clerk.send_back(str(row.report_id))
    assert clerk.due("SP-1987") == date(2026, 5, 1)
    (review,) = clerk.waiting()
    fresh = done.reports[str(row.report_id)]
    assert (review["reason"], review["event"], clerk.desk.events()[0]["system"]) == ("sent_back", fresh, None)
    assert clerk.show(review["id"])["candidates"][0]["system"] == clerk.system("SP-1987")
    assert clerk.send(a_report("T-1", "SP-1987")).outcome == "duplicate"
    with pytest.raises(DecisionRefused, match="waits"):
        clerk.send_back(fresh)
    # What a person took out does not come back in by a correction of something else.
    amended = clerk.amend(fresh, notes="seen")
    assert (amended.outcome, amended.review) == ("queued_for_review", "sent_back")
    clerk.resolve("SP-2044", now=MOVED)
    assert clerk.due("SP-2044") == date(2029, 7, 6)


def test_a_match_that_was_undone_is_forgotten(clerk: Clerk) -> None:
    wrong = {"permit_number": "SP-9187", "parcel_number": ""}
    clerk.send(a_report("T-1", **wrong))
    decided = clerk.resolve("SP-1987")
    second = clerk.send(a_report("T-2", service_date="2026-07-03", **wrong))
    assert (decided.remembered, second.matched_by) == (True, "remembered")
    moved = clerk.move(str(second.report_id), "SP-2044")
    assert moved.remembered  # now of the other one
    third = clerk.send(a_report("T-3", service_date="2026-07-04", **wrong))
    assert third.system == clerk.system("SP-2044")
    back = clerk.send_back(str(third.report_id))
    assert (back.forgotten, back.remembered) == (True, False)
    assert clerk.send(a_report("T-4", service_date="2026-07-05", **wrong)).outcome == "queued_for_review"


def test_only_a_report_that_stands_moves(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", "SP-1987"))
    report = str(row.report_id)
    baseline = next(e["id"] for e in clerk.desk.rows("event") if not e["submission"])
    for none in ("rep_none", baseline):
        with pytest.raises(RecordNotFound):
            clerk.move(none, "SP-2044")
    with pytest.raises(DecisionRefused, match="already"):
        clerk.move(report, "SP-1987")
    silent = Clerk(desk=clerk.desk, reason="")
    with pytest.raises(ReasonMissing), clerk.desk.database.transaction(clerk.desk.county) as store:
        send_back(store, report, silent.decider())
    clerk.move(report, "SP-2044")
    with pytest.raises(ReportEnded):
        clerk.move(report, "SP-1987")


def test_two_amendments_in_a_row_and_a_void_at_every_moment(clerk: Clerk) -> None:
    """What is known at each moment is what was known then, through the county's question."""
    first = clerk.send(a_report("T-1", "SP-1987"))
    second = clerk.amend(str(first.report_id), NOW + timedelta(days=1), service_date="2026-06-30")
    third = clerk.amend(str(second.report_id), NOW + timedelta(days=2), service_date="2026-06-20")
    clerk.void(str(third.report_id), NOW + timedelta(days=3))
    system = clerk.system("SP-1987")
    known = {days: clerk.status(system, NOW + timedelta(days=days)) for days in (-1, 0, 1, 2, 3)}
    last = {days: status.services[0]["service_date"] for days, status in known.items()}
    assert last == {-1: "2023-05-01", 0: "2026-07-06", 1: "2026-06-30", 2: "2026-06-20", 3: "2023-05-01"}
    dues = {
        days: next(o["due_on"] for o in status.answer["obligations"] if o["kind"] == "pump_or_inspect")
        for days, status in known.items()
    }
    assert dues == {-1: "2026-05-01", 0: "2029-07-06", 1: "2029-06-30", 2: "2029-06-20", 3: "2026-05-01"}
    late = {days: [f["kind"] for f in status.answer["findings"] if f.get("event")] for days, status in known.items()}
    # Received on July 13 at first: in time for July 6, not for June 30 and June 20.
    assert late == {-1: [], 0: [], 1: ["late_report"], 2: ["late_report"], 3: []}
