"""JSON → rows, strictly (RFC 8259, I-JSON RFC 7493): nothing that two readers could read in two ways. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NoReturn

from reporting.intake.csv_rows import decode
from reporting.intake.sheet import Cell, FileRefused, Limits, Row, RowFault, Sheet, SheetKind, is_blank
from reporting.intake.table import refuse_empty, refuse_no_rows, refuse_too_many_rows, shorten

_MAX_DIGITS = 40
_MAX_DEPTH = 12
_SPACE = re.compile(r"[ \t\r\n]*")
_HOW = "send one list of objects, [{…}, {…}], saved as UTF-8"


def read_json(data: bytes, *, limits: Limits) -> Sheet:
    """The rows of a JSON list of objects. FileRefused when it is no such list, or not strict JSON."""
    text = _text(data)
    headings: dict[str, None] = {}
    count = 0
    for value, _raw in _elements(text):
        count += 1
        if count > limits.max_rows:
            raise refuse_too_many_rows(limits)
        if isinstance(value, dict):
            headings.update(dict.fromkeys(value))
        if len(headings) > limits.max_columns:
            raise _refuse("too_many_columns", f"The list uses more than {limits.max_columns} different names")
    if not count:
        raise refuse_no_rows()

    def read_rows() -> Iterator[Row]:
        for index, (value, raw) in enumerate(_elements(text)):
            yield _row(value, raw, number=index + 2, pointer=f"/{index}")

    return Sheet(
        kind=SheetKind.JSON, headings=tuple(headings), heading_row=0, row_count=count, read_rows=read_rows, notes=()
    )


def read_json_report(data: bytes, *, limits: Limits) -> Sheet:
    """One report sent as one JSON object: a sheet of one row whose pointers start at the root."""
    text = _text(data)
    value = load_json(text)
    if not isinstance(value, dict):
        raise FileRefused(
            "not_an_object", 'Send one report as one JSON object, for example {"permit_number": "SP-1987"}.'
        )
    if len(value) > limits.max_columns:
        raise _refuse("too_many_columns", f"The report has more than {limits.max_columns} names")
    row = _row(value, text, number=1, pointer="")
    return Sheet(
        kind=SheetKind.JSON,
        headings=tuple(value),
        heading_row=0,
        row_count=1,
        read_rows=lambda: iter((row,)),
    )


def load_json(text: str) -> object:
    """A strict JSON document. FileRefused for a name twice, NaN, Infinity, lone surrogates in names, great depth and
    numbers of more than 40 digits. Numbers with a point or an exponent are Decimal, so that nothing is rounded."""
    value, end = _decode_at(text, _skip_space(text, 0))
    if _skip_space(text, end) != len(text):
        raise _refuse("not_json", "The file goes on after the end of its JSON")
    return value


def _text(data: bytes) -> str:
    text, encoding = decode(data)
    if encoding == "cp1252":
        raise _refuse("encoding", "The file is not UTF-8")
    if is_blank(text):
        raise refuse_empty()
    return text


def _elements(text: str) -> Iterator[tuple[object, str]]:
    """The elements of the list that a text is, one by one, each with the text it was read from."""
    position = _skip_space(text, 0)
    if not text.startswith("[", position):
        raise _refuse("not_a_list", "The file is no JSON list")
    position = _skip_space(text, position + 1)
    if text.startswith("]", position):
        position += 1
    else:
        while True:
            value, end = _decode_at(text, position)
            yield value, text[position:end]
            position = _skip_space(text, end)
            if text.startswith("]", position):
                position += 1
                break
            if not text.startswith(",", position):
                raise _refuse("not_json", f"The file is no JSON after character {position:,}")
            position = _skip_space(text, position + 1)
    if _skip_space(text, position) != len(text):
        raise _refuse("not_json", "The file goes on after the end of its JSON")


def _row(value: object, raw: str, *, number: int, pointer: str) -> Row:
    sent = raw.encode("utf-8", "surrogatepass")
    if not isinstance(value, dict):
        return Row(number=number, pointer=pointer, cells={}, raw=sent, fault=RowFault.NOT_AN_OBJECT)
    cells = {name: _cell(item) for name, item in value.items() if not _is_absent(item)}
    return Row(number=number, pointer=pointer, cells=cells, raw=sent)


def _cell(value: object) -> Cell:
    if isinstance(value, str):
        return Cell(value)
    if isinstance(value, bool):
        return Cell("true" if value else "false", value)
    if isinstance(value, int | Decimal):
        return Cell(str(value), value)
    if isinstance(value, list | dict):
        return Cell(json.dumps(value, default=str), value)
    raise AssertionError(type(value))  # the decoder gives nothing else


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, str) and is_blank(value))


def _decode_at(text: str, position: int) -> tuple[object, int]:
    try:
        value, end = _DECODER.raw_decode(text, position)
    except RecursionError:
        raise _refuse("too_deep", "The JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _refuse("not_json", f"The file is no JSON at line {error.lineno:,}, column {error.colno:,}") from None
    if _is_deeper(value, _MAX_DEPTH):
        raise _refuse("too_deep", "The JSON is nested too deeply")
    return value, end


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in pairs:
        if name in result:
            raise _refuse("duplicate_key", f"The name “{shorten(name)}” stands twice in one object")
        if any("\ud800" <= char <= "\udfff" for char in name):
            raise _refuse("surrogate", "A name holds half a character (a lone surrogate)")
        result[name] = value
    return result


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _refuse("number", f"The number {digits[:12]}… has more than {_MAX_DIGITS} digits")
    return int(digits)


def _decimal(digits: str) -> Decimal:
    if len(digits) > _MAX_DIGITS:
        raise _refuse("number", f"The number {digits[:12]}… has more than {_MAX_DIGITS} digits")
    try:
        return Decimal(digits)
    except InvalidOperation:
        raise _refuse("number", f"The number {digits} is too large") from None


def _constant(name: str) -> NoReturn:
    raise _refuse("number", f"{name} is no number of JSON")


def _is_deeper(value: object, depth: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    if depth == 0:
        return True
    return any(_is_deeper(each, depth - 1) for each in (value.values() if isinstance(value, dict) else value))


def _skip_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _refuse(code: str, what: str) -> FileRefused:
    return FileRefused(code, f"{what}: {_HOW}.")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_decimal, parse_constant=_constant, strict=True
)
