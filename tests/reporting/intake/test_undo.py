"""Taking back a whole submission: the reports, the dates, the reviews, the record; and sending it anew."""

import json
from typing import Any

import pytest
from sqlalchemy import event as sqlalchemy_event

from reporting.errors import ReasonMissing, RecordNotFound, SubmissionEnded
from reporting.intake.amend import amend, void
from reporting.intake.undo import Undone, undo
from reporting.store.log import entries_of
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system, tally


@pytest.fixture
def stocked(desk: Desk) -> Desk:
    desk.stock(a_system("SP-1"), a_system("SP-2"))
    return desk


def take_back(desk: Desk, submission: str, reason: str = "sent to the wrong county") -> Undone:
    with desk.database.transaction(desk.county) as store:
        return undo(store, STAFF, submission, reason, NOW, desk.signer)


ROWS = [
    a_report("T-1"), a_report("T-2", "SP-2"), a_report("T-4", gallons_pumped="~5"),
    a_report("T-3", "XX-9", parcel_number="99-9", site_address="9 Nowhere Ln"),
]  # fmt: skip


def test_every_standing_report_is_taken_back_with_an_entry_of_its_own(stocked: Desk) -> None:
    sent = stocked.take(*ROWS)
    assert tally(sent) == {"accepted": 2, "queued_for_review": 1, "rejected": 1}
    undone = take_back(stocked, sent.id)
    assert (undone.voided, undone.repeats, stocked.events()) == (3, 0, [])
    ended = sorted((e for e in stocked.rows("event") if e["submission"] == sent.id), key=lambda e: e["seq"])
    first = ended[0]["ended_seq"]
    assert [e["ended_seq"] for e in ended] == [first, first + 1, first + 2]
    with stocked.database.reading("ozaukee") as store:
        entries = entries_of(store, [first - 1, first, first + 1, first + 2])
        assert verify(store, [stocked.signer.verifying_key]).ok
    shown = [json.loads(entries[seq]) for seq in sorted(entries)]
    assert [e["type"] for e in shown] == ["undo", "void", "void", "void"]
    assert [e["content"]["id"] for e in shown] == [sent.id, *(e["id"] for e in ended)]
    [review] = stocked.rows("review")
    assert (review["state"], review["resolved_seq"]) == ("voided", first + 2)
    assert {s["status"] for s in stocked.rows("submission")} == {"undone"}
    assert {s["system"] for s in stocked.rows("standing") if s["dirty"]} >= {e["system"] for e in ended[:2]}


def test_the_same_file_brings_its_rows_in_anew(stocked: Desk) -> None:
    sent = stocked.take(*ROWS)
    assert tally(stocked.take(*ROWS)) == {"duplicate": 3, "rejected": 1}
    take_back(stocked, sent.id)
    assert tally(stocked.take(*ROWS)) == {"accepted": 2, "queued_for_review": 1, "rejected": 1}
    assert len(stocked.events()) == 3


def test_rows_that_were_answered_as_duplicates_elsewhere_are_counted(stocked: Desk) -> None:
    sent = stocked.take(*ROWS)
    stocked.take(ROWS[0], a_report("T-9", "SP-2", service_date="2026-07-01"))
    undone = take_back(stocked, sent.id)
    assert (undone.voided, undone.repeats, len(stocked.events())) == (3, 1, 1)


def test_an_amended_report_goes_and_a_voided_one_stays_gone(stocked: Desk) -> None:
    sent = stocked.take(ROWS[0], ROWS[1])
    first, second = (str(o.report_id) for o in sent.outcomes)
    program = shipped_program("ozaukee")
    with stocked.database.transaction("ozaukee") as store:
        amend(store, program, STAFF, first, {"gallons_pumped": 800}, "typo", NOW, stocked.signer)
        void(store, STAFF, second, "not ours", NOW, stocked.signer)
    before = {e["id"]: e["ended_seq"] for e in stocked.rows("event")}
    assert take_back(stocked, sent.id).voided == 1
    assert stocked.events() == []
    after = {e["id"]: e["ended_seq"] for e in stocked.rows("event")}
    assert (after[first], after[second]) == (before[first], before[second])


def test_another_submission_is_untouched(stocked: Desk) -> None:
    kept, gone = stocked.take(a_report("T-1")), stocked.take(a_report("T-2", "SP-2"))
    take_back(stocked, gone.id)
    assert [e["submission"] for e in stocked.events()] == [kept.id]


def test_twice_or_without_reason_or_of_nothing_is_refused(stocked: Desk) -> None:
    sent = stocked.take(ROWS[0])
    with pytest.raises(ReasonMissing):
        take_back(stocked, sent.id, " ")
    assert len(stocked.events()) == 1
    take_back(stocked, sent.id)
    refused: Any = stocked.send(b"%PDF-1.7\n", name="x.pdf")
    assert refused.status == 415
    for submission in (sent.id, *(s["id"] for s in stocked.rows("submission") if s["status"] == "refused")):
        with pytest.raises(SubmissionEnded):
            take_back(stocked, submission)
    with pytest.raises(RecordNotFound):
        take_back(stocked, "sub_none")


def test_the_number_of_statements_does_not_grow_with_the_reports(stocked: Desk) -> None:
    asked: list[str] = []
    sqlalchemy_event.listen(stocked.database.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    def statements(count: int, name: str) -> int:
        rows = [a_report(f"{name}-{n}", gallons_pumped=str(n + 1)) for n in range(count)]
        sent = stocked.take(*rows)
        asked.clear()
        assert take_back(stocked, sent.id).voided == count
        return len(asked)

    few, many = statements(3, "A"), statements(400, "B")
    assert many <= few + 12, (few, many)  # rows of the log go in by parts
