"""What a file would change: each system's draft held against what is stored of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, NamedTuple

from reporting.histories import PROVISIONAL
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.inventory.agreements import (
    Baseline,
    NewContract,
    current_designation,
    new_baselines,
    new_contract,
    new_designation,
    new_exemption,
)
from reporting.inventory.drafts import Draft, Part, part_content, plan_of
from reporting.inventory.versions import Row, next_owner, next_part, next_system, owner_of, place_of
from reporting.store.facts import StoredHistory
from reporting.store.matching import ADDRESS, PARCEL, PERMIT

_NORMALIZE: Final = {
    PERMIT: ("permit_number", normalize_identifier),
    PARCEL: ("parcel_number", normalize_identifier),
    ADDRESS: ("site_address", normalize_address),
}


class Difference(NamedTuple):
    """One value that is another in the file."""

    field: str
    before: Any
    after: Any


class Renaming(NamedTuple):
    """An identifier that is another now: its normal form before and after, "" for none."""

    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is to be written of one system; what is empty or None stays as it is.

    `version`: the columns of `system_version`; `owner`, `designation`, `exemption`: those of their tables but for the
    keys. `dropped`: components to end. `identifiers`: kind → what it was and is, for the kinds that change. `upgrades`:
    the system was opened by a report and comes into the inventory now.
    """

    draft: Draft
    system: str | None
    version: Row | None
    parts: Mapping[Part, Row]
    owner: Row | None
    designation: Row | None
    contract: NewContract | None
    exemption: Row | None
    baselines: tuple[Baseline, ...]
    identifiers: Mapping[str, Renaming]
    municipality: str | None
    contractor: str | None
    upgrades: bool = False
    dropped: frozenset[Part] = frozenset()
    differences: tuple[Difference, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the file says nothing new of the system."""
        return self.system is not None and not self.differences


def compare(draft: Draft, stored: StoredHistory | None, given: frozenset[str], today: date) -> Change:
    """What is new in a draft. `stored` None: the county does not have the system yet.

    A column that the file does not have leaves its value as it is; an empty cell of one that it has clears what the
    inventory alone keeps (system, component, owner), and leaves what is filed by others too (designation, contract,
    exemption, last services).
    """
    old_parts, old, old_owner = _parts_of(stored), place_of(stored), owner_of(stored)
    upgrades = old.get("status") == PROVISIONAL
    # What reports said of a system that was not in the inventory gives way to the inventory.
    supposed = set(old_parts) - set(draft.parts) if upgrades else set()
    old_parts = {part: content for part, content in old_parts.items() if part not in supposed}
    plan = plan_of(draft.values)
    parts = {
        part: next_part(old_parts.get(part), part_content(values, plan), given, today, values.get("meter_since"))
        for part, values in draft.parts.items()
    }
    version = next_system(draft, old, {**old_parts, **parts}.values(), given, today)
    owner = next_owner(draft, old_owner, given, today)
    designation = new_designation(draft, stored, today)
    current = designation or current_designation(stored)
    change = Change(
        draft=draft,
        system=stored.system_id if stored else None,
        version=version if version != old else None,
        parts={part: content for part, content in parts.items() if content != old_parts.get(part)},
        owner=owner if owner != old_owner else None,
        designation=designation,
        contract=new_contract(draft, stored),
        exemption=new_exemption(draft, stored),
        baselines=tuple(new_baselines(draft, stored)),
        identifiers=dict(_identifiers(draft, old, version)),
        municipality=version["municipality"],
        contractor=current["license_norm"] if current else None,
        upgrades=upgrades,
        dropped=frozenset(supposed),
    )
    return change if stored is None else replace(change, differences=tuple(_all_differences(change, stored)))


def _all_differences(change: Change, stored: StoredHistory) -> Iterator[Difference]:
    if change.version is not None:
        yield from _differences("", _flat(place_of(stored)), _flat(change.version))
    old_parts = _parts_of(stored)
    for part, content in change.parts.items():
        yield from _differences(_named(part), old_parts.get(part, {}), content)
    if change.owner is not None:
        yield from _differences("", _owner_view(owner_of(stored)), _owner_view(change.owner))
    for baseline in change.baselines:
        yield Difference(f"{_named(baseline.part)}last_{baseline.event_type}", None, baseline.on)
    if change.contract is not None:
        replaced = {row["seq"]: row for row in stored.contracts}.get(change.contract.replaces or 0)
        yield Difference("contract", _plain(replaced) if replaced else None, _plain(change.contract.columns))
    for name in ("designation", "exemption"):
        if row := getattr(change, name):
            yield Difference(name, None, _plain(row))


def _parts_of(stored: StoredHistory | None) -> dict[Part, Row]:
    rows = stored.components if stored else ()
    return {Part(row["component"], row["component_ref"]): row["content"] for row in rows}


def _identifiers(draft: Draft, old: Row, new: Row) -> Iterator[tuple[str, Renaming]]:
    for kind, (name, normalize) in _NORMALIZE.items():
        written_before, written = old.get(name) or "", new[name] or ""
        if written_before == written:
            continue
        after = draft.norm(name) if written == draft.values.get(name) else normalize(written)
        found = Renaming(normalize(written_before) if written_before else "", after)
        if found.before != found.after:
            yield kind, found


def _owner_view(row: Row) -> dict[str, Any]:
    since = row["valid_from"]
    shown = {"name": row["name"], "email": row["email"], **row["content"]}
    return {**shown, "owner_since": since.isoformat() if since else None}


def _flat(row: Row) -> dict[str, Any]:
    """A row's columns and the keys of its content side by side."""
    return {key: value for key, value in row.items() if key != "content"} | dict(row.get("content", {}))


def _plain(row: Row) -> dict[str, Any]:
    """The columns of a row that say something, for people and for JSON."""
    shown = ((name, row[name]) for name in row if name not in ("county", "system", "seq", "ended_seq", "content"))
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in shown if value is not None}


def _differences(prefix: str, old: Row, new: Row) -> Iterator[Difference]:
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if isinstance(before, Mapping) or isinstance(after, Mapping):
            yield from _differences(f"{prefix}{key}.", before or {}, after or {})
        elif before != after:
            yield Difference(f"{prefix}{key}", before, after)


def _named(part: Part) -> str:
    return f"{part.component}{f' {part.ref}' if part.ref else ''}: "
