"""What a file is, is told by its content; its name only settles what the content leaves open."""

from __future__ import annotations

import io
import zipfile

import pytest
import xlsxwriter  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.files import read_sheet
from reporting.intake.headings import normalize_heading
from reporting.intake.sheet import FileRefused, Limits, Sheet, SheetKind

CSV = b"permit_number,notes\nSP-1,x\n"
JSON = b'[{"permit_number": "SP-1", "notes": "x"}]'
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def read(data: bytes, name: str | None = None, kind: str | None = None, limits: Limits | None = None) -> Sheet:
    return read_sheet(
        data,
        filename=name,
        content_type=kind,
        known_heading=lambda heading: normalize_heading(heading) in {"permitnumber", "notes"},
        limits=limits or Limits(),
    )


def workbook() -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["permit_number", "notes"])
    sheet.write_row(1, 0, ["SP-1", "x"])
    book.close()
    return out.getvalue()


def package(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name in names:
            target.writestr(name, b"x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "kind", "sheet_kind"),
    [
        (CSV, "a.csv", None, SheetKind.CSV),
        (CSV, None, "text/csv; charset=utf-8", SheetKind.CSV),
        (CSV, None, None, SheetKind.CSV),
        (CSV, "a.CSV", "application/vnd.ms-excel", SheetKind.CSV),  # what browsers say where Excel is installed
        (CSV, None, "application/vnd.ms-excel", SheetKind.CSV),
        (CSV, "a.txt", None, SheetKind.CSV),
        (workbook(), "a.xlsx", XLSX_TYPE, SheetKind.XLSX),
        (workbook(), "a.csv", "text/csv", SheetKind.XLSX),
        (JSON, "a.json", None, SheetKind.JSON),
        (JSON, None, "application/json", SheetKind.JSON),
        (JSON, None, None, SheetKind.JSON),
        (b"\xef\xbb\xbf" + JSON, None, "application/octet-stream", SheetKind.JSON),
    ],
)
def test_the_same_reports_whatever_the_file(data: bytes, name: str | None, kind: str | None, sheet_kind: str) -> None:
    sheet = read(data, name, kind)
    (row,) = sheet.rows
    assert sheet.kind == sheet_kind
    assert (row.number, row.pointer, {heading: cell.text for heading, cell in row.cells.items()}) == (
        2,
        "/0",
        {"permit_number": "SP-1", "notes": "x"},
    )


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600


@pytest.mark.parametrize(
    ("data", "name", "code", "status", "says"),
    [
        (OLE, "a.xls", "old_excel", 415, ".xlsx"),
        (OLE, "a.xlsx", "old_excel", 415, ".xlsx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "password", 415, "password"),
        (b"<html><table><tr><td>permit_number", "a.xls", "markup", 415, "Save As"),
        (b"\xef\xbb\xbf\r\n <!DOCTYPE html>", "a.xls", "markup", 415, "Save As"),
        ("\ufeff<html>".encode("utf-16"), "a.xls", "markup", 415, "Save As"),
        (b'<?xml version="1.0"?><Workbook>', "a.xls", "markup", 415, "Save As"),
        (CSV, "a.xlsx", "misnamed_text", 415, "rename it to .csv"),
        (CSV, "a.xls", "misnamed_text", 415, "rename it to .csv"),
        (b"%PDF-1.7", "a.pdf", "wrong_kind", 415, "PDF"),
        (b"\x89PNG\r\n", "a.png", "wrong_kind", 415, "picture"),
        (b"\x1f\x8b\x08", "a.csv.gz", "wrong_kind", 415, "gzip"),
        (package("content.xml", "mimetype"), "a.ods", "wrong_kind", 415, "OpenDocument"),
        (package("word/document.xml"), "a.docx", "wrong_kind", 415, "Word"),
        (package("xl/workbook.bin"), "a.xlsb", "wrong_kind", 415, ".xlsb"),
        (package("reports.csv"), "a.zip", "zip", 415, "unpack"),
        (b"PK\x03\x04 cut off", "a.xlsx", "broken_xlsx", 422, "damaged"),
        (b"", "a.csv", "empty_file", 422, "empty"),
        (b"\x00" * 50, "a.csv", "empty_file", 422, "empty"),
        (b"[1", "a.json", "not_json", 422, "JSON"),
        (CSV, "a.json", "not_a_list", 422, "list"),
    ],
)
def test_other_files_are_answered_in_one_sentence(data: bytes, name: str, code: str, status: int, says: str) -> None:
    with pytest.raises(FileRefused, match=says) as refused:
        read(data, name)
    assert (refused.value.code, refused.value.status) == (code, status)
    assert refused.value.detail.endswith(".")


def test_a_file_over_the_limit() -> None:
    assert read(CSV, limits=Limits(max_bytes=len(CSV))).row_count == 1
    with pytest.raises(FileRefused) as refused:
        read(CSV, limits=Limits(max_bytes=len(CSV) - 1))
    assert refused.value.status == 413


@given(st.binary(max_size=100), st.sampled_from([b"", b"PK\x03\x04", b"[", b"<", OLE[:8], b"\xff\xfe", CSV]))
def test_any_bytes_are_rows_or_a_refusal(data: bytes, start: bytes) -> None:
    for name in (None, "a.csv", "a.json", "a.xlsx"):
        try:
            sheet = read(start + data, name)
        except FileRefused:
            continue
        assert len(list(sheet.rows)) == sheet.row_count
