"""A message's subject, plain text (at most 78 columns) and HTML, from the templates of its kind.

`templates/<kind>/subject.txt`, `body.txt` and `body.html`, or one `letter.txt` for mail and post (`wording`);
a copy for the county has its original's templates.
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
from notifications.kinds import KINDS
from notifications.records import NoticeKind
from notifications.wording import Part, plain_lines, read_parts

COLUMNS: Final = 78
_LONGEST_WHOLE: Final = 100
_SIGNATURE: Final = "\N{EM DASH} pumper/"
"""How the signature of a checkpoint begins: broken, it would be none."""
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
    if not _has_body(folder):
        return _as_letter(folder, values)
    subject, text, html = (
        _templates().get_template(f"{folder}/{name}").render(values)
        for name in ("subject.txt", "body.txt", "body.html")
    )
    return Written(subject=one_line(subject, longest=200), text=_wrapped(text), html=html.strip() + "\n")


def render_letter(kind: str, context: Mapping[str, Any], today: date) -> list[Part]:
    """The parts of a letter on paper, its title first, as of `today`: the same words as by mail.

    Raises as `render`, and `ValueError` for a kind that no letter is of.
    """
    folder = NoticeKind(kind)
    if not KINDS[folder].letter:
        raise ValueError(f"{kind} is no letter")
    return _parts(folder, {**context, "kind": str(folder), "today": today})


@cache
def _has_body(folder: str) -> bool:
    return f"{folder}/body.txt" in _templates().list_templates()


def _as_letter(folder: str, values: Mapping[str, Any]) -> Written:
    """A mail with the words of a letter; its subject names the place as well."""
    parts = _parts(folder, values)
    title = next(part.text for part in parts if part.kind == "title")
    body = [part for part in parts if part.kind != "title"]
    whole = {**values, "title": title, "parts": body, "lines_of_text": list(plain_lines(body))}
    text, html = (_templates().get_template(f"letter_as_mail.{ending}").render(whole) for ending in ("txt", "html"))
    subject = title + _place_of(values)
    return Written(subject=one_line(subject, longest=200), text=_wrapped(text), html=html.strip() + "\n")


def _parts(folder: str, values: Mapping[str, Any]) -> list[Part]:
    return list(read_parts(_templates().get_template(f"{folder}/letter.txt").render(values)))


def _place_of(values: Mapping[str, Any]) -> str:
    told = values.get("tank") or next(iter(values.get("lines") or ()), None)
    if not told:
        return ""
    return f", permit {told['permit_number'] or 'not on file'}, {told['site_address'] or 'no address'}"


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
        "gallons": lambda count: f"{count:,} gallons",
        "known": lambda line, name: line.get(name) or "",  # a message queued by an earlier version may not have it
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
    if len(line) <= COLUMNS or line.startswith(_SIGNATURE):
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
