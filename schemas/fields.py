"""Every field that a report can hold: its type, what people call it, what it means, and the values it allows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from marshmallow import ValidationError, fields

from schemas.acts import COMPONENTS, CREDENTIALS, EVENT_TYPES
from schemas.words import SUBMITTERS


class Type(StrEnum):
    """How a field's value is read and kept."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    IDENTIFIER = "identifier"
    LICENSE = "license"
    CHOICE = "choice"
    DATE = "date"
    TIME = "time"
    GALLONS = "gallons"
    READING = "reading"
    FRACTION = "fraction"
    YES_NO = "yes_no"
    LIST = "list"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a report. `label` follows "Give the …"; `choices`: each accepted word → the value it means."""

    name: str
    type: Type
    label: str
    help: str
    choices: Mapping[str, str] | None = None
    past_only: bool = False


def _choices(*values: str, **words: str) -> dict[str, str]:
    own = {v: v for v in values} | {v.replace("_", " "): v for v in values}
    return own | {word.replace("_", " "): value for word, value in words.items()}


_COMPONENT = _choices(
    *COMPONENTS,
    septic_tank="septic", st="septic", holding_tank="holding", ht="holding", pump_tank="pump_chamber",
    dose_tank="pump_chamber", lift_station="pump_chamber", atu="pretreatment", aerobic_treatment_unit="pretreatment",
    drainfield="dispersal", drain_field="dispersal", mound="dispersal", soil_absorption_system="dispersal",
    dispersal_cell="dispersal", outhouse="privy",
)  # fmt: skip
_EVENT = _choices(
    *EVENT_TYPES,
    pump="pumping", pumped="pumping", pump_out="pumping", pumpout="pumping", servicing="pumping", inspect="inspection",
    inspected="inspection", pump_and_inspect="pumping_and_inspection", pumped_and_inspected="pumping_and_inspection",
    service="maintenance", reading="meter_reading", no_service="no_service_statement", abandoned="abandonment",
)  # fmt: skip
_CREDENTIAL = _choices(
    *CREDENTIALS,
    pumper="septage_operator", septage="septage_operator", septage_servicing_operator="septage_operator",
    certified_septage_servicing_operator="septage_operator", mp="master_plumber", mprs="master_plumber_restricted",
    mprsw="master_plumber_restricted", master_plumber_restricted_service="master_plumber_restricted",
    inspector="powts_inspector", maintainer="powts_maintainer", cst="soil_tester", certified_soil_tester="soil_tester",
    owner="registered_owner",
)  # fmt: skip
_PONDING = _choices(
    "none", "surface", "in_cell", no="none", yes="surface", ground_surface="surface", in_the_cell="in_cell"
)
_UNIT = _choices(
    "gal", "gal_x100", "ft3", "m3",
    gallons="gal", gallon="gal", gals="gal", x100="gal_x100", hundred_gallons="gal_x100", cubic_feet="ft3", cf="ft3",
    cu_ft="ft3", cubic_metres="m3", cubic_meters="m3",
)  # fmt: skip
_FAILURE = _choices("a", "b", "c", "d", "e")
_SUBMITTER = _choices(*SUBMITTERS, hauler="contractor", licensed_individual="contractor", property_owner="owner")


def _field(
    name: str, type_: Type, label: str, help_: str, choices: Mapping[str, str] | None = None, past_only: bool = False
) -> Field:
    return Field(name=name, type=type_, label=label, help=help_, choices=choices, past_only=past_only)


FIELDS: Mapping[str, Field] = {
    f.name: f
    for f in (
        _field(
            "report_ref",
            Type.IDENTIFIER,
            "ticket number",
            "Your own ticket or invoice number; it identifies the report.",
        ),
        _field("permit_number", Type.IDENTIFIER, "sanitary permit number", "The permit number as the county has it."),
        _field("parcel_number", Type.IDENTIFIER, "tax parcel number", "The tax parcel number as the county has it."),
        _field(
            "site_address",
            Type.TEXT,
            "location (address)",
            "Fire number and road of the system, such as N5555 County Road K.",
        ),
        _field("municipality", Type.TEXT, "town, village or city", "Town, village or city of the system."),
        _field("owner_name", Type.TEXT, "owner's name", "Owner of the property."),
        _field(
            "component",
            Type.CHOICE,
            "component",
            "Which part was served; left empty it is the system's tank.",
            _COMPONENT,
        ),
        _field("component_ref", Type.IDENTIFIER, "tank's name", "The county's or your name for one of several tanks."),
        _field("event_type", Type.CHOICE, "type of service", "What was done.", _EVENT),
        _field(
            "service_date", Type.DATE, "date of service", "The day of the work: 2026-07-02 or 7/2/2026.", past_only=True
        ),
        _field("service_time", Type.TIME, "time of service", "The time of the work: 14:30 or 2:30 PM."),
        _field("gallons_pumped", Type.GALLONS, "gallons pumped", "Whole gallons, 1500 or 1,500."),
        _field("partial", Type.YES_NO, "partial load", "yes when the tank was not emptied."),
        _field("not_pumped_reason", Type.LONG_TEXT, "reason why it was not pumped", "Why pumping was not necessary."),
        _field(
            "next_pump_date", Type.DATE, "next date on which pumping is required", "When pumping was not necessary."
        ),
        _field(
            "sludge_scum_fraction", Type.FRACTION, "share of sludge and scum", "Of the tank's volume: 1/4, 25% or 0.25."
        ),
        _field("tank_condition", Type.TEXT, "condition of the tank", "In a few words: good, baffle broken."),
        _field("ponding", Type.CHOICE, "ponding", "Whether effluent ponds: none, surface or in_cell.", _PONDING),
        _field("defects", Type.LIST, "defects", "What was found wrong, several separated by a semicolon."),
        _field(
            "defects_corrected_on",
            Type.DATE,
            "date on which defects were corrected",
            "The day of the correction.",
            past_only=True,
        ),
        _field("meter_reading", Type.READING, "water meter reading", "The number on the meter, as it stands there."),
        _field("meter_unit", Type.CHOICE, "water meter's unit", "gal, gal_x100, ft3 or m3.", _UNIT),
        _field("meter_serial", Type.IDENTIFIER, "water meter's serial number", "The number of the meter itself."),
        _field("meter_estimated", Type.YES_NO, "estimated reading", "yes when the meter was not read."),
        _field("work_description", Type.LONG_TEXT, "description of the work", "What was done."),
        _field("notes", Type.LONG_TEXT, "notes", "Anything else."),
        _field("disposal_site", Type.TEXT, "disposal site", "Where the load went."),
        _field("business_name", Type.TEXT, "name of the business", "The business responsible for servicing."),
        _field("business_address", Type.TEXT, "address of the business", "The business's address."),
        _field("technician_name", Type.TEXT, "name of who did the work", "The individual who did the work."),
        _field(
            "license_number",
            Type.LICENSE,
            "licence number",
            "Licence, certification or registration number of who did the work.",
        ),
        _field("credential_kind", Type.CHOICE, "kind of credential", "What that licence is.", _CREDENTIAL),
        _field("inspector_name", Type.TEXT, "inspector's name", "A second person who inspected."),
        _field(
            "inspector_license_number",
            Type.LICENSE,
            "inspector's licence number",
            "The second person's licence number.",
        ),
        _field(
            "inspector_credential_kind",
            Type.CHOICE,
            "inspector's kind of credential",
            "What that licence is.",
            _CREDENTIAL,
        ),
        _field(
            "inspector_signature",
            Type.LONG_TEXT,
            "inspector's signature",
            "Typed name or image of the second person's signature.",
        ),
        _field("signature", Type.LONG_TEXT, "signature", "Typed name or image of the signature of who did the work."),
        _field("signed_on", Type.DATE, "date of signature", "When it was signed.", past_only=True),
        _field(
            "failure_condition",
            Type.CHOICE,
            "failure condition",
            "The letter of the condition as the program lists them.",
            _FAILURE,
        ),
        _field(
            "surface_discharge", Type.YES_NO, "discharge to the surface", "yes when sewage reaches the ground surface."
        ),
        _field("tampering", Type.YES_NO, "tampering", "yes when a part was removed, altered, disconnected or damaged."),
        _field("no_access", Type.YES_NO, "missing access", "yes when the tank could not be reached."),
        _field("liquid_level", Type.TEXT, "liquid level", "As found."),
        _field("peak_daily_gallons", Type.GALLONS, "peak daily flow", "Whole gallons."),
        _field("plan_measurements", Type.LONG_TEXT, "measurements of the plan", "What the management plan asks for."),
        _field("waste_type", Type.TEXT, "type of waste", "For the service log: septage, holding tank waste, grease."),
        _field("disposal_date", Type.DATE, "date of disposal", "When the load was disposed of.", past_only=True),
        _field("disposal_time", Type.TIME, "time of disposal", "When the load was disposed of."),
        _field("operator_in_charge", Type.TEXT, "operator in charge", "Certifies the service log."),
        _field("vehicle_operator", Type.TEXT, "vehicle operator", "Drove the load."),
        _field("load_ref", Type.IDENTIFIER, "load number", "Several tanks may share one load."),
        _field(
            "pathogen_vector_reduction",
            Type.LONG_TEXT,
            "pathogen and vector reduction",
            "For the service log, where the load was applied to land: how both were done, such as lime to pH 12 for 30 "
            "minutes.",
        ),
        _field(
            "submitter",
            Type.CHOICE,
            "who hands the report in",
            "contractor, owner or agent; left empty it is who did the work.",
            _SUBMITTER,
        ),
        _field("sent_on", Type.DATE, "date a paper copy was sent", "When a paper copy was sent.", past_only=True),
    )
}

_KEPT: Mapping[Type, type | tuple[type, ...]] = {
    Type.DATE: dt.date,
    Type.TIME: dt.time,
    Type.GALLONS: int,
    Type.READING: Decimal,
    Type.FRACTION: Fraction,
    Type.YES_NO: bool,
    Type.LIST: (list, tuple),
}


class Value(fields.Field[object]):
    """A marshmallow field for a value that intake has read already: it must be of its field's type and among its
    choices.
    """

    def __init__(self, field: Field, **kwargs: object) -> None:
        super().__init__(allow_none=False, metadata={"field": field}, **kwargs)  # type: ignore[arg-type]
        self.field = field

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> object:
        if (problem := problem_of(self.field, value)) is not None:
            raise ValidationError(problem)
        return value


def problem_of(field: Field, value: object) -> str | None:
    """What is wrong with a value that has been read, as one sentence; None when it is of its field's type and among
    its choices.
    """
    kept = _KEPT.get(field.type, str)
    if not isinstance(value, kept) or (isinstance(value, bool) and kept is int):
        return f"Give the {field.label} as its field asks: {field.help}"
    if field.choices is not None and value not in field.choices.values():
        return f"Give the {field.label} as one of: {', '.join(dict.fromkeys(field.choices.values()))}."
    return None
