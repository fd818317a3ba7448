"""The workbook that an office fills in: the headings that a report needs, what each holds, and an example of each."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Mapping
from typing import Any, Final

import xlsxwriter  # type: ignore[import-untyped]

from schemas.fields import FIELDS, Field, Type
from schemas.program import Program
from schemas.publish import asked, template_headings
from schemas.report import ALWAYS, Requirement, Traits

REPORTS, HELP = "Reports", "Help"
YES: Final = "yes"
ROWS_PREPARED: Final = 2_000
"""How many rows offer their choices and keep numbers as they are typed."""
_AS_TEXT: Final = (Type.IDENTIFIER, Type.LICENSE)
_EXAMPLES: Final[Mapping[str, str]] = {
    "report_ref": "T-20611",
    "permit_number": "SP-1987",
    "parcel_number": "08-058-02-001.00",
    "site_address": "N5555 County Road K",
    "municipality": "Town of Saukville",
    "owner_name": "Laverne Lor",
    "component_ref": "north tank",
    "service_time": "14:30",
    "gallons_pumped": "1500",
    "partial": "no",
    "not_pumped_reason": "Sludge and scum below one third",
    "sludge_scum_fraction": "1/4",
    "tank_condition": "good",
    "ponding": "none",
    "defects": "baffle broken; lid cracked",
    "meter_reading": "123456",
    "meter_unit": "gal",
    "meter_serial": "A-1027",
    "meter_estimated": "no",
    "work_description": "Pumped tank, checked baffles and lid",
    "notes": "Dog in the yard",
    "disposal_site": "Saukville treatment plant",
    "business_name": "Kettle Moraine Septic LLC",
    "business_address": "N4820 County Road I, Saukville, WI 53080",
    "technician_name": "Dale Krueger",
    "license_number": "00412",
    "credential_kind": "septage_operator",
    "inspector_name": "Lena Oestreich",
    "inspector_license_number": "PM-2207",
    "inspector_credential_kind": "powts_maintainer",
    "inspector_signature": "Lena Oestreich",
    "signature": "Dale Krueger",
    "failure_condition": "a",
    "surface_discharge": "no",
    "tampering": "no",
    "no_access": "no",
    "liquid_level": "normal",
    "peak_daily_gallons": "450",
    "plan_measurements": "ponding 0 in, effluent filter cleaned",
    "waste_type": "septage",
    "disposal_time": "16:10",
    "operator_in_charge": "Dale Krueger",
    "vehicle_operator": "Dale Krueger",
    "load_ref": "L-881",
    "pathogen_vector_reduction": "lime to pH 12 for 30 minutes; incorporated within 6 hours",
    "submitter": "contractor",
}


def example_of(name: str, component: str, event: str, day: dt.date) -> str:
    """A value that a field takes, as an office would write it."""
    if name == "component":
        return component
    if name == "event_type":
        return event
    if FIELDS[name].type is Type.DATE:
        return (day + dt.timedelta(days=365 if name == "next_pump_date" else 0)).isoformat()
    return _EXAMPLES[name]


def xlsx_template(program: Program, component: str, event: str, day: dt.date, traits: Traits | None = None) -> bytes:
    """A workbook with two sheets: `Reports`, empty below its headings, and `Help`, which has a line for each of them.

    What every such report needs is marked; of what is marked otherwise one of several is needed. Columns of numbers
    that are names keep zeros in front.
    """
    wanted = asked(program, component, event, day, traits)
    headings = template_headings(wanted)
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_numbers": False})
    # A fixed moment, so that the same question gives the same bytes.
    made = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
    book.set_properties({"title": f"{program.name}: {event.replace('_', ' ')}", "created": made})
    _fill_reports(book, headings, wanted)
    _fill_help(book, headings, wanted, (component, event, day))
    book.close()
    return out.getvalue()


def _fill_reports(book: Any, headings: list[str], wanted: tuple[Requirement, ...]) -> None:
    sheet = book.add_worksheet(REPORTS)
    needed = book.add_format({"bold": True, "bg_color": "#C00000", "font_color": "#FFFFFF"})
    either = book.add_format({"bold": True, "bg_color": "#FFE699"})
    free, text = book.add_format({"bold": True}), book.add_format({"num_format": "@"})
    for column, name in enumerate(headings):
        field, (word, _cite) = FIELDS[name], _needed(name, wanted)
        sheet.write_string(0, column, name, needed if word == YES else either if word else free)
        sheet.set_column(column, column, max(14, len(name) + 2), text if field.type in _AS_TEXT else None)
        if words := _words(field):
            choice = {"validate": "list", "source": words, "error_type": "warning"}
            sheet.data_validation(1, column, ROWS_PREPARED, column, choice)
    sheet.freeze_panes(1, 0)


def _fill_help(book: Any, headings: list[str], wanted: tuple[Requirement, ...], of: tuple[str, str, dt.date]) -> None:
    sheet = book.add_worksheet(HELP)
    bold, wrap = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
    for column, (title, width) in enumerate(
        [
            ("Column", 26),
            ("What it holds", 60),
            ("Needed", 28),
            ("Section", 22),
            ("Words it takes", 40),
            ("Example", 32),
        ]
    ):
        sheet.write_string(0, column, title, bold)
        sheet.set_column(column, column, width)
    for row, name in enumerate(headings, start=1):
        field, (word, cite) = FIELDS[name], _needed(name, wanted)
        what = f"{field.label[0].upper()}{field.label[1:]}. {field.help}"
        line = (name, what, word, cite, ", ".join(_words(field)), example_of(name, *of))
        for column, each in enumerate(line):
            sheet.write_string(row, column, each, wrap)


def _needed(name: str, wanted: tuple[Requirement, ...]) -> tuple[str, str]:
    """Whether a report needs a field: `yes`, what else would do, with what else it comes, or '' ; and the section."""
    for r in wanted:
        if name in r.fields:
            return (YES if not r.with_field else f"together with {r.with_field}"), r.cite
    if name in ALWAYS:
        return YES, ""
    for r in wanted:
        if any(name in names for names in r.any_of):
            return "one of: " + "; ".join(" and ".join(names) for names in r.any_of), r.cite
    return "", ""


def _words(field: Field) -> list[str]:
    if field.type is Type.YES_NO:
        return [YES, "no"]
    return list(dict.fromkeys(field.choices.values())) if field.choices else []
