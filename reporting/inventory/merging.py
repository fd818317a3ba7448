"""Two records of one system made one: what is on file of the one goes to the other, and the dates follow.

The record that is kept goes before: what it says itself stays, and the other one fills the gaps. Reports, contracts and
other facts go over as new versions, each under an entry of its own in the county's record, so that what was known
before stays answerable (`known_at`). The record merged away stays on file, says where it went, and can be brought back
(`reporting.inventory.unmerging`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from reporting import tables
from reporting.errors import DecisionRefused, ReasonMissing, RecordNotFound
from reporting.histories import PROVISIONAL, STATUS_SINCE
from reporting.ids import new_id
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.inventory.drafts import PLACE
from reporting.inventory.finding import name_of_place
from reporting.inventory.passage import Passage, Row, plan_passage
from reporting.receipts import Receipt, receipts_for
from reporting.reviews.decisions import Move, replace_versions
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import (
    StoredHistory,
    end_versions,
    insert_components,
    insert_contracts,
    insert_designations,
    insert_facts,
    insert_owners,
    insert_system_versions,
    load_history,
)
from reporting.store.inventory import FORMER_PARCEL, MERGED, drop_names, hold_inventory, identifiers_of, settle_parcels
from reporting.store.log import Appended, NewEntry, append, checkpoint, hold
from reporting.store.matching import PARCEL, PERMIT, add_identifiers, find_by_identifiers, insert_reviews
from reporting.store.reviews import close_reviews_of, open_reviews
from reporting.store.signing import Signer

MERGE: Final = "merge"
"""The kind of fact that a record was merged away, and the type of its entries."""
MERGED_INTO: Final = "merged_into"
"""Where the content of a merged record says which one is kept."""
REMOVED: Final = "removed"
_TABLES: Final = {"contract": tables.contract, "fact": tables.fact, "designation": tables.designation}
INSERTS: Final = {"contract": insert_contracts, "fact": insert_facts, "designation": insert_designations}

MADE, MOVED, BOTH = "made", "moved", "both"
"""Of a name that finds the kept record: it is new, only the other one had it, both had it."""


@dataclass(frozen=True, kw_only=True)
class Merger:
    """Who merges, when (`today`: the county's date), why, and the key that signs for it."""

    by: str
    now: datetime
    today: date
    reason: str
    signer: Signer


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What came of it. reports: the id of each report before → now; moved: how many of what else went over.

    Both systems are to be judged anew.
    """

    kept: str
    other: str
    reports: Mapping[str, str]
    moved: Mapping[str, int]
    receipt: Receipt

    def as_json(self) -> dict[str, object]:
        """The answer as plain JSON values."""
        return {
            "system": self.kept,
            "other": self.other,
            "reports": dict(self.reports),
            "moved": dict(self.moved),
            "receipt": self.receipt.to_json(),
        }


def merge_systems(store: Store, kept_id: str, other_id: str, merger: Merger) -> Merged:
    """Merge the record `other_id` into `kept_id`. Raises RecordNotFound, DecisionRefused, ReasonMissing."""
    check_merger(merger)
    hold_inventory(store)
    hold(store)
    if kept_id == other_id:
        raise DecisionRefused("Name two records: this is one.")
    histories = load_history(store, [kept_id, other_id])
    kept, other = (_mergeable(histories.get(key)) for key in (kept_id, other_id))
    passage = plan_passage(kept, other, MERGE, merger.now)
    appended = append(store, _entries(passage, merger), merger.now)
    seq = appended[0].seq
    after_moves = len(passage.moves) + 1
    moves = [replace(m, seq=entry.seq) for m, entry in zip(passage.moves, appended[1:after_moves], strict=True)]
    move_reports(store, moves, merger)
    taken = _take_rows(store, passage, appended[after_moves:])
    filled = _fill(store, passage, seq)
    names = _take_names(store, passage)
    _send_away(store, passage, seq, merger)
    content = {
        "into": kept_id, "by": merger.by, "reason": merger.reason, "filled": filled, "names": names, "rows": taken,
        "reports": {m.fresh: [m.report["component"], m.report["component_ref"]] for m in moves},
        "parts": [list(part) for part in passage.parts],
    }  # fmt: skip
    fact = {"kind": MERGE, "system": other_id, "seq": seq, "id": f"{MERGE}_{seq}", "valid_from": merger.today}
    insert_facts(store, [{**fact, "content": content}])
    mark_dirty(store, [kept_id, other_id])
    moved = Counter(table for table, _row, takes in passage.rows if takes)
    return Merged(
        kept=kept_id,
        other=other_id,
        reports={m.report["id"]: m.fresh for m in moves},
        moved={"component": len(passage.parts), **moved},
        receipt=receipts_for(appended, checkpoint(store, merger.signer, merger.now))[0],
    )


def merged_into(stored: StoredHistory) -> str | None:
    """The record into which this one was merged; None for one that stands."""
    found = stored.system["content"].get(MERGED_INTO) if stored.system else None
    return str(found) if found else None


def record_named(store: Store, name: str) -> str:
    """The record that a person names: by its id, or by the permit number that it alone has.

    Raises RecordNotFound, DecisionRefused where several records have the number.
    """
    if name in load_history(store, [name]):
        return name
    norm = normalize_identifier(name)
    found = sorted({system for system, _ in find_by_identifiers(store, [(PERMIT, norm)]).get((PERMIT, norm), ())})
    if len(found) > 1:
        raise DecisionRefused(f"Several records have the permit number {norm}: give the id, {' or '.join(found)}.")
    if not found:
        raise RecordNotFound
    return found[0]


def check_merger(merger: Merger) -> None:
    """Raise ReasonMissing for a merger without its reason, DecisionRefused for one that is no sentence."""
    if not merger.reason.strip():
        raise ReasonMissing
    if len(merger.reason) > 2_000 or "\x00" in merger.reason:
        raise DecisionRefused("Give the reason in at most 2,000 characters.")


def _mergeable(stored: StoredHistory | None) -> StoredHistory:
    if stored is None or stored.system is None:
        raise RecordNotFound
    if gone := merged_into(stored):
        raise DecisionRefused(f"The record {stored.system_id} was merged into {gone} before.")
    if stored.system["status"] == PROVISIONAL:
        raise DecisionRefused("A system that a report opened is decided by its reviews: match its reports instead.")
    return stored


def _entries(passage: Passage, merger: Merger) -> list[NewEntry]:
    said = {"kept": passage.kept.system_id, "other": passage.other.system_id, "by": merger.by}
    entries = [NewEntry(type=MERGE, content=said, words={"reason": merger.reason})]
    for m in passage.moves:
        content = {
            "decision": "merged", "id": m.fresh, "supersedes": m.report["id"], "from_system": m.report["system"],
            "system": m.system, "component": m.tank.kind, "component_ref": m.tank.ref, "by": merger.by,
        }  # fmt: skip
        entries.append(NewEntry(type="placement", content=content))
    for table, row, takes in passage.rows:
        entries.append(NewEntry(type=MERGE, content={**said, "part": table, "of": row["seq"], "kept_on": takes}))
    return entries


def move_reports(store: Store, moves: Sequence[Move], merger: Merger) -> None:
    """Reports into the other record; those that wait for a person wait on as what they are now."""
    replace_versions(store, moves)
    moved = {m.report["id"]: m for m in moves}
    waiting = open_reviews(store, events=moved)
    for row in waiting:
        close_reviews_of(store, row["event"], state="moved", seq=moved[row["event"]].seq, by=merger.by)
    names = ("state", "reason", "candidates")
    insert_reviews(
        store,
        [
            {
                **{name: row[name] for name in names}, "id": new_id("rev", merger.now), "system": m.system,
                "event": m.fresh, "created_seq": m.seq,
            }
            for row in waiting
            for m in (moved[row["event"]],)
        ],
    )  # fmt: skip


def _take_rows(store: Store, passage: Passage, entries: Sequence[Appended]) -> list[dict[str, Any]]:
    """End designations, contracts and facts of the other record and add them to the kept one; says which are where."""
    taken: list[dict[str, Any]] = []
    for (table, row, takes), entry in zip(passage.rows, entries, strict=True):
        move_row(store, table, row, passage.kept.system_id if takes else None, entry.seq)
        kind = {"kind": row["kind"]} if table == "fact" else {}
        taken.append({"table": table, **kind, "of": row["seq"], "now": entry.seq if takes else None})
    return taken


def move_row(store: Store, table: str, row: Row, system: str | None, seq: int) -> None:
    """End a row of a versioned table and, with a system, add it there: the same fact under another number."""
    key = {name: row[name] for name in ("system", "seq", "kind") if name != "kind" or table == "fact"}
    end_versions(store, _TABLES[table], [key], seq)
    if system is not None:
        own = {name: value for name, value in row.items() if name not in ("county", "ended_seq")}
        INSERTS[table](store, [{**own, "system": system, "seq": seq}])


def _fill(store: Store, passage: Passage, seq: int) -> dict[str, Any]:
    """Give the kept record what only the other one has; says what."""
    kept, other = passage.kept, passage.other
    assert kept.system is not None
    assert other.system is not None
    row, theirs, system = kept.system, other.system, kept.system_id
    place = [name for name in PLACE if not row[name] and theirs[name]]
    own = [k for k in theirs["content"] if k not in row["content"] and k not in ("status", STATUS_SINCE)]
    if place or own:
        version = {name: theirs[name] if name in place else row[name] for name in PLACE}
        content = {**row["content"], **{name: theirs["content"][name] for name in own}}
        end_versions(store, tables.system_version, [{"system": system}], seq)
        new = {**version, "system": system, "seq": seq, "status": row["status"], "content": content}
        insert_system_versions(store, [new])
    parts = [
        {"system": system, "component": part.component, "component_ref": part.ref, "seq": seq, "content": content}
        for part, content in passage.parts.items()
    ]
    insert_components(store, parts)
    owned = other.owner is not None and bool(other.owner["name"]) and not (kept.owner and kept.owner["name"])
    if owned and other.owner is not None:
        end_versions(store, tables.owner_version, [{"system": system}], seq)
        names = ("name", "email", "valid_from", "content")
        insert_owners(store, [{**{name: other.owner[name] for name in names}, "system": system, "seq": seq}])
    return {"place": place, "content": own, "owner": owned}


def _take_names(store: Store, passage: Passage) -> list[list[str]]:
    """What found the other record finds the kept one; a parcel of its own only while no other system has it."""
    system, other = passage.kept.system_id, passage.other.system_id
    kept_row, other_row = passage.kept.system or {}, passage.other.system or {}
    theirs = identifiers_of(store, [other]).get(other, [])
    held = {(row["kind"], row["norm"]) for row in identifiers_of(store, [system]).get(system, [])}
    made: list[tuple[str, str]] = []
    parcels = [normalize_identifier(row.get("parcel_number") or "") for row in (kept_row, other_row)]
    if all(parcels) and parcels[0] != parcels[1]:
        made.append((FORMER_PARCEL, parcels[1]))
    for row in (kept_row, other_row):
        if not row.get("permit_number") and (name := _listed_as(row)):
            made.append((MERGED, name))
    drop_names(store, theirs)
    add_identifiers(store, [{**row, "system": system} for row in theirs])
    add_identifiers(store, [{"kind": kind, "norm": norm, "system": system} for kind, norm in made])
    settle_parcels(store, [row["norm"] for row in theirs if row["kind"] in (PARCEL, FORMER_PARCEL)])
    found = {(row["kind"], row["norm"]): BOTH if (row["kind"], row["norm"]) in held else MOVED for row in theirs}
    return [[*pair, how] for pair, how in ({pair: MADE for pair in made if pair not in held} | found).items()]


def _listed_as(row: Row) -> str:
    parcel, address = normalize_identifier(row["parcel_number"] or ""), normalize_address(row["site_address"] or "")
    return name_of_place(parcel, address) if parcel and address else ""


def _send_away(store: Store, passage: Passage, seq: int, merger: Merger) -> None:
    """The other record's next version: out of use since today, and where it went."""
    row, system = passage.other.system or {}, passage.other.system_id
    end_versions(store, tables.system_version, [{"system": system}], seq)
    content = {"status": REMOVED, STATUS_SINCE: merger.today.isoformat(), MERGED_INTO: passage.kept.system_id}
    version = {**{name: row[name] for name in PLACE}, "system": system, "seq": seq, "status": REMOVED}
    insert_system_versions(store, [{**version, "content": content}])
