"""The permanent service record of a system as an accessible PDF (SPS 383.255(3), rule S6; 9.029(5))."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from notifications.letters_pdf import set_document
from schemas.program import Program

_PLACE: Final = {
    "permit_number": "Sanitary permit",
    "parcel_number": "Tax parcel",
    "site_address": "Location",
    "municipality": "Municipality",
    "status": "Status",
}


def record_pdf(record: Mapping[str, Any], program: Program, as_of: date) -> bytes:
    """Set a service record (`reporting.exports.service_record`). Raises LettersUnavailable, LetterNotSet."""
    return set_document("record.typ", record_values(record, program, as_of))


def record_values(record: Mapping[str, Any], program: Program, as_of: date) -> dict[str, Any]:
    """What the template is given: all of it text."""
    first, last = record["first"], record["last"]
    span = (
        "all services on record" if not (first or last) else f"services from {first or 'the first'} to {last or as_of}"
    )
    return {
        "title": "Permanent service record",
        "office": {"name": record["governmental_unit"]},
        "as-of": as_of.isoformat(),
        "statement": [f"{program.name}: {span}, as the reports stand on {as_of} ({record['cite']})."],
        "facts": [[name, text] for name, text in _facts(record, program)],
        "services": [_service(row, program) for row in record["services"]],
    }


def _facts(record: Mapping[str, Any], program: Program) -> Iterator[tuple[str, str]]:
    for name, label in _PLACE.items():
        if record["system"].get(name):
            yield label, str(record["system"][name])
    if record.get("owner_name"):
        yield "Owner", str(record["owner_name"])
    for part in record["components"]:
        kind = program.names.get(part["component"], part["component"])
        gallons = f", {part['capacity_gallons']:,} gallons" if part["capacity_gallons"] else ""
        ref = f" {part['component_ref']}" if part["component_ref"] else ""
        yield "Component", f"{kind}{ref}{gallons}, {_words(part['status'])}"


def _service(row: Mapping[str, Any], program: Program) -> list[str]:
    tank = program.names.get(row.get("component") or "", row.get("component") or "")
    ref = row.get("component_ref")
    gallons = row.get("gallons_pumped")
    partial = " (partial)" if row.get("partial") else ""
    by = [row.get("business_name"), row.get("technician_name"), row.get("license_number")]
    corrected = ", corrected" if row.get("corrected") else ""
    return [
        str(row["service_date"]),
        _words(row["event_type"]),
        f"{tank} {ref}" if ref else str(tank),
        f"{gallons:,}{partial}" if isinstance(gallons, int) else "",
        _meter(row),
        "; ".join(_found(row)),
        ", ".join(str(part) for part in by if part),
        f"{row['received_on']}{corrected}" if row.get("received_on") else _words(row.get("source")),
    ]


def _meter(row: Mapping[str, Any]) -> str:
    if row.get("meter_reading") is None:
        return ""
    estimated = " (estimated)" if row.get("meter_estimated") else ""
    return f"{row['meter_reading']} {row.get('meter_unit') or ''}".strip() + estimated


def _found(row: Mapping[str, Any]) -> Iterator[str]:
    names = ("tank_condition", "ponding", "sludge_scum_fraction", "defects", "not_pumped_reason", "next_pump_date")
    for name in names:
        value = row.get(name)
        if value not in (None, "", []):
            said = "; ".join(map(str, value)) if isinstance(value, list) else value
            yield f"{_words(name)}: {said}"
    if row.get("work_description"):
        yield str(row["work_description"])


def _words(name: object) -> str:
    return str(name or "").replace("_", " ")
