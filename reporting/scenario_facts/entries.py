"""One entry whose keys are not fixed: values by any of several names, and what was left over or not understood."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from reporting.values import Json, ScenarioError, is_true, read_day, read_number, read_whole

T = TypeVar("T")


class Entry:
    """An object read by names that people use. A value that cannot be read counts as absent; its place is told."""

    def __init__(self, raw: Json, place: str, unread: list[str]) -> None:
        self._raw, self._place, self._unread = raw, place, unread
        self._used: set[str] = {"note", "notes"}

    def has(self, name: str) -> bool:
        """Whether the key is there, be it empty."""
        return name in self._raw

    def first(self, *names: str) -> Any:
        """The first value under one of these names, as it stands; None where there is none."""
        self._used.update(names)
        return next((self._raw[n] for n in names if self._raw.get(n) not in (None, "")), None)

    def day(self, *names: str) -> dt.date | None:
        """A day (YYYY-MM-DD, or an instant's)."""
        return self._read(read_day, names)

    def whole(self, *names: str) -> int | None:
        """A whole number that is not negative; a text of digits is one."""
        return self._read(read_whole, names)

    def number(self, *names: str) -> Fraction | None:
        """A number that is not negative; a text with a dollar sign is one."""
        said = self.first(*names)
        name = next((n for n in names if self._raw.get(n) == said), names[0])
        plain = said.lstrip("$ ").replace(",", "") if isinstance(said, str) else said
        return self._taken(name, lambda: read_number({name: plain}, name))

    def flag(self, *names: str) -> bool | None:
        """True or false; None where nobody said."""
        return self._read(is_true, names) if self.first(*names) is not None else None

    def word(self, *names: str) -> str:
        """A name in one spelling: small letters and underscores; '' where there is none."""
        said = self.first(*names)
        if said is None:
            return ""
        if not isinstance(said, str):
            self._unread.append(f"{self._place}.{next(n for n in names if self._raw.get(n) == said)}")
            return ""
        return re.sub("[^a-z0-9]+", "_", said.lower()).strip("_")

    def span(self, name: str, start: Sequence[str], end: Sequence[str]) -> tuple[dt.date, dt.date | None] | None:
        """A span of days under one name: an object, a pair of days, or its first day alone."""
        said = self.first(name)
        if isinstance(said, Mapping):
            inner = Entry(said, f"{self._place}.{name}", self._unread)
            first, last = inner.day(*start), inner.day(*end)
            inner.report_rest()
        elif isinstance(said, Sequence) and not isinstance(said, str) and len(said) in (1, 2):
            pair = Entry(dict(zip(("0", "1"), said, strict=False)), f"{self._place}.{name}", self._unread)
            first, last = pair.day("0"), pair.day("1")
        else:
            first, last = self.day(name), None
        return (first, last) if first is not None else None

    def skip(self, *names: str) -> None:
        """Names that may stand there and change nothing."""
        self._used.update(names)

    def report_rest(self) -> None:
        """Tell the keys that nothing asked for."""
        self._unread += [f"{self._place}.{name}" for name in self._raw if name not in self._used]

    def _read(self, read: Callable[[Json, str], T], names: Sequence[str]) -> T | None:
        self._used.update(names)
        name = next((n for n in names if self._raw.get(n) not in (None, "")), None)
        return None if name is None else self._taken(name, lambda: read(self._raw, name))

    def _taken(self, name: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except ScenarioError:
            self._unread.append(f"{self._place}.{name}")
            return None
