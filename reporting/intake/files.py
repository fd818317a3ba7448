"""The bytes somebody sent → numbered rows, whatever the file is called: its content decides. Pure."""

from __future__ import annotations

import re

from reporting.intake.csv_rows import read_csv
from reporting.intake.json_rows import read_json
from reporting.intake.sheet import FileRefused, Limits, Sheet
from reporting.intake.table import KnownHeading, refuse_empty
from reporting.intake.xlsx_package import open_package
from reporting.intake.xlsx_rows import read_xlsx

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = re.compile(rb"\s*<(?:!doctype|html|head|body|table|div|style|meta|\?xml|!--)", re.IGNORECASE)
_SAVE_AS = "open it in Excel, choose Save As, and the type “Excel Workbook (.xlsx)” or “CSV UTF-8”"

# First bytes of what is sent by mistake, and what to say of it.
_OTHERS = (
    (b"%PDF", "The file is a PDF, which cannot be read as a table: send the workbook or CSV it was printed from."),
    (
        b"\xff\xd8\xff",
        "The file is a picture: send the workbook or CSV with the reports, or give the paper to the county.",
    ),
    (b"\x89PNG", "The file is a picture: send the workbook or CSV with the reports, or give the paper to the county."),
    (b"\x1f\x8b", "The file is packed (gzip): unpack it and send the workbook or CSV in it."),
    (b"Rar!", "The file is packed (RAR): unpack it and send the workbook or CSV in it."),
    (b"7z\xbc\xaf", "The file is packed (7-Zip): unpack it and send the workbook or CSV in it."),
    (b"{\\rtf", f"The file is a text document (RTF): copy its table into Excel, then {_SAVE_AS}."),
)

# A member of a zip that tells what it is, and what to say of it; an .xlsx has xl/workbook.xml.
_PACKAGES = (
    ("xl/workbook.bin", f"The file is a binary workbook (.xlsb): {_SAVE_AS}."),
    ("word/document.xml", f"The file is a Word document: copy its table into Excel, then {_SAVE_AS}."),
    ("content.xml", "The file is an OpenDocument file: choose Save As and the type “Excel (.xlsx)” or CSV."),
    ("index/document.iwa", "The file is a Numbers document: choose File, Export To, and Excel or CSV."),
)


def read_sheet(
    data: bytes, *, filename: str | None, content_type: str | None, known_heading: KnownHeading, limits: Limits
) -> Sheet:
    """The rows of a CSV file, a workbook or a JSON list.

    filename, content_type: as the sender gave them; they choose between JSON and CSV, and a text that calls itself
    .xlsx is named as such. known_heading: whether a heading means a field, in whatever spelling.
    Raises FileRefused with one sentence that says how to save the file right.
    """
    if len(data) > limits.max_bytes:
        megabytes = limits.max_bytes // 1_000_000
        raise FileRefused("too_big", f"The file is over {megabytes} MB: split it and send each part by itself.", 413)
    if not data.strip(b"\x00 \t\r\n"):
        raise refuse_empty()
    name, kind = (filename or "").strip().lower(), _media_type(content_type)
    if data.startswith(_ZIP):
        _check_package_kind(data)
        return read_xlsx(data, known_heading=known_heading, limits=limits)
    _refuse_others(data)
    if _says_json(name, kind) or (not _says_csv(name, kind) and _looks_like_json(data)):
        return read_json(data, limits=limits)
    _refuse_misnamed(data, name, kind)
    return read_csv(data, known_heading=known_heading, limits=limits)


def _media_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _says_json(name: str, kind: str) -> bool:
    return name.endswith(".json") or (not name and (kind == "application/json" or kind.endswith("+json")))


def _says_csv(name: str, kind: str) -> bool:
    return name.endswith((".csv", ".txt", ".tsv", ".tab")) or (not name and kind.startswith("text/"))


def _says_workbook(name: str, kind: str) -> bool:
    return name.endswith((".xlsx", ".xls", ".xlsm")) or (not name and "spreadsheetml" in kind)


def _looks_like_json(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


def _refuse_others(data: bytes) -> None:
    if data.startswith(_OLE):
        # A workbook with a password is kept in the same container as the workbooks of before 2007.
        if _ENCRYPTED in data:
            raise FileRefused(
                "password", "The workbook has a password: remove it in Excel and send the file again.", 415
            )
        raise FileRefused("old_excel", f"The file is an old workbook (.xls): {_SAVE_AS}.", 415)
    for start, detail in _OTHERS:
        if data.startswith(start):
            raise FileRefused("wrong_kind", detail, 415)


def _refuse_misnamed(data: bytes, name: str, kind: str) -> None:
    if _MARKUP.match(data[:512].lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"")):  # UTF-16 too
        raise FileRefused("markup", f"The file is a web page or XML, whatever its name says: {_SAVE_AS}.", 415)
    if _says_workbook(name, kind):
        raise FileRefused(
            "misnamed_text",
            "The file is text (CSV) that is named as a workbook: rename it to .csv and send it again.",
            415,
        )


def _check_package_kind(data: bytes) -> None:
    names = {name.lower() for name in open_package(data).namelist()}
    if "xl/workbook.xml" in names:
        return
    for member, detail in _PACKAGES:
        if member in names:
            raise FileRefused("wrong_kind", detail, 415)
    raise FileRefused("zip", "The file is a zip: unpack it and send the workbook or CSV in it by itself.", 415)
