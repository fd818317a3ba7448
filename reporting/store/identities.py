"""Counting a report once: which identities are taken, and by what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import chunks


class Taken(NamedTuple):
    """The current event that has an identity; no submission for one from an inventory."""

    event: str
    content_sha: str
    submission: str | None
    row: int | None


@dataclass(frozen=True, kw_only=True)
class SameDay:
    """A current event on a system and day, to hold a new one against."""

    event: str
    system: str
    component: str
    component_ref: str
    event_type: str
    service_date: date
    license_norm: str | None
    report_ref: str | None
    identity: str
    content_sha: str


def find_identities(store: Store, identities: Iterable[str]) -> dict[str, Taken]:
    """Who has each identity now; one that nobody has is left out."""
    event = tables.event
    found: dict[str, Taken] = {}
    for part in chunks(dict.fromkeys(identities)):
        query = select(event.c.identity, event.c.id, event.c.content_sha, event.c.submission, event.c.row).where(
            event.c.county == store.tenant, event.c.identity.in_(part), event.c.ended_seq.is_(None)
        )
        for identity, key, sha, submission, row in store.connection.execute(query):
            found[identity] = Taken(event=key, content_sha=sha, submission=submission, row=row)
    return found


def find_former(store: Store, identities: Iterable[str]) -> dict[str, dict[str, str]]:
    """Of corrected versions that had an identity: by identity and content, the report that stands in their place now.

    A report that was voided in the end stands nowhere, and is left out.
    """
    event = tables.event
    former: dict[str, tuple[str, str]] = {}
    for part in chunks(dict.fromkeys(identities)):
        query = select(event.c.id, event.c.identity, event.c.content_sha).where(
            event.c.county == store.tenant, event.c.identity.in_(part), event.c.ended_seq.is_not(None)
        )
        former.update((key, (identity, sha)) for key, identity, sha in store.connection.execute(query))
    found: dict[str, dict[str, str]] = {}
    for key, standing in _standing_after(store, former).items():
        identity, sha = former[key]
        found.setdefault(identity, {})[sha] = standing
    return found


def _standing_after(store: Store, versions: Iterable[str]) -> dict[str, str]:
    """The version that stands in the end, for each of these that were ended; none where none does."""
    event = tables.event
    first_of = {version: [version] for version in versions}
    standing: dict[str, str] = {}
    while first_of:
        following: dict[str, list[str]] = {}
        for part in chunks(first_of):
            query = select(event.c.id, event.c.supersedes, event.c.ended_seq).where(
                event.c.county == store.tenant, event.c.supersedes.in_(part)
            )
            for key, before, ended in store.connection.execute(query):
                if ended is None:
                    standing.update(dict.fromkeys(first_of[before], key))
                else:
                    following.setdefault(key, []).extend(first_of[before])
        first_of = following
    return standing


def find_same_day(store: Store, pairs: Iterable[tuple[str, date]]) -> dict[tuple[str, date], list[SameDay]]:
    """The current events on each (system, service date): what a report might be a second copy of."""
    event = tables.event
    names = list(SameDay.__dataclass_fields__)
    columns = [event.c.id.label("event"), *(event.c[name] for name in names if name != "event")]
    found: dict[tuple[str, date], list[SameDay]] = {}
    for part in chunks(dict.fromkeys(pairs)):
        wanted = set(part)
        query = (
            select(*columns)
            .where(event.c.county == store.tenant, event.c.ended_seq.is_(None))
            .where(event.c.system.in_({system for system, _ in part}))
            .where(event.c.service_date.in_({day for _, day in part}))
            .order_by(event.c.seq)
        )
        for row in store.connection.execute(query).mappings():
            key = (row["system"], row["service_date"])
            if key in wanted:
                found.setdefault(key, []).append(SameDay(**row))
    return found
