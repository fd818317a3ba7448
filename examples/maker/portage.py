"""Portage County (7.9): inspected and pumped every three years, inspections that put it off, holding tanks."""

from datetime import date, timedelta

from maker.columns import Row
from maker.common import contract, dated, ended, gallons_of, holding_system, installed_on, septic_capacity
from maker.contractors import licence
from maker.county import County, system_on_same_parcel
from maker.dice import Dice
from maker.holding import Habit, record_pumpings, seasonal_days, seasonal_habit, year_round_days
from maker.places import PORTAGE
from maker.septic import plan_service
from maker.tickets import inspected, pumped, second_person


def make() -> County:
    """Make Portage's 280 systems: 246 septic, 34 holding (six of them ordered to meter)."""
    county = County(place=PORTAGE, dice=Dice("pumper examples: portage"))
    for number in range(246):
        _septic(county, beside=number in {20, 101, 188}, number=number)
    for number in range(34):
        _holding(county, number)
    return county


def _septic(county: County, *, beside: bool, number: int) -> None:
    dice, old = county.dice, county.dice.chance(0.55)
    system = system_on_same_parcel(county, county.inventory[-1]) if beside else county.new_system()
    system |= dated(county, old=old) | ended(dice, system) | {"component": "septic"}
    issued = system["permit_issued_on"]
    system["permit_number"] = county.permit(system, issued.year if isinstance(issued, date) else 1985, old=old)
    if dice.chance(0.3):
        system["designated_license_number"] = dice.pick(PORTAGE.operators)
    if dice.chance(0.12):
        system |= {"use": "seasonal", "season_from": "05-15", "season_to": "09-30"}
    if number in {30, 31, 32, 33}:
        system |= {"assigned_due_on": date(2026, 9, 30), "status": "active"}
    service = plan_service(dice, 36, installed_on(system), recorded=0.4 if system["status"] == "active" else 0)
    known: Row = {
        "last_pumped_on": service.baseline_on,
        "last_inspected_on": service.baseline_on,
        "capacity_gallons": septic_capacity(dice),
    }
    tanks = [system | (known if number not in {30, 31, 32, 33} else {"capacity_gallons": 999})]
    if dice.chance(0.07):
        tanks = [tanks[0] | {"component_ref": name} for name in ("North", "South")]
    elif dice.chance(0.12):
        tanks.append(tanks[0] | {"component": "pump_chamber", "capacity_gallons": dice.pick((500, 600))})
    county.inventory += tanks
    if service.recorded and service.last_on is not None and number not in {30, 31, 32, 33}:
        _visit(county, tanks, service.last_on)


def _visit(county: County, tanks: list[Row], on: date) -> None:
    """Report one visit: mostly one pumper who states what was seen; some with an inspector; some inspected and left."""
    dice = county.dice
    hauler, inspector, turn = (
        licence(dice.pick(PORTAGE.operators)),
        licence(dice.pick(PORTAGE.inspectors)),
        dice.real(0, 1),
    )
    for tank in tanks:
        if turn < 0.2:
            county.history.append(inspected(tank, on, inspector, on + timedelta(days=1090), dice.real(0.05, 0.3)))
        elif turn < 0.35:
            found = second_person(inspector) | {"event_type": "pumping_and_inspection"}
            county.history.append(pumped(tank, on, hauler, gallons_of(dice, tank), **found))
        else:
            share = f"{dice.real(0.15, 0.5):.2f}"
            county.history.append(pumped(tank, on, hauler, gallons_of(dice, tank), sludge_scum_fraction=share))


def _holding(county: County, number: int) -> None:
    dice, ordered, seasonal = county.dice, number < 6, number >= 24
    tank = holding_system(county, metered=ordered or number % 2 == 0)
    hauler = dice.pick(PORTAGE.operators)
    tank |= contract(dice, hauler)
    if ordered:
        tank["flags"] = "meter_ordered"
    if number == 7:
        tank["flags"] = "temporary"
    if seasonal:
        tank |= {"use": "seasonal", "season_from": "05-15", "season_to": "10-01"}
    county.inventory.append(tank)
    habit = Habit(gallons_per_day=dice.real(60, 110), first_reading=dice.between(2_000, 300_000))
    if seasonal:
        habit, days = seasonal_habit(dice, tank), seasonal_days(dice, 5, (2024, 2025, 2026))
    else:
        days = year_round_days(dice, int(str(tank["capacity_gallons"])), habit.gallons_per_day)
    installed = installed_on(tank)
    record_pumpings(county, tank, [day for day in days if installed is None or day > installed], habit, hauler)
