"""Systems that reports opened provisionally (SPS 383.255(2)(b)3) and that no report is of any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from reporting import tables
from reporting.histories import PROVISIONAL
from reporting.store.engine import Store
from reporting.store.facts import end_versions, insert_system_versions, load_history
from reporting.store.matching import ADDRESS, PARCEL, PERMIT, drop_identifiers
from reporting.store.near import load_places
from reporting.store.reviews import count_events

REMOVED: Final = "removed"
_NAMES: Final = ("permit_number", "parcel_number", "site_address", "municipality")


def remove_empty(store: Store, systems: Iterable[str], seq: int) -> list[str]:
    """Take those of these systems off the lists that are provisional and have no report left; the record keeps them.

    seq: the entry that took their last report away. Gives the systems removed.
    """
    empty = [system for system, count in count_events(store, dict.fromkeys(systems)).items() if count == 0]
    stored = load_history(store, empty)
    gone = {k: one.system for k, one in stored.items() if one.system and one.system["status"] == PROVISIONAL}
    end_versions(store, tables.system_version, [{"system": system} for system in gone], seq)
    rows: list[dict[str, Any]] = [
        {
            **{name: row[name] for name in _NAMES},
            "system": system,
            "seq": seq,
            "status": REMOVED,
            "content": {"status": REMOVED},
        }
        for system, row in gone.items()
    ]
    insert_system_versions(store, rows)
    drop_identifiers(store, gone, [PERMIT, PARCEL, ADDRESS])
    return list(gone)


def is_provisional(store: Store, system: str) -> bool:
    """Whether a system was opened by a report and is not in the inventory yet."""
    place = load_places(store, [system]).get(system)
    return place is not None and place["status"] == PROVISIONAL
