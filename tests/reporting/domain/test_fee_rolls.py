"""A system on a fee roll, on both sides of every limit: charged how much by which section, or free and why."""

from datetime import date
from typing import Any

import pytest

from reporting.domain.fee_rolls import has_roll, judged_on, roll_lines
from reporting.domain.view import View
from reporting.scenario import read_history, read_system
from schemas.acts import Fee
from schemas.loader import shipped_program

LAKE = {"kind": "septic", "service_area": 2, "parcel_number": "P-1"}
# LB1: which area is served in which year is counted from the base year; area 2 is served in 2027.
BASE = {"base_year": 2008}


def lines(county: str, year: int, system: dict[str, Any], today: date, **settings: Any) -> list[tuple[Any, ...]]:
    program = shipped_program(county)
    program = program.with_settings({name: program.settings[name].read(value) for name, value in settings.items()})
    scenario = {"system": system}
    day = judged_on(year, today)
    view = View(program=program, system=read_system(system), history=read_history(scenario), as_of=day, known_at=None)
    return [(line.rule, line.period, line.cents, line.cite, line.because) for line in roll_lines(view, year)]


def lake(year: int = 2026, today: date = date(2026, 3, 1), **system: Any) -> tuple[Any, ...]:
    [line] = lines("lake-beulah", year, {**LAKE, **system}, today, **BASE)
    return line


def exempt(kind: str, granted_on: str) -> dict[str, Any]:
    return {"exemption": {"kind": kind, "granted_on": granted_on}}


def test_every_tank_owner_is_charged_served_or_not() -> None:
    assert lake() == ("LB6", "2026", 4000, "5.02, 5.04", "for 2026")
    assert lake(kind="holding")[2] == 4000
    assert lines("lake-beulah", 2026, {"kind": "privy"}, date(2026, 3, 1)) == []


def test_a_vacant_lot_is_free_in_the_years_that_its_certificate_covers() -> None:
    assert lake(**exempt("vacant", "2026-01-01")) == (
        "LB6", "2026", 0, "7.01 b", "certificate (vacant) of 2026-01-01: no fee",
    )  # fmt: skip
    # LB17: one day later no certificate was in force when the year began.
    assert lake(**exempt("vacant", "2026-01-02")) == (
        "LB6", "2026", 4000, "5.02, 5.04; 7.04", "for 2026: no certificate was in force on January 1",
    )  # fmt: skip
    assert lake(**exempt("vacant", "2026-03-02"))[3] == "5.02, 5.04"  # not granted yet: nothing to say of it


def test_a_certificate_runs_seven_years() -> None:
    # LB16: 2019-03-01 + 84 months = 2026-03-01: on its last day the year is covered so far, and a day later not.
    assert lake(today=date(2026, 3, 1), **exempt("vacant", "2019-03-01"))[2] == 0
    assert lake(today=date(2026, 3, 2), **exempt("vacant", "2019-03-01"))[2] == 4000


@pytest.mark.parametrize(("year", "cents"), [(2025, 0), (2026, 0), (2027, 4000), (2028, 0)])
def test_infrequent_use_pays_in_the_areas_own_year(year: int, cents: int) -> None:
    found = lake(year, date(year, 3, 1), **exempt("infrequent_use", "2024-06-17"))
    assert found[2] == cents
    if not cents:
        assert found[3] == "7.01 c"
        assert "only in the year in which the area is served, next in " in found[4]


@pytest.mark.parametrize("kind", ["commercial", "inspection_only"])
def test_the_other_certificates_pay(kind: str) -> None:
    assert lake(**exempt(kind, "2024-06-17"))[2] == 4000


def test_what_is_out_of_use_or_not_in_the_inventory_is_free() -> None:
    assert lake(status="abandoned", status_since="2025-10-01")[2:] == (0, "5.02, 5.04", "abandoned since 2025-10-01")
    assert lake(status="abandoned", status_since="2026-03-02")[2] == 4000  # not yet
    assert lake(status="provisional")[4] == "not in the inventory yet: provisional"


@pytest.mark.parametrize(
    ("day", "cite", "cents"), [(date(2026, 6, 30), "16.12(1)(c) (2019)", 500), (date(2026, 7, 1), "16.09(3)", 750)]
)
def test_winnebagos_fee_is_that_of_the_text_in_force(day: date, cite: str, cents: int) -> None:
    [line] = lines("winnebago", 2026, {"kind": "septic"}, day, record_fee_cents=750)
    assert line == ("WI18", "2026", cents, cite, "for 2026")


def test_ozaukees_fee_is_due_once_and_by_the_main_tank() -> None:
    assert [line[:3] for line in lines("ozaukee", 2026, {"kind": "holding"}, date(2026, 3, 1))] == [
        ("OZ13", "once", 9000)
    ]
    assert [line[:3] for line in lines("ozaukee", 2026, {"kind": "septic"}, date(2026, 3, 1))] == [
        ("OZ13", "once", 4500)
    ]
    assert not has_roll(shipped_program("portage"), date(2026, 3, 1))


def test_only_a_setting_can_change_once_a_year() -> None:
    with pytest.raises(ValueError, match="cents_setting"):
        Fee(every="year", paid_as=("annual",), cents=4000, once_a_year=True)


def test_a_roll_is_judged_within_its_year() -> None:
    assert judged_on(2026, date(2026, 3, 1)) == date(2026, 3, 1)
    assert judged_on(2027, date(2026, 12, 31)) == date(2027, 1, 1)
    assert judged_on(2025, date(2026, 1, 1)) == date(2025, 12, 31)
