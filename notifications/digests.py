"""Digests: one message for a business, county and local date, with every tank that came due. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from notifications.records import Channel, Line, Notice, NoticeKind

DIGESTS: Final = frozenset({NoticeKind.DUE_DIGEST, NoticeKind.UNDESIGNATED_DIGEST, NoticeKind.REPORT_COPIES})
"""One a day for each recipient."""
GROUPED: Final = DIGESTS | {NoticeKind.OWNER_REMINDER, NoticeKind.DELINQUENT_OWNER}
"""The kinds whose content has `lines`, each a duty that may drop out before the message leaves."""
_DUTY: Final = ("system", "component", "component_ref", "rule", "due_on", "because")
MORNING: Final = time(6, 0)
"""When a later day's digest may leave, local time: an hour that exists once on every day of the year."""


def group_lines(lines: Iterable[Line], day: date, office: Mapping[str, Any]) -> list[Notice]:
    """One notice for each kind, group, channel and recipient, its lines by town and then by address."""
    groups: dict[tuple[NoticeKind, str, Channel, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.kind, line.group, line.channel, line.recipient), []).append(line)
    return [_notice(members, day, office) for members in groups.values()]


def _notice(members: Sequence[Line], day: date, office: Mapping[str, Any]) -> Notice:
    one, lines = members[0], merge_lines([], [dict(line.context) for line in members])
    context = {**office, "addressee": one.addressee, "group": one.group, "lines": lines}
    if one.kind in DIGESTS:
        key = digest_key(one.kind, one.group, one.recipient, day)
        return Notice(kind=one.kind, recipient=one.recipient, dedupe_key=key, context=context)
    route = "letter" if one.channel is Channel.LETTER else one.recipient
    first = min(str(line["cause_key"]) for line in lines)
    return Notice(
        kind=one.kind,
        recipient=one.recipient,
        dedupe_key=f"{one.kind}|{one.audience}|{first}|{route}",
        context={**context, "system": one.system, "audience": one.audience, "channel": str(one.channel)},
        channel=one.channel,
        system=one.system,
    )


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


def spread(
    lines: Sequence[Mapping[str, Any]], today: date, per_day: int, taken: Mapping[date, int]
) -> dict[date, list[Mapping[str, Any]]]:
    """A contractor's new duties over the days, the most urgent first, at most `per_day` a day; 0: all today.

    taken: how many lines a day's digest has already. What an ordinance wants told of is told today; no duty is told
    later than its due date, however many that day has.
    """
    if not per_day:
        return {today: list(lines)}
    free, found, day = dict(taken), dict[date, list[Mapping[str, Any]]](), today
    for line in sorted(lines, key=lambda line: (not line.get("required_by"), line.get("due_on") or "", _order(line))):
        while free.get(day, 0) >= per_day:
            day = next_day(day)
        at = min(day, _latest(line, today))
        free[at] = free.get(at, 0) + 1
        found.setdefault(at, []).append(line)
    return found


def _latest(line: Mapping[str, Any], today: date) -> date:
    """The last day on which a duty may be told; for one past its date there is none any more."""
    if line.get("required_by") or not line.get("due_on"):
        return today
    due = date.fromisoformat(line["due_on"])
    return due if due >= today else date.max
