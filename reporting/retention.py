"""Keeping and destroying records: schedules, holds, and destruction that leaves its trace.

A county destroys by an ordinance or an adopted schedule only (Wis. Stat. § 19.21(5)(b), (c)), after notice to the
historical society (§ 19.21(5)(d)1), and nothing that is asked for or sued over (§ 19.35(5)). Without a schedule nothing
is ever destroyed. See docs/decisions/0018-what-lies-beside-an-entry.md.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reporting import tables
from reporting.errors import RecordNotFound, RetentionRefused
from reporting.receipts import Receipt, receipts_for
from reporting.store.derived import mark_dirty
from reporting.store.destruction import (
    Held,
    destroy,
    entries_before,
    last_reports,
    reports_ended_since,
    rows_in_use,
    submissions_of,
)
from reporting.store.engine import Store
from reporting.store.facts import end_versions, insert_facts, load_county_facts
from reporting.store.log import NewEntry, append, checkpoint, hold
from reporting.store.problems import DESTRUCTION
from reporting.store.signing import Signer
from schemas.calendar import local_date

SCHEDULE: Final = "retention_schedule"
HOLD: Final = "retention_hold"
"""The kinds of the county's own facts, and the types of their entries."""

SERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "service_reports": (
        "submission", "report", "amendment", "void", "undo", "placement", "review", "repudiation",
    ),
    "inventory": ("inventory", "system", "merge"),
    "filings": (
        "owner_notice", "owner_contact", "designation", "contract", "statement", "deferral", "exemption_application",
        "exemption", "exemption_change",
    ),
    "cases": ("case",),
    "mailings": ("mailing", "print_run_mailed", "print_run_corrected"),
}  # fmt: skip
"""Record series: the types of entries in each. What is in none (settings, keys, destruction) is kept for good."""
LEAST_YEARS: Final = 7
"""Wis. Stat. § 19.21(5)(c): "may not be less than 7 years, unless a shorter period is fixed by the public records
board under s. 16.61 (3) (e)"."""
NOTICE_DAYS: Final = 60
"""Wis. Stat. § 19.21(5)(d)1: "at least 60 days' notice of such destruction shall be given in writing, to the historical
society"."""
HOLD_KINDS: Final[Mapping[str, str]] = {
    "open_records": "a request to inspect or copy, Wis. Stat. § 19.35(5)",
    "litigation": "an action or a claim, pending or expected",
    "audit": "an audit or an investigation",
}
_LONGEST: Final = 2_000


@dataclass(frozen=True, kw_only=True)
class Keeper:
    """Who acts, when, in whose county's time, and the key that signs for it."""

    by: str
    now: dt.datetime
    time_zone: str
    signer: Signer

    @property
    def today(self) -> dt.date:
        """The county's date."""
        return local_date(self.now, self.time_zone)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long a series is kept. `authority`: the ordinance or adopted schedule. `approval`: the public records board's
    for less than 7 years. `notice_waived`: where the historical society said that no notice is needed.
    """

    series: str
    years: int
    authority: str
    approval: str = ""
    notice_waived: str = ""

    def as_json(self) -> dict[str, Any]:
        """The schedule as the record has it."""
        optional = {"approval": self.approval, "notice_waived": self.notice_waived}
        base: dict[str, Any] = {"series": self.series, "years": self.years, "authority": self.authority}
        return base | {name: value for name, value in optional.items() if value}


@dataclass(frozen=True, kw_only=True)
class HoldOrder:
    """What may not be destroyed, and why. `systems` empty: everything that the county has."""

    id: str
    kind: str
    reason: str
    systems: tuple[str, ...]
    by: str
    since: dt.date | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a destruction would take. kept: how many entries past their time stay, by why."""

    schedule: Schedule
    before: dt.date
    entries: tuple[Held, ...]
    kept: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Destroyed:
    """What came of it: the plan as carried out, and the receipt of the entry that says so."""

    plan: Plan
    receipt: Receipt


def schedules(store: Store) -> dict[str, Schedule]:
    """The county's schedules in force, by series."""
    return {row["id"]: Schedule(**row["content"]) for row in load_county_facts(store, SCHEDULE)}


def holds(store: Store) -> list[HoldOrder]:
    """The county's holds in force, oldest first."""
    rows = load_county_facts(store, HOLD)
    return [
        HoldOrder(
            id=row["id"], since=row["valid_from"], **{**row["content"], "systems": tuple(row["content"]["systems"])}
        )
        for row in sorted(rows, key=lambda row: row["seq"])
    ]


def adopt(store: Store, keeper: Keeper, schedule: Schedule) -> Receipt:
    """Put a schedule in force for its series, in the place of the one before. Raises `RetentionRefused`."""
    _check_schedule(schedule)
    entry = NewEntry(type=SCHEDULE, content={"id": schedule.series, "by": keeper.by, **schedule.as_json()})
    appended = append(store, [entry], keeper.now)
    seq = appended[0].seq
    end_versions(store, tables.fact, [{"kind": SCHEDULE, "id": schedule.series}], seq)
    row = {"kind": SCHEDULE, "id": schedule.series, "seq": seq, "valid_from": keeper.today}
    insert_facts(store, [{**row, "content": schedule.as_json()}])
    return receipts_for(appended, checkpoint(store, keeper.signer, keeper.now))[0]


def place_hold(store: Store, keeper: Keeper, kind: str, reason: str, systems: Iterable[str] = ()) -> HoldOrder:
    """Hold everything, or what tells of some systems, until it is released. Raises `RetentionRefused`."""
    _check_text("reason", reason)
    if kind not in HOLD_KINDS:
        raise RetentionRefused(f"kind: give {', '.join(HOLD_KINDS)}.")
    named = sorted(set(systems))
    content = {"kind": kind, "by": keeper.by, "systems": named}
    [entry] = append(store, [NewEntry(type=HOLD, content=content, words={"reason": reason})], keeper.now)
    name = f"hold_{entry.seq}"
    row = {"kind": HOLD, "id": name, "seq": entry.seq, "valid_from": keeper.today}
    insert_facts(store, [{**row, "content": {**content, "reason": reason}}])
    checkpoint(store, keeper.signer, keeper.now)
    return HoldOrder(id=name, kind=kind, reason=reason, systems=tuple(named), by=keeper.by, since=keeper.today)


def release(store: Store, keeper: Keeper, hold_id: str, reason: str) -> Receipt:
    """End a hold. Raises `RecordNotFound` for one that is not in force, `RetentionRefused`."""
    _check_text("reason", reason)
    if hold_id not in {one.id for one in holds(store)}:
        raise RecordNotFound
    content = {"id": hold_id, "released": True, "by": keeper.by}
    appended = append(store, [NewEntry(type=HOLD, content=content, words={"reason": reason})], keeper.now)
    end_versions(store, tables.fact, [{"kind": HOLD, "id": hold_id}], appended[0].seq)
    return receipts_for(appended, checkpoint(store, keeper.signer, keeper.now))[0]


def plan_destruction(store: Store, keeper: Keeper, series: str) -> Plan:
    """What is past its time today, in use by nothing, and under no hold. Raises `RetentionRefused`."""
    schedule = schedules(store).get(series)
    if schedule is None:
        named = f"it has {', '.join(schedules(store))}" if schedules(store) else "it has none"
        raise RetentionRefused(f"The county has no schedule for {series!r}: {named}.")
    before = years_before(keeper.today, schedule.years)
    moment = dt.datetime.combine(before, dt.time(), dt.UTC)
    old = entries_before(store, SERIES[series], moment)
    found = [one for one in old if not _served_since(one, before)]
    seqs = [one.seq for one in found]
    used = rows_in_use(store, seqs, moment) | last_reports(store, seqs) | reports_ended_since(store, seqs, moment)
    held = _held(store, found)
    # A submission's own entry goes with the last of its reports.
    going = {one.seq for one in found} - used - held
    left = {str(one.content.get("submission")) for one in old if one.seq not in going}
    used |= {one.seq for one in found if one.type == "submission" and str(one.content.get("id")) in left}
    entries = tuple(one for one in found if one.seq in going - used)
    kept = {"in use": len(used - held), "on hold": len(held)}
    return Plan(schedule=schedule, before=before, entries=entries, kept={why: n for why, n in kept.items() if n})


def destroy_records(store: Store, keeper: Keeper, series: str, notice_on: dt.date | None) -> Destroyed:
    """Destroy what is past its time, and leave an entry that says what, under which schedule, after which notice.

    notice_on: the day of the written notice to the historical society. store: of the role that owns the tables. Raises
    `RetentionRefused` for nothing to destroy and for a notice that is missing or too young.
    """
    hold(store)
    plan = plan_destruction(store, keeper, series)
    _check_notice(plan.schedule, notice_on, keeper.today)
    if not plan.entries:
        raise RetentionRefused(f"Nothing of {series!r} is past its time, out of use and under no hold.")
    seqs = [one.seq for one in plan.entries]
    content = {
        "schedule": plan.schedule.as_json(),
        "notice_on": notice_on.isoformat() if notice_on else None,
        "recorded_before": plan.before.isoformat(),
        "by": keeper.by,
        "ranges": ranges_of(seqs),
    }
    appended = append(store, [NewEntry(type=DESTRUCTION, content=content)], keeper.now)
    submissions = [str(one.content["id"]) for one in plan.entries if one.type == "submission"]
    destroy(store, seqs, submissions)
    mark_dirty(store, sorted({system for one in plan.entries for system in one.systems}))
    return Destroyed(plan=plan, receipt=receipts_for(appended, checkpoint(store, keeper.signer, keeper.now))[0])


def years_before(day: dt.date, years: int) -> dt.date:
    """The same day some years before; of a leap day, February 28."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)


def ranges_of(seqs: Sequence[int]) -> list[list[int]]:
    """Ascending numbers as ranges of first and last."""
    ranges: list[list[int]] = []
    for seq in seqs:
        if ranges and ranges[-1][1] == seq - 1:
            ranges[-1][1] = seq
        else:
            ranges.append([seq, seq])
    return ranges


def _served_since(one: Held, before: dt.date) -> bool:
    """Whether a report tells of a service on that day or later: its time begins with the service."""
    days = [row["service_date"] for row in one.added.get("event", ())]
    return any(dt.date.fromisoformat(day) >= before for day in days)


def _held(store: Store, found: Sequence[Held]) -> set[int]:
    orders = holds(store)
    if any(not order.systems for order in orders):
        return {one.seq for one in found}
    systems = {system for order in orders for system in order.systems}
    submissions = submissions_of(store, systems)
    return {
        one.seq
        for one in found
        if one.systems & systems or {str(one.content.get("submission")), str(one.content.get("id"))} & submissions
    }


def _check_schedule(schedule: Schedule) -> None:
    if schedule.series not in SERIES:
        raise RetentionRefused(f"series: give {', '.join(SERIES)}.")
    _check_text("authority", schedule.authority)
    if not 1 <= schedule.years <= 100:
        raise RetentionRefused("years: give a whole number from 1 to 100.")
    if schedule.years < LEAST_YEARS and not schedule.approval.strip():
        raise RetentionRefused(
            "years: records are kept at least 7 years unless the public records board has fixed a shorter period, "
            "Wis. Stat. § 19.21(5)(c). Name its approval."
        )


def _check_text(name: str, text: str) -> None:
    if not text.strip() or len(text) > _LONGEST or "\x00" in text:
        raise RetentionRefused(f"{name}: give a text of at most {_LONGEST:,} characters.")


def _check_notice(schedule: Schedule, notice_on: dt.date | None, today: dt.date) -> None:
    if schedule.notice_waived:
        return
    if notice_on is None:
        raise RetentionRefused(
            "notice-date: give the day of the written notice to the historical society, Wis. Stat. § 19.21(5)(d)1."
        )
    first = notice_on + dt.timedelta(days=NOTICE_DAYS)
    if today < first:
        raise RetentionRefused(f"notice-date: the 60 days of notice end on {first}, Wis. Stat. § 19.21(5)(d)1.")
