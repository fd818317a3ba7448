"""Rows as the store takes them, with everything filled in that a test does not care about."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from reporting.store.engine import Store
from reporting.store.facts import insert_systems

ON_POSTGRESQL = pytest.mark.parametrize(
    "database", [pytest.param("postgresql", marks=pytest.mark.needs_postgres)], indirect=True
)
"""For a test of what SQLite does not have."""
ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
NOON = datetime(2026, 7, 13, 12, 0, tzinfo=UTC)


def a_system(system_id: str, *, seq: int = 1, **columns: Any) -> dict[str, Any]:
    return {"id": system_id, "created_seq": seq, "status": "active", "content": {}, **columns}


def an_event(event_id: str, system: str | None, *, seq: int = 1, **columns: Any) -> dict[str, Any]:
    return {
        "id": event_id,
        "seq": seq,
        "system": system,
        "component": "septic",
        "event_type": "pumping",
        "service_date": date(2026, 7, 1),
        "received_at": NOON,
        "first_received_at": NOON,
        "identity": f"identity of {event_id}",
        "content_sha": f"sha of {event_id}",
        "content": {"gallons_pumped": 1000},
        **columns,
    }


def a_submission(submission_id: str, **columns: Any) -> dict[str, Any]:
    return {
        "id": submission_id,
        "principal": "key",
        "received_at": NOON,
        "file_sha256": "0" * 64,
        "status": "done",
        "columns": {},
        **columns,
    }


def an_obligation(**columns: Any) -> dict[str, Any]:
    return {
        "component": "septic",
        "kind": "pump",
        "rule": "WI1",
        "cycle": "2026",
        "state": "upcoming",
        "due_on": date(2026, 9, 1),
        "last_day": date(2026, 9, 1),
        "duty_of": "owner",
        "cite": "16.08(1)(c)",
        "because": "pumped 2023-09-01",
        **columns,
    }


def add_systems(store: Store, *ids: str) -> None:
    insert_systems(store, [a_system(one) for one in ids])
