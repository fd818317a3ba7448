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
_REVIEW: Final[dict[str, Json]] = {
    "id": _TEXT,
    "state": {"enum": ["open", "matched", "new_system", "voided", "amended"]},
    "reason": _TEXT,
    "report_id": _TEXT,
    "system": {**_MAYBE_TEXT, "description": "The provisional system or, when decided, the one decided on."},
}
_DECISION: Final[dict[str, Json]] = {
    "reason": _TEXT,
    "system": {**_TEXT, "description": "The system's id; or name it by its permit number."},
    "permit_number": _TEXT,
    "component": {**_TEXT, "description": "Which tank, where the report does not say it."},
    "component_ref": _TEXT,
    "remember": {"type": "boolean", "description": "Keep the match in mind; by default true."},
}
_ROW: Final[dict[str, Json]] = {
    "row": _COUNT,
    "outcome": {"enum": ["accepted", "duplicate", "rejected", "queued_for_review"]},
    "report_id": _MAYBE_TEXT,
    "permit_number": _MAYBE_TEXT,
    "receipt": {**_MAYBE_TEXT, "description": "County, number and hash of the entry in the record."},
    "duplicate_of": _TEXT,
    "review": _TEXT,
    "matched_by": {**_TEXT, "description": "`remembered`: as the county decided before for these numbers."},
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
        status={
            "enum": ["waiting", "working", "done", "refused", "undone"],
            "description": "At its address. A long file is `waiting`, then `working`: counts are those so far.",
        },
        next_row={**_COUNT, "description": "The row from which on a long file is still to be worked off."},
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
        replaced_by={**_TEXT, "description": "The version that stands: amended, or put into its place by the county."},
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
    "Undone": _object(
        "id county status voided",
        id=_TEXT,
        county=_TEXT,
        status={"const": "undone"},
        voided={**_COUNT, "description": "Reports that stood and were taken back."},
        systems=_COUNT,
        repeats_elsewhere={
            **_COUNT,
            "description": "Rows of other files that were answered as duplicates of these reports: send them again.",
        },
        record={"type": "object"},
    ),
    "Headings": _object(
        "county contractor_id headings",
        county=_TEXT,
        contractor_id=_TEXT,
        headings={
            "type": "object",
            "description": "Heading as it stands in the file → field of a report; null for a column that means none.",
            "additionalProperties": _MAYBE_TEXT,
        },
    ),
    "NewHeadings": _strict(
        "headings",
        headings={"type": "object", "minProperties": 1, "additionalProperties": _MAYBE_TEXT},
        license_number={**_TEXT, "description": "Whose headings they are; for the county's own keys."},
    ),
    "Reviews": _object("reviews", reviews=list_of(ref("ReviewHead"))),
    "ReviewHead": _object("id state reason report_id", **_REVIEW),
    "Review": _object(
        "id state reason report_id report candidates",
        **_REVIEW,
        message={**_TEXT, "description": "Why it is in doubt, in a sentence."},
        report={"type": "object", "description": "The report as it was sent; `spoilt`: what a spreadsheet did to it."},
        candidates=list_of(
            {"type": "object", "description": "A system: `score`, `why`, what is on file, differences."}
        ),
        together_with={**list_of(_TEXT), "description": "Other open reviews of the same provisional system."},
        decided={"type": ["object", "null"], "description": "Who decided what, when and why."},
    ),
    "Resolution": _strict(
        "decision reason",
        decision={"enum": ["match", "new_system", "void"]},
        **_DECISION,
        all_reports={"type": "boolean", "description": "For every report in doubt of the same provisional system."},
    ),
    "Placement": _strict("decision reason", decision={"enum": ["move", "back"]}, **_DECISION),
    "Decided": _object(
        "county reports remembered receipt",
        county=_TEXT,
        system=_MAYBE_TEXT,
        reports={**list_of({"type": "object"}), "description": "Each report's id before (`was`) and now."},
        reviews=list_of(_TEXT),
        judged_anew=list_of(_TEXT),
        remembered={"type": "boolean", "description": "The same numbers of the same business go there from now on."},
        forgotten={"type": "boolean"},
        receipt=ref("Receipt"),
    ),
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
        merged_into={**_TEXT, "description": "The record that is kept, where this one was merged away."},
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
    "Merge": _strict(
        "other reason",
        other={**_TEXT, "description": "The record that goes: its id or permit number."},
        reason={**_TEXT, "maxLength": 2_000},
    ),
    "Merged": _object(
        "county system other reports moved receipt",
        county=_TEXT,
        system={**_TEXT, "description": "The record that is kept."},
        other={**_TEXT, "description": "The record that was merged away or came back."},
        reports={"type": "object", "description": "The id of each report before and now."},
        moved={"type": "object", "description": "How many of what else went over."},
        receipt=ref("Receipt"),
    ),
    "Inventory": _object(
        "county dry_run rows added changed untouched rejected outcomes differences",
        county=_TEXT,
        dry_run={"type": "boolean"},
        rows=_COUNT,
        added=_COUNT,
        changed=_COUNT,
        untouched=_COUNT,
        rejected=_COUNT,
        outcomes=list_of({"type": "object"}),
        differences={**list_of({"type": "object"}), "description": "The first values that change, before and after."},
    ),
    "Program": _object("county name authority", county=_TEXT, name=_TEXT, authority=_TEXT, rules=list_of({})),
    "Programs": _object("programs", programs=list_of(ref("Program"))),
}
