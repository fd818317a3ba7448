"""Submissions from the file to the answer: the shipped samples, statuses, all or nothing, dry runs, receipts."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event as sqlalchemy_event

from reporting.contractors import import_contractors
from reporting.intake.answer import Answer, Refused, show_outcome
from reporting.receipts import Receipt, verify_receipt
from schemas.loader import shipped_program, shipped_slugs
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import (
    EXAMPLES,
    NOW,
    Desk,
    a_report,
    a_system,
    as_json,
    codes,
    outcomes,
    tally,
)

# Found by assessment, not from the report by itself.
OF_HISTORY = {"contract_mismatch"}


@pytest.fixture
def ozaukee(desk: Desk) -> Desk:
    desk.stock(a_system("SP-1"), a_system("SP-2", component="holding"))
    return desk


@pytest.mark.parametrize("county", ["ozaukee", "portage", "winnebago", "lake-beulah"])
def test_the_shipped_samples_come_to_what_they_promise(desk: Desk, county: str) -> None:
    there = Desk(database=desk.database, signer=desk.signer, county=county)
    with there.database.transaction(None) as store:
        import_contractors(store, (EXAMPLES / "contractors.csv").read_bytes(), counties=shipped_slugs(), now=NOW)
    there.stock_file((EXAMPLES / f"inventory/{county}.csv").read_bytes(), NOW)
    history = there.send((EXAMPLES / f"history/{county}-history.csv").read_bytes(), historical=True)
    assert isinstance(history, Answer)
    assert set(outcomes(history)) == {"accepted"}
    expected = json.loads((EXAMPLES / "expected.json").read_text())
    for file in (f for f in expected["files"] if f["county"] == county):
        answer = there.send((EXAMPLES / file["file"]).read_bytes(), name=file["file"].rpartition("/")[2])
        assert isinstance(answer, Answer), file["file"]
        for row, wanted in zip(answer.outcomes, file["outcomes"], strict=True):
            why = (file["file"], wanted, row)
            assert (row.row, row.outcome) == (wanted["row"], wanted["outcome"]), why
            assert (wanted["field"] in {i.field for i in row.errors}) is bool(wanted["field"]), why
            found = {str(f["kind"]) for f in row.findings}
            assert found == set(wanted["findings"]) - OF_HISTORY, why


def test_the_shipped_wrong_files_are_refused(ozaukee: Desk) -> None:
    expected = json.loads((EXAMPLES / "expected.json").read_text())
    before = ozaukee.count("event")
    for file in expected["refused"]:
        answer = ozaukee.send((EXAMPLES / file["file"]).read_bytes(), name=file["file"].rpartition("/")[2])
        assert answer.status in (415, 422), file
        assert isinstance(answer, Refused) or set(outcomes(answer)) == {"rejected"}
    assert ozaukee.count("event") == before
    assert {s["status"] for s in ozaukee.rows("submission")} == {"refused", "done"}


def test_missing_columns_are_named_all_at_once(ozaukee: Desk) -> None:
    rows = [{k: v for k, v in a_report(f"T-{n}").items() if k not in ("service_date", "license_number", "signature")}
            for n in range(3)]  # fmt: skip
    answer = ozaukee.send(rows)
    assert isinstance(answer, Refused)
    assert (answer.code, answer.status) == ("missing_columns", 422)
    for name in ("service_date", "license_number", "signature"):
        assert f"({name})" in answer.detail
    assert ozaukee.rows("submission", "status", "columns") == [
        {"status": "refused", "columns": {"refused": answer.as_json()}}
    ]
    assert ozaukee.count("outcome") == 0


def test_a_column_that_some_rows_need_is_named_beside_them(ozaukee: Desk) -> None:
    answer = ozaukee.take(a_report("T-1"), a_report("T-2", "SP-2", component="holding"))
    assert outcomes(answer) == ["accepted", "rejected"]
    assert answer.columns["missing"] == ["meter_reading"]


def test_the_answer_has_the_shape_of_the_contract(ozaukee: Desk) -> None:
    late = a_report("T-1", service_date="2026-06-30")
    rows = [late, a_report("T-2"), late, a_report("T-4", "SP-2", component="holding")]
    answer = ozaukee.take(*({**row, "meter_reading": "", "Truck": "T2", "signd on": ""} for row in rows))
    shown = json.loads(json.dumps(answer.as_json()))
    assert list(shown)[:12] == [
        "id", "county", "received_at", "file_sha256", "dry_run", "rows", "accepted", "duplicate", "rejected",
        "queued_for_review", "columns", "outcomes",
    ]  # fmt: skip
    assert shown["id"].startswith("sub_")
    assert shown["received_at"] == "2026-07-13T14:05:00Z"
    assert (shown["rows"], shown["accepted"], shown["duplicate"], shown["rejected"]) == (4, 2, 1, 1)
    assert shown["columns"] == {
        "unknown": ["Truck", "signd on"], "suggested": {"signd on": "signed_on"}, "missing": [],
    }  # fmt: skip
    first, *_, last = shown["outcomes"]
    assert list(first)[:7] == ["row", "outcome", "report_id", "permit_number", "receipt", "findings", "errors"]
    assert (first["row"], first["permit_number"], first["errors"]) == (2, "SP-1", [])
    assert first["findings"][0].items() >= {"kind": "late_report", "rule": "OZ5", "last_day": "2026-07-10"}.items()
    assert (last["row"], last["outcome"], last["report_id"]) == (5, "rejected", None)
    assert last["errors"] == [
        {
            "row": 5, "field": "meter_reading", "pointer": "/3/meter_reading", "code": "required",
            "message": "Give the water meter reading: holding tanks are reported with it.", "value": None,
            "cite": "9.029(5)(b)7",
        }
    ]  # fmt: skip


def test_what_is_stored_answers_as_the_first_answer_did(ozaukee: Desk) -> None:
    rows = [a_report("T-1", service_date="2026-06-30"), a_report("T-2", service_date="2026-06-30"), a_report("T-1"),
            a_report("T-4", "SP-9"), a_report("T-1", service_date="2026-06-30")]  # fmt: skip
    answer = ozaukee.take(*rows)
    stored = sorted(ozaukee.rows("outcome"), key=lambda o: o["row"])
    assert [show_outcome(o) for o in stored] == json.loads(json.dumps([o.as_json() for o in answer.outcomes]))
    assert stored[2]["cells"] == {k: v for k, v in a_report("T-1").items() if v}
    (submission,) = ozaukee.rows("submission")
    assert {k: submission[k] for k in answer.counts} == answer.counts
    assert submission["status"] == "done"


def test_rejected_rows_keep_every_cell_as_it_came(ozaukee: Desk) -> None:
    row = {**a_report("T-1", gallons_pumped="~1500", service_date="7/6/2026"), "Truck": " T2 "}
    ozaukee.send(csv_of(row).replace(b" T2 ", b" T2 ,beyond"))
    (stored,) = ozaukee.rows("outcome", "cells", "errors")
    assert stored["cells"]["gallons_pumped"] == "~1500"
    assert stored["cells"]["service_date"] == "7/6/2026"
    assert stored["cells"]["(beyond the headings 1)"] == "beyond"
    assert [e["code"] for e in stored["errors"]] == ["not_whole", "shifted_row"]


@pytest.mark.parametrize(
    ("rows", "how", "status"),
    [
        ([a_report("T-1")], {}, 201),
        ([a_report("T-1")], {"dry_run": True}, 200),
        ([a_report("T-1"), a_report("T-2", gallons_pumped="x")], {}, 207),
        ([a_report("T-1"), a_report("T-2", gallons_pumped="x")], {"atomic": True}, 422),
        ([a_report("T-2", gallons_pumped="x")], {}, 422),
        ([a_report("T-1"), a_report("T-1")], {"atomic": True}, 201),
        ([a_report("T-1", "SP-9")], {}, 201),
    ],
)
def test_the_status_says_how_much_came_in(ozaukee: Desk, rows: list[Any], how: dict[str, Any], status: int) -> None:
    assert ozaukee.take(*rows, **how).status == status


def test_all_or_nothing_leaves_out_the_good_rows_too(ozaukee: Desk) -> None:
    ozaukee.take(a_report("T-0"))
    rows = [a_report("T-0"), a_report("T-1", service_date="2026-07-01"), a_report("T-2", gallons_pumped="x"),
            a_report("T-9", "SP-9"), a_report("T-1", service_date="2026-07-01")]  # fmt: skip
    answer = ozaukee.take(*rows, atomic=True)
    assert outcomes(answer) == ["duplicate", "rejected", "rejected", "rejected", "rejected"]
    assert [codes(o) for o in answer.outcomes[1:]] == [
        [(None, "all_or_nothing")], [("gallons_pumped", "not_whole")], [(None, "all_or_nothing")],
        [(None, "all_or_nothing")],
    ]  # fmt: skip
    assert len(ozaukee.events()) == 1
    assert len(ozaukee.rows("system")) == 2
    mended = [*rows[:2], {**rows[2], "gallons_pumped": "950"}, *rows[3:]]
    assert tally(ozaukee.take(*mended, atomic=True)) == {"accepted": 2, "queued_for_review": 1, "duplicate": 2}


def test_a_dry_run_writes_nothing_and_says_the_same(ozaukee: Desk) -> None:
    tables = ("submission", "outcome", "event", "system", "review", "log_entry", "domain_event", "checkpoint")
    before = {name: ozaukee.rows(name) for name in tables}
    rows = [a_report("T-1", service_date="2026-06-30"), a_report("T-2", "SP-9"), a_report("T-3", "SP-9"),
            a_report("T-1", service_date="2026-06-30"), a_report("T-5", gallons_pumped="x")]  # fmt: skip
    tried = ozaukee.take(*rows, dry_run=True)
    assert {name: ozaukee.rows(name) for name in tables} == before
    assert "rep_" not in json.dumps(tried.as_json())
    done = ozaukee.take(*rows)
    assert outcomes(tried) == outcomes(done)
    assert [f["kind"] for o in tried.outcomes for f in o.findings] == ["late_report"]
    assert [f["kind"] for o in done.outcomes for f in o.findings] == ["late_report"]
    refused = ozaukee.send(b"", dry_run=True)
    assert isinstance(refused, Refused)
    assert len(ozaukee.rows("submission")) == 1


@pytest.mark.parametrize(
    ("received", "late"),
    [
        (datetime(2026, 7, 11, 4, 59, tzinfo=UTC), False),  # still July 10 in Wisconsin
        (datetime(2026, 7, 11, 5, 1, tzinfo=UTC), True),
    ],
)
def test_lateness_is_judged_by_the_countys_date_of_the_receipt(ozaukee: Desk, received: datetime, late: bool) -> None:
    row = ozaukee.row(a_report("T-1", service_date="2026-06-30"), now=received)
    assert [f["kind"] for f in row.findings] == (["late_report"] if late else [])


def test_the_future_begins_after_the_countys_date(ozaukee: Desk) -> None:
    evening = datetime(2026, 7, 14, 4, 30, tzinfo=UTC)  # July 13, 23:30 in Wisconsin
    assert ozaukee.row(a_report("T-1", service_date="2026-07-13"), now=evening).outcome == "accepted"
    row = ozaukee.row(a_report("T-2", service_date="2026-07-14"), now=evening)
    assert codes(row) == [("service_date", "in_future")]


def test_backlog_is_historical_and_never_late(ozaukee: Desk) -> None:
    old = a_report("T-1", service_date="2019-05-01")
    assert ozaukee.row(old, historical=True).findings == ()
    before_live = {"live_from": datetime(2026, 8, 1, tzinfo=UTC).date()}
    assert ozaukee.row({**old, "report_ref": "T-2", "gallons_pumped": "7"}, settings=before_live).findings == ()
    assert {e["historical"] for e in ozaukee.events()} == {True}
    live = {"live_from": NOW.date()}
    row = ozaukee.row({**old, "report_ref": "T-3", "gallons_pumped": "8"}, settings=live)
    assert [f["kind"] for f in row.findings] == ["late_report"]


def test_totals_are_named_and_not_counted(ozaukee: Desk) -> None:
    answer = ozaukee.send(csv_of(a_report("T-1"), {"report_ref": "TOTAL", "gallons_pumped": "1,000"}))
    assert isinstance(answer, Answer)
    assert answer.counts["rows"] == 1
    assert answer.notes == ("Taken for totals and not counted as reports: row 3.",)
    only = ozaukee.send(csv_of({**dict.fromkeys(a_report()), "report_ref": "TOTAL", "gallons_pumped": "1,000"}))
    assert isinstance(only, Refused)
    assert only.code == "no_rows"


def test_one_report_as_json_takes_no_unknown_field(ozaukee: Desk) -> None:
    one = json.dumps({**a_report("T-1"), "galons": 3, "a/b": "x"}).encode()
    for how in ({"name": None, "strict": True}, {"name": "report.json"}):
        answer = ozaukee.send(one, **how)
        assert isinstance(answer, Answer)
        (row,) = answer.outcomes
        assert [(i.field, i.pointer) for i in row.errors] == [("galons", "/galons"), ("a/b", "/a~1b")]
        assert answer.columns["suggested"].items() >= set()  # type: ignore[attr-defined]
    good = ozaukee.send(json.dumps(a_report("T-1")).encode(), name=None, strict=True)
    assert (good.status, isinstance(good, Answer)) == (201, True)


def test_rows_of_a_json_list_are_numbered_as_in_a_table(ozaukee: Desk) -> None:
    answer = ozaukee.send(as_json(a_report("T-1"), a_report("T-2", gallons_pumped="x")), name="r.json")
    assert isinstance(answer, Answer)
    assert [o.row for o in answer.outcomes] == [2, 3]
    assert answer.outcomes[1].errors[0].pointer == "/1/gallons_pumped"


def test_receipts_hold_against_the_record(ozaukee: Desk) -> None:
    answer = ozaukee.take(a_report("T-1"), a_report("T-9", "SP-9"))
    keys = [ozaukee.signer.verifying_key]
    for row in answer.outcomes:
        assert isinstance(row.receipt, Receipt)
        with ozaukee.database.reading("ozaukee") as store:
            assert verify_receipt(store, row.receipt, keys).problems == ()
    (told,) = [e for e in ozaukee.rows("domain_event") if e["kind"] == "receipt"]
    assert told["cause_key"] == f"receipt:{answer.id}"
    assert told["content"]["counts"] == answer.counts
    assert [r["outcome"] for r in told["content"]["rows"]] == ["accepted", "queued_for_review"]


def test_names_of_files_that_no_database_keeps_are_kept_readable(ozaukee: Desk) -> None:
    ozaukee.take(a_report("T-1"), name="a\x00b\ud800.csv")
    assert ozaukee.rows("submission", "file_name") == [{"file_name": "a�b�.csv"}]
    sent = as_json(a_report("T-2", notes="half \\ud800")).replace(b"\\\\ud800", b"\\ud800")
    answer = ozaukee.send(sent, name="r.json")
    assert isinstance(answer, Answer)
    assert codes(answer.outcomes[0]) == [("notes", "bad_character")]


def test_the_number_of_questions_does_not_grow_with_the_rows(ozaukee: Desk) -> None:
    asked: list[str] = []
    engine = ozaukee.database.engine
    sqlalchemy_event.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    def questions(count: int, start: int) -> int:
        numbers = range(start, start + count)
        rows = [a_report(f"N-{n}", f"X-{n}" if n % 3 else "SP-1", gallons_pumped=str(n)) for n in numbers]
        asked.clear()
        ozaukee.take(*rows)
        return len(asked)

    few, many = questions(10, 0), questions(1_000, 2_000)
    assert (
        many <= few + 60
    )  # two to four parts of 500 ids in place of one, and the look-around for at most 100 unknown places


def test_every_program_takes_its_own_report(desk: Desk) -> None:
    for slug in shipped_slugs():
        there = Desk(database=desk.database, signer=desk.signer, county=slug)
        there.stock(a_system("SP-1"))
        row = a_report("T-1", disposal_site="Grafton", business_name="Kettle", business_address="N4820 County Road I")
        answer = there.take(row)
        assert outcomes(answer) == ["accepted"], (slug, codes(answer.outcomes[0]))
        assert answer.county == shipped_program(slug).slug


def test_a_file_without_one_of_the_asked_columns_is_answered_row_by_row(ozaukee: Desk) -> None:
    rows = [{k: v for k, v in a_report(f"T-{n}").items() if k != "signature"} for n in range(2)]
    answer = ozaukee.send(rows)
    assert not isinstance(answer, Refused)
    assert outcomes(answer) == ["rejected", "rejected"]
    assert answer.columns["missing"] == ["signature"]
    assert [(i.field, i.cite) for i in answer.outcomes[0].errors] == [("signature", "9.029(5)(b)5")]
