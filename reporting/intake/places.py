"""Which system a report is of: exact normalised identifiers only. Anything short of certain goes to a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.reading import ReadRow
from reporting.store.engine import Store
from reporting.store.matching import ADDRESS, PARCEL, PERMIT, find_by_identifiers

KINDS = (("permit_number", PERMIT), ("parcel_number", PARCEL), ("site_address", ADDRESS))


class Doubt(StrEnum):
    """Why a person is to look at a report."""

    NOT_IN_INVENTORY = "not_in_inventory"
    SEVERAL = "several_systems"
    DISAGREE = "permit_and_parcel_disagree"
    ONLY_ADDRESS = "only_the_address_fits"
    PERMIT_UNKNOWN = "permit_unknown_parcel_known"
    WHICH_TANK = "which_tank"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The system a report is of, or why that is not certain and which systems it might be of."""

    system: str | None = None
    doubt: Doubt | None = None
    candidates: tuple[str, ...] = ()


def norms_of(row: ReadRow) -> dict[str, str]:
    """The row's identifiers by kind in the form in which they are matched; empty ones left out."""
    found = {}
    for name, kind in KINDS:
        text = row.text(name)
        norm = normalize_address(text) if kind == ADDRESS else normalize_identifier(text)
        if norm:
            found[kind] = norm
    return found


def find_places(store: Store, rows: Iterable[ReadRow]) -> dict[int, Place]:
    """The place of each row by its number, in a bounded number of queries."""
    norms = {row.number: norms_of(row) for row in rows}
    known = find_by_identifiers(store, {(kind, norm) for found in norms.values() for kind, norm in found.items()})
    return {number: _place(found, known) for number, found in norms.items()}


def _place(norms: Mapping[str, str], known: Mapping[tuple[str, str], Sequence[tuple[str, str]]]) -> Place:
    systems = {kind: list(dict.fromkeys(s for s, _ in known.get((kind, norm), ()))) for kind, norm in norms.items()}
    permit, parcel, address = (systems.get(k, []) for k in (PERMIT, PARCEL, ADDRESS))
    if permit:
        if len(permit) > 1:
            both = [s for s in permit if s in parcel]
            return Place(system=both[0]) if len(both) == 1 else Place(doubt=Doubt.SEVERAL, candidates=tuple(permit))
        if parcel and permit[0] not in parcel:
            return Place(doubt=Doubt.DISAGREE, candidates=(*permit, *parcel))
        return Place(system=permit[0])
    if parcel:
        if PERMIT in norms:
            return Place(doubt=Doubt.PERMIT_UNKNOWN, candidates=tuple(parcel))
        return Place(system=parcel[0]) if len(parcel) == 1 else Place(doubt=Doubt.SEVERAL, candidates=tuple(parcel))
    if address:
        return Place(doubt=Doubt.ONLY_ADDRESS, candidates=tuple(address))
    return Place(doubt=Doubt.NOT_IN_INVENTORY)
