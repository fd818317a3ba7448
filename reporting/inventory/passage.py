"""What goes from one record to the other when two are merged. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from reporting.ids import new_ids
from reporting.intake.tanks import Tank
from reporting.inventory.drafts import Part
from reporting.reviews.decisions import Move
from reporting.store.facts import StoredHistory

Row = Mapping[str, Any]
_COMPARED: Final[Mapping[str, tuple[str, ...]]] = {
    "contract": ("license_norm", "from_on", "to_on", "kind"),
    "fact": ("kind", "valid_from", "content"),
    "designation": (),  # any designation of the kept record goes before those of the other
}


@dataclass(frozen=True, kw_only=True)
class Passage:
    """What goes from one record to the other, before anything is written.

    parts: the components that the kept record has not. rows: (table, row of the other record, whether the kept one
    takes it); what it has already it does not take.
    """

    kept: StoredHistory
    other: StoredHistory
    moves: list[Move] = field(default_factory=list)
    parts: Mapping[Part, Row] = field(default_factory=dict)
    rows: list[tuple[str, Row, bool]] = field(default_factory=list)


def plan_passage(kept: StoredHistory, other: StoredHistory, leave: str, now: datetime) -> Passage:
    """All that is on file of `other` and how it goes over to `kept`. leave: a kind of fact that stays where it is."""
    mapped = _map_parts(kept, other)
    held = _by_part(kept)
    ids = new_ids("rep", now, len(other.events))
    moves = []
    for fresh, event in zip(ids, other.events, strict=True):
        part = Part(event["component"], event["component_ref"])
        to = mapped.get(part, part)
        moves.append(Move(report=event, fresh=fresh, system=kept.system_id, tank=Tank(kind=to.component, ref=to.ref)))
    rows: list[tuple[str, Row, bool]] = []
    for table, ours, theirs in (
        ("designation", kept.designations, other.designations),
        ("contract", kept.contracts, other.contracts),
        ("fact", _facts(kept), _facts(other)),
    ):
        columns = _COMPARED[table]
        known = [[row[name] for name in columns] for row in ours]
        going = (row for row in theirs if table != "fact" or row["kind"] != leave)
        rows += [(table, row, [row[name] for name in columns] not in known) for row in going]
    parts = {mapped[part]: row["content"] for part, row in _by_part(other).items() if mapped[part] not in held}
    return Passage(kept=kept, other=other, moves=moves, parts=parts, rows=rows)


def _facts(stored: StoredHistory) -> list[Row]:
    return [row for rows in stored.facts.values() for row in rows]


def _by_part(stored: StoredHistory) -> dict[Part, Row]:
    return {Part(row["component"], row["component_ref"]): row for row in stored.components}


def _map_parts(kept: StoredHistory, other: StoredHistory) -> dict[Part, Part]:
    """Which tank of the kept record each of the other's is: the one of its name, or the only one of its kind."""
    held, given = _by_part(kept), _by_part(other)
    ours, theirs = (Counter(part.component for part in parts) for parts in (held, given))
    only = {part.component: part for part in held if ours[part.component] == 1}

    def same(part: Part) -> Part:
        alone = part not in held and theirs[part.component] == 1
        return only.get(part.component, part) if alone else part

    return {part: same(part) for part in given}
