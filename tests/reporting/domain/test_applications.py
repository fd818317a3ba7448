"""Conditions of certificates of exemption, on both sides of each limit (LB12–LB16); counts of a service year (LB1)."""

from datetime import date
from typing import Any

import pytest

from reporting.domain.applications import Application, exemption_kinds, unmet_conditions
from reporting.domain.service_year import served_area, system_year
from reporting.domain.view import View
from reporting.scenario import read_history, read_system
from schemas.loader import shipped_program

DAY = date(2027, 5, 3)
WHOLE = {
    "commercial": {},
    "vacant": {"verified_on": date(2027, 5, 1)},
    "infrequent_use": {"affidavit_on": date(2027, 5, 1), "people": 4, "days_a_year": 14},
    "inspection_only": {},
}


def a_view(*, pumped: str = "2024-05-03", as_of: date = DAY, settings: Any = None, **system: Any) -> View:
    scenario = {
        "system": {"kind": "septic", "installed_on": "2001-06-20", "service_area": 2, **system},
        "events": [{"event_type": "pumping", "service_date": pumped, "credential_kind": "septage_operator"}],
    }
    program = shipped_program("lake-beulah").with_settings(settings or {})
    return View(
        program=program,
        system=read_system(scenario["system"]),
        history=read_history(scenario),
        as_of=as_of,
        known_at=None,
    )


def lacking(kind: str, view: View | None = None, **values: Any) -> list[tuple[str, str]]:
    told = {"kind": kind, "received_on": DAY, "paid": True, **WHOLE[kind], **values}
    return [(one.field, one.cite) for one in unmet_conditions(view or a_view(), Application(**told))]


def test_lake_beulah_has_four_kinds_of_certificates_and_ozaukee_none() -> None:
    view = a_view()
    assert exemption_kinds(view) == tuple(WHOLE)
    elsewhere = View(
        program=shipped_program("ozaukee"), system=view.system, history=view.history, as_of=DAY, known_at=None
    )
    assert exemption_kinds(elsewhere) == ()


@pytest.mark.parametrize(
    ("kind", "values", "field", "cite"),
    [
        ("infrequent_use", {"people": 4}, "", ""),
        ("infrequent_use", {"people": 5}, "people", "7.01 c"),
        ("infrequent_use", {"people": None}, "people", "7.01 c"),
        ("infrequent_use", {"days_a_year": 14}, "", ""),
        ("infrequent_use", {"days_a_year": 15}, "days_a_year", "7.01 c"),
        ("infrequent_use", {"affidavit_on": None}, "affidavit_on", "7.01 c"),
        ("vacant", {"verified_on": DAY}, "", ""),
        ("vacant", {"verified_on": None}, "verified_on", "7.01 b"),
        ("inspection_only", {"paid": True}, "", ""),
        ("inspection_only", {"paid": False}, "paid", "7.02"),
        ("inspection_only", {"paid": None}, "paid", "7.02"),
    ],
)
def test_each_condition_is_met_or_said_with_its_section(
    kind: str, values: dict[str, Any], field: str, cite: str
) -> None:
    assert lacking(kind, **values) == ([(field, cite)] if field else [])


@pytest.mark.parametrize(("by", "is_met"), [("00412", True), ("00-412", True), ("00413", False), ("", False)])
def test_lb13_the_districts_contractor_verifies_vacant_land(by: str, is_met: bool) -> None:
    view = a_view(settings={"district_contractor": "00412"})
    assert lacking("vacant", view, verified_by=by) == ([] if is_met else [("verified_by", "7.01 b")])


@pytest.mark.parametrize(
    ("pumped", "stated", "is_met"),
    [
        ("2024-05-03", None, True),  # 36 months of it end on the day of the application
        ("2024-05-02", None, False),
        ("2020-05-02", date(2024, 5, 3), True),  # the affidavit says it
        ("2020-05-02", date(2024, 5, 2), False),
        ("2027-05-04", None, False),  # nothing was done by the application
    ],
)
def test_lb14_inspected_or_pumped_within_three_years(pumped: str, stated: date | None, is_met: bool) -> None:
    view = a_view(pumped=pumped, as_of=date(2027, 6, 1))
    found = lacking("infrequent_use", view, serviced_on=stated)
    assert found == ([] if is_met else [("serviced_on", "7.01 c")])


@pytest.mark.parametrize(
    ("system", "fields"),
    [
        ({"kind": "holding", "building": "commercial"}, []),
        ({"kind": "holding", "building": "dwelling"}, ["building"]),
        ({"kind": "septic", "building": "commercial"}, ["component"]),
        ({"kind": "holding", "building": "commercial", "status": "abandoned"}, ["component"]),
    ],
)
def test_lb12_is_for_commercial_holding_tanks(system: dict[str, str], fields: list[str]) -> None:
    assert [field for field, _cite in lacking("commercial", a_view(**system))] == fields


@pytest.mark.parametrize(("year", "area"), [(2027, 1), (2028, 2), (2029, 3), (2030, 1), (2026, 3)])
def test_lb1_one_area_a_year(year: int, area: int) -> None:
    program = shipped_program("lake-beulah")
    assert served_area(program, year, DAY) == (None, 3)
    assert served_area(program.with_settings({"base_year": 2027}), year, DAY) == (area, 3)
    assert served_area(shipped_program("portage"), year, DAY) == (None, 0)


@pytest.mark.parametrize(
    ("kind", "granted", "year", "cents"),
    [
        (None, None, 2028, 4000),
        ("vacant", "2027-12-01", 2028, 0),
        ("vacant", "2028-01-02", 2028, 4000),  # it did not hold the whole year (LB17)
        ("infrequent_use", "2027-12-01", 2028, 4000),  # the area's own year (LB14)
        ("infrequent_use", "2027-12-01", 2029, 0),
        ("inspection_only", "2027-12-01", 2029, 4000),
    ],
)
def test_who_owes_the_yearly_fee(kind: str | None, granted: str | None, year: int, cents: int) -> None:
    exemption = {"kind": kind, "granted_on": granted} if kind else None
    view = a_view(as_of=date(year, 12, 31), settings={"base_year": 2027}, exemption=exemption)
    assert system_year(view, year).fee_cents == cents
