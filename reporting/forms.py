"""What a person tells in a few named values: each is read, and everything that is wrong is said at once."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reporting.errors import RecordNotFound
from reporting.intake.values import BadValue
from reporting.intake.words import parse_license
from reporting.status import find_systems
from reporting.store.engine import Store
from reporting.store.facts import load_history
from schemas.issues import Code, Issue

PLACE: Final = ("system", "permit_number", "parcel_number", "site_address")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_FIRST, _LAST = dt.date(1900, 1, 1), dt.date(2199, 12, 31)


@dataclass(frozen=True, kw_only=True)
class Form:
    """The values of one statement under way; `issues` collects what is wrong with them."""

    values: Mapping[str, object]
    today: dt.date
    issues: list[Issue] = field(default_factory=list)

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Each name that is not known is an issue."""
        for name in self.values:
            if name not in known:
                shown = name[:60]
                self._wrong(shown, Code.UNKNOWN_FIELD, f"Leave out {shown!r}; there are: {', '.join(known)}.")

    def text(self, name: str, *, required: bool = False, longest: int = 200) -> str:
        """A text; '' where it is empty or cannot be used."""
        value = self.values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            if required:
                self._wrong(name, Code.REQUIRED, f"Give {_words(name)}.")
            return ""
        if not isinstance(value, str) or len(value.strip()) > longest or "\x00" in value:
            self._wrong(name, Code.BAD_VALUE, f"Give a text of at most {longest:,} characters.", value)
            return ""
        return value.strip()

    def day(self, name: str, *, required: bool = False, past: bool = False) -> dt.date | None:
        """A day as YYYY-MM-DD. past: not after the county's today."""
        text = self.text(name, required=required)
        if not text:
            return None
        try:
            found = dt.date.fromisoformat(text) if _DAY.fullmatch(text) else None
        except ValueError:
            found = None
        if found is None or not _FIRST <= found <= _LAST:
            self._wrong(name, Code.BAD_VALUE, "Give a day as YYYY-MM-DD.", text)
            return None
        if past and found > self.today:
            self._wrong(name, Code.IN_FUTURE, f"Give a day that has come: today is {self.today}.", text)
            return None
        return found

    def flag(self, name: str, *, required: bool = False) -> bool | None:
        """True or false; None where nobody said."""
        value = self.values.get(name)
        if isinstance(value, bool):
            return value
        if required or value is not None:
            code = Code.REQUIRED if value is None else Code.BAD_VALUE
            self._wrong(name, code, "Give true or false.", value)
        return None

    def count(self, name: str, least: int, most: int) -> int | None:
        """A whole number within bounds; None where nobody said."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self._wrong(name, Code.BAD_VALUE, f"Give a whole number from {least} to {most}.", value)
        return None

    def refuse(self, name: str, message: str, value: object = None) -> None:
        """Say that a value cannot be, and what to do."""
        self._wrong(name, Code.BAD_VALUE, message, value)

    def choice(self, name: str, words: Collection[str], default: str | None = None) -> str:
        """One of some words; required without a default."""
        text = self.text(name, required=default is None)
        if text and text not in words:
            self._wrong(name, Code.NOT_A_CHOICE, f"Give one of {', '.join(words)}.", text)
            return ""
        return text or default or ""

    def license(self, name: str, *, required: bool = False) -> str:
        """A licence number as it is written."""
        text = self.text(name, required=required)
        try:
            if text:
                parse_license(text)
        except BadValue as error:
            self._wrong(name, error.code, error.message, text)
            return ""
        return text

    def matching(self, name: str, pattern: str, message: str) -> str:
        """A text of a certain form."""
        text = self.text(name, required=True)
        if text and not re.fullmatch(pattern, text, re.ASCII):
            self._wrong(name, Code.BAD_VALUE, message, text)
            return ""
        return text

    def place(self, store: Store) -> str:
        """The one system that is meant, by its id or by permit, parcel and address together; else an issue."""
        system = self.text("system")
        given = {name: self.text(name) for name in PLACE[1:]}
        if system:
            if system not in load_history(store, [system]):
                self._wrong("system", Code.NO_PLACE, "There is no such system in this county.", system)
            return system
        if not any(given.values()):
            self._wrong("permit_number", Code.NO_PLACE, "Say which system: its permit, its parcel or its address.")
            return ""
        found = find_systems(
            store,
            permit=given["permit_number"] or None,
            parcel=given["parcel_number"] or None,
            address=given["site_address"] or None,
        )
        if len(found) == 1:
            return found[0]
        message = (
            f"{len(found)} systems have this: give the permit number of the one that is meant."
            if found
            else "No system of this county has this: check it, or give another of its numbers."
        )
        name = next(name for name, text in given.items() if text)
        self._wrong(name, Code.NO_PLACE, message, given[name])
        return ""

    def before(self, first: str, second: str) -> None:
        """The second day is not before the first, where both are there."""
        one, other = self.values.get(first), self.values.get(second)
        if isinstance(one, str) and isinstance(other, str) and _DAY.fullmatch(one) and other < one:
            self._wrong(second, Code.INCONSISTENT, f"Give a day that is not before {_words(first)}.", other)

    def _wrong(self, name: str, code: str, message: str, value: object = None) -> None:
        shown = None if value is None else str(value)[:200]
        self.issues.append(Issue(code=code, field=name, message=message, pointer=f"/{name}", value=shown))


def case_of(store: Store, system: str, case_id: str) -> Mapping[str, Any]:
    """A case of a system as it stands. Raises RecordNotFound."""
    stored = load_history(store, [system]).get(system)
    for row in stored.facts.get("case", ()) if stored else ():
        if row["id"] == case_id:
            return row
    raise RecordNotFound


def _words(name: str) -> str:
    return name.replace("_", " ")
