"""The shapes of bodies, as JSON Schema (OpenAPI 3.1 components)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Json = Mapping[str, Any]

_DAY: Final = {"type": "string", "format": "date"}
_MAYBE_DAY: Final = {"type": ["string", "null"], "format": "date"}
_INSTANT: Final = {"type": "string", "format": "date-time"}
_TEXT: Final = {"type": "string"}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_COUNT: Final = {"type": "integer", "minimum": 0}


def ref(name: str) -> Json:
    """A reference to one of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(items: Json) -> Json:
    """An array of such items."""
    return {"type": "array", "items": dict(items)}


def _object(required: str, **properties: Json) -> Json:
    return {"type": "object", "required": required.split(), "properties": {k: dict(v) for k, v in properties.items()}}


def _strict(required: str, **properties: Json) -> Json:
    return {**_object(required, **properties), "additionalProperties": False}


_PLACE: Final[dict[str, Json]] = {
    "system": {**_TEXT, "description": "The system's id; or name it by its numbers or address."},
    "permit_number": _TEXT,
    "parcel_number": _TEXT,
    "site_address": _TEXT,
}
_ROW: Final[dict[str, Json]] = {
    "row": _COUNT,
    "outcome": {"enum": ["accepted", "duplicate", "rejected", "queued_for_review"]},
    "report_id": _MAYBE_TEXT,
    "permit_number": _MAYBE_TEXT,
    "receipt": {**_MAYBE_TEXT, "description": "County, number and hash of the entry in the record."},
    "duplicate_of": _TEXT,
    "review": _TEXT,
    "findings": list_of({"type": "object"}),
    "errors": {"type": "array", "items": dict(ref("Issue"))},
    "warnings": list_of({"type": "object"}),
}

SCHEMAS: Final[Mapping[str, Json]] = {
    "Issue": _object(
        "code message",
        row={"type": ["integer", "null"]},
        field=_MAYBE_TEXT,
        pointer={**_TEXT, "description": "RFC 6901, into the body."},
        code=_TEXT,
        message=_TEXT,
        value={"description": "What was sent."},
        cite={**_MAYBE_TEXT, "description": "The section that asks for the field."},
    ),
    "Problem": _object(
        "type title status detail",
        type={"type": "string", "format": "uri"},
        title=_TEXT,
        status={"type": "integer", "minimum": 400, "maximum": 599},
        detail=_TEXT,
        errors=list_of(ref("Issue")),
    ),
    "Receipt": _object(
        "county seq leaf size root key_id signature recorded_at",
        county=_TEXT,
        seq={"type": "integer", "minimum": 1},
        leaf=_TEXT,
        size={"type": "integer", "minimum": 1},
        root=_TEXT,
        key_id=_TEXT,
        signature=_TEXT,
        recorded_at=_INSTANT,
    ),
    "RowOutcome": _object("row outcome", **_ROW),
    "Submission": _object(
        "id county received_at file_sha256 dry_run rows accepted duplicate rejected queued_for_review outcomes",
        id=_TEXT,
        county=_TEXT,
        received_at=_INSTANT,
        file_sha256=_TEXT,
        dry_run={"type": "boolean"},
        rows=_COUNT,
        accepted=_COUNT,
        duplicate=_COUNT,
        rejected=_COUNT,
        queued_for_review=_COUNT,
        columns={"type": "object"},
        outcomes=list_of(ref("RowOutcome")),
    ),
    "ReportAnswer": _object(
        "id county submission received_at outcome report_id receipt findings",
        id=_TEXT,
        county=_TEXT,
        submission=_TEXT,
        received_at=_INSTANT,
        **{**_ROW, "receipt": ref("Receipt")},
    ),
    "Report": _object(
        "id county state event_type service_date received_at content",
        id=_TEXT,
        county=_TEXT,
        state={"enum": ["stands", "ended"]},
        system=_MAYBE_TEXT,
        component=_MAYBE_TEXT,
        event_type=_TEXT,
        service_date=_DAY,
        received_at=_INSTANT,
        supersedes=_MAYBE_TEXT,
        findings=list_of({"type": "object"}),
        content={"type": "object", "description": "The report's values under the contract's names."},
    ),
    "NewReport": {
        "type": "object",
        "description": "A report's fields; `/v1/programs/{county}/report-schema` says which a program asks for.",
        "required": ["service_date"],
        "properties": {"event_type": _TEXT, "service_date": _TEXT, "component": _TEXT, "permit_number": _TEXT},
    },
    "Amendment": _strict("reason changes", reason=_TEXT, changes={"type": "object", "minProperties": 1}),
    "Void": _strict("reason", reason=_TEXT),
    "Told": _object("id county receipt", id=_TEXT, county=_TEXT, system=_MAYBE_TEXT, receipt=ref("Receipt")),
    "OwnerNotice": _strict(
        "on kind", **_PLACE, on=_DAY, kind={"enum": ["serviced", "alarm", "full"]}, license_number=_TEXT
    ),
    "Designation": _strict("license_number", **_PLACE, license_number=_TEXT, valid_from=_DAY, valid_to=_DAY),
    "Contract": {
        **_strict(
            "license_number from",
            **_PLACE,
            license_number=_TEXT,
            to=_DAY,
            filed_on=_DAY,
            kind=_TEXT,
            **{"from": _DAY},
        )
    },
    "Statement": _strict(
        "period",
        **_PLACE,
        period={**_TEXT, "pattern": "^[0-9]{4}(-H[12])?$"},
        received_on=_DAY,
        reason=_TEXT,
        kind={"enum": ["no_service", "certification"]},
    ),
    "System": _object(
        "id standing",
        id=_TEXT,
        permit_number=_MAYBE_TEXT,
        parcel_number=_MAYBE_TEXT,
        site_address=_MAYBE_TEXT,
        municipality=_MAYBE_TEXT,
        status=_TEXT,
        standing=_TEXT,
        next_change_on=_MAYBE_DAY,
    ),
    "Systems": _object("systems", systems=list_of(ref("System"))),
    "Obligation": _object(
        "system kind state rule cite",
        county=_TEXT,
        system=_TEXT,
        kind=_TEXT,
        state=_TEXT,
        due_on=_MAYBE_DAY,
        last_day=_MAYBE_DAY,
        rule=_TEXT,
        cite=_TEXT,
        because=_MAYBE_TEXT,
    ),
    "Obligations": _object("obligations", obligations=list_of(ref("Obligation"))),
    "Status": _object("county as_of", county=_TEXT, as_of=_DAY, systems=list_of({"type": "object"})),
    "SystemStatus": _object("standing", standing=_TEXT, obligations=list_of({"type": "object"})),
    "Inventory": _object(
        "county dry_run rows added changed untouched rejected outcomes",
        county=_TEXT,
        dry_run={"type": "boolean"},
        rows=_COUNT,
        added=_COUNT,
        changed=_COUNT,
        untouched=_COUNT,
        rejected=_COUNT,
        outcomes=list_of({"type": "object"}),
    ),
    "Program": _object("county name authority", county=_TEXT, name=_TEXT, authority=_TEXT, rules=list_of({})),
    "Programs": _object("programs", programs=list_of(ref("Program"))),
}
