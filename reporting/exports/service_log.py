"""A hauler's service log in the form that NR 113.11(3)(c) asks for, over all counties reported to (rule S17)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reporting.store.engine import Store
from reporting.store.services import services_of
from schemas.program import Program

YEARS_KEPT: Final = 5
"""How long a log is kept, NR 113.11(3)(c): what a request without dates gives."""
COLUMNS: Final = (
    "county", "service_date", "service_time", "owner_name", "site_address", "municipality", "parcel_number",
    "permit_number", "component", "component_ref", "waste_type", "gallons_pumped", "disposal_site", "disposal_date",
    "disposal_time", "load_ref", "pathogen_vector_reduction", "operator_in_charge", "vehicle_operator",
    "technician_name", "license_number", "report_ref", "report_id",
)  # fmt: skip
_LOGGED: Final = frozenset({"pumping", "pumping_and_inspection", "abandonment"})
_WASTE: Final = {"holding": "holding tank waste", "privy": "privy waste"}


def years_before(day: dt.date, years: int) -> dt.date:
    """The same day so many years earlier; of February 29 the 28th where there is none."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)


def service_log(
    store: Store, program: Program, contractor_id: str, first: dt.date, last: dt.date
) -> Iterator[dict[str, Any]]:
    """The business's loads of one county between two days (both counted), by date, as rows of `COLUMNS`.

    As the reports stand now: amended ones as amended, voided ones left out. `waste_type` is the report's own; where it
    says none, the tank's. What the business's own report does not say is empty, for it to fill in: an owner's name that
    only the county knows is not given out.
    """
    for row in services_of(store, contractor_id, first, last):
        if row["event_type"] in _LOGGED:
            yield _line(row, program)


def _line(row: Mapping[str, Any], program: Program) -> dict[str, Any]:
    content = row["content"]
    sent = {name: content.get(name) for name in COLUMNS if name in content}
    return {
        **sent,
        "county": program.slug,
        "service_date": row["service_date"].isoformat(),
        **{name: _minutes(content[name]) for name in ("service_time", "disposal_time") if content.get(name)},
        "component": program.names.get(row["component"], row["component"]),
        "component_ref": row["component_ref"] or None,
        "waste_type": content.get("waste_type") or _WASTE.get(row["component"], "septage"),
        "report_id": row["id"],
    }


def _minutes(text: str) -> str:
    return text[:5]
