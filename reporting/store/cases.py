"""The county's cases and what proposes one: pages of both, the versions of a case with their entries, its messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, exists, func, or_, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import not_ended
from reporting.store.log import settle
from reporting.store.paging import Page, day_key, read_page
from reporting.store.rows import chunks

CASE: Final = "case"
DISMISSAL: Final = "proposal_dismissal"
"""A fact: that something which proposed a case is none, and why; under the proposal's key."""
PLACE: Final = ("permit_number", "parcel_number", "site_address", "municipality")
_AUDIENCES: Final = ("owner", "county", "sanitarian", "counsel", "municipality")
_KINDS: Final = ("case_opened", "case_step", "case_overdue", "case_handed_over", "case_closed")


@dataclass(frozen=True, kw_only=True)
class CaseFilter:
    """Which cases to list; `None` and empty ask nothing. `referred`: whether one of `referral_steps` is on file."""

    kind: str | None = None
    open: bool | None = None
    overdue: bool | None = None
    referred: bool | None = None
    referral_steps: Collection[str] = ()


def page_cases(store: Store, filters: CaseFilter, cursor: str | None, limit: int) -> Page:
    """The cases as they stand now, newest first: `system`, `id`, `valid_from`, `content`. Raises `BadCursor`."""
    fact = tables.fact
    query = (
        select(*(fact.c[name] for name in ("system", "id", "valid_from", "content")))
        .where(fact.c.county == store.tenant, fact.c.kind == CASE, fact.c.ended_seq.is_(None))
        .where(*_conditions(filters))
    )
    keys = [day_key(store, fact.c.valid_from), fact.c.system, fact.c.id]
    return read_page(store, query, keys, cursor, limit, newest_first=True)


def versions_of(store: Store, kind: str, fact_id: str) -> list[dict[str, Any]]:
    """All versions of a fact, oldest first, with the entry that made each: `seq`, `system`, `content`, `recorded_at`,
    `by`.
    """
    settle(store)
    fact, entry = tables.fact, tables.log_entry
    query = (
        select(fact.c.seq, fact.c.system, fact.c.content, entry.c.recorded_at, entry.c.entry)
        .select_from(fact.join(entry, and_(entry.c.county == fact.c.county, entry.c.seq == fact.c.seq)))
        .where(fact.c.county == store.tenant, fact.c.kind == kind, fact.c.id == fact_id)
        .order_by(fact.c.seq)
    )
    return [_with_author(dict(row)) for row in store.connection.execute(query).mappings()]


def has_fact(store: Store, kind: str, fact_id: str) -> bool:
    """Whether a fact of this kind and id stands in the county."""
    fact = tables.fact
    query = select(fact.c.id).where(
        fact.c.county == store.tenant, fact.c.id == fact_id, fact.c.kind == kind, fact.c.ended_seq.is_(None)
    )
    return store.connection.execute(query.limit(1)).first() is not None


def ids_among(store: Store, kind: str, fact_ids: Iterable[str]) -> set[str]:
    """Those of some ids under which a fact of this kind stands."""
    fact = tables.fact
    found: set[str] = set()
    for part in chunks(dict.fromkeys(fact_ids)):
        query = select(fact.c.id).where(
            fact.c.county == store.tenant, fact.c.kind == kind, fact.c.id.in_(part), fact.c.ended_seq.is_(None)
        )
        found.update(store.connection.execute(query).scalars())
    return found


def findings_of_kinds(store: Store, kinds: Collection[str]) -> list[dict[str, Any]]:
    """The county's findings of these kinds, by system, kind, rule and cause."""
    finding = tables.finding
    query = (
        select(finding)
        .where(finding.c.county == store.tenant, finding.c.kind.in_(sorted(kinds)))
        .order_by(finding.c.system, finding.c.kind, finding.c.rule, finding.c.cause)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def places_of(store: Store, systems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Where some systems are and whose: `permit_number`, `parcel_number`, `site_address`, `municipality`, `owner_name`;
    each of them None where it is not on file.
    """
    version, owner = tables.system_version, tables.owner_version
    wanted = list(dict.fromkeys(systems))
    found: dict[str, dict[str, Any]] = {key: dict.fromkeys((*PLACE, "owner_name")) for key in wanted}
    for part in chunks(wanted):
        for table, columns in (
            (version, [version.c[name] for name in PLACE]),
            (owner, [owner.c.name.label("owner_name")]),
        ):
            query = select(table.c.system, *columns).where(
                table.c.county == store.tenant, table.c.system.in_(part), not_ended(table)
            )
            for row in store.connection.execute(query).mappings():
                found[row["system"]] |= {name: value for name, value in row.items() if name != "system"}
    return found


def systems_of_owner(store: Store, name: str) -> list[str]:
    """The systems whose owner has this name, but for case and surrounding blanks."""
    owner = tables.owner_version
    query = select(owner.c.system).where(
        owner.c.county == store.tenant,
        owner.c.ended_seq.is_(None),
        func.lower(func.trim(owner.c.name)) == name.strip().lower(),
    )
    return sorted(set(store.connection.execute(query).scalars()))


def cases_about(store: Store, license_norms: Collection[str]) -> list[dict[str, Any]]:
    """The open cases that name one of these licences: `system`, `id`, `content`."""
    fact = tables.fact
    query = select(fact.c.system, fact.c.id, fact.c.content).where(
        fact.c.county == store.tenant,
        fact.c.kind == CASE,
        fact.c.ended_seq.is_(None),
        fact.c.content["license_norm"].as_string().in_(sorted(license_norms)),
        fact.c.content["closed_on"].as_string().is_(None),
    )
    return [dict(row) for row in store.connection.execute(query.order_by(fact.c.id)).mappings()]


def messages_about(store: Store, system: str, case_id: str) -> list[dict[str, Any]]:
    """The mails and letters that told of a case, oldest first: `id`, `kind`, `channel`, `state`, `created_at`,
    `sent_at`; of a letter that was mailed `run`, `mailed_on`, `mail_class`, `text_sha256`, `seq` (of its entry).
    """
    message, letter, run = tables.message, tables.letter, tables.print_run
    here = and_(
        letter.c.county == message.c.county,
        letter.c.message == message.c.dedupe_key,
        letter.c.cancelled_at.is_(None),
    )
    mailed = and_(run.c.county == letter.c.county, run.c.id == letter.c.run)
    starts = [f"{kind}|{audience}|case:{system}:{case_id}:" for kind in _KINDS for audience in _AUDIENCES]
    shown = ("id", "kind", "channel", "state", "created_at", "sent_at")
    query = (
        select(
            *(message.c[name] for name in shown),
            *(letter.c[name] for name in ("run", "position", "text_sha256")),
            *(run.c[name] for name in ("mailed_on", "mail_class", "seq")),
        )
        .select_from(message.outerjoin(letter, here).outerjoin(run, mailed))
        .where(message.c.county == store.tenant, message.c.kind.in_(_KINDS))
        .where(or_(*(message.c.dedupe_key.startswith(start, autoescape=True) for start in starts)))
        .order_by(message.c.created_at, message.c.id)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def mailed_about(store: Store, system: str) -> list[dict[str, Any]]:
    """Every letter about a system that was put in the mail, oldest first: what it was, its run, day, class, hash."""
    letter, run = tables.letter, tables.print_run
    join = letter.join(run, and_(run.c.county == letter.c.county, run.c.id == letter.c.run))
    query = (
        select(letter.c.message_id, letter.c.kind, letter.c.position, letter.c.text_sha256, letter.c.run)
        .add_columns(letter.c.content, run.c.mailed_on, run.c.mail_class, run.c.seq)
        .select_from(join)
        .where(letter.c.county == store.tenant, letter.c.system == system, run.c.mailed_on.is_not(None))
        .where(letter.c.cancelled_at.is_(None))
        .order_by(run.c.mailed_on, letter.c.run, letter.c.position)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def _conditions(filters: CaseFilter) -> list[ColumnElement[bool]]:
    content = tables.fact.c.content
    found: list[ColumnElement[bool]] = []
    if filters.kind is not None:
        found.append(content["kind"].as_string() == filters.kind)
    if filters.open is not None:
        closed = content["closed_on"].as_string()
        found.append(closed.is_(None) if filters.open else closed.is_not(None))
    if filters.overdue is not None:
        found.append(_is_overdue() if filters.overdue else ~_is_overdue())
    if filters.referred is not None:
        taken = _any_step(filters.referral_steps)
        found.append(taken if filters.referred else ~taken)
    return found


def _any_step(steps: Collection[str]) -> ColumnElement[bool]:
    content = tables.fact.c.content
    return or_(*(content[step].as_string().is_not(None) for step in sorted({"handed_over_on", *steps})))


def _is_overdue() -> ColumnElement[bool]:
    """A duty of the case is past its last day, as the sweep found it."""
    fact, duty = tables.fact, tables.obligation
    mine = "case:" + fact.c.id + ":"
    return exists().where(
        duty.c.county == fact.c.county,
        duty.c.system == fact.c.system,
        duty.c.state == "overdue",
        func.substr(duty.c.cycle, 1, func.length(mine)) == mine,
    )


def _with_author(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "by": json.loads(row.pop("entry"))["content"].get("by")}
