"""Corrections: amended and voided reports, what they are judged by, and that a file sent again adds nothing."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from reporting.errors import ReasonMissing, RecordNotFound, ReportEnded
from reporting.intake.amend import amend, void
from reporting.intake.answer import RowAnswer
from reporting.reviews.decisions import Decider, Decision, Verdict
from reporting.reviews.resolving import resolve
from reporting.store.facts import load_history
from reporting.store.log import head
from reporting.store.reviews import open_reviews
from schemas.loader import shipped_program
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system, codes, outcomes

LATER = NOW + timedelta(days=3)


@pytest.fixture
def ozaukee(desk: Desk) -> Desk:
    desk.stock(a_system("SP-1"), a_system("SP-2", component="holding"))
    return desk


def change(desk: Desk, report_id: str | None, now: datetime = LATER, **changes: Any) -> RowAnswer:
    with desk.database.transaction(desk.county) as store:
        program = shipped_program(desk.county)
        return amend(store, program, STAFF, str(report_id), changes, "mistyped", now, desk.signer)


def take_back(desk: Desk, report_id: str | None, now: datetime = LATER) -> None:
    with desk.database.transaction(desk.county) as store:
        receipt = void(store, STAFF, str(report_id), "never happened", now, desk.signer)
    assert receipt.county == desk.county


def test_an_amended_report_keeps_its_first_receipt(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1", service_date="2026-07-06"))
    second = change(ozaukee, first.report_id, service_date="2026-07-03")
    third = change(ozaukee, second.report_id, LATER + timedelta(days=9), gallons_pumped=Decimal("950"), notes="seen")
    assert [r.outcome for r in (first, second, third)] == ["accepted"] * 3
    (event,) = ozaukee.events()
    assert (event["id"], event["supersedes"]) == (third.report_id, second.report_id)
    assert (event["first_received_at"], event["row"]) == (NOW, 2)
    assert event["content"].items() >= {"service_date": "2026-07-03", "gallons_pumped": 950, "notes": "seen"}.items()
    assert third.findings == ()  # received July 13 at first, in time for July 3
    late = change(ozaukee, third.report_id, LATER + timedelta(days=10), service_date="2026-06-30")
    assert [f["kind"] for f in late.findings] == ["late_report"]


def test_what_was_known_before_stays_known(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1"))
    with ozaukee.database.reading("ozaukee") as store:
        before = head(store).size
    change(ozaukee, first.report_id, gallons_pumped=900)
    system = ozaukee.events()[0]["system"]
    with ozaukee.database.reading("ozaukee") as store:
        then, now = load_history(store, [system], before)[system], load_history(store, [system])[system]
    assert [e["content"]["gallons_pumped"] for e in then.events] == [1000]
    assert [e["content"]["gallons_pumped"] for e in now.events] == [900]


def test_a_field_is_emptied_by_null_and_the_whole_is_judged(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1", notes="x"))
    assert codes(change(ozaukee, first.report_id, signature=None)) == [("signature", "required")]
    assert change(ozaukee, first.report_id, notes=None).outcome == "accepted"
    assert "notes" not in ozaukee.events()[0]["content"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"galons": 3}, [("galons", "unknown_field")]),
        ({"gallons_pumped": "~900"}, [("gallons_pumped", "not_whole")]),
        ({"service_date": "2030-01-01"}, [("service_date", "in_future")]),
        ({"notes": "half \ud800"}, [("notes", "bad_character")]),
        ({"notes": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}, [(None, "unreadable_row")]),
        ({"notes": {"a": 1}}, [("notes", "not_text")]),
        ({"report_ref": "T-2"}, [("report_ref", "ref_conflict")]),
    ],
)
def test_a_correction_that_cannot_be_is_rejected(ozaukee: Desk, changes: Any, found: Any) -> None:
    first = ozaukee.take(a_report("T-1"), a_report("T-2", gallons_pumped="7")).outcomes[0]
    before = ozaukee.events()
    row = change(ozaukee, first.report_id, **changes)
    assert (row.outcome, codes(row)) == ("rejected", found)
    assert ozaukee.events() == before


@pytest.mark.parametrize("ref", ["T-1", ""])
def test_the_file_sent_again_after_a_correction_adds_nothing(ozaukee: Desk, ref: str) -> None:
    row = a_report(ref)
    first = ozaukee.row(row)
    second = change(ozaukee, first.report_id, gallons_pumped=900)
    third = change(ozaukee, second.report_id, gallons_pumped=850)
    answer = ozaukee.take(row, {**row, "gallons_pumped": "900"}, {**row, "gallons_pumped": "850"})
    assert outcomes(answer) == ["duplicate"] * 3
    assert {o.report_id for o in answer.outcomes} == {third.report_id}


@pytest.mark.parametrize("ref", ["T-1", ""])
def test_every_version_of_a_report_sent_again_is_the_one_that_stands(ozaukee: Desk, ref: str) -> None:
    """Also the middle one of a report without a ticket number, which is counted by what it says."""
    said = [{"gallons_pumped": 1000}, {"gallons_pumped": 900}, {"gallons_pumped": 800}]
    report = ozaukee.row(a_report(ref, "SP-1", **said[0]))
    for changes in said[1:]:
        report = change(ozaukee, report.report_id, **changes)
    again = [ozaukee.row(a_report(ref, "SP-1", **one)) for one in said]
    assert [(r.outcome, r.report_id) for r in again] == [("duplicate", report.report_id)] * 3
    other = ozaukee.row(a_report(ref, "SP-1", gallons_pumped=700))
    assert other.outcome == ("rejected" if ref else "accepted")
    assert len(ozaukee.events()) == (1 if ref else 2)


def test_a_mistyped_ticket_is_a_copy_once_mended_and_free_for_another_report(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1", "SP-1"))
    mended = change(ozaukee, first.report_id, report_ref="T-9")
    assert mended.outcome == "accepted"
    again = ozaukee.row(a_report("T-1", "SP-1"))
    assert (again.outcome, again.report_id) == ("duplicate", mended.report_id)
    other = ozaukee.row(a_report("T-1", "SP-2", component="holding", meter_reading=41230))
    assert other.outcome == "accepted"
    assert len(ozaukee.events()) == 2


def test_a_report_that_was_voided_in_the_end_may_be_sent_again_in_any_version(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1", "SP-1"))
    second = change(ozaukee, first.report_id, report_ref="T-9")
    take_back(ozaukee, second.report_id)
    assert [ozaukee.row(a_report(ref, "SP-1")).outcome for ref in ("T-1", "T-1")] == ["accepted", "duplicate"]


def test_a_voided_report_never_happened_and_may_be_sent_again(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1"))
    take_back(ozaukee, first.report_id)
    assert ozaukee.events() == []
    again = ozaukee.row(a_report("T-1"))
    assert again.outcome == "accepted"
    assert again.possible_duplicate_of is None


def test_what_ended_cannot_be_changed(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1"))
    second = change(ozaukee, first.report_id, notes="x")
    for report in (first.report_id, "rep_none"):
        wanted = ReportEnded if report == first.report_id else RecordNotFound
        with pytest.raises(wanted):
            change(ozaukee, report, notes="y")
        with pytest.raises(wanted):
            take_back(ozaukee, report)
    take_back(ozaukee, second.report_id)
    with pytest.raises(ReportEnded):
        take_back(ozaukee, second.report_id)
    third = ozaukee.row(a_report("T-3"))
    with ozaukee.database.transaction("ozaukee") as store, pytest.raises(ReasonMissing):
        void(store, STAFF, str(third.report_id), " ", LATER, ozaukee.signer)


def test_a_place_that_a_person_found_stays(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1", parcel_number="08-99999"))
    assert first.review == "permit_and_parcel_disagree"
    system = next(s["system"] for s in ozaukee.rows("system_version") if s["permit_number"] == "SP-1")
    with ozaukee.database.transaction("ozaukee") as store:
        [review] = open_reviews(store, events=[str(first.report_id)])
        decider = Decider(by="clerk", now=LATER, reason="asked the driver", signer=ozaukee.signer)
        found = resolve(store, review["id"], Decision(verdict=Verdict.MATCHED, system=system), decider)
    second = change(ozaukee, found.reports[str(first.report_id)], gallons_pumped=900)
    assert (second.outcome, second.review) == ("accepted", None)
    assert ozaukee.events()[0]["system"] == system
    third = change(ozaukee, second.report_id, parcel_number="08-77777")
    assert (third.outcome, third.review) == ("queued_for_review", "permit_and_parcel_disagree")


def test_a_correction_may_name_a_place_outside_the_inventory(ozaukee: Desk) -> None:
    first = ozaukee.row(a_report("T-1"))
    moved = change(ozaukee, first.report_id, permit_number="XX-1", parcel_number="99-1", site_address="1 Elsewhere Rd")
    assert (moved.outcome, moved.review) == ("queued_for_review", "not_in_inventory")
    opened = {s["system"] for s in ozaukee.rows("system_version") if s["status"] == "provisional"}
    assert {ozaukee.events()[0]["system"]} == opened
    back = change(ozaukee, moved.report_id, permit_number="SP-1", parcel_number="08-SP-1", site_address="N257 CTH K")
    assert (back.outcome, back.review) == ("accepted", None)
