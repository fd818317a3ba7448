"""Which system on file a draft is of: by its permit, or without one by its parcel and address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reporting.histories import PROVISIONAL
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.inventory.drafts import Draft, Key, RowVerdict
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.inventory import MERGED
from reporting.store.matching import PARCEL, PERMIT, find_by_identifiers
from schemas.issues import Issue


@dataclass(frozen=True, kw_only=True)
class Match:
    """What is on file of a draft. merged: the draft is of a record that was merged into the one system found."""

    systems: tuple[StoredHistory, ...] = ()
    merged: bool = False


def find_systems(store: Store, drafts: Sequence[Draft]) -> dict[Key, Match]:
    """What is on file of each draft, in a bounded number of questions."""
    by_permit = find_by_identifiers(store, [(PERMIT, draft.key.permit) for draft in drafts if draft.key.permit])
    without = [draft for draft in drafts if (PERMIT, draft.key.permit) not in by_permit and place_name(draft)]
    pairs = [(PARCEL, draft.norm("parcel_number")) for draft in without]
    pairs += [(MERGED, place_name(draft)) for draft in without if not draft.key.permit]
    by_place = find_by_identifiers(store, pairs)
    wanted = {system for found in (by_permit, by_place) for rows in found.values() for system, _component in rows}
    histories = load_history(store, sorted(wanted))

    def named(kind: str, norm: str) -> list[StoredHistory]:
        rows = by_permit.get((kind, norm)) or by_place.get((kind, norm)) or []
        # A system opened by a report in doubt may bear the numbers of the real one, which goes before.
        found = [histories[system] for system in dict.fromkeys(system for system, _component in rows)]
        return [one for one in found if not _is_provisional(one)] or found

    standing = {
        draft.key: [one for one in named(PARCEL, draft.norm("parcel_number")) if _stands_at(one, draft)]
        for draft in without
    }
    claims = Counter(one.system_id for systems in standing.values() for one in systems)
    matches: dict[Key, Match] = {}
    for draft in drafts:
        key, here = draft.key, standing.get(draft.key, [])
        if not key.permit:
            kept = named(MERGED, place_name(draft))
            matches[key] = Match(systems=tuple(here or kept), merged=bool(kept) and not here)
        elif systems := named(PERMIT, key.permit):
            matches[key] = Match(systems=tuple(systems), merged=len(systems) == 1 and _is_another(systems[0], draft))
        else:
            # A system that had no permit has one now; not where two permits might be meant.
            certain = [one for one in here if len(here) == 1 and claims[one.system_id] == 1 and _may_be(one, draft)]
            matches[key] = Match(systems=tuple(certain))
    return matches


def place_name(draft: Draft) -> str:
    """What a system without a permit is known by, in one text; "" where parcel or address is missing."""
    parcel, address = draft.norm("parcel_number"), draft.norm("site_address")
    return name_of_place(parcel, address) if parcel and address else ""


def name_of_place(parcel: str, address: str) -> str:
    """Parcel and address, both normalised, in one text: neither holds a `|`."""
    return f"{parcel}|{address}"


def merged_away(verdict: RowVerdict, kept: StoredHistory) -> RowVerdict:
    """The verdict on a row of a record that was merged into another one: it changes nothing."""
    row = kept.system or {}
    name = row.get("permit_number") or row.get("parcel_number") or kept.system_id
    message = f"This record was merged into {name}, which is kept as it is: leave this row out of the list."
    issue = Issue(code="merged", message=message, field="permit_number", row=verdict.row)
    return RowVerdict(row=verdict.row, key=verdict.key, errors=verdict.errors, warnings=(*verdict.warnings, issue))


def ambiguous(verdict: RowVerdict, found: Match) -> RowVerdict:
    """The verdict on a row that several systems on file fit."""
    message = (
        f"{len(found.systems)} systems on file have this number: merge them or give each its own, then send the row "
        "again."
    )
    field = "permit_number" if verdict.key and verdict.key.permit else "parcel_number"
    issue = Issue(code="ambiguous_system", message=message, field=field, row=verdict.row)
    return RowVerdict(row=verdict.row, key=verdict.key, errors=(*verdict.errors, issue), warnings=verdict.warnings)


def _is_provisional(history: StoredHistory) -> bool:
    return history.system is None or history.system["status"] == PROVISIONAL


def _is_another(history: StoredHistory, draft: Draft) -> bool:
    """Whether a system of the inventory has another permit now: then it took over this one's record."""
    if history.system is None or _is_provisional(history):
        return False
    permit = history.system["permit_number"]
    return permit not in (None, "", draft.values.get("permit_number")) and (
        normalize_identifier(permit) != draft.key.permit
    )


def _stands_at(history: StoredHistory, draft: Draft) -> bool:
    """Whether a system without a permit has this parcel and address."""
    row = history.system
    return (
        row is not None
        and not row["permit_number"]
        and normalize_identifier(row["parcel_number"] or "") == draft.norm("parcel_number")
        and normalize_address(row["site_address"] or "") == draft.norm("site_address")
    )


def _may_be(history: StoredHistory, draft: Draft) -> bool:
    """Whether all that is known of its components is in the draft."""
    return {row["component"] for row in history.components} <= {part.component for part in draft.parts}
