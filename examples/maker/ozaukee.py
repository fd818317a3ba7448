"""Ozaukee County: existing and new systems with their dispersal cells, and metered holding tanks (Chapter IX)."""

from datetime import date, timedelta

from maker.columns import Row
from maker.common import contract, dated, ended, gallons_of, holding_system, installed_on, septic_capacity
from maker.contractors import licence
from maker.county import County, system_on_same_parcel
from maker.dice import AS_OF, LAST_SERVICE, Dice, working
from maker.holding import Habit, meter, record_pumpings, seasonal_days, seasonal_habit, year_round_days
from maker.places import OZAUKEE
from maker.septic import Service, plan_service
from maker.tickets import inspected, pumped, second_person, ticket

#: The holding tanks worth looking at, by their order: see README.md, "Worth looking at".
_HABITS = {
    0: Habit(gallons_per_day=84, balance=0.6),
    1: Habit(gallons_per_day=70, balance=1.38),
    2: Habit(gallons_per_day=92, first_reading=990_500),
    3: Habit(gallons_per_day=78, first_reading=31_000),
    4: Habit(gallons_per_day=66, estimated=True),
}


def make() -> County:
    """Make Ozaukee's 300 systems: 150 existing, 106 new, 44 holding."""
    county = County(place=OZAUKEE, dice=Dice("pumper examples: ozaukee"))
    _first_system(county)
    for number in range(149):
        _septic(county, new=False, beside=number in {11, 57, 90})
    for number in range(106):
        _septic(county, new=True, beside=number in {8, 71})
    for number in range(44):
        _holding(county, number)
    return county


def _first_system(county: County) -> None:
    """The system of the documents' examples: permit SP-1987, long overdue until its report comes in."""
    system = county.new_system() | {
        "permit_number": "SP-1987",
        "installed_on": date(1987, 6, 15),
        "component": "septic",
    }
    system |= {
        "site_address": "N5555 County Road K",
        "municipality": "Town of Saukville",
        "postcode": "53080",
        "owner_mailing_address": "N5555 County Road K, Saukville, WI 53080",
        "legal_description": "NE1/4 SW1/4 S16 T11N R21E",
    }
    county.inventory.append(system | {"capacity_gallons": 1000, "last_pumped_on": date(2023, 5, 22)})
    county.inventory.append(system | {"component": "dispersal", "last_inspected_on": date(2024, 6, 3)})


def _septic(county: County, *, new: bool, beside: bool) -> None:
    dice = county.dice
    system = system_on_same_parcel(county, county.inventory[-1]) if beside else county.new_system()
    system |= dated(county, old=not new) | ended(dice, system) | {"component": "septic"}
    issued = system["permit_issued_on"]
    year = issued.year if isinstance(issued, date) else 1990
    system["permit_number"] = county.permit(system, year, old=not new)
    months = 36
    if new and dice.chance(0.92):
        months = dice.pick((36, 36, 36, 24, 12))
        system |= {"plan_pump_months": max(months, 24), "plan_inspect_months": months, "plan_dispersal_months": months}
        system["design_flow_gpd"] = dice.pick((300, 450, 450, 600))
    if months == 12:
        system |= contract(dice, "PM-2207")
    elif dice.chance(0.25):
        system["designated_license_number"] = dice.pick(OZAUKEE.operators)
    _tanks(county, system, months, new=new)


def _tanks(county: County, system: Row, months: int, *, new: bool) -> None:
    """Add a system's rows: the tank or two, the pump chamber of a mound, the dispersal cell."""
    dice = county.dice
    service = plan_service(dice, months, installed_on(system), recorded=0.32 if system["status"] == "active" else 0)
    known: Row = {"last_pumped_on": service.baseline_on, "last_inspected_on": service.baseline_on if new else None}
    tanks = [system | known | {"capacity_gallons": septic_capacity(dice)}]
    if dice.chance(0.06):
        tanks = [tanks[0] | {"component_ref": name, "capacity_gallons": 1000} for name in ("Tank 1", "Tank 2")]
    elif new and dice.chance(0.3):
        tanks.append(system | known | {"component": "pump_chamber", "capacity_gallons": dice.pick((500, 750))})
    cell = system | {"component": "dispersal", "last_inspected_on": service.baseline_on}
    county.inventory += [*tanks, cell]
    if service.recorded and service.last_on is not None:
        _visits(county, tanks, cell, service, months, new=new)


def _visits(county: County, tanks: list[Row], cell: Row, service: Service, months: int, *, new: bool) -> None:
    """Report the last service: pumper and inspector together at a new system, one after the other at an old one."""
    dice, on = county.dice, service.last_on
    assert on is not None
    inspector, hauler = licence(dice.pick(OZAUKEE.inspectors)), licence(dice.pick(OZAUKEE.operators))
    next_on = on + timedelta(days=30 * months)
    for tank in tanks:
        if not new and dice.chance(0.25):
            county.history.append(inspected(tank, on, inspector, next_on, dice.real(0.08, 0.3)))
            continue
        both: Row = second_person(inspector) | {"event_type": "pumping_and_inspection"} if new else {}
        county.history.append(pumped(tank, on, hauler, gallons_of(dice, tank), **both, **_defect(dice, on)))
    seen_on = min(working(on + timedelta(days=0 if new else dice.between(0, 6))), LAST_SERVICE)
    found: Row = {
        "event_type": "inspection",
        "not_pumped_reason": "Dispersal cell: nothing to pump",
        "next_pump_date": next_on,
        "ponding": "none",
        "tank_condition": "good",
        "work_description": "Looked over the dispersal cell and vents",
    }
    county.history.append(ticket(cell, seen_on, inspector, **found))


def _defect(dice: Dice, on: date) -> Row:
    """One pumping in twelve finds something broken; half of those were mended within two weeks."""
    if not dice.chance(0.08):
        return {}
    mended = min(on + timedelta(days=dice.between(2, 14)), LAST_SERVICE) if dice.chance(0.5) else None
    return {
        "tank_condition": "defective",
        "defects": dice.pick(("Outlet baffle broken", "Cracked riser lid")),
        "defects_corrected_on": mended,
    }


def _holding(county: County, number: int) -> None:
    dice = county.dice
    tank = holding_system(county, metered=True)
    hauler = dice.pick(OZAUKEE.operators)
    tank |= contract(dice, hauler)
    if number == 3:
        tank |= meter(dice, "ft3")
    if number in {5, 23}:
        tank |= {"designated_license_number": None, "contract_from": None, "contract_to": None}
    if number == 6:
        tank |= {"flags": "temporary", "permit_issued_on": AS_OF - timedelta(days=260)}
        tank |= {"permit_number": "OZ-2025-9006", "installed_on": AS_OF - timedelta(days=250), "occupied_on": None}
        tank["agreement_recorded_on"] = tank["permit_issued_on"]
    seasonal = 34 <= number < 43
    if seasonal:
        tank |= {"use": "seasonal", "season_from": "05-01", "season_to": "10-15"}
    if number == 43:
        tank |= {"building": "commercial", "capacity_gallons": 3000}
    county.inventory.append(tank)
    habit = _HABITS.get(number) or Habit(gallons_per_day=dice.real(60, 110), first_reading=dice.between(8_000, 400_000))
    if seasonal:
        habit, days = seasonal_habit(dice, tank), seasonal_days(dice, 5, (2024, 2025, 2026))
    else:
        inflow = habit.gallons_per_day * max(1.0, habit.balance)
        days = year_round_days(dice, int(str(tank["capacity_gallons"])), inflow)
    installed = installed_on(tank)
    record_pumpings(county, tank, [day for day in days if installed is None or day > installed], habit, hauler)
