"""The changes of an inventory into the store: one log entry for each system, everything else in a few statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Any, Final

from reporting import tables
from reporting.ids import new_ids
from reporting.inventory.changes import Change
from reporting.inventory.upgrading import close_reviews
from reporting.store.encoding import canonical_json
from reporting.store.engine import Store
from reporting.store.facts import (
    end_each,
    insert_components,
    insert_contracts,
    insert_designations,
    insert_events,
    insert_facts,
    insert_owners,
    insert_system_versions,
    insert_systems,
)
from reporting.store.inventory import FORMER_PARCEL, drop_names, settle_parcels
from reporting.store.log import NewEntry, append
from reporting.store.matching import PARCEL, add_identifiers, drop_identifiers
from reporting.store.rows import Row, tenant_rows, upsert_rows

_MARKED: Final = frozenset({"dirty", "contractor", "municipality"})
_KEPT: Final = frozenset(tables.standing.columns.keys()) - _MARKED - {"county", "system"}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where the changes come from: who sent which file, and when (`today`: the county's date of `now`)."""

    principal: str
    file_name: str | None
    file_sha256: str
    now: datetime
    today: date


def write_changes(store: Store, changes: Sequence[Change], origin: Origin) -> list[str]:
    """Write changes (none of them empty) and mark their systems for assessment; gives the system id of each."""
    if not changes:
        return []
    fresh = iter(new_ids("sys", origin.now, sum(change.system is None for change in changes)))
    systems = [change.system or next(fresh) for change in changes]
    entries = [_entry(change, system, origin) for change, system in zip(changes, systems, strict=True)]
    seqs = [entry.seq for entry in append(store, entries, origin.now)]
    numbered = list(zip(changes, systems, seqs, strict=True))
    _end(store, numbered)
    _insert_facts(store, numbered, origin)
    insert_events(store, _baseline_rows(numbered, origin))
    _set_identifiers(store, numbered)
    close_reviews(store, numbered)
    _mark(store, numbered)
    return systems


Numbered = Sequence[tuple[Change, str, int]]


def _entry(change: Change, system: str, origin: Origin) -> NewEntry:
    """The log entry: what sort of facts came of it. What they say stands in its detail, which can be destroyed."""
    facts = {
        "system": change.version,
        "component": change.parts,
        "owner": change.owner,
        "designation": change.designation,
        "contract": change.contract,
        "exemption": change.exemption,
        "event": change.baselines,
    }
    content = {
        "system": system,
        "change": "added" if change.system is None else "changed",
        "principal": origin.principal,
        "file_sha256": origin.file_sha256,
        "rows": change.draft.rows,
        "facts": [name for name, value in facts.items() if value],
    }
    return NewEntry(type="inventory", content=content, raw=b"\n".join(change.draft.raw))


def _end(store: Store, numbered: Numbered) -> None:
    """End what changes put something else in the place of."""
    ended: defaultdict[str, list[tuple[Row, int]]] = defaultdict(list)
    for change, system, seq in numbered:
        if change.system is None:
            continue
        if change.version is not None:
            ended["system_version"].append(({"system": system}, seq))
        if change.owner is not None:
            ended["owner_version"].append(({"system": system}, seq))
        for part in {*change.parts, *change.dropped}:
            key = {"system": system, "component": part.component, "component_ref": part.ref}
            ended["component_version"].append((key, seq))
        for baseline in change.baselines:
            if baseline.replaces:
                ended["event"].append(({"id": baseline.replaces}, seq))
        if change.contract is not None and change.contract.replaces is not None:
            ended["contract"].append(({"system": system, "seq": change.contract.replaces}, seq))
    for name, keys in ended.items():
        end_each(store, tables.metadata.tables[name], keys)


def _insert_facts(store: Store, numbered: Numbered, origin: Origin) -> None:
    added = [{"id": system, "created_seq": seq} for change, system, seq in numbered if change.system is None]
    insert_systems(store, added)
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for change, system, seq in numbered:
        base = {"system": system, "seq": seq}
        if change.version is not None:
            rows["version"].append({**base, **change.version})
        if change.owner is not None:
            rows["owner"].append({**base, **change.owner})
        if change.designation is not None:
            rows["designation"].append({**base, **change.designation})
        if change.contract is not None:
            rows["contract"].append({**base, **change.contract.columns})
        if change.exemption is not None:
            granted_on = date.fromisoformat(change.exemption["granted_on"])
            fact = {
                "kind": "exemption",
                "id": f"exemption_{seq}",
                "valid_from": granted_on,
                "content": change.exemption,
            }
            rows["fact"].append({**base, **fact})
        rows["component"] += [
            {**base, "component": part.component, "component_ref": part.ref, "content": content}
            for part, content in change.parts.items()
        ]
    insert_system_versions(store, rows["version"])
    insert_components(store, rows["component"])
    insert_owners(store, rows["owner"])
    insert_designations(store, rows["designation"])
    insert_contracts(store, rows["contract"])
    insert_facts(store, rows["fact"])


def _baseline_rows(numbered: Numbered, origin: Origin) -> list[Row]:
    """Baseline events: services of before, never received as a report and so never late."""
    found = [(b, system, seq) for change, system, seq in numbered for b in change.baselines]
    ids = new_ids("rep", origin.now, len(found))
    rows: list[Row] = []
    for event_id, (b, system, seq) in zip(ids, found, strict=True):
        identity = f"baseline:{system}:{b.part.component}:{b.part.ref}:{b.event_type}"
        content: Mapping[str, Any] = {"baseline": True}
        rows.append(
            {
                "id": event_id,
                "seq": seq,
                "system": system,
                "component": b.part.component,
                "component_ref": b.part.ref,
                "event_type": b.event_type,
                "service_date": date.fromisoformat(b.on),
                "received_at": origin.now,
                "first_received_at": origin.now,
                "identity": identity,
                "content_sha": sha256(canonical_json({"on": b.on, **content})).hexdigest(),
                "historical": True,
                "content": content,
            }
        )
    return rows


def _set_identifiers(store: Store, numbered: Numbered) -> None:
    """What systems are found by. A parcel number that one had before still finds it, unless another system has it."""
    dropped: list[Row] = []
    added: list[Row] = []
    parcels: dict[str, None] = {}
    supposed: defaultdict[str, list[str]] = defaultdict(list)
    for change, system, _seq in numbered:
        for kind, (before, after) in change.identifiers.items():
            if kind == PARCEL:
                parcels.update(dict.fromkeys(norm for norm in (before, after) if norm))
            if change.upgrades:  # whatever reports called it
                supposed[kind].append(system)
            elif before and kind == PARCEL:
                added.append({"kind": FORMER_PARCEL, "norm": before, "system": system})
                dropped.append({"kind": FORMER_PARCEL, "norm": after, "system": system})
            elif before:
                dropped.append({"kind": kind, "norm": before, "system": system})
            if after:
                added.append({"kind": kind, "norm": after, "system": system})
    drop_names(store, dropped)
    for kind, systems in supposed.items():
        drop_identifiers(store, systems, [kind])
    add_identifiers(store, added)
    settle_parcels(store, parcels)


def _mark(store: Store, numbered: Numbered) -> None:
    """Note that the systems must be assessed, and what lists are filtered by until then; in order of their ids."""
    rows = [
        {
            "system": system, "state": "unknown", "dirty": True,
            "contractor": change.contractor, "municipality": change.municipality,
        }
        for change, system, _seq in sorted(numbered, key=lambda one: one[1])
    ]  # fmt: skip
    upsert_rows(store, tables.standing, tenant_rows(store, rows), keep=_KEPT)
