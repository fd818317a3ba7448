# ruff: noqa: E501 - one line a file
"""The fault files that are workbooks, made with XlsxWriter and then, where Excel would not do it, by hand."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import xlsxwriter  # type: ignore[import-untyped]

from tests.files.shapes import BOTH, GOOD, NAMES, USUAL, Fault

DAY = datetime(2026, 7, 6)  # noqa: DTZ001 - what a cell holds has no zone
_SHEET = "xl/worksheets/sheet1.xml"
Row = dict[str, Any]


def book(fill: Callable[[Any], object], **options: object) -> bytes:
    out = io.BytesIO()
    workbook = xlsxwriter.Workbook(out, {"in_memory": True, **options})
    fill(workbook)
    workbook.close()
    return out.getvalue()


def put(workbook: Any, *rows: Row, name: str = "Reports", hidden: bool = False, top: int = 0) -> Any:
    """A sheet of reports: texts as text, numbers and days as what they are, `=…` as a formula with the result 1000."""
    sheet = workbook.add_worksheet(name)
    day = workbook.add_format({"num_format": "m/d/yyyy"})
    sheet.write_row(top, 0, NAMES)
    for number, changes in enumerate(rows, start=top + 1):
        for column, value in enumerate({**USUAL, **changes}.get(name, "") for name in NAMES):
            if isinstance(value, datetime):
                sheet.write_datetime(number, column, value, day)
            elif isinstance(value, str) and value.startswith("="):
                sheet.write_formula(number, column, value, None, 1000)
            elif isinstance(value, str):
                sheet.write_string(number, column, value)
            else:
                sheet.write(number, column, value)
    if hidden:
        sheet.hide()
    return sheet


def one(*rows: Row, **options: object) -> bytes:
    return book(lambda workbook: put(workbook, *rows), **options)


def edited(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The workbook with its first sheet changed by hand."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            new.writestr(each, change(old.read(each)) if each == _SHEET else old.read(each))
    return out.getvalue()


def cover(workbook: Any) -> None:
    workbook.add_worksheet("Cover").write(0, 0, "Kettle Moraine Septic LLC, July")


def elsewhere(workbook: Any) -> None:
    cover(workbook)
    put(workbook, {}, {"report_ref": "T-2"}, name="July")
    put(workbook, {"report_ref": "T-9"}, name="Lists", hidden=True)


def hidden_only(workbook: Any) -> None:
    cover(workbook)
    put(workbook, {}, name="Data", hidden=True)


def two_sheets(workbook: Any) -> None:
    put(workbook, {}, name="June")
    put(workbook, {"report_ref": "T-2"}, name="July")


def merged(workbook: Any) -> None:
    sheet = put(workbook, {}, {"report_ref": "T-2"}, top=1)
    sheet.merge_range(0, 0, 0, 5, "Route of July")
    sheet.merge_range(2, 1, 3, 1, "SP-1")


def workbooks() -> Iterator[Fault]:
    """Workbooks as Excel leaves them, and as somebody may have made them on purpose."""
    second = {"report_ref": "T-2", "service_date": DAY}
    yield Fault(name="dates.xlsx", why="Days as days", data=one({"service_date": DAY}, second), rows=BOTH)
    yield Fault(
        name="dates-1904.xlsx",
        why="Days counted from 1904, as on old Macs",
        data=one({"service_date": DAY}, second, date_1904=True),
        rows=BOTH,
    )
    yield Fault(name="other-sheet.xlsx", why="A cover before, a hidden list behind", data=book(elsewhere), rows=BOTH)
    yield Fault(
        name="hidden-sheet.xlsx", why="Reports on a hidden sheet only", data=book(hidden_only), refused="hidden_sheet"
    )
    yield Fault(name="two-sheets.xlsx", why="Reports on two sheets", data=book(two_sheets), refused="several_sheets")
    formulas = edited(
        one(
            {"gallons_pumped": "=500*2"},
            {"report_ref": "T-2", "gallons_pumped": "=250*4"},
            {"report_ref": "T-3", "gallons_pumped": "=1/0"},
        ),
        lambda xml: xml.replace(b"<f>250*4</f><v>1000</v>", b"<f>250*4</f>").replace(
            b'r="I4"><f>1/0</f><v>1000</v>', b'r="I4" t="e"><f>1/0</f><v>#DIV/0!</v>'
        ),
    )
    yield Fault(
        name="formulas.xlsx", why="A formula with its result, one without, one that ends in an error", data=formulas,
        rows=((2, "accepted"), (3, "rejected", "gallons_pumped", "formula_without_value"), (4, "rejected", "gallons_pumped", "formula_error")),
    )  # fmt: skip
    yield Fault(
        name="merged.xlsx", why="A merged title, and one permit merged over two rows", data=book(merged),
        rows=((3, "accepted"), (4, "rejected", "permit_number", "merged_cell")),
    )  # fmt: skip
    last = b'<row r="1048576" ht="20" customHeight="1"/></sheetData>'
    huge = edited(one({}), lambda xml: xml.replace(b"</sheetData>", last).replace(b'ref="A1:P2"', b'ref="A1:P1048576"'))
    yield Fault(name="huge-range.xlsx", why="A used range of a million blank rows", data=huge, rows=GOOD)
    bomb = edited(one({}), lambda xml: xml + b"<!--" + b" " * 130_000_000 + b"-->")
    yield Fault(name="bomb.xlsx", why="130 MB in a small package", data=bomb, refused="too_big_unpacked")
    yield Fault(name="cut-off.xlsx", why="A package that breaks off", data=one({})[:3_000], refused="broken_xlsx")
    numbers = one(
        {"permit_number": 412, "parcel_number": "08-412", "gallons_pumped": 1000},
        {"report_ref": "T-2", "parcel_number": 1234567890123456789},
        {"report_ref": "T-3", "parcel_number": DAY},
        {"report_ref": "T-4", "gallons_pumped": True},
        {"report_ref": 20641, "gallons_pumped": 1000.5},
    )
    yield Fault(
        name="numbers.xlsx", why="Identifiers that Excel made numbers or days of", data=numbers,
        rows=((2, "accepted"), (3, "queued_for_review"), (4, "queued_for_review"), (5, "rejected", "gallons_pumped", "not_a_number"), (6, "rejected", "gallons_pumped", "not_whole")),
        warnings={2: ["excel_zeros"], 3: ["excel_scientific", "review"], 4: ["excel_date", "review"]},
    )  # fmt: skip
