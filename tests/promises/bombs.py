"""Workbooks made to fill the memory of whoever opens them, each some kilobytes or a megabyte of file."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from functools import cache

from tests.files.workbooks import edited, one

SHEET = "xl/worksheets/sheet1.xml"


@cache
def bombs() -> Mapping[str, bytes]:
    """Name → bytes."""
    plain = one({})
    huge = b"<!--" + b" " * 200_000_000 + b"-->"
    corner = b'<row r="1048576"><c r="XFD1048576" t="n"><v>1</v></c></row></sheetData>'
    return {
        "200 MB, as its directory says": edited(plain, lambda xml: xml + huge),
        "200 MB, and its directory says 2 kB": _lying(edited(plain, lambda xml: xml + huge), 2_000),
        "ten thousand members": _crowded(plain, 10_000),
        "one stretch of data under many names": _overlapping(plain, 500),
        "a cell in the last corner": edited(plain, lambda xml: xml.replace(b"</sheetData>", corner)),
        "one string named a million times": _repeating(plain),
        "entities of entities": _entities(plain),
    }


def _entities(data: bytes) -> bytes:
    """A shared string that is an entity of ten entities of ten entities …, which stands for 10 TB."""
    doctype = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12)
    )
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            content = old.read(each)
            if each == "xl/sharedStrings.xml":
                content = content.replace(b"?>", b"?>" + doctype + b"]>", 1).replace(b"T-1</t>", b"&m;</t>", 1)
                assert b"&m;" in content
            new.writestr(each, content)
    return out.getvalue()


def _lying(data: bytes, size: int) -> bytes:
    """The first sheet's length in the directory and in its own head, said to be another one."""
    changed = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        member = package.getinfo(SHEET)
    struct.pack_into("<L", changed, member.header_offset + 22, size)
    at = changed.index(SHEET.encode(), changed.index(b"PK\x01\x02")) - 46
    struct.pack_into("<L", changed, at + 24, size)
    return bytes(changed)


def _crowded(data: bytes, count: int) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as package:
        for number in range(count):
            package.writestr(f"xl/media/{number}", b"")
    return out.getvalue()


def _overlapping(data: bytes, count: int) -> bytes:
    """Many members whose data is the same 4 MB of the file: a directory that stands for 2 GB."""
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/media/first", b"\x00" * 4_000_000)
        first = package.getinfo("xl/media/first")
        for number in range(count):
            again = zipfile.ZipInfo(f"xl/media/n{number:04}")
            again.compress_type, again.CRC = first.compress_type, first.CRC
            again.compress_size, again.file_size = first.compress_size, first.file_size
            again.header_offset = first.header_offset
            package.filelist.append(again)
    return out.getvalue()


def _repeating(data: bytes) -> bytes:
    """A string of 30 kB that a sheet of 100 kB packed names a million times: 30 GB of text."""
    cells = b"".join(b'<row r="%d">' % row + b"".join(
        b'<c r="%s%d" t="s"><v>0</v></c>' % (bytes([65 + column]), row) for column in range(20)
    ) + b"</row>" for row in range(3, 50_003))  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            content = old.read(each)
            if each == SHEET:
                content = content.replace(b"</sheetData>", cells + b"</sheetData>")
            if each == "xl/sharedStrings.xml":
                start = content.index(b"<si>")
                content = content[:start] + b"<si><t>" + b"x" * 30_000 + b"</t></si>" + content[start:]
            new.writestr(each, content)
    return out.getvalue()
