"""What the county asked of reports: the current word on each, found by report, and in pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import load_events, not_ended
from reporting.store.paging import Page, read_page
from reporting.store.rows import chunks

VERIFICATION: Final = "verification"
"""The kind of the fact; its id is the report's that it was first asked of."""
_LONGEST_CHAIN: Final = 100


def verifications_of(store: Store, report_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """By report: the fact that holds what was asked of it last. Reports of which nothing was asked are left out.

    What was asked of a version that the county then put in another place is asked of the one that stands there; an
    amendment has taken along what was asked of it.
    """
    chains = _chains(store, report_ids)
    fact = tables.fact
    report = fact.c.content["report"].as_string()
    facts: dict[str, dict[str, Any]] = {}
    for part in chunks(dict.fromkeys(one for chain in chains.values() for one in chain)):
        query = select(fact).where(
            fact.c.county == store.tenant, fact.c.kind == VERIFICATION, not_ended(fact), report.in_(part)
        )
        rows = store.connection.execute(query).mappings()
        facts.update((row["content"]["report"], dict(row)) for row in sorted(rows, key=lambda row: row["seq"]))
    found = {asked: [facts[one] for one in chain if one in facts] for asked, chain in chains.items()}
    return {asked: max(rows, key=lambda row: row["seq"]) for asked, rows in found.items() if rows}


def _chains(store: Store, report_ids: Iterable[str]) -> dict[str, list[str]]:
    """Each report with the versions that it was put in the place of, the latest first."""
    chains = {one: [one] for one in report_ids}
    ahead = set(chains)
    for _ in range(_LONGEST_CHAIN):
        rows = load_events(store, sorted(ahead)) if ahead else {}
        before = {one: row["supersedes"] for one, row in rows.items() if row["supersedes"]}
        for chain in chains.values():
            if chain[-1] in before:
                chain.append(before[chain[-1]])
        ahead = set(before.values())
    return chains


def page_verifications(
    store: Store, states: Collection[str], cursor: str | None, limit: int, contractor_id: str | None = None
) -> Page:
    """What was asked of reports, by report, in these states (none: any); raises `BadCursor`.

    contractor_id: only of this business's reports.
    A row has the columns of `fact`, and of its report `service_date`, `report_ref`, `license_number`, `event_type`.
    """
    fact, event = tables.fact, tables.event
    report, state = fact.c.content["report"].as_string(), fact.c.content["state"].as_string()
    names = ("service_date", "report_ref", "license_number", "event_type")
    query = (
        select(fact, *(event.c[name] for name in names))
        .select_from(fact.join(event, (event.c.county == fact.c.county) & (event.c.id == report)))
        .where(fact.c.county == store.tenant, fact.c.kind == VERIFICATION, not_ended(fact))
    )
    if states:
        query = query.where(state.in_(states))
    if contractor_id is not None:
        query = query.where(event.c.contractor_id == contractor_id)
    return read_page(store, query, [fact.c.id, fact.c.system], cursor, limit)


def count_verifications(store: Store) -> dict[str, int]:
    """How many reports were asked about, by where that stands."""
    fact = tables.fact
    query = select(fact.c.content["state"].as_string()).where(
        fact.c.county == store.tenant, fact.c.kind == VERIFICATION, not_ended(fact)
    )
    counts: dict[str, int] = {}
    for state in store.connection.execute(query).scalars():
        counts[state] = counts.get(state, 0) + 1
    return dict(sorted(counts.items()))
