"""The fields of a report: those of the contract, each with help, and a catalogue of everything that can be wrong."""

import ast
from pathlib import Path

import pytest

from reporting.intake.headings import match_headings
from reporting.intake.identifiers import ExcelHarm
from reporting.intake.reading import heading_aliases
from reporting.intake.sheet import CellFault
from schemas.fields import FIELDS, Type, problem_of
from schemas.issues import CODES, VALUE_CODES, WARNING_CODES, Code
from schemas.loader import shipped_program, shipped_slugs

ROOT = Path(__file__).resolve().parents[2]
# The rows of the contract's table "Report, as a CSV row or a JSON object".
CONTRACT = """
report_ref permit_number parcel_number site_address municipality owner_name component event_type service_date
gallons_pumped partial not_pumped_reason next_pump_date sludge_scum_fraction tank_condition ponding defects
defects_corrected_on meter_reading meter_unit meter_serial meter_estimated work_description notes disposal_site
business_name business_address technician_name license_number credential_kind inspector_name
inspector_license_number inspector_signature inspector_credential_kind signature signed_on component_ref
failure_condition surface_discharge tampering no_access liquid_level peak_daily_gallons plan_measurements
service_time waste_type disposal_date disposal_time operator_in_charge vehicle_operator load_ref sent_on
"""
# Added in the same style: what NR 113.11(3)(c) asks of the service log where a load went to land (rule S17), and the
# contract's own `submitter` of a scenario's event, where staff enters what an owner or agent handed in (S13, S14, WI4).
ADDED = "pathogen_vector_reduction submitter"
CHOICES = {
    "component": {"septic", "holding", "pump_chamber", "pretreatment", "dispersal", "privy"},
    "event_type": {
        "pumping", "inspection", "pumping_and_inspection", "maintenance", "evaluation", "meter_reading",
        "no_service_statement", "abandonment",
    },
    "ponding": {"none", "surface", "in_cell"},
    "failure_condition": {"a", "b", "c", "d", "e"},
    "meter_unit": {"gal", "gal_x100", "ft3", "m3"},
}  # fmt: skip


def test_the_fields_are_those_of_the_contract() -> None:
    assert sorted(FIELDS) == sorted([*CONTRACT.split(), *ADDED.split()])
    assert all(name == field.name for name, field in FIELDS.items())


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_those_of_the_contract(name: str) -> None:
    choices = FIELDS[name].choices
    assert choices is not None
    assert set(choices.values()) == CHOICES[name]
    assert all(choices[value] == value for value in CHOICES[name])


def test_every_field_has_help_that_a_message_can_use() -> None:
    for field in FIELDS.values():
        assert field.help.endswith(".")
        assert field.label[0].islower()
        assert (field.type is Type.CHOICE) is (field.choices is not None)


def test_a_value_of_another_type_is_a_problem() -> None:
    assert problem_of(FIELDS["gallons_pumped"], True) is not None
    assert problem_of(FIELDS["gallons_pumped"], "900") is not None
    assert problem_of(FIELDS["gallons_pumped"], 900) is None
    assert problem_of(FIELDS["ponding"], "wet") is not None


@pytest.mark.parametrize("slug", shipped_slugs())
def test_no_heading_of_a_program_names_two_fields(slug: str) -> None:
    aliases = heading_aliases(shipped_program(slug))
    match = match_headings(list(FIELDS), aliases)  # raises where two fields claim one name
    assert match.mapping == {name: name for name in FIELDS}


def _codes_in(folder: str, call: str) -> set[str]:
    """The codes that the sources hand to `call` as a literal."""
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == call and node.args:
                first = node.args[0]
                found |= {first.value} if isinstance(first, ast.Constant) else set()
    return {str(code) for code in found}


def test_the_catalogue_of_codes_is_whole() -> None:
    assert set(CODES) == set(Code)
    raised = _codes_in("reporting/intake", "BadValue") | {fault.value for fault in CellFault}
    assert "not_whole" in raised
    assert raised <= set(VALUE_CODES)
    assert set(VALUE_CODES) - raised == {"latitude", "longitude"}  # named by a variable
    assert {harm.value for harm in ExcelHarm} <= set(WARNING_CODES)
