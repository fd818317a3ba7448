"""The small fault files come to what stands beside them, on both databases."""

import json
from pathlib import Path
from typing import Any

import pytest

from reporting.intake.answer import Answer, Refused
from tests.files.faults import HERE, faults, write
from tests.reporting.intake.sending import Desk, a_system

FILES = sorted(
    path
    for path in HERE.iterdir()
    if path.is_file() and path.suffix != ".py" and not path.name.endswith(".expected.json")
)


def test_the_files_are_those_of_the_builder(tmp_path: Path) -> None:
    write(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in HERE.iterdir() if path.is_file() and path.suffix != ".py"}
    # A workbook's bytes are its writer's own affair.
    assert made.keys() == kept.keys()
    workbooks = {name for name, data in made.items() if data.startswith(b"PK")}
    assert len(workbooks) > 8
    assert all(made[name] == kept[name] for name in made.keys() - workbooks)
    assert len({fault.name for fault in faults()}) == len(faults()) == len(FILES)


def test_every_file_comes_to_what_stands_beside_it(desk: Desk) -> None:
    desk.stock(a_system("SP-1"), a_system("SP-2", component="holding"), a_system("0412", parcel_number="08-412"))
    for path in FILES:
        expected = json.loads(path.with_name(f"{path.name}.expected.json").read_text())
        # Tried only, so that no file finds what another has brought in.
        answer = desk.send(path.read_bytes(), name=path.name, dry_run=True)
        if "refused" in expected:
            assert isinstance(answer, Refused), path.name
            assert answer.code == expected["refused"], (path.name, answer)
            assert answer.detail.endswith(".")
            assert desk.send(path.read_bytes(), name=path.name) == answer
        else:
            assert isinstance(answer, Answer), (path.name, answer)
            check(path.name, answer, expected)
    assert desk.events() == []
    assert {s["status"] for s in desk.rows("submission")} == {"refused"}


def check(name: str, answer: Answer, expected: dict[str, Any]) -> None:
    for row, wanted in zip(answer.outcomes, expected["rows"], strict=True):
        errors = [(i.field, str(i.code)) for i in row.errors]
        assert [row.row, row.outcome.value] == wanted[:2], (name, row)
        assert errors == ([tuple(wanted[2:])] if len(wanted) > 2 else []), (name, row)
    assert answer.columns["unknown"] == expected.get("unknown", [])
    beside = ("license_unknown", "possible_duplicate")
    for number, codes in expected.get("warnings", {}).items():
        said = [w["code"] for o in answer.outcomes if o.row == int(number) for w in o.warnings]
        assert [code for code in said if code not in beside] == codes, (name, number)


STORED = ("identifiers.csv", "values.json", "nul.csv", "utf16.csv", "numbers.xlsx", "merged.xlsx")


@pytest.mark.parametrize("path", [p for p in FILES if p.name in STORED])
def test_what_comes_in_is_stored_alike_on_both_databases(desk: Desk, path: Path) -> None:
    desk.stock(a_system("SP-1"), a_system("SP-2", component="holding"), a_system("0412", parcel_number="08-412"))
    answer = desk.send(path.read_bytes(), name=path.name)
    assert isinstance(answer, Answer)
    expected = json.loads(path.with_name(f"{path.name}.expected.json").read_text())
    assert [[o.row, o.outcome.value] for o in answer.outcomes] == [row[:2] for row in expected["rows"]]
    assert len(desk.events()) == sum(o.outcome.value in ("accepted", "queued_for_review") for o in answer.outcomes)
    again = desk.send(path.read_bytes(), name=path.name)
    assert isinstance(again, Answer)
    assert again.counts["accepted"] == again.counts["queued_for_review"] == 0
