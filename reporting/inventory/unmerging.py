"""A merge of two records undone: what had come over goes back, under new entries in the county's record.

What was told of the kept record since stays with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reporting import tables
from reporting.errors import DecisionRefused, RecordNotFound
from reporting.ids import new_ids
from reporting.intake.tanks import Tank
from reporting.inventory.drafts import PLACE
from reporting.inventory.merging import (
    BOTH,
    MADE,
    MERGE,
    MOVED,
    Merged,
    Merger,
    check_merger,
    merged_into,
    move_reports,
    move_row,
)
from reporting.inventory.passage import Row
from reporting.receipts import receipts_for
from reporting.reviews.decisions import Move
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, end_versions, insert_owners, insert_system_versions, load_history
from reporting.store.inventory import drop_names, hold_inventory, settle_parcels
from reporting.store.log import NewEntry, append, checkpoint, hold
from reporting.store.matching import add_identifiers
from reporting.store.reviews import standing_versions


def undo_merge(store: Store, other_id: str, merger: Merger) -> Merged:
    """Bring a record back that was merged away. Raises RecordNotFound, DecisionRefused, ReasonMissing."""
    check_merger(merger)
    hold_inventory(store)
    hold(store)
    other = load_history(store, [other_id]).get(other_id)
    if other is None:
        raise RecordNotFound
    kept_id = merged_into(other)
    fact = next(iter(other.facts.get(MERGE, ())), None)
    if kept_id is None or fact is None:
        raise DecisionRefused(f"The record {other_id} was not merged into another one.")
    kept = load_history(store, [kept_id])[kept_id]
    if gone := merged_into(kept):
        raise DecisionRefused(f"The record {kept_id} was merged into {gone} since: bring that one back first.")
    told = fact["content"]
    moves = _moves_back(store, told["reports"], kept_id, other_id, merger)
    before = load_history(store, [other_id], fact["seq"] - 1)[other_id]
    rows = _rows_back(kept, before, told["rows"])
    said = {"kept": kept_id, "other": other_id, "by": merger.by}
    entries = [NewEntry(type=MERGE, content={**said, "undone": fact["seq"]}, words={"reason": merger.reason})]
    entries += [NewEntry(type="placement", content=_placement(m, merger)) for m in moves]
    entries += [NewEntry(type=MERGE, content={**said, "part": table, "of": row["seq"]}) for table, row in rows]
    appended = append(store, entries, merger.now)
    seq = appended[0].seq
    numbered = iter(appended[1:])
    move_reports(store, [replace(m, seq=next(numbered).seq) for m in moves], merger)
    for table, row in rows:
        move_row(store, table, row, other_id, next(numbered).seq)
    _parts_back(store, kept, told, seq)
    _empty(store, kept, before, told["filled"], seq)
    _names_back(store, kept_id, other_id, told["names"])
    _restore(store, before, seq)
    end_versions(store, tables.fact, [{"kind": MERGE, "system": other_id}], seq)
    mark_dirty(store, [kept_id, other_id])
    return Merged(
        kept=kept_id,
        other=other_id,
        reports={m.report["id"]: m.fresh for m in moves},
        moved={"component": len(told["parts"]), **Counter(table for table, _row in rows)},
        receipt=receipts_for(appended, checkpoint(store, merger.signer, merger.now))[0],
    )


def _moves_back(store: Store, reports: Mapping[str, Any], kept: str, other: str, merger: Merger) -> list[Move]:
    """The reports that had come over, as they stand now; what was taken back or moved on since stays where it is."""
    standing = standing_versions(store, reports)
    going = {key: row for key, row in standing.items() if row is not None and row["system"] == kept}
    ids = new_ids("rep", merger.now, len(going))
    moves = []
    for fresh, (key, row) in zip(ids, going.items(), strict=True):
        kind, ref = reports[key]
        moves.append(Move(report=row, fresh=fresh, system=other, tank=Tank(kind=kind, ref=ref)))
    return moves


def _placement(m: Move, merger: Merger) -> dict[str, Any]:
    return {
        "decision": "merge_undone", "id": m.fresh, "supersedes": m.report["id"], "from_system": m.report["system"],
        "system": m.system, "component": m.tank.kind, "component_ref": m.tank.ref, "by": merger.by,
    }  # fmt: skip


def _rows_back(kept: StoredHistory, before: StoredHistory, taken: list[Mapping[str, Any]]) -> list[tuple[str, Row]]:
    """The designations, contracts and facts that had come over and still hold, and those that had only been ended."""
    held, had = _rows_of(kept), _rows_of(before)
    found: list[tuple[str, Row]] = []
    for one in taken:
        name = (one["table"], one.get("kind", ""))
        row = had.get((*name, one["of"])) if one["now"] is None else held.get((*name, one["now"]))
        if row is not None:
            found.append((one["table"], row))
    return found


def _rows_of(stored: StoredHistory) -> dict[tuple[str, str, int], Row]:
    found: dict[tuple[str, str, int], Row] = {("designation", "", row["seq"]): row for row in stored.designations}
    found |= {("contract", "", row["seq"]): row for row in stored.contracts}
    return found | {("fact", kind, row["seq"]): row for kind, rows in stored.facts.items() for row in rows}


def _parts_back(store: Store, kept: StoredHistory, told: Mapping[str, Any], seq: int) -> None:
    came = {tuple(part) for part in told["parts"]}
    keys = [
        {"system": kept.system_id, "component": row["component"], "component_ref": row["component_ref"]}
        for row in kept.components
        if (row["component"], row["component_ref"]) in came
    ]
    end_versions(store, tables.component_version, keys, seq)


def _empty(store: Store, kept: StoredHistory, other: StoredHistory, filled: Mapping[str, Any], seq: int) -> None:
    """Take from the kept record what it had been filled with, where it still says the same."""
    row, theirs = kept.system, other.system
    assert row is not None
    assert theirs is not None
    place = {name: None for name in filled["place"] if row[name] == theirs[name]}
    content = row["content"]
    own = {name for name in filled["content"] if content.get(name) == theirs["content"].get(name)}
    if place or own:
        end_versions(store, tables.system_version, [{"system": kept.system_id}], seq)
        version = {**{name: row[name] for name in PLACE}, **place, "status": row["status"]}
        left = {name: value for name, value in content.items() if name not in own}
        insert_system_versions(store, [{**version, "system": kept.system_id, "seq": seq, "content": left}])
    if filled["owner"] and kept.owner and other.owner and kept.owner["name"] == other.owner["name"]:
        end_versions(store, tables.owner_version, [{"system": kept.system_id}], seq)
        nobody: dict[str, Any] = {"name": None, "email": None, "valid_from": None, "content": {}}
        insert_owners(store, [{**nobody, "system": kept.system_id, "seq": seq}])


def _names_back(store: Store, kept: str, other: str, names: list[list[str]]) -> None:
    drop_names(store, [{"kind": kind, "norm": norm, "system": kept} for kind, norm, how in names if how != BOTH])
    back = [{"kind": kind, "norm": norm, "system": other} for kind, norm, how in names if how != MADE]
    add_identifiers(store, back)
    settle_parcels(store, [norm for _kind, norm, how in names if how in (MOVED, BOTH)])


def _restore(store: Store, before: StoredHistory, seq: int) -> None:
    """The record's next version is what it was before the merge."""
    row = before.system
    assert row is not None
    end_versions(store, tables.system_version, [{"system": before.system_id}], seq)
    names = (*PLACE, "status", "content")
    insert_system_versions(store, [{**{name: row[name] for name in names}, "system": before.system_id, "seq": seq}])
