"""What a notice says, as plain JSON: office, tank, place, rule, dates counted, whose duty. Pure.

Every text that people or imports brought in becomes one line without control characters here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from notifications.addresses import one_line
from notifications.dates import explain_deadline
from notifications.records import DomainEvent, EventKind, Occasion, SystemNow
from schemas.program import Program


def office_facts(occasion: Occasion) -> dict[str, Any]:
    """What every notice says of the office it comes from, and how it is answered."""
    program, county = occasion.program, occasion.book.county
    return {
        "county": program.slug,
        "county_name": program.name,
        "timezone": program.timezone,
        "unit": program.governmental_unit,
        "authority": program.authority,
        "base_url": occasion.base_url,
        "reply_to": county.addresses[0] if county.addresses else "",
        "written_on": occasion.today.isoformat(),
    }


def tank_facts(event: DomainEvent, system: SystemNow, occasion: Occasion) -> dict[str, Any]:
    """Tank, place, rule, citation, dates counted and whose duty: one line of a digest, or the subject of a notice."""
    content, program = event.content, occasion.program
    texts = {
        name: one_line(content.get(name) or "")
        for name in ("permit_number", "parcel_number", "site_address", "municipality", "component_ref")
    }
    component = str(content.get("component") or "")
    titles = {rule.id: rule for rule in program.rules}
    rule = titles.get(str(content["rule"]))
    return {
        **texts,
        "event_kind": event.kind,
        "cause_key": event.cause_key,
        "system": event.system,
        "component": program.names.get(component, component or "system"),
        "owner_name": one_line(system.owner_name),
        "access_notes": one_line(system.access_notes),
        "rule": str(content["rule"]),
        "rule_title": rule.title if rule else "",
        "cite": one_line(content["cite"]),
        "because": one_line(content.get("because") or ""),
        "duty_of": str(content.get("duty_of") or (rule.duty_of if rule else "owner")),
        "service_date": _day_text(content.get("service_date")),
        "received_on": _day_text(content.get("received_on")),
        "report_ref": one_line(content.get("report_ref") or ""),
        **_dates(event, program),
    }


def _dates(event: DomainEvent, program: Program) -> dict[str, str]:
    due = _day_text(event.content.get("due_on"))
    last = _day_text(event.content.get("last_day")) or due
    if not due:
        return {"due_on": "", "last_day": "", "counted": ""}
    if event.kind == EventKind.NEEDS_SERVICE and last == due:  # a forecast or an alarm, counted from nothing
        return {"due_on": due, "last_day": last, "counted": "This is the day of the reason above; it is not moved."}
    counted = explain_deadline(date.fromisoformat(due), date.fromisoformat(last), program.calendar)
    return {"due_on": due, "last_day": last, "counted": counted}


def _day_text(value: object) -> str:
    """A date, an ISO date or the day of an ISO instant, as an ISO date; "" for none. Raises `ValueError`."""
    return date.fromisoformat(str(value)[:10]).isoformat() if value else ""


def receipt_facts(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the receipt of a submission says: counts, and the first rows with what became of each."""
    rows = [_receipt_row(row) for row in content.get("rows") or ()]
    counts = {str(key): int(value) for key, value in (content.get("counts") or {}).items()}
    return {
        "submission": str(content["submission"]),
        "received_at": str(content.get("received_at") or ""),
        "file_name": one_line(content.get("file_name") or "", longest=120),
        "counts": counts,
        "total": counts.pop("rows", 0) or sum(counts.values()),
        "rows": rows,
    }


def _receipt_row(row: Mapping[str, Any]) -> dict[str, Any]:
    errors = row.get("errors") or ()
    return {
        "row": int(row["row"]),
        "outcome": one_line(row["outcome"]),
        "report_id": one_line(row.get("report_id") or ""),
        "permit_number": one_line(row.get("permit_number") or ""),
        "receipt": one_line(row["receipt"]) if isinstance(row.get("receipt"), str) else "",
        "errors": [one_line(error if isinstance(error, str) else error.get("message") or "") for error in errors],
    }
