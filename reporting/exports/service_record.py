"""The permanent service record of one system, on request, over any span of time (SPS 383.255(3), rule S6)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from typing import Any, Final

from reporting.intake.words import normalize_license
from reporting.store.facts import StoredHistory
from schemas.acts import COMPONENTS
from schemas.calendar import local_date
from schemas.program import Program

COLUMNS: Final = (
    "service_date", "event_type", "component", "component_ref", "gallons_pumped", "partial", "meter_reading",
    "meter_unit", "meter_serial", "meter_estimated", "sludge_scum_fraction", "tank_condition", "ponding", "defects",
    "defects_corrected_on", "not_pumped_reason", "next_pump_date", "work_description", "disposal_site",
    "business_name", "technician_name", "license_number", "inspector_name", "inspector_license_number",
    "received_on", "corrected", "source", "report_ref", "report_id",
)  # fmt: skip
_OF_OTHERS: Final = ("service_date", "event_type", "component", "component_ref", "gallons_pumped", "source")
"""What a business is shown of another one's services: that the tank was served, and how much was taken."""
_SYSTEM: Final = ("permit_number", "parcel_number", "site_address", "municipality", "status")
CITE: Final = "SPS 383.255(3)"


def service_record(
    stored: StoredHistory,
    program: Program,
    first: dt.date | None = None,
    last: dt.date | None = None,
    *,
    licences: Collection[str] | None = None,
) -> dict[str, Any]:
    """Every service on record between two days (None: without a bound), oldest first, as the reports stand now.

    licences: of the business that asks, whose own services are shown in full and other ones' by `_OF_OTHERS`; `None`
    for the county, which sees all, and the owner's name.
    """
    row = stored.system or {}
    events = sorted(stored.events, key=lambda e: (e["service_date"], e["seq"], e["id"]))
    within = [e for e in events if (first or e["service_date"]) <= e["service_date"] <= (last or e["service_date"])]
    record: dict[str, Any] = {
        "county": program.slug,
        "governmental_unit": program.governmental_unit,
        "cite": CITE,
        "system": {"id": stored.system_id, **{name: row.get(name) for name in _SYSTEM}},
        "components": [_component(part) for part in sorted(stored.components, key=_usual_order)],
        "first": first.isoformat() if first else None,
        "last": last.isoformat() if last else None,
        "services": [_service(event, program, licences) for event in within],
    }
    if licences is None:
        record["owner_name"] = stored.owner["name"] if stored.owner else None
    return record


def _usual_order(part: Mapping[str, Any]) -> tuple[int, str]:
    return COMPONENTS.index(part["component"]) if part["component"] in COMPONENTS else 99, part["component_ref"]


def _component(part: Mapping[str, Any]) -> dict[str, Any]:
    content = part["content"]
    return {
        "component": part["component"],
        "component_ref": part["component_ref"] or None,
        "capacity_gallons": content.get("capacity_gallons"),
        "meter": content.get("meter"),
        "status": content.get("status") or "active",
    }


def _service(row: Mapping[str, Any], program: Program, licences: Collection[str] | None) -> dict[str, Any]:
    content = row["content"]
    baseline = bool(content.get("baseline"))
    received = None if baseline else local_date(row["first_received_at"], program.timezone).isoformat()
    line = {
        **{name: content.get(name) for name in COLUMNS},
        "service_date": row["service_date"].isoformat(),
        "event_type": row["event_type"],
        "component": row["component"] or None,
        "component_ref": row["component_ref"] or None,
        "license_number": row["license_number"],
        "received_on": received,
        "corrected": row["supersedes"] is not None,
        "source": "inventory" if baseline else "report before the county went live" if row["historical"] else "report",
        "report_ref": row["report_ref"],
        "report_id": row["id"],
    }
    mine = licences is None or normalize_license(row["license_number"] or "") in licences
    return line if mine else {name: line[name] for name in _OF_OTHERS}
