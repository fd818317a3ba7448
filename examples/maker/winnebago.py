"""Winnebago County: septic tanks, year-round and seasonal holding tanks, event grounds and businesses (Chapter 16)."""

from datetime import date, timedelta

from maker.columns import Row
from maker.common import contract, dated, ended, gallons_of, holding_system, installed_on, septic_capacity
from maker.contractors import licence
from maker.county import County, system_on_same_parcel
from maker.dice import LAST_SERVICE, Dice, working
from maker.holding import Habit, record_pumpings, seasonal_days, seasonal_habit, year_round_days
from maker.places import WINNEBAGO
from maker.septic import plan_service
from maker.tickets import inspected, pumped

_GROUNDS = ("Sunset Bluffs Festival Grounds", "Rush Lake Fairgrounds", "Poygan Walleye Weekend Assn.")
_FIRMS = ("Clark Point Supper Club", "Zittau Machine Works", "Fisk Avenue Storage LLC", "Town of Utica Garage")


def make() -> County:
    """Make Winnebago's 300 systems: 222 septic, 60 holding at dwellings, 6 at event grounds, 12 at businesses."""
    county = County(place=WINNEBAGO, dice=Dice("pumper examples: winnebago"))
    for number in range(222):
        _septic(county, beside=number in {14, 77, 160})
    for number in range(60):
        _dwelling(county, number, seasonal=number >= 28)
    for number in range(6):
        _event_grounds(county, number)
    for number in range(12):
        _business(county, number)
    return county


def _septic(county: County, *, beside: bool) -> None:
    dice, old = county.dice, county.dice.chance(0.5)
    system = system_on_same_parcel(county, county.inventory[-1]) if beside else county.new_system()
    system |= dated(county, old=old) | ended(dice, system) | {"component": "septic"}
    issued = system["permit_issued_on"]
    system["permit_number"] = county.permit(system, issued.year if isinstance(issued, date) else 1985, old=old)
    if dice.chance(0.3):
        system["designated_license_number"] = dice.pick(WINNEBAGO.operators)
    if dice.chance(0.03):
        system |= {"exemption_kind": "vacant", "exemption_granted_on": dice.day(date(2022, 2, 1), date(2026, 2, 1))}
    service = plan_service(dice, 36, installed_on(system), recorded=0.4 if system["status"] == "active" else 0)
    known: Row = {"last_pumped_on": service.baseline_on, "capacity_gallons": septic_capacity(dice)}
    tanks = [system | known]
    if dice.chance(0.06):
        tanks = [tanks[0] | {"component_ref": name} for name in ("A", "B")]
    elif dice.chance(0.1):
        tanks.append(tanks[0] | {"component": "pump_chamber", "capacity_gallons": dice.pick((500, 750))})
    county.inventory += tanks
    if service.recorded and service.last_on is not None:
        hauler, looked = licence(dice.pick(WINNEBAGO.operators)), dice.chance(0.14)
        for tank in tanks:
            county.history.append(pumped(tank, service.last_on, hauler, gallons_of(dice, tank)))
        again_on = working(service.last_on + timedelta(days=dice.between(900, 1060)))
        if looked and again_on <= LAST_SERVICE:
            inspector = licence(dice.pick(WINNEBAGO.inspectors))
            county.history += [
                inspected(t, again_on, inspector, again_on + timedelta(days=365), dice.real(0.1, 0.3)) for t in tanks
            ]


def _dwelling(county: County, number: int, *, seasonal: bool) -> None:
    """A holding tank at a house or cottage; a cottage in eight missed its one pumping of 2025 (16.05(2)(3))."""
    dice = county.dice
    tank = holding_system(county, metered=dice.chance(0.5))
    hauler = dice.pick(WINNEBAGO.operators)
    tank |= contract(dice, hauler)
    habit = Habit(gallons_per_day=dice.real(60, 110), first_reading=dice.between(2_000, 300_000))
    if seasonal:
        tank |= {
            "use": dice.pick(("seasonal", "seasonal", "seasonal", "intermittent")),
            "season_from": "05-01",
            "season_to": "10-15",
        }
        habit = seasonal_habit(dice, tank)
        years = (2023, 2024, 2026) if number % 8 == 5 else (2023, 2024, 2025, 2026)
        days = [day for day in seasonal_days(dice, 5, years) if day.year < 2026 or number % 3]
    else:
        days = year_round_days(dice, int(str(tank["capacity_gallons"])), habit.gallons_per_day)
    county.inventory.append(tank)
    record_pumpings(
        county, tank, [day for day in days if day > (installed_on(tank) or date(1900, 1, 1))], habit, hauler
    )


def _event_grounds(county: County, number: int) -> None:
    """A tank of a festival ground, two to a parcel: metered, display to the nearest 100 gallons (16.05(1)(e)4)."""
    tank = holding_system(county, metered=True, old=0)
    if number % 2:
        last = county.inventory[-1]
        tank |= {name: last[name] for name in ("parcel_number", "municipality", "postcode", "legal_description")}
    tank |= {
        "owner_name": _GROUNDS[number // 2],
        "owner_email": f"grounds{number // 2}@events.example.org",
        "building": "event_grounds",
    }
    tank |= {"use": "intermittent", "capacity_gallons": 5000, "component_ref": ("Gate" if number % 2 else "Main stage")}
    tank |= contract(county.dice, "00855")
    county.inventory.append(tank)
    habit = Habit(gallons_per_day=85, first_reading=county.dice.between(100, 900) * 100, round_to=100)
    days = [
        working(date(year, month, county.dice.between(8, 26))) for year in (2024, 2025, 2026) for month in (6, 7, 8, 9)
    ]
    usable = [day for day in days if day <= LAST_SERVICE and day > (installed_on(tank) or date(1900, 1, 1))]
    record_pumpings(county, tank, usable, habit, "00855")


def _business(county: County, number: int) -> None:
    """A business's holding tank: metered, estimated at 100 gallons a day or less; two use more (16.05(1)(g)1)."""
    dice = county.dice
    tank = holding_system(county, metered=True)
    hauler = dice.pick(WINNEBAGO.operators)
    tank |= contract(dice, hauler) | {
        "building": "public" if number % 4 == 3 else dice.pick(("commercial", "industrial"))
    }
    tank |= {
        "owner_name": f"{_FIRMS[number % 4]}{' No. ' + str(number // 4 + 1) if number > 3 else ''}",
        "owner_email": None,
    }
    tank |= {"design_flow_gpd": dice.pick((60, 80, 100))}
    county.inventory.append(tank)
    habit = Habit(
        gallons_per_day=128 if number in {2, 9} else dice.real(45, 92), first_reading=dice.between(3_000, 90_000)
    )
    days = year_round_days(dice, int(str(tank["capacity_gallons"])), habit.gallons_per_day)
    record_pumpings(
        county, tank, [day for day in days if day > (installed_on(tank) or date(1900, 1, 1))], habit, hauler
    )
