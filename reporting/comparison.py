"""Two programs over all systems of a county: whose standing, duties and findings would change. Nothing is written.

For `pumper programs diff`, before a county adopts a change of its ordinance. The county's own settings hold under both.
"""

from __future__ import annotations

import datetime as dt
import gc
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

import structlog

from reporting.domain.answers import Assessment, Finding, Obligation, Standing
from reporting.domain.assess import assess, assess_both
from reporting.domain.comparing import Difference, changed_duties, changed_findings
from reporting.domain.records import History, System
from reporting.histories import load_licences, read_domain, with_county_settings, with_windows
from reporting.store.engine import Database, Store
from reporting.store.facts import StoredHistory, list_system_ids, load_history
from reporting.store.rows import chunks
from schemas.program import Program

PART: Final = 250
"""How many systems are read and judged at once."""
WORTH_IT: Final = 2_000
"""From how many systems on several processes are quicker than one."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class SystemChange:
    """What would change for one system, and by which numbers and place people know it."""

    system: str
    permit_number: str
    parcel_number: str
    site_address: str
    before: Standing
    after: Standing
    duties: tuple[Difference[Obligation], ...]
    findings: tuple[Difference[Finding], ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A county under two programs on one day. `standings`: how many systems go from one standing to another, or stay.

    `old`, `new`: with the county's own settings. `not_judged`: systems whose facts cannot be judged at all.
    """

    county: str
    as_of: dt.date
    old: Program
    new: Program
    systems: int
    standings: Mapping[tuple[Standing, Standing], int]
    changes: tuple[SystemChange, ...]
    not_judged: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Share:
    """What one process has to do, and where."""

    url: str
    county: str
    ids: Sequence[str]
    old: Program
    new: Program
    as_of: dt.date


@dataclass(frozen=True, kw_only=True)
class _Done:
    standings: Counter[tuple[Standing, Standing]]
    changes: list[SystemChange]
    not_judged: list[str]


def compare_programs(
    url: str,
    county: str,
    old: Program,
    new: Program,
    as_of: dt.date,
    *,
    processes: int = 2,
    worth_it: int = WORTH_IT,
) -> Comparison:
    """Judge every system of the county at the database `url` on `as_of` under both programs.

    processes: how many share the systems, from `worth_it` systems on. Raises SettingError where a value that the county
    has set is none under one of the programs.
    """
    database = Database.connect(url)
    try:
        with database.reading(county) as store:
            ids = list_system_ids(store)
            old, new = (with_county_settings(store, program, on=as_of) for program in (old, new))
    finally:
        database.dispose()  # connections do not survive a fork
    count = processes if len(ids) >= worth_it else 1
    shares = [
        _Share(url=url, county=county, ids=ids[n::count], old=old, new=new, as_of=as_of) for n in range(count) if ids
    ]
    done = _all_done(shares)
    changes = sorted(
        (c for one in done for c in one.changes), key=lambda c: (c.permit_number, c.site_address, c.system)
    )
    return Comparison(
        county=county,
        as_of=as_of,
        old=old,
        new=new,
        systems=len(ids),
        standings=sum((one.standings for one in done), Counter()),
        changes=tuple(changes),
        not_judged=tuple(sorted(key for one in done for key in one.not_judged)),
    )


def _all_done(shares: Sequence[_Share]) -> list[_Done]:
    if len(shares) < 2:
        return [_judge(share) for share in shares]
    # These processes live for this alone, and next to nothing that they make is in a circle.
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(shares), mp_context=fork, initializer=gc.disable) as pool:
        return list(pool.map(_judge, shares))


def _judge(share: _Share) -> _Done:
    """One process's share, by a connection of its own, each part in a reading transaction."""
    done = _Done(standings=Counter(), changes=[], not_judged=[])
    database = Database.connect(share.url)
    try:
        for part in chunks(share.ids, PART):
            with database.reading(share.county) as store:
                histories = with_windows(store, load_history(store, part))
                _judge_part(store, share, histories, done)
    finally:
        database.dispose()
    return done


def _judge_part(store: Store, share: _Share, histories: Mapping[str, StoredHistory], done: _Done) -> None:
    before, after = (load_licences(store, program, histories.values()) for program in (share.old, share.new))
    for key, stored in histories.items():
        try:
            facts = read_domain(stored, before, as_of=share.as_of)
            if before == after:
                found = assess_both(*facts, share.old, share.new, share.as_of)
            else:
                others = read_domain(stored, after, as_of=share.as_of)
                found = (_judged(*facts, share.old, share.as_of), _judged(*others, share.new, share.as_of))
        except Exception as error:  # one system's odd facts must not keep all others from being compared
            _log.exception("system cannot be judged", county=share.county, system=key, problem=type(error).__name__)
            done.not_judged.append(key)
            continue
        done.standings[found[0].standing, found[1].standing] += 1
        change = _change(stored, *found)
        done.changes.extend([change] if change else ())


def _judged(system: System, history: History, program: Program, as_of: dt.date) -> Assessment:
    return assess(system, history, program, as_of, include_met=False)


def _change(stored: StoredHistory, before: Assessment, after: Assessment) -> SystemChange | None:
    duties, findings = changed_duties(before, after), changed_findings(before, after)
    if before.standing is after.standing and not duties and not findings:
        return None
    row = stored.system or {}
    return SystemChange(
        system=stored.system_id,
        permit_number=row.get("permit_number") or "",
        parcel_number=row.get("parcel_number") or "",
        site_address=row.get("site_address") or "",
        before=before.standing,
        after=after.standing,
        duties=tuple(duties),
        findings=tuple(findings),
    )


def moves(standings: Mapping[tuple[Standing, Standing], int]) -> Iterable[tuple[Standing, Standing, int]]:
    """The standings that change, the most systems first."""
    found = [(a, b, count) for (a, b), count in standings.items() if a is not b]
    return sorted(found, key=lambda one: (-one[2], one[0], one[1]))
