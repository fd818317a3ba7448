"""The county's week in one mail: how its systems stand, what has become overdue or late, what waits for its staff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from notifications.addresses import one_line, read_addresses
from notifications.facts import desk_of, office_facts
from notifications.outbox import add_message, count_failed, count_lines, count_messages
from notifications.queueing import QueueCounts
from notifications.records import AddressBook, Channel, Notice, NoticeKind, Occasion, SkipReason
from reporting.store.engine import Store
from reporting.store.summaries import (
    case_deadlines,
    count_events_since,
    count_open_reviews,
    count_overdue,
    count_standings,
    newly_overdue,
)
from schemas.program import Program

SHOWN: Final = 25
"""How many duties of a list the mail names; the others are counted."""
_MONDAY: Final = 0


def queue_weekly(store: Store, program: Program, today: date, now: datetime, base_url: str) -> QueueCounts:
    """Queue the week's summary for the county's office: one mail a week and address, on its Monday.

    After an outage over the Monday it is made on the next day that there is a scan. None before `live_from`.
    """
    live_from = program.day("live_from")
    if live_from is not None and today < live_from:
        return QueueCounts()
    county = read_addresses(program.text_of("county_email"))
    if not county.addresses:
        skipped = {str(SkipReason.NO_COUNTY_ADDRESS): 1} if today.weekday() == _MONDAY else {}
        return QueueCounts(skipped=skipped)
    year, week, _ = today.isocalendar()
    keys = {f"{NoticeKind.WEEKLY_SUMMARY}|{year}-W{week:02}|{address}": address for address in county.addresses}
    missing = keys.keys() - count_lines(store, list(keys)).keys()
    if not missing:
        return QueueCounts()
    occasion = Occasion(program=program, book=AddressBook(county=county), today=today, base_url=base_url)
    context = {
        **office_facts(occasion),
        "addressee": desk_of(program),
        "audience": "county",
        "event_kind": "weekly_summary",
        "cause_key": f"week:{year}-W{week:02}",
        "system": None,
        **week_of(store, program, today),
    }
    made: Counter[str] = Counter()
    for key in sorted(missing):
        notice = Notice(kind=NoticeKind.WEEKLY_SUMMARY, recipient=keys[key], dedupe_key=key, context=context)
        made[str(notice.kind)] += add_message(store, notice, now, urlsplit(base_url).hostname or "localhost")
    return QueueCounts(messages=dict(+made))


def week_of(store: Store, program: Program, today: date) -> dict[str, Any]:
    """The figures of the week in which `today` lies and of the one before, as plain JSON values."""
    monday = today - timedelta(days=today.weekday())
    before, sunday = monday - timedelta(days=7), monday + timedelta(days=6)
    since = datetime.combine(before, time(0), ZoneInfo(program.timezone))
    events = count_events_since(store, since)
    overdue, first = newly_overdue(store, before, today - timedelta(days=1), SHOWN)
    cases, due = case_deadlines(store, monday, sunday, SHOWN)
    return {
        "week_from": monday.isoformat(),
        "week_to": sunday.isoformat(),
        "since": before.isoformat(),
        "standings": dict(sorted(count_standings(store).items())),
        "newly_overdue": overdue,
        "overdue": _lines(first),
        "late_reports": events.get("late_report", 0),
        "missing_new": events.get("missing_report", 0),
        "missing_reports": count_overdue(store, "missing_report"),
        "missing_periods": count_overdue(store, "period_report"),
        "failed_mails": count_failed(store, since),
        "letters_waiting": count_messages(store, Channel.LETTER)["queued"],
        "reviews": count_open_reviews(store),
        "case_deadlines": cases,
        "cases": _lines(due),
    }


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    return [
        {
            "permit_number": one_line(row["permit_number"] or ""),
            "site_address": one_line(row["site_address"] or ""),
            "municipality": one_line(row["municipality"] or ""),
            "what": str(row["kind"]).replace("_", " "),
            "last_day": row["last_day"].isoformat(),
            "rule": row["rule"],
            "cite": row["cite"],
        }
        for row in rows
    ]
