"""Reading that systems and histories share: objects within objects, lists of words, units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from reporting.domain.meters import GALLONS
from reporting.values import Json, ScenarioError, items, read_text

T = TypeVar("T")


def within(place: str, read: Callable[[Json], T], raw: Json) -> T:
    """What `read` makes of an object; a problem in it is told with its place."""
    try:
        return read(raw)
    except ScenarioError as problem:
        raise ScenarioError(f"{place}.{problem.key}", problem.said) from problem


def each_of(raw: Json, key: str, read: Callable[[Json], T]) -> tuple[T, ...]:
    """What `read` makes of each object of a list."""
    return tuple(within(f"{key}[{i}]", read, each) for i, each in enumerate(items(raw, key)))


def read_words(raw: Json, key: str) -> tuple[str, ...]:
    """A list of words; one text is a list of one, or of several between semicolons."""
    value = raw.get(key)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return tuple(w.strip() for w in value.split(";") if w.strip()) if key == "flags" else (value,)
    if isinstance(value, Sequence) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise ScenarioError(key, "expected a list of texts")


def read_unit(raw: Json, key: str) -> str:
    """A meter's unit; '' where none is given."""
    unit = read_text(raw, key, "")
    if unit and unit not in GALLONS:
        raise ScenarioError(key, f"expected one of {', '.join(GALLONS)}, got {unit!r}")
    return unit
