"""Digests: one message for a business, county and local date, with every tank that came due. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from notifications.records import Line, Notice, NoticeKind

DIGESTS: Final = frozenset({NoticeKind.DUE_DIGEST, NoticeKind.UNDESIGNATED_DIGEST})
_DUTY: Final = ("system", "component", "component_ref", "rule", "due_on", "because")
MORNING: Final = time(6, 0)
"""When a later day's digest may leave, local time: an hour that exists once on every day of the year."""


def group_lines(lines: Iterable[Line], day: date, office: Mapping[str, Any]) -> list[Notice]:
    """One notice for each kind, group and recipient, its lines by town and then by address."""
    groups: dict[tuple[NoticeKind, str, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.kind, line.group, line.recipient), []).append(line)
    return [
        Notice(
            kind=kind,
            recipient=recipient,
            dedupe_key=digest_key(kind, group, recipient, day),
            context={
                **office,
                "addressee": members[0].addressee,
                "group": group,
                "lines": merge_lines([], [dict(line.context) for line in members]),
            },
        )
        for (kind, group, recipient), members in groups.items()
    ]


def digest_key(kind: NoticeKind, group: str, recipient: str, day: date) -> str:
    """What makes a digest the one of its day."""
    return f"{kind}|{group}|{day.isoformat()}|{recipient}"


def moved_to(notice: Notice, day: date) -> Notice:
    """The same digest as the one of another day."""
    key = digest_key(notice.kind, str(notice.context["group"]), notice.recipient, day)
    return Notice(kind=notice.kind, recipient=notice.recipient, dedupe_key=key, context=notice.context)


def merge_lines(there: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lines of both, each cause once (as it was there first), by town, address, permit and component.

    A year's end makes a holding tank due and in need of service: one duty, and so one line.
    """
    causes: dict[str, dict[str, Any]] = {}
    for line in [*there, *more]:
        causes.setdefault(str(line["cause_key"]), dict(line))
    duties: dict[tuple[str, ...], dict[str, Any]] = {}
    for line in causes.values():
        duties.setdefault(tuple(str(line.get(name) or "") for name in _DUTY), line)
    return sorted(duties.values(), key=_order)


def morning_of(day: date, zone: str) -> datetime:
    """When the digest of a later day may leave."""
    return datetime.combine(day, MORNING, ZoneInfo(zone)).astimezone(UTC)


def next_day(day: date) -> date:
    """The day after."""
    return day + timedelta(days=1)


def _order(line: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("municipality", "site_address", "permit_number", "component", "component_ref", "rule", "cause_key")
    return tuple(str(line.get(name) or "") for name in names)
