"""Which system a report is of: exact numbers, what a spreadsheet did to one where the inventory makes that certain,
and what a person decided before. Anything short of certain goes to a person.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from reporting.domain.records import System
from reporting.histories import Licences, read_domain
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.memory import REMEMBERED
from reporting.intake.reading import ReadRow
from reporting.intake.spoilt import is_lossy, restore_numbers
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.matching import ADDRESS, PARCEL, PERMIT, find_by_identifiers

KINDS = (("permit_number", PERMIT), ("parcel_number", PARCEL), ("site_address", ADDRESS))
FIELD_OF = {kind: name for name, kind in KINDS}


class Doubt(StrEnum):
    """Why a person is to look at a report."""

    NOT_IN_INVENTORY = "not_in_inventory"
    SEVERAL = "several_systems"
    DISAGREE = "permit_and_parcel_disagree"
    ONLY_ADDRESS = "only_the_address_fits"
    PERMIT_UNKNOWN = "permit_unknown_parcel_known"
    WHICH_TANK = "which_tank"
    SENT_BACK = "sent_back"

    @property
    def message(self) -> str:
        """One sentence for the sender: the report is kept, and why somebody looks at it."""
        return f"The report is kept, and the county looks at it: {_DOUBTS[self]}."


_DOUBTS = {
    Doubt.NOT_IN_INVENTORY: "its inventory does not have this system",
    Doubt.SEVERAL: "several systems have this number",
    Doubt.DISAGREE: "permit and parcel number are of different systems",
    Doubt.ONLY_ADDRESS: "only the address is known, the numbers are not",
    Doubt.PERMIT_UNKNOWN: "the parcel is known and the permit is not",
    Doubt.WHICH_TANK: "it does not say for certain which of the system's tanks was served",
    Doubt.SENT_BACK: "it was matched with another system before, which was wrong",
}
# What a person decides of these holds for the same numbers the next time; not which of several systems or tanks was
# served on one day.
DECIDED_BY_NUMBERS = frozenset({Doubt.NOT_IN_INVENTORY, Doubt.DISAGREE, Doubt.ONLY_ADDRESS, Doubt.PERMIT_UNKNOWN})


@dataclass(frozen=True, kw_only=True)
class Place:
    """The system a report is of, or why that is not certain and which systems it might be of.

    matched_by: how it was found where its numbers did not tell ("remembered": a person's decision).
    """

    system: str | None = None
    doubt: Doubt | None = None
    candidates: tuple[str, ...] = ()
    matched_by: str = ""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the county knows of a system that a row names."""

    stored: StoredHistory
    system: System

    @property
    def is_provisional(self) -> bool:
        """Whether the system was opened by a report and is not in the inventory yet."""
        return self.system.status == "provisional"

    def number(self, name: str) -> str:
        """Its permit or parcel number on file in normal form, '' when there is none."""
        row = self.stored.system
        return normalize_identifier(row[name] or "") if row else ""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a row's identifiers lead to.

    norms: by kind, in the form in which they were found or, if they were not, as sent; a number that a spreadsheet
    has spoilt is left out unless it was found. systems: by kind, those that have the number. remembered: the system
    that a person has decided on for the same numbers of the same business.
    """

    norms: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remembered: str = ""


def norms_of(row: ReadRow) -> dict[str, str]:
    """The row's identifiers by kind in the form in which they are matched; empty ones left out."""
    found = {}
    for name, kind in KINDS:
        text = row.text(name)
        norm = normalize_address(text) if kind == ADDRESS else normalize_identifier(text)
        if norm:
            found[kind] = norm
    return found


def find_systems(store: Store, rows: Iterable[ReadRow], norms: Mapping[int, Mapping[str, str]]) -> dict[int, Found]:
    """What each row's identifiers lead to, by its number, in a bounded number of queries.

    An identifier is looked for as it stands and in every form that it may have had before a spreadsheet changed it.
    """
    known = find_by_identifiers(store, {pair for each in norms.values() for pair in each.items()})
    listed = list(rows)
    restored = restore_numbers(store, listed)
    lossy = {(row.number, kind) for row in listed for name, kind in KINDS if is_lossy(row.damage.get(name))}
    found = {}
    for number, each in norms.items():
        kept, systems = {}, {}
        for kind, norm in each.items():
            as_sent = {norm: [s for s, _ in known[kind, norm]]} if (kind, norm) in known else {}
            hits = {**as_sent, **restored.get((number, kind), {})}
            systems[kind] = tuple(dict.fromkeys(s for named in hits.values() for s in named))
            if hits or (number, kind) not in lossy:
                kept[kind] = next(iter(hits)) if len(hits) == 1 else norm
        found[number] = Found(norms=kept, systems=systems)
    return found


def load_known(store: Store, found: Iterable[Found], licences: Licences, today: dt.date) -> dict[str, Known]:
    """Every system that some row's identifiers lead to, as it is on `today`; their history is left out."""
    rows = list(found)
    wanted = {s for each in rows for systems in each.systems.values() for s in systems}
    stored = load_history(store, sorted(wanted | {each.remembered for each in rows if each.remembered}))
    bare = {key: replace(one, events=()) for key, one in stored.items()}
    return {key: Known(stored=one, system=read_domain(one, licences, as_of=today)[0]) for key, one in bare.items()}


def place_row(row: ReadRow, found: Found, known: Mapping[str, Known]) -> Place:
    """The system of the inventory that a row is of; `NOT_IN_INVENTORY` when it has none that comes into question."""
    place = _by_numbers(row, found, known)
    decided = known.get(found.remembered)
    if place.doubt in DECIDED_BY_NUMBERS and decided is not None and decided.system.status not in _NOT_THERE:
        return Place(system=found.remembered, matched_by=REMEMBERED)
    return place


_NOT_THERE = ("provisional", "removed")


def _by_numbers(row: ReadRow, found: Found, known: Mapping[str, Known]) -> Place:
    listed = {k: [s for s in ids if s in known and not known[s].is_provisional] for k, ids in found.systems.items()}
    permit, parcel, address = (listed.get(k, []) for k in (PERMIT, PARCEL, ADDRESS))
    if permit:
        spoilt = row.damage.get("permit_number")
        both = [s for s in parcel if s in permit or (spoilt and spoilt.could_be(known[s].number("permit_number")))]
        both = both if len(permit) > 1 else permit
        if len(both) != 1:
            return Place(doubt=Doubt.SEVERAL, candidates=tuple(permit))
        if both[0] not in parcel and not _parcel_agrees(row, found, known[both[0]]):
            return Place(doubt=Doubt.DISAGREE, candidates=tuple(dict.fromkeys((*both, *parcel))))
        # A number that holds little must not go against the address, where the inventory knows that too.
        if is_lossy(spoilt) and both[0] not in parcel and address and both[0] not in address:
            return Place(doubt=Doubt.DISAGREE, candidates=tuple(dict.fromkeys((*both, *address))))
        return Place(system=both[0])
    if parcel and row.text("permit_number"):
        if not found.systems.get(PERMIT):
            return Place(doubt=Doubt.PERMIT_UNKNOWN, candidates=tuple(parcel))
    elif parcel:
        if len(parcel) > 1:
            return Place(doubt=Doubt.SEVERAL, candidates=tuple(parcel))
        if is_lossy(row.damage.get("parcel_number")) and address and parcel[0] not in address:
            return Place(doubt=Doubt.DISAGREE, candidates=tuple(dict.fromkeys((*parcel, *address))))
        return Place(system=parcel[0])
    if address and not any(found.systems.get(kind) for kind in (PERMIT, PARCEL)):
        return Place(doubt=Doubt.ONLY_ADDRESS, candidates=tuple(address))
    return Place(doubt=Doubt.NOT_IN_INVENTORY)


def _parcel_agrees(row: ReadRow, found: Found, known: Known) -> bool:
    """Whether a report's parcel number does not contradict the one on file of the system that its permit names.

    The permit tells the system; of the parcel's number only the digits and letters need be the same.
    """
    on_file = known.number("parcel_number")
    if not on_file or not row.text("parcel_number"):
        return True
    spoilt = row.damage.get("parcel_number")
    if spoilt is not None and spoilt.could_be(on_file):
        return True
    if found.systems.get(PARCEL):
        return False
    return _bare(normalize_identifier(row.text("parcel_number"))) == _bare(on_file)


def _bare(norm: str) -> str:
    return norm.replace("-", "").lstrip("0")


@dataclass(kw_only=True)
class Opening:
    """The systems that earlier rows of a submission opened provisionally (SPS 383.255(2)(b)3)."""

    by_norm: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    with_permit: set[str] = field(default_factory=set)

    def note(self, system: str, norms: Mapping[str, str]) -> None:
        """Remember what a provisional system is called."""
        for pair in norms.items():
            self.by_norm.setdefault(pair, {})[system] = None
        if PERMIT in norms:
            self.with_permit.add(system)


def place_unknown(found: Found, known: Mapping[str, Known], opening: Opening) -> Place:
    """The provisional system that a row of a place outside the inventory belongs to; no system: a new one is to be
    opened.

    The permit tells; a parcel alone, where one system has it; a permit joins the one of its parcel that has none.
    """
    named = {kind: _provisional(kind, found, known, opening) for kind in (PERMIT, PARCEL, ADDRESS)}
    if named[PERMIT]:
        return Place(system=named[PERMIT][0], doubt=Doubt.NOT_IN_INVENTORY)
    here = named[PARCEL] if PARCEL in found.norms else named[ADDRESS]
    if PERMIT in found.norms:
        here = [s for s in here if PARCEL in found.norms and not _has_permit(s, known, opening)]
    elif len(here) > 1:
        return Place(doubt=Doubt.SEVERAL, candidates=tuple(here))
    return Place(system=here[0] if len(here) == 1 else None, doubt=Doubt.NOT_IN_INVENTORY)


def _provisional(kind: str, found: Found, known: Mapping[str, Known], opening: Opening) -> list[str]:
    stored = [s for s in found.systems.get(kind, ()) if s in known and known[s].is_provisional]
    opened: Sequence[str] = tuple(opening.by_norm.get((kind, found.norms[kind]), ())) if kind in found.norms else ()
    return list(dict.fromkeys((*stored, *opened)))


def _has_permit(system: str, known: Mapping[str, Known], opening: Opening) -> bool:
    return system in opening.with_permit or (system in known and bool(known[system].number("permit_number")))
