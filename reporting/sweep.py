"""Judging systems and keeping what was found: the daily sweep, and a system at once for a report that came in.

The sweep reads one index: systems that are out of date, and those whose answer changes by itself on or before today.
Standing, obligations, findings and domain events are written in one transaction for each part of them, so that running
it twice, or side by side, leaves the same rows and tells each cause once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

import structlog

from reporting import tables
from reporting.causes.endings import expiring_licences
from reporting.causes.records import Cause, Told, after
from reporting.causes.telling import causes_of, next_told_on
from reporting.domain.answers import Assessment, Finding, Obligation, State
from reporting.domain.assess import assess
from reporting.histories import (
    Licences,
    county_program,
    load_licences,
    next_setting_on,
    read_domain,
    servicing_days,
    servicing_license,
    with_windows,
)
from reporting.ids import new_ids
from reporting.store.derived import (
    AssessedSystem,
    claim_due_systems,
    mark_dirty,
    replace_assessments,
    standings_of,
)
from reporting.store.engine import Database, Store
from reporting.store.events_out import record_domain_events
from reporting.store.facts import StoredHistory, load_events, load_history
from reporting.store.log import head
from reporting.store.people import expiring_credentials
from reporting.store.rows import chunks, tenant_rows, upsert_rows
from reporting.store.summaries import designated_among
from schemas.program import Program

CHUNK: Final = 200
"""How many systems one transaction of the sweep judges."""
_POSTPONED: Final = frozenset({"dirty", "next_change_on"})
_KEPT: Final = frozenset(tables.standing.columns.keys()) - _POSTPONED - {"county", "system"}

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What became of some systems: their assessments, how many new events of each kind, and those put off."""

    assessments: Mapping[str, Assessment] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)
    postponed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SweepCounts:
    """What one sweep of a county did. `standings` and `events` count by standing and by kind of domain event."""

    county: str
    assessed: int
    postponed: int
    standings: Mapping[str, int]
    events: Mapping[str, int]


def sweep(database: Database, county: str, today: date, now: datetime, limit: int | None = None) -> SweepCounts:
    """Judge every system of the county that must be looked at on `today` (at most `limit`), part by part.

    today: the county's date of `now`. A system that cannot be judged is put off to tomorrow and counted. Several sweeps
    at once share the work on PostgreSQL; what another transaction holds just then is looked at by the next sweep.
    """
    assessed, postponed, after = 0, 0, None
    standings: Counter[str] = Counter()
    events: Counter[str] = Counter()
    while limit is None or assessed + postponed < limit:
        size = CHUNK if limit is None else min(CHUNK, limit - assessed - postponed)
        with database.transaction(county) as store:
            systems = claim_due_systems(store, today, size, after)
            if not systems:
                break
            judged = _assess_held(store, county_program(store, county, on=today), systems, today, now)
        after = systems[-1]
        assessed += len(judged.assessments)
        postponed += len(judged.postponed)
        standings.update(one.standing.value for one in judged.assessments.values())
        events.update(judged.events)
    return SweepCounts(
        county=county, assessed=assessed, postponed=postponed, standings=dict(standings), events=dict(events)
    )


def assess_now(store: Store, program: Program, system_ids: Sequence[str], today: date, now: datetime) -> Judged:
    """Judge some systems on `today` in the caller's transaction, and keep what was found and what it causes.

    program: the county's own on `today` (`county_program`). A system that cannot be judged is put off to tomorrow.
    """
    wanted = sorted(set(system_ids))
    # Marking takes hold of the rows: another judge waits here, and reads what this one has written.
    mark_dirty(store, wanted)
    return _assess_held(store, program, wanted, today, now)


def tell_licences(store: Store, program: Program, today: date, now: datetime) -> int:
    """Note the licences about to end of those who service the county's systems, each term once; how many are new."""
    until = after(today, program.days("expiry_notice_days"))
    ending = expiring_credentials(store, today, until)
    wanted = designated_among(store, (row["license_norm"] for row in ending))
    wanted |= {row["license_norm"] for row in ending if program.slug in row["counties"]}
    causes = expiring_licences(program, (row for row in ending if row["license_norm"] in wanted), today)
    return sum(_record(store, list(causes), now).values())


def _assess_held(store: Store, program: Program, wanted: Sequence[str], today: date, now: datetime) -> Judged:
    """The same for systems whose standings this transaction holds."""
    bounds = [day for day in (next_setting_on(store, today), program.day("live_from")) if day and day > today]
    seq = head(store).size
    assessments: dict[str, Assessment] = {}
    postponed: list[str] = []
    events: Counter[str] = Counter()
    for part in chunks(wanted, CHUNK):
        histories = with_windows(store, load_history(store, part))
        licences = load_licences(store, program, histories.values())
        found, failed = _assess_all(histories, program, licences, today)
        rows = [_rows(histories[key], one, program, bounds, seq) for key, one in found.items()]
        replace_assessments(store, rows)
        _postpone(store, failed, today)
        told = _told(store, [histories[key] for key in found], licences, found, today)
        causes = [cause for key, one in told.items() for cause in causes_of(found[key], program, one)]
        events.update(_record(store, causes, now))
        assessments |= found
        postponed += failed
    return Judged(assessments=assessments, events=dict(events), postponed=tuple(postponed))


def _assess_all(
    histories: Mapping[str, StoredHistory], program: Program, licences: Licences, today: date
) -> tuple[dict[str, Assessment], list[str]]:
    assessments: dict[str, Assessment] = {}
    failed: list[str] = []
    for key, stored in histories.items():
        try:
            assessments[key] = assess(*read_domain(stored, licences, as_of=today), program, today)
        except Exception as error:  # one system's odd facts must not keep all others from being judged
            _log.exception("system cannot be judged", county=program.slug, system=key, problem=type(error).__name__)
            failed.append(key)
    return assessments, failed


def _rows(stored: StoredHistory, one: Assessment, program: Program, bounds: Iterable[date], seq: int) -> AssessedSystem:
    """An assessment as rows. What is met is not kept: it can be seen from the facts, and is nobody's list."""
    days = (one.next_change_on, next_told_on(one, program), *bounds, *servicing_days(stored))
    ahead = [day for day in days if day is not None and day > one.as_of]
    needs = one.needs_service
    standing = {
        "state": one.standing.value,
        "next_change_on": min(ahead, default=None),
        "assessed_on": one.as_of,
        "assessed_seq": seq,
        "program_sha": program.sha256,
        "needs_service": needs.value,
        "needs_service_on": needs.on,
        "needs_service_because": needs.because or None,
        "full_on": one.forecast.full_on,
        "contractor": servicing_license(stored, one.as_of),
        "municipality": stored.system["municipality"] if stored.system else None,
    }
    obligations = {_duty_key(o): _obligation(o) for o in reversed(one.obligations) if o.state is not State.MET}
    findings = {(f.kind, f.rule, _cause_of(f)): _finding(f) for f in reversed(one.findings)}
    return AssessedSystem(
        system=stored.system_id,
        standing=standing,
        obligations=list(obligations.values()),
        findings=list(findings.values()),
    )


def _duty_key(o: Obligation) -> tuple[str, ...]:
    return o.component, o.component_ref, o.kind, o.rule, o.cycle


def _obligation(o: Obligation) -> dict[str, Any]:
    names = ("component", "component_ref", "kind", "rule", "cycle", "due_on", "last_day", "duty_of", "cite", "because")
    return {**{name: getattr(o, name) for name in names}, "state": o.state.value, "event": o.event or None}


def _cause_of(f: Finding) -> str:
    """What tells two findings of one kind and rule apart: the report, else the tank and the period or day."""
    return f.event or ":".join((f.component, f.component_ref, f.period, f.due_on.isoformat() if f.due_on else ""))


def _finding(f: Finding) -> dict[str, Any]:
    names = ("kind", "rule", "due_on", "last_day", "cite", "because")
    own = {"cause": _cause_of(f), "event": f.event or None, "component": f.component or None}
    return {**{name: getattr(f, name) for name in names}, **own}


def _postpone(store: Store, systems: Sequence[str], today: date) -> None:
    """Look at these tomorrow again; what was found before stays."""
    known = standings_of(store, systems)
    tomorrow = today + timedelta(days=1)
    rows = [{**known[key], "dirty": False, "next_change_on": tomorrow} for key in systems]
    upsert_rows(store, tables.standing, tenant_rows(store, rows), keep=_KEPT)


def _told(
    store: Store,
    histories: Sequence[StoredHistory],
    licences: Licences,
    assessments: Mapping[str, Assessment],
    today: date,
) -> dict[str, Told]:
    late = {f.event for one in assessments.values() for f in one.findings if f.kind == "late_report"}
    corrected = {
        row["id"]: row["supersedes"]
        for stored in histories
        for row in stored.events
        if row["id"] in late and row["supersedes"]
    }
    firsts = first_versions(store, corrected)
    found: dict[str, Told] = {}
    for stored in histories:
        norm = servicing_license(stored, today)
        business = licences.business(norm) if norm else None
        found[stored.system_id] = Told(
            stored=stored,
            contractor_license=licences.number(norm) if norm else None,
            contractor_id=business if business != norm else None,
            first_versions=firsts,
        )
    return found


def first_versions(store: Store, corrected: Mapping[str, str]) -> dict[str, str]:
    """The first version of each corrected report (report → what it corrects), following its corrections back."""
    firsts = dict(corrected)
    ahead = set(firsts.values())
    while ahead:
        rows = load_events(store, sorted(ahead))
        before = {key: row["supersedes"] for key, row in rows.items() if row["supersedes"]}
        firsts = {event: before.get(first, first) for event, first in firsts.items()}
        ahead = set(before.values())
    return firsts


def _record(store: Store, causes: Sequence[Cause], now: datetime) -> dict[str, int]:
    rows = [
        {
            "id": event_id,
            "kind": cause.kind,
            "cause_key": cause.cause_key,
            "system": cause.system or None,
            "occurred_at": now,
            "content": cause.content,
        }
        for event_id, cause in zip(new_ids("evt", now, len(causes)), causes, strict=True)
    ]
    return dict(Counter(row["kind"] for row in record_domain_events(store, rows)))
