"""Reports that waited because their system was not in the inventory: decided by the import that brings it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reporting.intake.places import Doubt
from reporting.inventory.changes import Change
from reporting.inventory.drafts import Part
from reporting.reviews.decisions import Verdict
from reporting.store.engine import Store
from reporting.store.facts import load_events
from reporting.store.matching import resolve_review
from reporting.store.reviews import open_reviews

BY_IMPORT: Final = "inventory import"
"""Who has decided a review that an import closed."""


def close_reviews(store: Store, numbered: Sequence[tuple[Change, str, int]]) -> int:
    """Close the reviews of systems that come into the inventory; gives how many. The rows' answers stay as they were.

    A report that does not say for certain which of the tanks it is of goes on waiting.
    """
    upgraded = {system: (change, seq) for change, system, seq in numbered if change.upgrades}
    waiting = [
        row for row in open_reviews(store, systems=list(upgraded)) if row["reason"] == Doubt.NOT_IN_INVENTORY.value
    ]
    events = load_events(store, [row["event"] for row in waiting])
    closed = 0
    for row in waiting:
        change, seq = upgraded[row["system"]]
        if _is_certain(events[row["event"]], change.draft.parts):
            state = Verdict.MATCHED.value
            closed += resolve_review(store, row["id"], state=state, system=row["system"], seq=seq, by=BY_IMPORT)
    return closed


def _is_certain(event: Mapping[str, Any], parts: Mapping[Part, object]) -> bool:
    """Whether the report is of one of the tanks and of no other."""
    of_kind: defaultdict[str, list[str]] = defaultdict(list)
    for part in parts:
        of_kind[part.component].append(part.ref)
    if not event["component"]:
        return all(len(refs) == 1 for refs in of_kind.values())
    refs = of_kind[event["component"]]
    return event["component_ref"] in refs if event["component_ref"] else len(refs) == 1
