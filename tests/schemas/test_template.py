"""The workbook to fill in: an example of every field that the intake takes, and marks that agree with the schema."""

import datetime as dt
import io

import pytest
from python_calamine import CalamineWorkbook

from reporting.intake.opening import open_file
from reporting.intake.sheet import FileRefused, Limits
from schemas.acts import COMPONENTS, EVENT_TYPES
from schemas.fields import FIELDS
from schemas.loader import shipped_program, shipped_slugs
from schemas.publish import asked
from schemas.report import ALWAYS, check_report
from schemas.template import HELP, REPORTS, YES, example_of, xlsx_template
from tests.reporting.counties import csv_of
from tests.schemas.whole_reports import whole_report

DAY = dt.date(2026, 7, 2)


def sheets(data: bytes) -> tuple[list[str], list[list[str]]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    assert book.sheet_names == [REPORTS, HELP]
    [headings] = book.get_sheet_by_name(REPORTS).to_python()
    return [str(h) for h in headings], [[str(c) for c in row] for row in book.get_sheet_by_name(HELP).to_python()]


@pytest.mark.parametrize("slug", shipped_slugs())
def test_the_examples_are_a_report_that_the_program_takes(slug: str) -> None:
    program = shipped_program(slug)
    for component in COMPONENTS:
        for event in EVENT_TYPES:
            data = xlsx_template(program, component, event, DAY)
            headings, helped = sheets(data)
            assert sorted(headings) == sorted(FIELDS)
            assert [row[0] for row in helped[1:]] == headings
            examples = {row[0]: row[5] for row in helped[1:]}
            file = open_file(program, csv_of(examples), "filled.csv", None, Limits(), DAY)
            [row] = file.rows()
            assert (row.issues, row.warnings, file.match.unknown) == ((), (), ()), (component, event)
            assert row.values.keys() == FIELDS.keys()
            whole = whole_report(program, component, event, DAY)
            values = {name: row.values[name] for name in whole}
            assert check_report(program, values, component=component) == [], (component, event)
            needed = {n for r in asked(program, component, event, DAY) if not r.with_field for n in r.fields}
            assert {row[0] for row in helped[1:] if row[2] == YES} == needed | set(ALWAYS)


def test_an_empty_template_is_no_report_and_the_help_is_none_either() -> None:
    data = xlsx_template(shipped_program("ozaukee"), "septic", "pumping", DAY)
    with pytest.raises(FileRefused) as refused:
        open_file(shipped_program("ozaukee"), data, "t.xlsx", None, Limits(), DAY)
    assert refused.value.code == "no_rows"


def test_the_same_question_gives_the_same_bytes() -> None:
    program = shipped_program("portage")
    first, second = (xlsx_template(program, "holding", "pumping", DAY) for _ in range(2))
    assert first == second
    assert first != xlsx_template(program, "septic", "pumping", DAY)


def test_examples_are_told_of_every_field() -> None:
    assert all(example_of(name, "septic", "pumping", DAY) for name in FIELDS)
