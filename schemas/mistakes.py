"""What is wrong with a program file before it can be understood, in words: where, what, and what to write instead.

For `schemas.loader`: a TOML document that cannot be read, keys that are not known or missing, values of another sort.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, get_args

import msgspec

from schemas import acts as A
from schemas.program_file import FileHead, FileRule, FileSetting, FileText
from schemas.words import meant

T = TypeVar("T", bound=msgspec.Struct)

ACTS: Final[Mapping[str, type[A.Act]]] = {str(kind.__struct_config__.tag): kind for kind in get_args(A.AnyAct)}
"""Every effect that an act may have, with the values that it takes."""
_SORTS: Final = {
    "int": "a whole number without quotes",
    "float": "a number without quotes",
    "str": 'a text in quotes, "like this"',
    "bool": "true or false, without quotes",
    "array": 'a list in brackets, ["like", "this"]',
    "object": "a table in braces, { key = value }",
    "date": "a date without quotes, as 2026-07-13",
    "null": "nothing",
}
_GIVEN: Final = {
    "int": "a whole number", "float": "a number with a point", "str": "a text", "bool": "true or false",
    "array": "a list", "object": "a table", "date": "a date", "datetime": "a date with a time of day",
    "time": "a time of day",
}  # fmt: skip
_REMEDIES: Final = (
    ("Invalid date or datetime", "there is no such day: a date is year-month-day, as 2026-07-13, without quotes"),
    ("Invalid value", "after = comes a text in quotes, a number, true, false, a date, a list in [ ] or a table in { }"),
    ("Expected '=' after a key", "a line is key = value"),
    ("Expected newline or end", "put a text in quotes, and each key on a line of its own; a date is 2026-07-13"),
    ("Cannot overwrite a value", "the key stands twice in one table: leave one of them out"),
    ("Cannot declare", "the table stands twice: leave one of them out"),
    ("Duplicate inline table key", "the key stands twice in one table: leave one of them out"),
    ("Unclosed array", "close the list with ]"),
    ("Unclosed inline table", "close the table with }"),
    ("Illegal character", "close the quotes on the same line"),
    ("Unterminated string", "close the quotes on the same line"),
    ("Expected ']'", "a heading is [name] or [[name]], closed by as many brackets as open it"),
    ("Invalid initial character for a key part", "a key begins with a letter, and every { has its }"),
    ("Unescaped '\\' in a string", "write \\\\ for a backslash"),
)

HINTS: Final[Mapping[str, str]] = {
    "cite": 'name the section of law, such as cite = "12.03(1)"',
    "duty_of": 'say whose duty it is: "owner", "contractor" or "county"',
    "filing": "say true for a paper or fee delivered to an office, false for work on a system",
    "starts_on": "say since when the text holds, such as starts_on = 2026-07-13",
    "meaning": "say in a line what the setting means",
    "value": "say what holds while the county sets nothing",
    "months": "say how many, such as months = 36",
    "days": "say how many, such as days = 30",
}
"""What to write for a key that is missing."""


def read_toml(data: bytes) -> tuple[dict[str, Any] | None, str]:
    """The document, or None and why it is none: the line, and what to write."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return None, f"line {line}: this is not TOML: the file is not in UTF-8; save it as plain text in UTF-8"
    try:
        return tomllib.loads(text), ""
    except tomllib.TOMLDecodeError as error:
        return None, _no_toml(str(error), text.splitlines())


def _no_toml(said: str, lines: list[str]) -> str:
    what, _, where = said.partition(" (at ")
    found = re.match(r"line ([0-9]+)", where)
    number = int(found[1]) if found else len(lines)
    line = lines[number - 1].strip()[:80] if 0 < number <= len(lines) else ""
    remedy = next((words for start, words in _REMEDIES if what.startswith(start)), f"it says: {what}")
    if re.search(r"= *[0-9]{4}-[0-9]{2}-[0-9]{2}", line) and what.startswith("Expected newline"):
        remedy = _REMEDIES[0][1]
    return f"line {number}: this is not TOML: {remedy}" + (f". The line is: {line}" if line else "")


def read_struct(raw: object, kind: type[T], where: str) -> tuple[T | None, list[str]]:
    """A table of the file as its value, or None and what is wrong, each sentence with `where` in front."""
    if not isinstance(raw, Mapping):
        return None, [f"{where}: expected {_SORTS['object']}, or a heading of its own, got {raw!r}"]
    problems = [f"{where}: {p}" for p in (*_unknown(raw, kind), *_missing(raw, kind))]
    if problems:
        return None, problems
    try:
        return msgspec.convert(raw, kind), []
    except msgspec.ValidationError as error:
        return None, [f"{where}: {explain(error)}"]


def read_rule(raw: object, number: int, file: str) -> tuple[FileRule | None, list[str]]:
    """A `[[rule]]` with its acts, or None and all that is wrong with it."""
    if not isinstance(raw, Mapping):
        return None, [f"{file}: rule number {number}: expected a table under a heading [[rule]], got {raw!r}"]
    where = f"{file}: rule {raw.get('id', f'number {number}')}"
    given = raw.get("act", [])
    rule, problems = read_struct({**raw, "act": ()}, FileRule, where)
    if not isinstance(given, list):
        return None, [*problems, f"{where}: act: expected a list of tables, [{{ effect = … }}], got {given!r}"]
    acts: list[A.Act] = []
    for i, each in enumerate(given, 1):
        act, said = _read_act(each, f"{where}: act {i}")
        acts += [act] if act is not None else []
        problems += said
    if rule is None or problems:
        return None, problems
    return msgspec.structs.replace(rule, act=tuple(acts)), []


def _read_act(raw: object, where: str) -> tuple[A.Act | None, list[str]]:
    effect = raw.get("effect") if isinstance(raw, Mapping) else None
    if isinstance(raw, Mapping) and effect is None:
        return None, [f'{where}: effect: say what the act does, such as effect = "service_interval"']
    if isinstance(raw, Mapping) and (not isinstance(effect, str) or effect not in ACTS):
        return None, [f"{where}: effect: there is no effect {effect!r}{meant(str(effect), ACTS)}"]
    return read_struct(raw, ACTS.get(str(effect), A.Pending), where)


def read_head(document: Mapping[str, Any], file: str) -> tuple[FileHead | None, list[str]]:
    """All of a file but its rules, or None and what is wrong with it."""
    problems: list[str] = []
    texts, settings = document.get("text", []), document.get("settings", {})
    for i, raw in enumerate(texts if isinstance(texts, list) else [], 1):
        name = raw.get("name", f"number {i}") if isinstance(raw, Mapping) else f"number {i}"
        problems += read_struct(raw, FileText, f"{file}: text {name}")[1]
    for name, raw in settings.items() if isinstance(settings, Mapping) else ():
        problems += read_struct(raw, FileSetting, f"{file}: settings.{name}")[1]
    whole = [f"{file}: {p}" for p in (*_unknown(document, FileHead), *_missing(document, FileHead))]
    if problems or whole:
        return None, [*whole, *problems]
    return read_struct(document, FileHead, file)


def explain(error: msgspec.ValidationError) -> str:
    """The library's sentence in words, with the key in front: '`months`: Expected `int`, got `str`'."""
    said, _, where = str(error).partition(" - at `$")
    key = re.sub(r"\[([0-9]+)\]", lambda found: f" {int(found[1]) + 1}", where.rstrip("`").lstrip("."))
    return f"{key}: {_plain(said)}" if key else _plain(said)


def _plain(said: str) -> str:
    found = re.fullmatch(r"Expected `([^`]+)`(?: (>=|<=|of length >=) ([0-9]+))?(?:, got `(.+)`)?", said)
    if found is None:
        unknown = re.fullmatch(r"Object contains unknown field `(.+)`", said)
        missing = re.fullmatch(r"Object missing required field `(.+)`", said)
        if unknown:
            return f"the key {unknown[1]} is not known here: leave it out"
        if missing:
            return f"{missing[1]} is missing: add {missing[1]} = …"
        if said.startswith("Invalid RFC3339"):
            return f"expected {_SORTS['date']}"
        return said.replace("Invalid enum value", "none of the words that may stand here:").replace("`", "")
    sorts = [_SORTS.get(one.strip(), one.strip()) for one in found[1].split("|") if one.strip() != "null"]
    bound = {">=": f", {found[3]} or more", "<=": f", {found[3]} or less"}.get(found[2] or "", "")
    return f"expected {' or '.join(sorts)}{bound}" + (f", got {_GIVEN.get(found[4], found[4])}" if found[4] else "")


def _unknown(raw: Mapping[str, Any], kind: type[msgspec.Struct]) -> Iterable[str]:
    known = {*kind.__struct_encode_fields__, *((_tag(kind),) if _tag(kind) else ())}
    for key in raw:
        if key not in known:
            yield f"{key}: this key is not known here{meant(str(key), known)}"


def _missing(raw: Mapping[str, Any], kind: type[msgspec.Struct]) -> Iterable[str]:
    for field in msgspec.structs.fields(kind):
        if field.required and field.name not in raw:
            yield f"{field.name}: this key is missing: {HINTS.get(field.name, f'add {field.name} = …')}"


def _tag(kind: type[msgspec.Struct]) -> str:
    return kind.__struct_config__.tag_field or ""
