"""Files of reports over HTTP: each row accounted for, the wrong ones mended and sent again."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from reporting.api.sheets import csv_bytes
from tests.reporting.api.world import HOME, World, a_report
from tests.reporting.counties import csv_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "reports"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def rows_of(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"), newline="")))


def some_rows() -> bytes:
    """Three good rows, two wrong ones, one of them twice as wrong."""
    return csv_of(
        a_report(report_ref="A-1"),
        a_report(
            report_ref="A-2",
            permit_number="SP-3",
            parcel_number="08-SP-3",
            site_address="N259 County Rd K",
            service_date="7/2/2026",
        ),
        a_report(report_ref="A-3", gallons_pumped="~900"),
        a_report(report_ref="A-4", service_date="2062-07-02", gallons_pumped=""),
        a_report(report_ref="A-1"),
    )


def test_a_file_with_good_and_bad_rows(world: World) -> None:
    answer = world.send(HOME, some_rows())
    body = answer.json
    assert answer.status_code == 207, answer.text
    counts = {name: body[name] for name in ("rows", "accepted", "duplicate", "rejected", "queued_for_review")}
    assert counts == {"rows": 5, "accepted": 2, "duplicate": 1, "rejected": 2, "queued_for_review": 0}
    assert [o["outcome"] for o in body["outcomes"]] == ["accepted", "accepted", "rejected", "rejected", "duplicate"]
    assert answer.headers["Location"] == f"/v1/{HOME}/submissions/{body['id']}"
    kept = world.get(answer.headers["Location"]).json
    assert {name: kept[name] for name in counts} == counts
    told = ("row", "outcome", "report_id", "permit_number", "receipt", "errors")
    assert [[o[n] for n in told] for o in kept["outcomes"]] == [[o[n] for n in told] for o in body["outcomes"]]


def test_outcomes_come_in_pages_and_by_kind(world: World) -> None:
    path = world.send(HOME, some_rows()).headers["Location"]
    seen: list[int] = []
    page = world.get(path + "?limit=2")
    while True:
        seen += [o["row"] for o in page.json["outcomes"]]
        link = page.headers.get("Link")
        if link is None:
            break
        page = world.get(link[1 : link.index(">")])
    assert seen == [2, 3, 4, 5, 6]
    assert [o["row"] for o in world.get(path + "?outcome=rejected").json["outcomes"]] == [4, 5]


def test_rejected_rows_mended_and_sent_again_end_with_every_row_once(world: World) -> None:
    first = world.send(HOME, some_rows())
    download = world.get(first.headers["Location"] + "/rejected.csv")
    assert download.mimetype == "text/csv"
    assert download.data.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in download.data
    assert "attachment" in download.headers["Content-Disposition"]
    rejected = rows_of(download.data)
    assert [r["report_ref"] for r in rejected] == ["A-3", "A-4"]
    assert all(r["errors"] for r in rejected)
    assert "gallons_pumped" in rejected[0]["errors"]
    mended = [{**r, "gallons_pumped": "900", "service_date": "2026-07-07"} for r in rejected]
    again = world.send(HOME, csv_bytes(list(mended[0]), mended))
    assert (again.status_code, again.json["accepted"]) == (201, 2)
    assert again.json["columns"]["unknown"] == ["errors"]
    whole = world.send(HOME, some_rows())  # the first file once more: the good rows are known
    assert (whole.json["duplicate"], whole.json["accepted"]) == (3, 0)
    listed = world.get(f"/v1/{HOME}/systems?permit=SP-1", "county").json["systems"][0]["id"]
    reports = world.get(f"/v1/{HOME}/systems/{listed}", "county").json["reports"]
    refs = sorted(r["report_ref"] for r in reports if r["report_ref"])
    assert refs == ["A-1", "A-3", "A-4"]


def test_the_headings_of_rejected_rows_stay_in_the_files_order(world: World) -> None:
    own = {"permit_number": "Permit #", "gallons_pumped": "Gallons", "service_date": "Date Pumped", "notes": "Remarks"}

    def renamed(**values: Any) -> dict[str, Any]:
        return {own.get(name, name): value for name, value in a_report(**values).items()} | {"Truck": "7"}

    rows = csv_of(
        renamed(service_date="soon", gallons_pumped="", notes="=1+1", report_ref="B-1"),
        renamed(service_date="", report_ref="B-2"),
        renamed(report_ref="B-3", disposal_site=""),
    )
    sent = world.send(HOME, rows)
    download = world.get(f"/v1/{HOME}/submissions/{sent.json['id']}/rejected.csv")
    [head, *_rest] = csv.reader(io.StringIO(download.data.decode("utf-8-sig")))
    assert head.index("report_ref") < head.index("Permit #") < head.index("Date Pumped") < head.index("signature")
    assert head.index("Permit #") < head.index("Gallons") < head.index("signature")
    assert {"Gallons", "Date Pumped", "Truck", "Remarks"} <= set(head)
    assert head[-1] == "errors"
    assert "service_date" not in head  # the file's own column is there for it
    assert "'=1+1" in download.text
    resent = world.send(HOME, download.data)
    assert (resent.status_code, resent.json["rejected"]) == (422, sent.json["rejected"])


def test_a_field_that_no_column_gives_gets_a_column_to_mend_it_in(world: World) -> None:
    tank = {"component": "holding", "permit_number": "HT-1", "parcel_number": "08-HT-1", "site_address": "N1 Elm St"}
    sent = world.send(HOME, csv_of(a_report(), a_report(**tank, report_ref="T-2")))
    assert "meter_reading" in {e["field"] for e in sent.json["outcomes"][1]["errors"]}
    download = rows_of(world.get(f"/v1/{HOME}/submissions/{sent.json['id']}/rejected.csv").data)
    assert download[0]["meter_reading"] == ""
    mended = [{**row, "meter_reading": "12345"} for row in download]
    again = world.send(HOME, csv_bytes(list(mended[0]), mended))
    assert (again.status_code, again.json["queued_for_review"]) == (201, 1), again.text


def test_nothing_in_is_a_problem_with_the_whole_answer(world: World) -> None:
    answer = world.send(HOME, csv_of(a_report(gallons_pumped="x"), a_report(report_ref="T-2", service_date="")))
    assert (answer.status_code, answer.mimetype) == (422, "application/problem+json")
    body = answer.json
    assert (body["status"], body["rejected"], body["accepted"]) == (422, 2, 0)
    assert {e["row"] for e in body["errors"]} == {2, 3}
    assert len(body["outcomes"]) == 2


def test_a_dry_run_stores_nothing(world: World) -> None:
    dry = world.send(HOME, csv_of(a_report()), query="?dry_run=true")
    assert (dry.status_code, dry.json["accepted"], dry.json["dry_run"]) == (200, 1, True)
    assert "Location" not in dry.headers
    assert world.get(f"/v1/{HOME}/submissions/{dry.json['id']}").status_code == 404
    assert world.send(HOME, csv_of(a_report())).json["accepted"] == 1


def test_all_or_nothing(world: World) -> None:
    answer = world.send(HOME, some_rows(), query="?atomic=true")
    assert (answer.status_code, answer.json["accepted"], answer.json["rejected"]) == (422, 0, 5)
    assert world.send(HOME, csv_of(a_report(report_ref="A-1"))).json["accepted"] == 1


def test_backlog_is_for_the_countys_own_keys(world: World) -> None:
    rows = csv_of(a_report(service_date="2025-01-02", signed_on="2025-01-02"))
    assert world.send(HOME, rows, query="?historical=true").status_code == 403
    late = world.send(HOME, rows, "county", query="?dry_run=true").json["outcomes"][0]["findings"]
    old = world.send(HOME, rows, "county", query="?historical=true").json["outcomes"][0]["findings"]
    assert ("late_report" in {f["kind"] for f in late}, "late_report" in {f["kind"] for f in old}) == (True, False)


@pytest.mark.parametrize("kind", ["form", "json", "octets", "excel says csv"])
def test_a_file_may_come_in_several_ways(world: World, kind: str) -> None:
    rows = csv_of(a_report())
    if kind == "form":
        form: dict[str, Any] = {"file": (io.BytesIO(rows), "week 28.csv")}
        answer = world.call("POST", f"/v1/{HOME}/submissions", data=form, content_type="multipart/form-data")
    elif kind == "json":
        answer = world.post(f"/v1/{HOME}/submissions", [a_report()])
    else:
        types = {"octets": "application/octet-stream", "excel says csv": "application/vnd.ms-excel"}
        answer = world.send(HOME, rows, content_type=types[kind])
    assert (answer.status_code, answer.json["accepted"]) == (201, 1), answer.text
    if kind == "form":
        kept = world.get(answer.headers["Location"]).json
        assert kept["file_name"] == "week 28.csv"


def test_a_workbook_is_read(world: World) -> None:
    data = (EXAMPLES / "ozaukee-reports.xlsx").read_bytes()
    answer = world.send(HOME, data, "county", content_type=XLSX)
    assert answer.status_code in (201, 207)
    assert answer.json["rows"] == 6


def test_a_form_without_a_file_is_a_problem(world: World) -> None:
    answer = world.call("POST", f"/v1/{HOME}/submissions", data={"a": "b"}, content_type="multipart/form-data")
    assert (answer.status_code, answer.json["type"]) == (422, "urn:pumper:problem:no-file")
    answer = world.send(HOME, b"a=b", content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 415


WRONG_FILES = [
    ("empty.csv", 422, "empty"),
    ("header-only.csv", 422, "no reports below"),
    ("no-known-heading.csv", 422, "No known heading"),
    ("not-a-table.xlsx", 415, None),
    ("not-text.csv", 415, "picture"),
    ("two-date-columns.csv", 422, "Date Pumped"),
    ("broken.json", 422, "JSON"),
]


def test_wrong_files_are_refused_with_one_sentence(world: World) -> None:
    for name, status, says in WRONG_FILES:
        form: dict[str, Any] = {"file": (io.BytesIO((EXAMPLES / "wrong" / name).read_bytes()), name)}
        answer = world.call("POST", f"/v1/{HOME}/submissions", data=form, content_type="multipart/form-data")
        assert (answer.status_code, answer.mimetype) == (status, "application/problem+json"), answer.text
        assert says is None or says in answer.json["detail"]
        assert "outcomes" not in answer.json


def test_missing_columns_are_named_all_at_once(world: World) -> None:
    answer = world.send(HOME, (EXAMPLES / "wrong" / "missing-columns.csv").read_bytes())
    assert (answer.status_code, answer.json["type"]) == (422, "urn:pumper:problem:missing-columns")
    assert all(name in answer.json["detail"] for name in ("service_date", "license_number", "signature"))


def test_an_unknown_key_is_named(world: World) -> None:
    data = (EXAMPLES / "wrong" / "unknown-key.json").read_bytes()
    answer = world.call("POST", f"/v1/{HOME}/reports", data=data, content_type="application/json")
    assert answer.status_code == 422
    assert "unknown_field" in {e["code"] for e in answer.json["errors"]}


ODD_TEXTS = ["\x00", "\ud800", "=cmd|' /C calc'!A0", "\u202eabc", "x" * 20_000, "‮", "'=1", "é" * 500]


def test_odd_texts_in_rows_never_break_a_submission(world: World) -> None:
    for number, notes in enumerate(ODD_TEXTS):
        answer = world.post(
            f"/v1/{HOME}/submissions",
            [a_report(notes=notes, report_ref=f"O-{number}"), a_report(report_ref=f"P-{number}")],
        )
        assert answer.status_code in (201, 207, 422), answer.text
        assert "outcomes" not in answer.json or answer.json["outcomes"][-1]["outcome"] == "accepted"
        if "Location" in answer.headers:
            assert world.get(answer.headers["Location"]).status_code == 200
            assert world.get(answer.headers["Location"] + "/rejected.csv").status_code == 200


def test_numbers_out_of_range_are_row_errors(world: World) -> None:
    for value in ("9223372036854775808", "-9223372036854775808", "1e999999", "1_000", "١٢٣", "1.9", "NaN"):
        answer = world.send(HOME, csv_of(a_report(gallons_pumped=value)))
        assert answer.status_code == 422, value
        assert {e["field"] for e in answer.json["errors"]} == {"gallons_pumped"}, value


def test_formulas_are_guarded_and_numbers_left_alone() -> None:
    rows = [{"a": "=1+1", "b": "-5", "c": "+1,234.5", "d": "@x", "e": "\uff1dx", "f": None, "g": "-x", "h": 'q"r'}]
    text = csv_bytes(list("abcdefgh"), rows).decode("utf-8-sig")
    assert text.splitlines()[1] == '\'=1+1,-5,"+1,234.5",\'@x,\'\uff1dx,,\'-x,"q""r"'
