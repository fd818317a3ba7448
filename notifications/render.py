"""A message's subject, plain text (at most 78 columns) and HTML, from the templates of its kind.

`templates/<kind>/subject.txt`, `body.txt` and `body.html`; a copy for the county has its original's templates.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from itertools import groupby
from typing import Any, Final
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from notifications.addresses import one_line
from notifications.dates import days_away, long_day, plain_days, short_day
from notifications.records import NoticeKind

COLUMNS: Final = 78
_LONGEST_WHOLE: Final = 100
_FOLDERS: Final = {
    NoticeKind.LATE_REPORT_COPY: NoticeKind.LATE_REPORT,
    NoticeKind.MISSING_REPORT_COPY: NoticeKind.MISSING_REPORT,
}
_OUTCOMES: Final = {
    "accepted": "accepted",
    "duplicate": "there already",
    "rejected": "rejected",
    "queued_for_review": "kept, waits for review",
}
_ITEM: Final = re.compile(r" *(?:[-*] |[0-9]+\. )?")


@dataclass(frozen=True, kw_only=True)
class Written:
    """What one message says."""

    subject: str
    text: str
    html: str


def render(kind: str, context: Mapping[str, Any], today: date) -> Written:
    """Write a message as of `today` (county's date); raises `jinja2.TemplateError`, `ValueError` (unknown kind)."""
    notice = NoticeKind(kind)
    folder = _FOLDERS.get(notice, notice)
    values = {**context, "kind": str(notice), "today": today}
    subject, text, html = (
        _templates().get_template(f"{folder}/{name}").render(values)
        for name in ("subject.txt", "body.txt", "body.html")
    )
    return Written(subject=one_line(subject, longest=200), text=_wrapped(text), html=html.strip() + "\n")


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("notifications", "templates"),
        autoescape=select_autoescape(enabled_extensions=("html",), default=False),  # plain text is no HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "long_day": lambda text: long_day(date.fromisoformat(text)),
        "short_day": lambda text: short_day(date.fromisoformat(text)),
        "plain_days": plain_days,
        "by_town": _by_town,
        "clock": _clock,
        "tanks": lambda count: "1 tank" if count == 1 else f"{count} tanks",
        "by_tank": _by_tank,
    }
    found.globals["away"] = _away
    found.globals["words"] = _OUTCOMES
    return found


def _away(line: Mapping[str, Any], today: date) -> str:
    return days_away(date.fromisoformat(line["due_on"]), date.fromisoformat(line["last_day"]), today)


def _by_tank(lines: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The lines, which are sorted already, with what one tank is due for together."""
    tanks: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for line in lines:
        tanks.setdefault(tuple(line[name] for name in ("system", "component", "component_ref")), []).append(line)
    return list(tanks.values())


def _by_town(lines: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[tuple[int, list[Mapping[str, Any]]]]]]:
    """The tanks by town, numbered through."""
    numbered = enumerate(_by_tank(lines), start=1)
    towns = groupby(numbered, key=lambda pair: pair[1][0]["municipality"] or "Town not on file")
    return [(town, list(pairs)) for town, pairs in towns]


def _clock(text: str, zone: str) -> str:
    """An ISO instant as `July 13, 2026, 9:05 a.m. CDT` in the county's time."""
    at = datetime.fromisoformat(text).astimezone(ZoneInfo(zone))
    half = "a.m." if at.hour < 12 else "p.m."
    return f"{short_day(at.date())}, {at.hour % 12 or 12}:{at:%M} {half} {at:%Z}"


def _wrapped(text: str) -> str:
    """The text with its long lines broken, indented as they began; no more than one empty line in a row."""
    lines: list[str] = []
    for line in text.strip("\n").splitlines():
        for part in _broken(line.rstrip()):
            if part or (lines and lines[-1]):
                lines.append(part)
    return "\n".join(lines).rstrip() + "\n"


def _broken(line: str) -> list[str]:
    if len(line) <= COLUMNS:
        return [line]
    found = _ITEM.match(line)
    indent = " " * (found.end() if found else 0)
    # A link or a receipt stays whole, though it be longer, or nobody could use it.
    whole = "://" in line or max(map(len, line.split())) <= _LONGEST_WHOLE
    return textwrap.wrap(
        line,
        COLUMNS,
        subsequent_indent=indent,
        break_long_words=not whole,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
