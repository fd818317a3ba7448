"""Report schemas as other programs read them: JSON Schema, Table Schema, CSV template; they ask for the same."""

import csv
import datetime as dt
import io
import json
from decimal import Decimal
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator

from schemas.acts import COMPONENTS, EVENT_TYPES
from schemas.fields import FIELDS
from schemas.loader import shipped_program, shipped_slugs
from schemas.publish import csv_template, json_schema, table_schema
from schemas.report import Traits, check_report
from tests.schemas.whole_reports import DAYS, whole_report

AFTER = dt.date(2026, 7, 1)


def as_sent(values: dict[str, object]) -> dict[str, object]:
    """A read report as JSON would bring it."""

    def plain(value: object) -> object:
        if isinstance(value, dt.date | dt.time):
            return value.isoformat()
        if isinstance(value, Decimal | Fraction):
            return str(value)
        return list(value) if isinstance(value, tuple) else value

    return {name: plain(value) for name, value in values.items()}


@pytest.mark.parametrize("slug", shipped_slugs())
def test_the_json_schema_asks_for_what_the_intake_asks_for(slug: str) -> None:
    program = shipped_program(slug)
    for component in ("", *COMPONENTS):
        for event in EVENT_TYPES:
            for day in DAYS:
                schema = json.loads(json.dumps(json_schema(program, component, event, day)))
                if event == EVENT_TYPES[0]:  # they differ in what is asked for, not in their form
                    Draft202012Validator.check_schema(schema)
                validator = Draft202012Validator(schema)
                whole = whole_report(program, component, event, day)
                assert validator.is_valid(as_sent(whole)), (component, event, day)
                for name in whole:
                    less = {k: v for k, v in whole.items() if k != name}
                    kind = str(less.get("component", ""))
                    refused = bool(check_report(program, less, component=component or kind))
                    assert validator.is_valid(as_sent(less)) is not refused, (component, event, day, name)


def test_the_json_schema_knows_values_and_sections() -> None:
    schema = json_schema(shipped_program("ozaukee"), "holding", "pumping", AFTER)
    validator = Draft202012Validator(schema)
    good = as_sent(whole_report(shipped_program("ozaukee"), "holding", "pumping", AFTER))
    for bad in ({"gallons_pumped": -1}, {"gallons_pumped": "900"}, {"meter_reading": "12 345"}, {"ponding": "wet"},
                {"sludge_scum_fraction": 2}, {"galons": 1}, {"partial": "yes"}, {"component": "septic"}):  # fmt: skip
        assert not validator.is_valid({**good, **bad}), bad
    for right in (
        {"meter_reading": 12345.6},
        {"sludge_scum_fraction": "1/4"},
        {"defects": ["lid"]},
        {"partial": False},
    ):
        assert validator.is_valid({**good, **right}), right
    citations = schema["x-citations"]
    assert isinstance(citations, dict)
    assert citations["meter_reading"] == "9.029(5)(b)7"


def test_two_signatures_are_asked_for_together() -> None:
    program = shipped_program("portage")
    schema = json_schema(program, "septic", "pumping", AFTER)
    assert schema["dependentRequired"] == {"inspector_name": ["inspector_signature"]}
    good = as_sent(whole_report(program, "septic", "pumping", AFTER))
    assert not Draft202012Validator(schema).is_valid({**good, "inspector_name": "Ingrid Sabel"})


def test_traits_of_the_system_are_in_the_schema() -> None:
    program = shipped_program("portage")
    plain = json_schema(program, "holding", "pumping", AFTER)
    ordered = json_schema(program, "holding", "pumping", AFTER, Traits(flags=("meter_ordered",)))
    assert "meter_reading" not in plain["required"]  # type: ignore[operator]
    assert "meter_reading" in ordered["required"]  # type: ignore[operator]


@pytest.mark.parametrize("slug", shipped_slugs())
def test_the_table_schema_has_every_field_as_a_column(slug: str) -> None:
    program = shipped_program(slug)
    schema = json.loads(json.dumps(table_schema(program, "holding", "pumping", AFTER)))
    wanted = json_schema(program, "holding", "pumping", AFTER)["required"]
    assert [f["name"] for f in schema["fields"]] == list(FIELDS)
    types = {"string", "date", "time", "integer", "number", "boolean"}
    assert {f["type"] for f in schema["fields"]} <= types
    assert [f["name"] for f in schema["fields"] if f["constraints"]["required"]] == wanted
    assert all(f["title"] and f["description"] for f in schema["fields"])
    assert all(f.get("cite") for f in schema["fields"] if f["constraints"]["required"] and f["name"] != "event_type")


@pytest.mark.parametrize("slug", shipped_slugs())
def test_the_template_opens_with_the_headings_that_are_needed(slug: str) -> None:
    program = shipped_program(slug)
    content = csv_template(program, "holding", "pumping", AFTER)
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.endswith(b"\r\n")
    (headings,) = csv.reader(io.StringIO(content.decode("utf-8-sig")))
    assert sorted(headings) == sorted(FIELDS)
    needed = set(json_schema(program, "holding", "pumping", AFTER)["required"])  # type: ignore[call-overload]
    whole = whole_report(program, "holding", "pumping", AFTER)
    first = headings[: len(needed | set(whole) | {"report_ref"}) + 6]
    assert needed <= set(first)
    assert "report_ref" in first
