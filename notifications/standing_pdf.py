"""A certificate of standing as an accessible PDF, as for a sale: how a system stood on a day, and by which rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from notifications.dates import long_day, plain_days
from notifications.letters_pdf import set_document
from schemas.program import Program

_PLACE: Final = {
    "permit_number": "Sanitary permit",
    "parcel_number": "Tax parcel",
    "site_address": "Location",
    "municipality": "Municipality",
}
_STATES: Final = {"met": "done", "upcoming": "not due yet", "due_soon": "due soon"}
_ROOT: Final = 64
_STANDINGS: Final = {
    "compliant": "in order",
    "due_soon": "due soon",
    "overdue": "overdue",
    "violation": "in violation",
    "exempt": "exempt",
    "unknown": "not known: no dates on file",
    "inactive": "out of use",
}


@dataclass(frozen=True, kw_only=True)
class RecordHead:
    """The signed head of the county's record: how many entries, their root hash in hex, the instant as text."""

    size: int
    root: str
    at: str


def standing_pdf(status: Mapping[str, Any], head: RecordHead, program: Program) -> bytes:
    """Set a system's status (`StatusAnswer.as_json`). Raises LettersUnavailable, LetterNotSet."""
    return set_document("standing.typ", standing_values(status, head, program))


def standing_words(standing: str) -> str:
    """A standing as people say it."""
    return _STANDINGS.get(standing, _words(standing))


def standing_values(status: Mapping[str, Any], head: RecordHead, program: Program) -> dict[str, Any]:
    """What the template is given: all of it text."""
    on, standing = long_day(date.fromisoformat(status["as_of"])), standing_words(status["standing"])
    return {
        "title": "Certificate of standing",
        "office": {"name": program.governmental_unit},
        "as-of": on,
        "standing": standing,
        "statement": [
            f"By the reports and papers on file with {program.governmental_unit}, this system is {standing} on {on}.",
            "It says what is on file on that day. It is no inspection, and promises nothing of the days after it.",
        ],
        "facts": [[name, text] for name, text in _facts(status["system"], program)],
        "duties": [_duty(one, program) for one in status["obligations"]],
        "findings": [
            f"{_words(one['kind']).capitalize()}: {plain_days(one['because'])} (rule {one['rule']}, {one['cite']})."
            for one in status["findings"]
        ],
        "services": [_service(one, program) for one in status["services"]],
        "head": [
            f"Head of the county's record, {head.at}: {head.size:,} entries, root hash",
            f"{head.root[: _ROOT // 2]} {head.root[_ROOT // 2 :]}",
            "Whoever keeps it can have the county show that nothing before it was changed since.",
        ],
    }


def _facts(system: Mapping[str, Any], program: Program) -> Iterator[tuple[str, str]]:
    for name, label in _PLACE.items():
        if system.get(name):
            yield label, str(system[name])
    for part in system["components"]:
        gallons = f", {part['capacity_gallons']:,} gallons" if part["capacity_gallons"] else ""
        yield "Component", f"{_part(part, program)}{gallons}, {_words(part['status'] or 'active')}"
    number = system["designated_contractor"]
    yield "Serviced by", f"license {number}" if number else "no business named"


def _duty(row: Mapping[str, Any], program: Program) -> list[str]:
    late = f" by {row['days_late']} {'day' if row['days_late'] == 1 else 'days'}" if row["days_late"] else ""
    last = f"; last day {long_day(date.fromisoformat(row['last_day']))}" if row["last_day"] != row["due_on"] else ""
    because = row.get("suspended_because") or row["because"]
    return [
        f"{_words(row['kind']).capitalize()}, {_part(row, program)}",
        f"{_STATES.get(row['state'], _words(row['state']))}{late}",
        f"{long_day(date.fromisoformat(row['due_on']))}{last}" if row["due_on"] else "now",
        plain_days(str(because or "")),
        f"{row['rule']}, {row['cite']}",
    ]


def _service(row: Mapping[str, Any], program: Program) -> list[str]:
    gallons = row["gallons_pumped"]
    received = row["received_on"]
    return [
        long_day(date.fromisoformat(row["service_date"])),
        _words(row["event_type"]).capitalize(),
        _part(row, program),
        f"{gallons:,}" if isinstance(gallons, int) else "",
        f"license {row['license_number']}" if row["license_number"] else "",
        f"reported {long_day(date.fromisoformat(received))}" if received else "from the inventory",
    ]


def _part(row: Mapping[str, Any], program: Program) -> str:
    kind, ref = row.get("component") or "", row.get("component_ref")
    name = program.names.get(kind, _words(kind))
    return f"{name} {ref}" if ref else str(name)


def _words(name: object) -> str:
    return str(name or "").replace("_", " ")
