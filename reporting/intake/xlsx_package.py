"""An XLSX file as a zip package, measured before anything parses it. Pure.

python-calamine is fast and faithful, but it trusts the file: one cell in the last corner of a sheet makes it reserve
half a terabyte and the process dies. So the size is taken from the zip directory, counted again while unpacking (the
directory can lie), and each sheet's real extent is read from its XML first. The same pass notes what calamine gives as
a blank: error cells and formulas saved without a result.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import join, normpath

from reporting.intake.sheet import FileRefused, Limits

_CHUNK = 1 << 18
_MAX_MEMBERS = 2_000
MAX_MARKED_CELLS = 300_000
_MAX_NAME_PARTS = 4_000_000  # bytes of workbook.xml and its relations; a real one has a few thousand
_LOCAL_HEADER = 30
_MAX_PIECE = 8_000_000  # bytes of one row; Excel itself holds 32,767 characters a cell

# A cell with content, its formula and value. Self-closing cells (style only) do not match.
_CELL = re.compile(
    rb"<(?:\w+:)?c\s([^<>]*[^<>/])>"
    rb"(?:\s*<(?:\w+:)?f(?:\s[^<>]*?)?(?:/>|>([^<]*)</(?:\w+:)?f>))?"
    rb"(?:\s*<(?:\w+:)?v(?:\s[^<>]*)?>([^<]*)</(?:\w+:)?v>)?"
)
_HAS_FORMULA = re.compile(rb">\s*<(?:\w+:)?f[\s/>]")
_ROW_START = re.compile(rb"<(?:\w+:)?row[\s>/]")
_REFERENCE = re.compile(rb'\br="([A-Za-z]{1,4})([0-9]{1,9})"')
_TYPE = re.compile(rb'\bt="(\w+)"')
_STRING_END = re.compile(rb"</(?:\w+:)?si>|<(?:\w+:)?si\s*/>")
_SHEET = re.compile(r"<(?:\w+:)?sheet\s[^<>]*>")
_RELATION = re.compile(r"<(?:\w+:)?Relationship\s[^<>]*>")
_ATTRIBUTE = re.compile(r"""(?<![\w:])([\w:]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a sheet's XML says of it: formulas and errors calamine would show as blank, by (row, column) from 0.

    Values are the error (`#DIV/0!`) or, for a formula without a saved result, the formula with its `=`.
    """

    marked: dict[tuple[int, int], str]


def open_package(data: bytes) -> zipfile.ZipFile:
    """The zip directory of a file. FileRefused when it is no whole zip."""
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, UnicodeDecodeError):
        raise refuse_broken() from None


def check_package(data: bytes, package: zipfile.ZipFile, limits: Limits) -> None:
    """FileRefused when the unpacked size, as the directory states it or as it turns out, is over the limit."""
    members = package.infolist()
    if len({member.filename.lower() for member in members}) < len(members):  # two readers could take two members
        raise refuse_broken()
    if len(members) > _MAX_MEMBERS or sum(member.file_size for member in members) > limits.max_unpacked_bytes:
        raise refuse_too_big()
    for member in members:
        for _chunk in unpack(data, member):
            pass


def unpack(data: bytes, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of one member, chunk by chunk; FileRefused as soon as it is longer than the directory says."""
    if member.flag_bits & 0x1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refuse_broken()
    start = member.header_offset
    header = data[start : start + _LOCAL_HEADER]
    if len(header) < _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
        raise refuse_broken()
    start += _LOCAL_HEADER + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    packed = memoryview(data)[start : start + member.compress_size]
    size = 0
    for chunk in _inflate(packed) if member.compress_type == zipfile.ZIP_DEFLATED else (bytes(packed),):
        size += len(chunk)
        if size > member.file_size:
            raise refuse_too_big()
        yield chunk
    if size != member.file_size:
        raise refuse_broken()


def _inflate(packed: memoryview) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for start in range(0, len(packed), _CHUNK):
            pending = bytes(packed[start : start + _CHUNK])
            while pending and not inflater.eof:
                yield inflater.decompress(pending, _CHUNK)
                pending = inflater.unconsumed_tail
        yield inflater.flush()
    except zlib.error:
        raise refuse_broken() from None


def sheet_members(data: bytes, package: zipfile.ZipFile) -> dict[str, str]:
    """Sheet name → member that holds its XML, by workbook.xml and its relations (ECMA-376 part 1, 18.2)."""
    names = {name.lower(): name for name in package.namelist()}
    workbook = names.get("xl/workbook.xml")
    relations = names.get("xl/_rels/workbook.xml.rels")
    if workbook is None or relations is None:
        raise refuse_broken()
    targets = {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in map(_attributes, _RELATION.findall(_member_text(data, package, relations)))
    }
    found: dict[str, str] = {}
    for sheet in map(_attributes, _SHEET.findall(_member_text(data, package, workbook))):
        identifier = next((value for key, value in sheet.items() if key.endswith(":id")), "")
        target = targets.get(identifier, "")
        path = target[1:] if target.startswith("/") else normpath(join("xl", target))
        if path.lower() in names:
            found[sheet.get("name", "")] = names[path.lower()]
    return found


def string_lengths(data: bytes, package: zipfile.ZipFile, limits: Limits) -> array[int]:
    """The length in bytes of each shared string, at most; a sheet may name one string a million times."""
    lengths = array("L")
    member = next((each for each in package.infolist() if each.filename.lower() == "xl/sharedstrings.xml"), None)
    length = 0
    for piece in _pieces(unpack(data, member), b"si", _STRING_END) if member else ():
        start = 0
        for end in _STRING_END.finditer(piece):
            lengths.append(length + end.end() - start)
            start, length = end.end(), 0
        length += len(piece) - start
        if len(lengths) > limits.max_cells:
            raise refuse_too_big()
    return lengths


def measure_sheet(data: bytes, member: zipfile.ZipInfo, lengths: array[int], limits: Limits) -> Measured:
    """Reads a sheet's XML once. FileRefused when calamine would need more than the limits to hold the sheet."""
    rows = columns = text_size = 0
    marked: dict[tuple[int, int], str] = {}
    for piece in _pieces(unpack(data, member), b"row", _ROW_START):
        for cell in _CELL.finditer(piece):
            attributes, formula, value = cell.groups()
            place = _REFERENCE.search(attributes)
            if place is None:  # allowed, but Excel writes the place; without it the extent is not known beforehand
                raise refuse_broken()
            row, column = int(place[2]), _column(place[1])
            rows, columns = max(rows, row), max(columns, column)
            kind = _TYPE.search(attributes)
            sort = kind[1] if kind else b"n"
            if sort == b"s" and value and value.isdigit() and int(value[:9]) < len(lengths):
                text_size += lengths[int(value[:9])]
            if sort == b"e":
                marked[row - 1, column - 1] = (value or b"#ERROR").decode("utf-8", "replace")
            elif not value and sort != b"str" and _HAS_FORMULA.match(piece, cell.start(1) + len(attributes)):
                marked[row - 1, column - 1] = "=" + _unescape((formula or b"").decode("utf-8", "replace"))[:200]
        if rows * columns > limits.max_cells or 2 * text_size > limits.max_unpacked_bytes:
            raise refuse_too_big()
        if len(marked) > MAX_MARKED_CELLS:
            raise refuse_too_big()
    return Measured(marked=marked)


def _pieces(chunks: Iterator[bytes], word: bytes, boundary: re.Pattern[bytes]) -> Iterator[bytes]:
    """The chunks cut anew so that each but the last ends right before a tag, and no cell lies in two.

    word: the tag's name, by which its last occurrence is found quickly; boundary: the tag.
    """
    held = bytearray()
    for chunk in chunks:
        searched = max(0, len(held) - 24)  # a tag may lie across two chunks
        held += chunk
        at = len(held)
        while (at := held.rfind(word, searched, at)) != -1:
            start = held.rfind(b"<", 0, at)
            if start > 0 and boundary.match(held, start):
                yield bytes(held[:start])
                del held[:start]
                break
        if len(held) > _MAX_PIECE:
            raise refuse_too_big()
    yield bytes(held)


def _member_text(data: bytes, package: zipfile.ZipFile, name: str) -> str:
    member = package.getinfo(name)
    if member.file_size > _MAX_NAME_PARTS:
        raise refuse_too_big()
    return b"".join(unpack(data, member)).decode("utf-8", "replace")


def _attributes(tag: str) -> dict[str, str]:
    return {key: _unescape(double or single) for key, double, single in _ATTRIBUTE.findall(tag)}


def _unescape(text: str) -> str:
    return re.sub(r"&(?:lt|gt|quot|apos|amp);", lambda found: _ENTITIES[found[0]], text)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def refuse_broken() -> FileRefused:
    """The refusal of a workbook that is no whole XLSX."""
    return FileRefused("broken_xlsx", "The workbook is damaged: open it in Excel, save it as .xlsx, and send it again.")


def refuse_too_big() -> FileRefused:
    """The refusal of a workbook that would need more memory than the limits allow."""
    return FileRefused(
        "too_big_unpacked",
        "The workbook is too big once unpacked: copy the reports alone into a new workbook, save it, and send that.",
        413,
    )
