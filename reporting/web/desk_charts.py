"""Charts as pictures that the server draws: where each bar, line and label stands. The figures are what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

WIDTH: Final = 420
HEIGHT: Final = 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 28
_PLAIN: Final = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, kw_only=True)
class Label:
    """A text at a place of the picture; `anchor`: which end of it stands there."""

    x: float
    y: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True, kw_only=True)
class Box:
    """A bar or a part of one; `kind`: what it is of, as a class of the style sheet."""

    x: float
    y: float
    width: float
    height: float
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture and its table: `table` has the figures that the picture shows, the first row being its headings.

    dots: the marks of `line`, which goes from one to the next (each a part of its own where a figure lacks between).
    """

    key: str
    title: str
    describes: str
    table: Sequence[Sequence[str]]
    boxes: Sequence[Box] = ()
    lines: Sequence[Sequence[tuple[float, float]]] = ()
    labels: Sequence[Label] = ()
    rules: Sequence[float] = ()
    limit: float | None = None
    legend: Sequence[tuple[str, str]] = field(default=())


def number(value: float | None) -> str:
    """A figure as people write it; a dash for none."""
    return "–" if value is None else f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def over_time(
    key: str,
    title: str,
    points: Sequence[tuple[date, float]],
    table: Sequence[Sequence[str]],
    describes: str,
    *,
    bars: bool = False,
    limit: float | None = None,
) -> Chart | None:
    """Figures on their days, as a line with dots or as bars; `None` where there are none. limit: a line across."""
    if not points:
        return None
    most, rules, labels = _scale(max([value for _day, value in points] + ([limit] if limit else [])))
    first, last = min(day for day, _value in points), max(day for day, _value in points)
    span = max((last - first).days, 1)
    wide = WIDTH - _LEFT - _RIGHT - 24

    def x(day: date) -> float:
        return round(_LEFT + 12 + wide * (day - first).days / span, 1)

    bottom = _y(0, most)
    at = [(x(day), _y(value, most)) for day, value in points]
    days = [(first, "start")] + ([(last, "end")] if last > first else [])
    return Chart(
        key=key,
        title=title,
        describes=describes,
        table=table,
        boxes=[Box(x=left - 3, y=top, width=6, height=bottom - top, kind="bar") for left, top in at] if bars else [],
        lines=[] if bars else [at],
        labels=[*labels, *(Label(x=x(day), y=HEIGHT - 8, text=f"{day:%b} {day.day}, {day.year}", anchor=anchor)
                           for day, anchor in days)],
        rules=rules,
        limit=_y(limit, most) if limit else None,
    )  # fmt: skip


def stacked(
    key: str, title: str, columns: Sequence[tuple[str, Mapping[str, int] | None]], kinds: Sequence[tuple[str, str]],
    describes: str,
) -> Chart | None:  # fmt: skip
    """A column for each name, of parts one on another by kind (its key, its words); `None` for a column: no figure."""
    totals = [sum(parts.values()) for _name, parts in columns if parts]
    if not totals:
        return None
    most, rules, labels = _scale(max(totals))
    pitch = (WIDTH - _LEFT - _RIGHT) / len(columns)
    boxes: list[Box] = []
    names: list[Label] = []
    for place, (name, parts) in enumerate(columns):
        left = _LEFT + place * pitch + pitch * 0.15
        names.append(Label(x=round(left + pitch * 0.35, 1), y=HEIGHT - 8, text=name[:3]))
        top = _y(0, most)
        for kind, _words in kinds:
            value = (parts or {}).get(kind, 0)
            height = _y(0, most) - _y(value, most)
            top -= height
            if value:
                boxes.append(Box(x=round(left, 1), y=round(top, 1), width=round(pitch * 0.7, 1),
                                 height=round(height, 1), kind=f"part part-{kind}"))  # fmt: skip
    table = [("Month", *(words for _kind, words in kinds)),
             *((name, *(number(parts.get(kind, 0)) if parts else "–" for kind, _words in kinds))
               for name, parts in columns)]  # fmt: skip
    return Chart(key=key, title=title, describes=describes, table=table, boxes=boxes, labels=[*labels, *names],
                 rules=rules, legend=kinds)  # fmt: skip


def _y(value: float, most: float) -> float:
    return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / most, 1)


def _scale(most: float) -> tuple[float, list[float], list[Label]]:
    """The top of the scale, a round figure, with lines across it and their labels."""
    size = 1.0
    while size * 10 < most:
        size *= 10
    step = next(size * plain / 2 for plain in _PLAIN if size * plain >= most) if most > 0 else 0.5
    top = step * 2
    values = [0.0, step, top]
    labels: list[Any] = [Label(x=_LEFT - 6, y=_y(value, top) + 4, text=number(value), anchor="end") for value in values]
    return top, [_y(value, top) for value in values], labels
