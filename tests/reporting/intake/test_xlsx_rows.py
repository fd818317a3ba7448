"""Workbooks: what Excel keeps in them, and what somebody may have put there on purpose."""

from __future__ import annotations

import io
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable
from datetime import date, datetime
from datetime import time as clock

import pytest
import xlsxwriter  # type: ignore[import-untyped]

from reporting.intake.headings import normalize_heading
from reporting.intake.sheet import Cell, CellFault, FileRefused, Limits, Row, Sheet
from reporting.intake.xlsx_rows import read_xlsx

KNOWN = {"permitnumber", "servicedate", "gallonspumped", "notes"}
HEADINGS = ("permit_number", "service_date", "gallons_pumped", "notes")


def read(data: bytes, **limits: int) -> Sheet:
    return read_xlsx(data, known_heading=lambda heading: normalize_heading(heading) in KNOWN, limits=Limits(**limits))


def book(fill: Callable[[xlsxwriter.Workbook], object], **options: object) -> bytes:
    out = io.BytesIO()
    workbook = xlsxwriter.Workbook(out, {"in_memory": True, **options})
    fill(workbook)
    workbook.close()
    return out.getvalue()


def table(*rows: Iterable[object], name: str = "Reports", top: int = 0, left: int = 0) -> bytes:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet(name)
        for index, row in enumerate(rows):
            sheet.write_row(top + index, left, row)

    return book(fill)


def edited(data: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            new.writestr(each, change(old.read(each)) if each == member else old.read(each))
    return out.getvalue()


SHEET1 = "xl/worksheets/sheet1.xml"


def refused(data: bytes, **limits: int) -> tuple[str, int]:
    with pytest.raises(FileRefused) as caught:
        read(data, **limits)
    assert caught.value.detail.endswith(".")
    return caught.value.code, caught.value.status


def rows(data: bytes) -> list[Row]:
    return list(read(data).rows)


def test_values_keep_their_text_and_their_kind() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, HEADINGS)
        day, moment = (workbook.add_format({"num_format": each}) for each in ("m/d/yyyy", "m/d/yyyy h:mm"))
        sheet.write_string(1, 0, "SP-1")
        sheet.write_datetime(1, 1, datetime(2026, 7, 2), day)  # noqa: DTZ001
        sheet.write_number(1, 2, 1500)
        sheet.write_boolean(1, 3, True)
        sheet.write_number(2, 0, 1234567890123456789)
        sheet.write_datetime(2, 1, datetime(2026, 7, 2, 14, 5), moment)  # noqa: DTZ001
        sheet.write_number(2, 2, 1500.5)
        sheet.write_datetime(2, 3, clock(14, 5), workbook.add_format({"num_format": "h:mm"}))

    first, second = rows(book(fill))
    assert first.cells == {
        "permit_number": Cell("SP-1"),
        "service_date": Cell("2026-07-02", date(2026, 7, 2)),
        "gallons_pumped": Cell("1500", 1500),
        "notes": Cell("TRUE", True),
    }
    assert second.cells == {
        "permit_number": Cell("1.234567890123457E+18", 1.234567890123457e18),
        "service_date": Cell("2026-07-02T14:05:00", datetime(2026, 7, 2, 14, 5)),  # noqa: DTZ001
        "gallons_pumped": Cell("1500.5", 1500.5),
        "notes": Cell("14:05:00", clock(14, 5)),
    }
    assert first.raw == b'["SP-1","2026-07-02","1500","TRUE"]'
    assert (first.number, first.pointer) == (2, "/0")


def test_workbooks_that_count_from_1904() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, HEADINGS)
        sheet.write_datetime(1, 1, datetime(2026, 7, 2), workbook.add_format({"num_format": "d-mmm-yy"}))  # noqa: DTZ001

    data = book(fill, date_1904=True)
    assert b'date1904="1"' in zipfile.ZipFile(io.BytesIO(data)).read("xl/workbook.xml")
    assert rows(data)[0].cells["service_date"].native == date(2026, 7, 2)


def test_row_numbers_and_columns_are_the_sheets_own() -> None:
    (row,) = rows(table(["Miller Septic"], [], HEADINGS, [], ["SP-1", "", 5], top=3, left=2))
    assert row.number == 8
    assert {heading: cell.text for heading, cell in row.cells.items()} == {
        "permit_number": "SP-1",
        "gallons_pumped": "5",
    }


def test_the_sheet_with_the_headings_is_read_and_the_others_are_named() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        workbook.add_worksheet("Help").write_row(0, 0, ["How to fill in"])
        template = workbook.add_worksheet("Template")
        template.write_row(0, 0, HEADINGS)
        reports = workbook.add_worksheet("July")
        reports.write_row(0, 0, HEADINGS)
        reports.write_row(1, 0, ["SP-1"])
        hidden = workbook.add_worksheet("Lists")
        hidden.write_row(0, 0, HEADINGS)
        hidden.write_row(1, 0, ["SP-9"])
        hidden.hide()

    sheet = read(book(fill))
    assert [row.cells["permit_number"].text for row in sheet.rows] == ["SP-1"]
    assert sheet.notes[0] == "Read from the sheet “July”."
    assert set(sheet.notes[1:]) == {"Not read: “Help”.", "Not read: “Template”.", "Not read: “Lists”."}


def test_two_sheets_with_reports_are_not_guessed_between() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        for name in ("June", "July"):
            sheet = workbook.add_worksheet(name)
            sheet.write_row(0, 0, HEADINGS)
            sheet.write_row(1, 0, ["SP-1"])

    assert refused(book(fill)) == ("several_sheets", 422)


def test_reports_on_a_hidden_sheet_only() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        workbook.add_worksheet("Cover").write(0, 0, "hello")
        hidden = workbook.add_worksheet("Data")
        hidden.write_row(0, 0, HEADINGS)
        hidden.write_row(1, 0, ["SP-1"])
        hidden.hide()

    assert refused(book(fill)) == ("hidden_sheet", 422)


def test_formulas_with_and_without_a_saved_result() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, HEADINGS)
        sheet.write(1, 0, "SP-1")
        sheet.write_formula(1, 2, "=500*3", None, 1500)
        sheet.write_formula(1, 3, '="a"&"b"', None, "ab")
        sheet.write_formula(2, 2, "=1/0", None, "#DIV/0!")
        sheet.write_formula(3, 2, "=IF(A1<2,1,2)", None, 77)
        sheet.write_formula(4, 0, "=A2", None, "SP-1")
        sheet.write_formula(4, 3, '=""', None, "")

    data = edited(
        book(fill), SHEET1, lambda xml: xml.replace(b"<v>77</v>", b"").replace(b'r="D5">', b'r="D5" t="str">')
    )
    saved, error, unsaved, text = rows(data)
    assert saved.cells["gallons_pumped"] == Cell("1500", 1500)
    assert saved.cells["notes"] == Cell("ab")
    assert error.cells["gallons_pumped"] == Cell("#DIV/0!", None, CellFault.FORMULA_ERROR)
    assert unsaved.cells["gallons_pumped"] == Cell("=IF(A1<2,1,2)", None, CellFault.FORMULA_WITHOUT_VALUE)
    assert text.cells == {"permit_number": Cell("SP-1")}


def test_a_formula_without_result_in_the_last_cell_is_not_lost() -> None:
    xml = b'<row r="9"><c r="C9"><f>1+1</f></c></row></sheetData>'
    data = edited(table(HEADINGS, ["SP-1"]), SHEET1, lambda old: old.replace(b"</sheetData>", xml))
    last = rows(data)[-1]
    assert (last.number, last.cells) == (
        9,
        {"gallons_pumped": Cell("=1+1", None, CellFault.FORMULA_WITHOUT_VALUE)},
    )


def test_merged_cells_are_a_fault_of_the_cells_they_hide() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet()
        sheet.merge_range("A1:D1", "Miller Septic, July")
        sheet.write_row(1, 0, HEADINGS)
        sheet.merge_range("A3:A4", "SP-1")
        sheet.write_row("B3", ["2026-07-02", 500])
        sheet.write_row("B4", ["2026-07-02", 700])
        sheet.merge_range("A6:D7", "")

    first, second = rows(book(fill))
    assert first.cells["permit_number"] == Cell("SP-1")
    assert second.cells["permit_number"] == Cell("", None, CellFault.MERGED)
    assert second.cells["gallons_pumped"].native == 700


def test_a_million_blank_rows_are_read_in_a_moment() -> None:
    blank = b"".join(b'<row r="%d" ht="20" customHeight="1"/>' % number for number in range(3, 1_000_000))
    data = edited(table(HEADINGS, ["SP-1"]), SHEET1, lambda xml: xml.replace(b"</sheetData>", blank + b"</sheetData>"))
    start = time.perf_counter()
    assert len(rows(data)) == 1
    assert time.perf_counter() - start < 10


def test_one_cell_in_the_last_corner_is_refused_before_anything_is_reserved() -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, HEADINGS)
        sheet.write(1_048_575, 16_383, "x")

    assert refused(book(fill)) == ("too_big_unpacked", 413)


def test_one_long_string_named_many_times_is_refused() -> None:
    data = table(HEADINGS, *(["x" * 30_000] for _ in range(5_000)))
    assert len(data) < 200_000
    assert refused(data) == ("too_big_unpacked", 413)
    assert len(rows(table(HEADINGS, *(["x" * 30_000] for _ in range(50))))) == 50


def test_bombs_are_refused_by_the_directory_and_by_what_comes_out() -> None:
    big = b"<!--" + b" " * 300_000_000 + b"-->"
    bomb = edited(table(HEADINGS, ["SP-1"]), SHEET1, lambda xml: xml + big)
    start = time.perf_counter()
    assert refused(bomb) == ("too_big_unpacked", 413)
    assert time.perf_counter() - start < 1
    lying = _with_stated_size(bomb, SHEET1, 1_000)
    start = time.perf_counter()
    assert refused(lying) == ("too_big_unpacked", 413)
    assert time.perf_counter() - start < 1


def _with_stated_size(data: bytes, member: str, size: int) -> bytes:
    """The archive with another unpacked size of one member in its directory and before its data."""
    changed = bytearray(data)
    for signature, size_at, name_at in ((b"PK\x01\x02", 24, 46), (b"PK\x03\x04", 22, 30)):
        for found in re.finditer(re.escape(signature), data):
            if data[found.start() + name_at :].startswith(member.encode()):
                changed[found.start() + size_at : found.start() + size_at + 4] = size.to_bytes(4, "little")
    return bytes(changed)


def test_damaged_and_strange_packages_are_refused() -> None:
    whole = table(HEADINGS, ["SP-1"])
    assert refused(whole[: len(whole) // 2]) == ("broken_xlsx", 422)
    assert refused(edited(whole, SHEET1, lambda xml: xml[:200])) in {
        ("broken_xlsx", 422),
        ("no_rows", 422),
        ("empty_file", 422),
    }
    assert refused(edited(whole, SHEET1, lambda xml: xml.replace(b' r="A1"', b""))) == ("broken_xlsx", 422)
    assert refused(edited(whole, "xl/workbook.xml", lambda _xml: b"<x")) in {("broken_xlsx", 422), ("empty_file", 422)}
    out = io.BytesIO(whole)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(out, "a") as package:
        package.writestr(SHEET1, b"<worksheet/>")
    assert refused(out.getvalue()) == ("broken_xlsx", 422)


@pytest.mark.parametrize("seed", range(60))
def test_any_damage_is_rows_or_a_refusal(seed: int) -> None:
    whole = bytearray(table(HEADINGS, *([f"SP-{n}", "2026-07-02", n, "x"] for n in range(30))))
    state = zlib.crc32(str(seed).encode())
    for _ in range(1 + seed % 5):
        state = zlib.crc32(state.to_bytes(4, "little"))
        whole[state % len(whole)] ^= 1 << (state >> 8) % 8
    try:
        sheet = read(bytes(whole))
    except FileRefused:
        return
    assert len(list(sheet.rows)) == sheet.row_count


def test_limits_are_refusals() -> None:
    data = table(HEADINGS, *([f"SP-{n}"] for n in range(11)))
    assert refused(data, max_rows=10) == ("too_many_rows", 413)
    assert refused(table(HEADINGS)) == ("no_rows", 422)
    assert refused(table([])) == ("empty_file", 422)
    assert refused(table(["Foo"], ["x"])) == ("no_heading", 422)
    assert refused(table([*HEADINGS, "Notes "], ["x"])) == ("duplicate_heading", 422)
