"""Long files: kept, worked off in chunks, stopped at any point and taken up again, taken back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reporting.intake.accept import Options, Upload
from reporting.intake.answer import Answer, Refused, stored_answer
from reporting.intake.undo import undo
from reporting.intake.waiting import Waiting, receive, waiting_files, work_off
from reporting.store.submissions import get_submission, outcomes_of
from schemas.loader import shipped_program
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system, outcomes, tally

LATER = NOW + timedelta(hours=20)  # past midnight in the county


def hand_in(
    desk: Desk, data: bytes, *, longest: int = 3, now: datetime = NOW, **how: Any
) -> Answer | Refused | Waiting:
    upload = Upload(data=data, file_name="week.csv")
    program = shipped_program(desk.county)
    with desk.database.transaction(desk.county) as store:
        return receive(
            store, program, how.pop("sender", STAFF), upload, now, desk.signer, Options(**how), longest=longest
        )


def finish(desk: Desk, chunk: int = 3) -> None:
    for submission in waiting_files(desk.database, desk.county):
        assert work_off(desk.database, desk.county, submission, desk.signer, lambda: LATER, chunk=chunk)


def answer_of(desk: Desk, submission: str) -> Answer:
    with desk.database.reading(desk.county) as store:
        row = get_submission(store, submission)
        assert row is not None
        return stored_answer(row, list(outcomes_of(store, submission)))


def some(count: int = 8) -> list[dict[str, Any]]:
    """Good rows, one of which is wrong and one sent twice."""
    rows = [a_report(f"T-{n}", f"SP-{n % 3 + 1}", gallons_pumped=str(900 + n)) for n in range(count)]
    rows[4] = {**rows[4], "gallons_pumped": "~900"}
    rows[6] = rows[1]
    return rows


@pytest.fixture
def stocked(desk: Desk) -> Desk:
    desk.stock(a_system("SP-1"), a_system("SP-2"), a_system("SP-3"))
    return desk


def test_a_long_file_waits_and_comes_to_what_it_comes_to_at_once(stocked: Desk) -> None:
    taken = hand_in(stocked, csv_of(*some()))
    assert isinstance(taken, Waiting)
    assert (taken.rows, stocked.events(), stocked.count("submission_file")) == (8, [], 1)
    finish(stocked)
    answer = answer_of(stocked, taken.id)
    tried = stocked.take(*some(), dry_run=True)
    assert tally(tried) == {"duplicate": 7, "rejected": 1}
    assert outcomes(answer) == ["accepted"] * 4 + ["rejected", "accepted", "duplicate", "accepted"]
    assert answer.counts == {"rows": 8, "accepted": 6, "duplicate": 1, "rejected": 1, "queued_for_review": 0}
    [stored] = stocked.rows("submission")
    assert (stored["status"], stored["next_row"], stored["rows"]) == ("done", 10, 8)
    assert stocked.count("submission_file") == 0
    assert len([e for e in stocked.rows("domain_event") if e["kind"] == "receipt"]) == 1
    assert waiting_files(stocked.database, "ozaukee") == []


def test_it_counts_as_received_when_it_was_handed_in(stocked: Desk) -> None:
    """Ten days from July 3 end on July 13: handed in that day, worked off the next one."""
    row = a_report("T-1", service_date="2026-07-03")
    hand_in(stocked, csv_of(row, a_report("T-2")), longest=1)
    finish(stocked)
    [first, second] = stocked.events()
    assert {first["first_received_at"], second["first_received_at"]} == {NOW}
    assert first["received_at"] == LATER
    assert [o["findings"] for o in stocked.rows("outcome")] == [[], []]
    late = stocked.row(a_report("T-3", "SP-2", service_date="2026-07-03"), now=LATER)
    assert [f["kind"] for f in late.findings] == ["late_report"]  # the control: sent the next day it is late


def test_a_short_file_and_a_dry_run_are_done_at_once(stocked: Desk) -> None:
    assert isinstance(hand_in(stocked, csv_of(*some()), longest=8), Answer)
    assert isinstance(hand_in(stocked, csv_of(*some()), dry_run=True), Answer)
    assert stocked.count("submission_file") == 0


def test_what_cannot_be_read_is_refused_at_once(stocked: Desk) -> None:
    taken = hand_in(stocked, b"permit_number\r\n" + b"SP-1\r\n" * 5)
    assert isinstance(taken, Refused)
    assert {s["status"] for s in stocked.rows("submission")} == {"refused"}


@pytest.mark.parametrize("wrong", [True, False])
def test_all_or_nothing_is_one_transaction(stocked: Desk, wrong: bool) -> None:
    rows = some() if wrong else some()[:4]
    taken = hand_in(stocked, csv_of(*rows), atomic=True)
    assert isinstance(taken, Waiting)
    finish(stocked, chunk=2)
    assert len(stocked.events()) == (0 if wrong else 4)
    assert answer_of(stocked, taken.id).counts["rejected"] == (8 if wrong else 0)


def test_stopped_between_chunks_it_goes_on_where_it_was(stocked: Desk) -> None:
    taken = hand_in(stocked, csv_of(*some()))
    assert isinstance(taken, Waiting)
    turns = iter([False, True])
    done = work_off(
        stocked.database, "ozaukee", taken.id, stocked.signer, lambda: LATER, chunk=3, stopping=lambda: next(turns)
    )
    assert not done
    [stored] = stocked.rows("submission")
    assert (stored["status"], stored["next_row"], stored["accepted"]) == ("working", 5, 3)
    finish(stocked, chunk=2)  # another worker, with chunks of its own
    assert answer_of(stocked, taken.id).counts["accepted"] == 6


def test_a_paper_file_keeps_its_day_and_a_business_its_own_name(stocked: Desk) -> None:
    sender = stocked.business()
    hand_in(stocked, csv_of(*some()[:4]), sender=sender, received_on=NOW.date() - timedelta(days=5))
    finish(stocked)
    assert {e["first_received_at"].date().isoformat() for e in stocked.events()} == {"2026-07-08"}
    [stored] = stocked.rows("submission")
    assert (stored["contractor_id"], stored["status"]) == (sender.contractor_id, "done")


def test_the_total_row_is_told_of_at_the_end(stocked: Desk) -> None:
    taken = hand_in(stocked, csv_of(*some(), {"report_ref": "TOTAL", "gallons_pumped": "7200"}))
    assert isinstance(taken, Waiting)
    finish(stocked, chunk=5)
    assert answer_of(stocked, taken.id).notes == ("Taken for totals and not counted as reports: row 10.",)


def test_a_file_that_is_taken_back_in_the_middle_is_left_alone(stocked: Desk) -> None:
    taken = hand_in(stocked, csv_of(*some()))
    assert isinstance(taken, Waiting)
    turns = iter([False, True])
    work_off(
        stocked.database, "ozaukee", taken.id, stocked.signer, lambda: LATER, chunk=3, stopping=lambda: next(turns)
    )
    with stocked.database.transaction("ozaukee") as store:
        undone = undo(store, STAFF, taken.id, "wrong file", LATER, stocked.signer)
    assert undone.voided == 3
    assert work_off(stocked.database, "ozaukee", taken.id, stocked.signer, lambda: LATER)
    assert (stocked.events(), waiting_files(stocked.database, "ozaukee")) == ([], [])
    assert stocked.count("submission_file") == 0


def test_the_clock_of_the_worker_may_stand_behind(stocked: Desk) -> None:
    taken = hand_in(stocked, csv_of(*some()))
    assert isinstance(taken, Waiting)
    before = datetime(2026, 7, 1, tzinfo=UTC)
    assert work_off(stocked.database, "ozaukee", taken.id, stocked.signer, lambda: before)
    assert {e["received_at"] for e in stocked.events()} == {NOW}
