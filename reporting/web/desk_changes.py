"""What was changed of a system's own particulars, entry by entry, in words: what was on file, and what is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reporting.store.changes import changes_of
from reporting.store.engine import Store
from reporting.web.desk_words import sentence
from schemas.calendar import local_date
from schemas.program import Program

_MOST: Final = 100
_WORDS: Final[Mapping[str, str]] = {
    "system": "System",
    "owner": "Owner",
    "designation": "Designated business",
    "contract": "Contract",
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """One change: its day as YYYY-MM-DD ("": not kept), by whom, of what, and each field with its two values."""

    on: str
    by: str | None
    what: str
    fields: tuple[tuple[str, str, str], ...]


def system_changes(store: Store, program: Program, system: str) -> list[Change]:
    """The last hundred changes of a system, newest first; how its tanks and owner were first put on file among them."""
    found = []
    for row in changes_of(store, system):
        fields = tuple(_fields(row["before"] or {}, row["after"] or {}))
        if fields:
            at = row["recorded_at"]
            name = sentence(row["name"]) if row["of"] == "component" else _WORDS[row["of"]]
            verb = "" if row["before"] and row["after"] else " put on file" if row["after"] else " taken off file"
            day = local_date(at, program.timezone).isoformat() if at else ""
            found.append(Change(on=day, by=row["by"], what=f"{name}{verb}", fields=fields))
    return found[:_MOST]


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys((*before, *after)):
        was, now = _words(before.get(name)), _words(after.get(name))
        if was != now:
            yield sentence(name), was, now


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(
            f"{sentence(name).lower()} {_words(one)}" for name, one in value.items() if one not in (None, "")
        )
    if isinstance(value, list | tuple):
        return ", ".join(_words(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
