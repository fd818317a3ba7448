"""What each program asks of a report: complete ones pass, and what is missing is said with its section."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import pytest
from marshmallow import ValidationError

from schemas.acts import COMPONENTS, EVENT_TYPES
from schemas.issues import Issue
from schemas.loader import shipped_program, shipped_slugs
from schemas.report import Traits, check_report, report_schema, requirements
from tests.schemas.whole_reports import DAYS, whole_report

BEFORE, AFTER = dt.date(2026, 6, 30), dt.date(2026, 7, 1)


def every_kind() -> Iterator[tuple[str, str, str, dt.date]]:
    for slug in shipped_slugs():
        for component in ("", *COMPONENTS):
            for event in EVENT_TYPES:
                for day in DAYS:
                    yield slug, component, event, day


def said(issues: list[Issue]) -> list[tuple[str | None, str, str | None]]:
    return [(i.field, i.code, i.cite) for i in issues]


@pytest.mark.parametrize("slug", shipped_slugs())
def test_a_whole_report_of_every_kind_passes_and_each_missing_field_is_said(slug: str) -> None:
    program = shipped_program(slug)
    count = 0
    for _, component, event, day in (k for k in every_kind() if k[0] == slug):
        whole = whole_report(program, component, event, day)
        assert check_report(program, whole, component=component) == [], (component, event, day)
        for asked in requirements(program.at(day), component, event, day, Traits()):
            for name in asked.fields:
                if asked.with_field:
                    continue
                issues = check_report(program, {k: v for k, v in whole.items() if k != name}, component=component)
                assert (name, "required") in [(i.field, i.code) for i in issues], (component, event, day, name)
                assert all(i.cite for i in issues)
                count += 1
    assert count > 100


@pytest.mark.parametrize(
    ("slug", "component", "event", "day", "code", "field", "cite"),
    [
        ("ozaukee", "holding", "pumping", AFTER, "required", "meter_reading", "9.029(5)(b)7"),
        ("ozaukee", "septic", "pumping", AFTER, "required_one_of", "gallons_pumped", "9.029(5)(b)3"),
        ("ozaukee", "dispersal", "inspection", AFTER, "required", "ponding", "9.029(2)(a)2"),
        ("portage", "septic", "pumping", AFTER, "required", "ponding", "7.9.34(5)"),
        ("winnebago", "septic", "pumping", AFTER, "required", "disposal_site", "16.08(3)(g)"),
        ("winnebago", "holding", "pumping", BEFORE, "required", "disposal_site", "16.05(4)(d)(7) (2019)"),
        ("lake-beulah", "septic", "pumping", AFTER, "required", "license_number", "SPS 383.55(3)(d)"),
    ],
)
def test_what_is_missing_names_the_section(
    slug: str, component: str, event: str, day: dt.date, code: str, field: str, cite: str
) -> None:
    program = shipped_program(slug)
    values = {k: v for k, v in whole_report(program, component, event, day).items() if k != field}
    assert (field, code, cite) in said(check_report(program, values, component=component))


def test_the_text_of_the_day_of_service_decides() -> None:
    program = shipped_program("winnebago")
    values = whole_report(program, "septic", "pumping", BEFORE)
    values = {k: v for k, v in values.items() if k not in ("disposal_site", "parcel_number")}
    assert check_report(program, values, component="septic") == []
    missing = {i.field for i in check_report(program, {**values, "service_date": AFTER}, component="septic")}
    assert missing >= {"disposal_site", "parcel_number"}


def test_traits_of_the_system_decide() -> None:
    portage, winnebago = shipped_program("portage"), shipped_program("winnebago")
    values = {k: v for k, v in whole_report(portage, "holding", "pumping", AFTER).items() if k != "meter_reading"}
    assert check_report(portage, values, Traits(), "holding") == []
    ordered = check_report(portage, values, Traits(flags=("meter_ordered",)), "holding")
    assert said(ordered) == [("meter_reading", "required", "7.9.35(3)")]
    values = {k: v for k, v in whole_report(winnebago, "holding", "pumping", AFTER).items() if k != "meter_reading"}
    assert check_report(winnebago, values, Traits(building="dwelling"), "holding") == []
    grounds = check_report(winnebago, values, Traits(building="event_grounds"), "holding")
    assert said(grounds) == [("meter_reading", "required", "16.05(1)(e)(5)")]


@pytest.mark.parametrize("given", [{}, {"not_pumped_reason": "under a third"}, {"next_pump_date": dt.date(2029, 7, 1)}])
def test_gallons_or_both_the_reason_and_the_next_date(given: dict[str, object]) -> None:
    program = shipped_program("ozaukee")
    values = {k: v for k, v in whole_report(program, "septic", "inspection", AFTER).items() if k != "gallons_pumped"}
    values = {k: v for k, v in values.items() if k not in ("not_pumped_reason", "next_pump_date")} | given
    (issue,) = check_report(program, values, component="septic")
    assert issue.code == "required_one_of"
    assert issue.field == next(
        n for n in ("gallons_pumped", "not_pumped_reason", "next_pump_date")
        if n not in given and (not given or n != "gallons_pumped")
    )  # fmt: skip
    both = {"not_pumped_reason": "under a third", "next_pump_date": dt.date(2029, 7, 1)}
    assert check_report(program, {**values, **both}, component="septic") == []


def test_two_people_sign_where_two_did_the_work() -> None:
    program = shipped_program("portage")
    values = {**whole_report(program, "septic", "pumping", AFTER), "inspector_name": "Ingrid Sabel"}
    assert said(check_report(program, values, component="septic")) == [("inspector_signature", "required", "7.9.34(5)")]
    assert check_report(program, {**values, "inspector_signature": "I. Sabel"}, component="septic") == []


@pytest.mark.parametrize("absent", [("service_date",), ("event_type",), ("service_date", "event_type")])
def test_without_date_or_event_what_is_asked_in_any_case_is_said_too(absent: tuple[str, ...]) -> None:
    program = shipped_program("ozaukee")
    values = whole_report(program, "septic", "pumping", AFTER)
    values = {k: v for k, v in values.items() if k not in (*absent, "license_number", "disposal_site")}
    assert {i.field for i in check_report(program, values)} == {*absent, "license_number"}
    winnebago = shipped_program("winnebago")
    values = {k: v for k, v in whole_report(winnebago, "septic", "pumping", AFTER).items() if k != "disposal_site"}
    undated = {k: v for k, v in values.items() if k != "service_date"}  # the text of 2019 asks for no disposal site
    assert [i.field for i in check_report(winnebago, undated, component="septic")] == ["service_date"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"event_type": "inspection"}, "event_type"),
        ({"gallons_pumped": 0}, "gallons_pumped"),
        ({"next_pump_date": AFTER}, "next_pump_date"),
        ({"signed_on": BEFORE}, "signed_on"),
        ({"disposal_date": BEFORE}, "disposal_date"),
    ],
)
def test_what_contradicts_itself_is_said(changes: dict[str, object], field: str) -> None:
    program = shipped_program("lake-beulah")
    values = {**whole_report(program, "septic", "pumping", AFTER), "gallons_pumped": 900}
    assert check_report(program, values, component="septic") == []
    assert [(i.field, i.code) for i in check_report(program, {**values, **changes}, component="septic")] == [
        (field, "inconsistent")
    ]


def test_a_value_of_another_type_or_an_unknown_field_is_said() -> None:
    program = shipped_program("lake-beulah")
    values = whole_report(program, "septic", "pumping", AFTER)
    issues = check_report(program, {**values, "gallons_pumped": "900", "galons": 1}, component="septic")
    assert {(i.field, i.code) for i in issues} == {("gallons_pumped", "bad_value"), ("galons", "unknown_field")}


def test_the_quick_way_and_the_schema_agree() -> None:
    for slug, component, event, day in list(every_kind())[::7]:
        program = shipped_program(slug)
        whole = whole_report(program, component, event, day)
        schema = report_schema(program.at(day), component, event, day, Traits())()
        for name in (None, *whole):
            values = {k: v for k, v in whole.items() if k != name}
            try:
                schema.load(values)
                wrong = False
            except ValidationError:
                wrong = True
            issues = check_report(program, values, component=component)
            assert wrong is any(i.code in ("required", "required_one_of") for i in issues) or name in (
                "event_type", "service_date",
            ), (slug, component, event, name)  # fmt: skip


def test_readings_are_exact() -> None:
    program = shipped_program("ozaukee")
    values = {**whole_report(program, "holding", "pumping", AFTER), "meter_reading": Decimal("12345.6")}
    assert check_report(program, values, component="holding") == []
