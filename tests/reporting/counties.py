"""Inventories, reports and facts for tests, with everything filled in that a test does not care about."""

import csv
import io
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from reporting.intake.words import normalize_license
from reporting.inventory.answers import InventoryAnswer
from reporting.inventory.importing import import_inventory
from reporting.status import find_systems
from reporting.store.engine import Database, Store
from reporting.store.facts import StoredHistory, insert_events, insert_facts, load_history
from reporting.store.log import NewEntry, append
from schemas.loader import shipped_program

NOW = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)
TODAY = date(2026, 7, 13)


def csv_of(*rows: Mapping[str, Any]) -> bytes:
    """A CSV file with a column for every key of any row."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def a_row(permit: str = "SP-1", **columns: Any) -> dict[str, Any]:
    return {
        "permit_number": permit,
        "parcel_number": f"08-{permit}",
        "site_address": f"N{sum(permit.encode())} County Road K",
        "municipality": "Town of Saukville",
        "owner_name": "Laverne Lor",
        "component": "septic",
        "capacity_gallons": "1000",
        **columns,
    }


def inspected(permit: str = "SP-1", **columns: Any) -> dict[str, Any]:
    """The row of a dispersal component that asks for nothing until 2029, beside `a_row`."""
    usual = {"component": "dispersal", "capacity_gallons": "", "last_inspected_on": "2026-06-01"}
    return a_row(permit, **{**usual, **columns})


def load(
    database: Database, *rows: Mapping[str, Any], county: str = "ozaukee", now: datetime = NOW, dry_run: bool = False
) -> InventoryAnswer:
    """Import rows as an inventory file."""
    with database.transaction(county) as store:
        return import_inventory(
            store, shipped_program(county), csv_of(*rows), file_name="systems.csv", content_type="text/csv",
            principal="clerk", now=now, dry_run=dry_run,
        )  # fmt: skip


def the_system(store: Store, permit: str = "SP-1") -> StoredHistory:
    """What is stored of the one system with this permit."""
    [system] = find_systems(store, permit=permit)
    return load_history(store, [system])[system]


def a_fact(store: Store, kind: str, content: Mapping[str, Any], *, now: datetime = NOW, **columns: Any) -> int:
    """Record a fact with its log entry; gives the entry's number."""
    [entry] = append(store, [NewEntry(type=kind, content=dict(content))], now)
    row = {"kind": kind, "id": f"{kind}-{entry.seq}", "seq": entry.seq, "content": content, **columns}
    insert_facts(store, [row])
    return entry.seq


def a_report(store: Store, system: str, event_id: str, day: date, *, at: datetime = NOW, **columns: Any) -> int:
    """Record a pumping of the septic tank with its log entry; gives the entry's number."""
    [entry] = append(store, [NewEntry(type="report", content={"id": event_id})], at)
    license_number = columns.get("license_number")
    row = {
        "id": event_id, "seq": entry.seq, "system": system, "component": "septic", "event_type": "pumping",
        "service_date": day, "received_at": at, "first_received_at": at, "identity": event_id, "content_sha": event_id,
        "license_norm": normalize_license(license_number) if license_number else None,
        "content": {"gallons_pumped": 1000}, **columns,
    }  # fmt: skip
    insert_events(store, [row])
    return entry.seq
