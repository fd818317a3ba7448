"""The shapes of what the record gives out: service records and yearly summaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.documents_cases import CASES
from reporting.api.shapes import COUNT, DAY, INSTANT, MAYBE_DAY, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict

RECORDS: Final[Mapping[str, Json]] = {
    **CASES,
    "CountySettings": an_object(
        "county settings",
        county=TEXT,
        settings=list_of(
            an_object(
                "name value next_on of_program meaning own",
                name=TEXT,
                value={"description": "What holds today."},
                next_on={**MAYBE_DAY, "description": "When another value comes."},
                of_program={"description": "What the program's file says."},
                meaning=TEXT,
                own={
                    **list_of(
                        an_object(
                            "value valid_from before entered_at by",
                            value={"description": "What was set."},
                            valid_from=MAYBE_DAY,
                            before={"description": "The value in whose place it came, or comes."},
                            entered_at=INSTANT,
                            by=TEXT,
                        )
                    ),
                    "description": "What the county has set, in order of the day from which it holds.",
                },
            )
        ),
    ),
    "NewSetting": strict("name value", name=TEXT, value={"description": "As the setting asks."}, valid_from=DAY),
    "FeatureCollection": an_object(
        "type features",
        type={"const": "FeatureCollection"},
        features=list_of(
            an_object(
                "type geometry properties",
                type={"const": "Feature"},
                geometry={"type": ["object", "null"], "description": "A point: longitude, latitude (WGS 84)."},
                properties={"type": "object"},
            )
        ),
    ),
    "ServiceRecord": an_object(
        "county governmental_unit cite system components services",
        county=TEXT,
        governmental_unit=TEXT,
        cite=TEXT,
        system=an_object("id status", id=TEXT, permit_number=MAYBE_TEXT, parcel_number=MAYBE_TEXT, status=TEXT),
        owner_name={**MAYBE_TEXT, "description": "For the county and the owner."},
        components=list_of({"type": "object"}),
        first={**MAYBE_DAY, "description": "The first day asked for; null: from the beginning."},
        last=MAYBE_DAY,
        services=list_of(
            an_object(
                "service_date event_type source",
                service_date=DAY,
                event_type=TEXT,
                component=MAYBE_TEXT,
                gallons_pumped={"type": ["integer", "null"]},
                received_on=MAYBE_DAY,
                corrected={"type": "boolean", "description": "Whether the report was amended or put in its place."},
                source={"enum": ["report", "report before the county went live", "inventory"]},
            )
        ),
    ),
    "Meters": an_object(
        "county system tanks",
        county=TEXT,
        system=TEXT,
        tanks=list_of(
            an_object(
                "intervals readings use peaks forecast",
                component_ref=MAYBE_TEXT,
                capacity_gallons={"type": ["integer", "null"]},
                meter={"type": ["object", "null"]},
                intervals={**list_of({"type": "object"}), "description": "From one emptying to the next."},
                readings={**list_of({"type": "object"}), "description": "As they were read, and what they come to."},
                use={"type": "object"},
                peaks={**list_of({"type": "object"}), "description": "The highest daily flow reported, by month."},
                forecast={
                    "type": "object",
                    "description": "When the service level is reached, between which days.",
                },
            )
        ),
    ),
    "Periods": an_object("period periods", period=TEXT, periods=list_of({"type": "object"})),
    "Verification": an_object(
        "report_id state asked_on message",
        report_id=TEXT,
        state={"enum": ["requested", "answered", "closed"]},
        asked_on=DAY,
        answer_by=DAY,
        fields=list_of(TEXT),
        message=TEXT,
        answered_on=DAY,
        answer=TEXT,
        amendment={**TEXT, "description": "The version of the report that answered it."},
        closed_on=DAY,
    ),
    "Verifications": an_object("verifications", verifications=list_of(ref("Verification"))),
    "NewVerification": strict(
        "message",
        message={**TEXT, "description": "What is to be verified, and why."},
        fields={**list_of(TEXT), "description": "Names of the report's fields that it is about."},
        answer_by={**DAY, "description": "By when the county asks for the answer."},
    ),
    "VerificationAnswer": strict("answer", answer=TEXT),
    "VerificationClosing": strict("", note={**TEXT, "description": "For the county's own use."}),
    "Summary": an_object(
        "county governmental_unit cite year through services reports cases systems standing",
        county=TEXT,
        governmental_unit=TEXT,
        cite=TEXT,
        year=COUNT,
        through={**DAY, "description": "The last day counted: the year's end, or today in a year that is running."},
        services=list_of(
            an_object(
                "component event_type services systems gallons",
                component=TEXT,
                event_type=TEXT,
                services=COUNT,
                systems=COUNT,
                gallons=COUNT,
            )
        ),
        reports=an_object(
            "services gallons judged late late_by_rule",
            services=COUNT,
            gallons=COUNT,
            judged={**COUNT, "description": "Reports that could have been late: no backlog."},
            late=COUNT,
            late_by_rule={"type": "object"},
        ),
        cases={"type": "object"},
        exemptions_granted={"type": "object"},
        verifications={"type": "object", "description": "Reports asked about (SPS 383.55(4)), by how that stands."},
        systems={"type": "object"},
        standing={"type": "object"},
    ),
    "Program": an_object("county name authority", county=TEXT, name=TEXT, authority=TEXT, rules=list_of({})),
    "Programs": an_object("programs", programs=list_of(ref("Program"))),
}
