"""What a notice says, as plain JSON: office, tank, place, rule, dates counted, whose duty. Pure.

Every text that people or imports brought in becomes one line without control characters here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from notifications.addresses import one_line
from notifications.calendars import duty_of_cause
from notifications.dates import explain_deadline
from notifications.reasons import ENDINGS, WINDOWS
from notifications.records import DomainEvent, EventKind, Occasion, SystemNow
from schemas.acts import Designation
from schemas.program import Program


def office_facts(occasion: Occasion) -> dict[str, Any]:
    """What every notice says of the office it comes from, and how it is answered."""
    program, county = occasion.program, occasion.book.county
    return {
        "county": program.slug,
        "county_name": program.name,
        "timezone": program.timezone,
        "unit": program.governmental_unit,
        "desk": desk_of(program),
        "authority": program.authority,
        "base_url": occasion.base_url,
        "reply_to": county.addresses[0] if county.addresses else "",
        "written_on": occasion.today.isoformat(),
    }


def desk_of(program: Program) -> str:
    """Who writes to owners and is answered: the governmental unit, or a district whose reports go to a county's."""
    unit = program.governmental_unit
    return unit if unit.startswith(program.name) else program.name


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
        "duty": duty_of_cause(event.cause_key, content),
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
        **_service_facts(system, occasion.map_url),
        "required_by": _required_by(event, occasion),
    }


def _service_facts(system: SystemNow, map_url: str) -> dict[str, Any]:
    """What helps whoever services the tank: where it is, what it held the last time, when it is forecast to be full."""
    placed = bool(system.latitude and system.longitude)
    url = map_url.replace("{lat}", system.latitude).replace("{lon}", system.longitude) if placed else ""
    days = {"last_pumped_on": system.last_pumped_on, "full_on": system.full_on}
    return {
        "latitude": system.latitude if placed else "",
        "longitude": system.longitude if placed else "",
        "map_url": url,
        "last_gallons": system.last_gallons,
        **{name: day.isoformat() if day else "" for name, day in days.items()},
    }


def _required_by(event: DomainEvent, occasion: Occasion) -> str:
    """The section that wants the contractor told of a holding tank that needs service; '' where it is a courtesy."""
    if event.kind != EventKind.NEEDS_SERVICE:
        return ""
    return next((p.cite for p in occasion.program.at(occasion.today).of(Designation)), "")


def _dates(event: DomainEvent, program: Program) -> dict[str, str]:
    due = _day_text(event.content.get("due_on"))
    last = _day_text(event.content.get("last_day")) or due
    if not due:
        return {"due_on": "", "last_day": "", "counted": ""}
    if event.kind == EventKind.NEEDS_SERVICE and last == due:  # a forecast or an alarm, counted from nothing
        return {"due_on": due, "last_day": last, "counted": "This is the day of the reason above; it is not moved."}
    if event.kind in (*ENDINGS, *WINDOWS):  # a day on file, and no deadline
        return {"due_on": due, "last_day": last, "counted": "This is the day on file; it is not moved."}
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
        "checkpoint": note_lines(content.get("checkpoint")),
    }


def note_lines(note: object) -> list[str]:
    """A checkpoint's lines as they are mailed: one of them broken or changed, and it checks nothing any more."""
    return [one_line(line, longest=400) for line in str(note or "").splitlines()]


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
