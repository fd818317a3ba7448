"""What a contractor sees of a county: the systems that name its business, by designation or by contract."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from reporting.api.calls import call, own_licences
from reporting.api.problems import absent
from reporting.histories import designated_license
from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history

NOBODY = frozenset({""})
"""A licence that no system has: a filter that asks for nothing would let everything through."""


def visible_systems(store: Store, systems: Sequence[str], today: dt.date) -> dict[str, StoredHistory]:
    """Of these systems, those that the caller may see in full, as they are known now."""
    own = call().own_system
    histories = load_history(store, systems if own is None else [key for key in systems if key == own])
    if call().is_staff or own is not None:
        return histories
    licences = own_licences(store)
    return {key: stored for key, stored in histories.items() if _names(stored, licences, today)}


def visible_system(store: Store, system: str, today: dt.date) -> StoredHistory:
    """One system that the caller may see in full; else the same 404 as if there were none."""
    found = visible_systems(store, [system], today).get(system)
    if found is None:
        raise absent()
    return found


def licence_filter(store: Store, asked: str | None) -> Collection[str]:
    """The licences to list for: staff's as asked for (none: all), a business's own and no other's."""
    wanted = {normalize_license(asked) or ""} if asked else frozenset()
    if call().is_staff:
        return wanted
    licences = own_licences(store)
    return (licences & wanted if asked else licences) or NOBODY


def without_others(services: Sequence[Mapping[str, Any]], licences: Collection[str]) -> list[dict[str, Any]]:
    """The last services as a business sees them: of other businesses' only what was done and when."""
    kept = ("event_type", "service_date", "component", "component_ref")
    return [
        dict(one) if normalize_license(one["license_number"] or "") in licences else {name: one[name] for name in kept}
        for one in services
    ]


def _names(stored: StoredHistory, licences: Collection[str], today: dt.date) -> bool:
    if designated_license(stored, today) in licences:
        return True
    return any(row["license_norm"] in licences and (row["to_on"] or today) >= today for row in stored.contracts)
