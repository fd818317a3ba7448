"""Counting once: what was sent before is a duplicate, and another report of the same service is pointed out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reporting.intake.contents import normal_ref
from reporting.store.engine import Store
from reporting.store.facts import load_events
from reporting.store.identities import Taken, find_former, find_identities, find_same_day

# Corrections of corrections that are looked back through.
_LONGEST_CHAIN = 20

Telling = tuple[str, dt.date, str, str, str, str, str, str]


class First(NamedTuple):
    """What came in first under an identity: its content, the report, and its row in this submission (None: stored)."""

    content_sha: str
    report: str
    row: int | None
    business: str


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a report is counted by.

    same: the identities under which the same content is a copy and other content a conflict, its own first. alike:
    those under which only the same content is a copy (the place is not known, so neither is the component).
    """

    content_sha: str
    same: tuple[str, ...]
    alike: tuple[str, ...] = ()

    @property
    def identities(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.same, *self.alike)


@dataclass(kw_only=True)
class Seen:
    """What earlier rows of the same submission brought in."""

    identities: dict[str, First] = field(default_factory=dict)
    tellings: dict[Telling, First] = field(default_factory=dict)


class Verdict(NamedTuple):
    """The report that a row repeats (`is_copy`) or contradicts."""

    first: First
    is_copy: bool


def load_taken(store: Store, claims: Iterable[Claim]) -> dict[str, Taken]:
    """The stored reports that have one of the identities."""
    return find_identities(store, {i for claim in claims for i in claim.identities})


def load_former(store: Store, claims: Iterable[Claim], taken: Mapping[str, Taken]) -> dict[str, dict[str, str]]:
    """For identities that no report has now, those of versions that were corrected: content → what stands instead."""
    return find_former(store, {i for claim in claims for i in claim.identities} - taken.keys())


def earlier_contents(store: Store, claims: Iterable[Claim], taken: Mapping[str, Taken]) -> dict[str, set[str]]:
    """For stored reports that some claim contradicts: the contents of the versions that they correct.

    A file sent again after one of its reports was amended holds that report's first version: a copy, no conflict.
    """
    doubted = {t.event for c in claims for i in c.same if (t := taken.get(i)) and t.content_sha != c.content_sha}
    contents: dict[str, set[str]] = {event: set() for event in doubted}
    at = {event: event for event in doubted}
    for _ in range(_LONGEST_CHAIN):
        versions = load_events(store, at.values())
        at = {first: str(versions[v]["supersedes"]) for first, v in at.items() if versions[v]["supersedes"]}
        if not at:
            break
        before = load_events(store, at.values())
        at = {first: v for first, v in at.items() if v in before}
        for first, version in at.items():
            contents[first].add(before[version]["content_sha"])
    return contents


def judge_claim(
    claim: Claim,
    taken: Mapping[str, Taken],
    earlier: Mapping[str, set[str]],
    former: Mapping[str, Mapping[str, str]],
    seen: Seen,
    business: str,
) -> Verdict | None:
    """What a claim repeats or contradicts, None when it is new."""
    for identity in claim.identities:
        first = seen.identities.get(identity)
        if first is None and (stored := taken.get(identity)) is not None:
            first = First(stored.content_sha, stored.event, None, business)
        if first is None:
            corrected = former.get(identity, {}).get(claim.content_sha)
            if corrected is not None:
                return Verdict(First(claim.content_sha, corrected, None, business), is_copy=True)
            continue
        if first.content_sha == claim.content_sha or claim.content_sha in earlier.get(first.report, ()):
            return Verdict(first, is_copy=True)
        if identity in claim.same:
            return Verdict(first, is_copy=False)
    return None


def telling_of(
    system: str | None, day: dt.date | None, component: str, ref: str, content: Mapping[str, Any]
) -> Telling | None:
    """What a report tells of, whoever tells it: two with the same may be one service."""
    if system is None or day is None:
        return None
    event, gallons, reading, time = (
        str(content.get(n, "")) for n in ("event_type", "gallons_pumped", "meter_reading", "service_time")
    )
    return system, day, component, normal_ref(ref), event, gallons, reading, time


@dataclass(frozen=True, kw_only=True)
class Stored:
    """What is stored of some systems on some days.

    tellings: by what the reports tell. copies: by system, component, content and ticket number.
    """

    tellings: Mapping[Telling, First]
    copies: Mapping[tuple[str, str, str, str], First]

    def copy_of(self, system: str | None, component: str, claim: Claim, ref: str, business: str) -> First | None:
        """The business's report with just this content and ticket, counted under the identity of its first version."""
        found = self.copies.get((system or "", component, claim.content_sha, normal_ref(ref)))
        return found if found is not None and found.business == business else None


def load_same_day(store: Store, places: Iterable[tuple[str, dt.date]]) -> Stored:
    """What is stored of these systems on these days.

    Baselines of the inventory are left out: they are a date and nothing else.
    """
    same_day = [event for found in find_same_day(store, places).values() for event in found]
    events = load_events(store, [e.event for e in same_day])
    tellings: dict[Telling, First] = {}
    copies: dict[tuple[str, str, str, str], First] = {}
    for e in same_day:
        row = events[e.event]
        if row["content"].get("baseline"):
            continue
        first = First(e.content_sha, e.event, None, str(row["contractor_id"] or ""))
        told = telling_of(e.system, e.service_date, e.component, e.component_ref, row["content"])
        if told is not None:
            tellings.setdefault(told, first)
        copies.setdefault((e.system, e.component, e.content_sha, normal_ref(e.report_ref or "")), first)
    return Stored(tellings=tellings, copies=copies)
