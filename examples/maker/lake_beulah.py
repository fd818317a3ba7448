"""Lake Beulah Management District: three service areas, one pumped each year by the district's contractor (2008-2)."""

from datetime import date, timedelta

from maker.columns import Row
from maker.common import contract, dated, ended, gallons_of, holding_system, installed_on, septic_capacity
from maker.contractors import licence
from maker.county import County, system_on_same_parcel
from maker.dice import LAST_SERVICE, Dice, working
from maker.holding import Habit, record_pumpings, seasonal_days, seasonal_habit, year_round_days
from maker.places import LAKE_BEULAH
from maker.tickets import pumped

#: Years in which each area was pumped, counted from 2008: 2026 is area 1's.
_YEARS = {1: (2020, 2023, 2026), 2: (2021, 2024), 3: (2022, 2025)}
#: One exemption of each kind, with those that have run their seven years or nearly so, by order of the system.
_EXEMPTIONS = {
    12: ("infrequent_use", date(2022, 4, 18)),
    29: ("vacant", date(2019, 6, 17)),
    41: ("inspection_only", date(2023, 5, 1)),
    58: ("infrequent_use", date(2019, 8, 12)),
    73: ("inspection_only", date(2024, 6, 3)),
    88: ("vacant", date(2024, 10, 7)),
}


def make() -> County:
    """Make the district's 120 systems: 106 septic, 14 holding."""
    county = County(place=LAKE_BEULAH, dice=Dice("pumper examples: lake-beulah"))
    for number in range(106):
        _septic(county, number)
    for number in range(14):
        _holding(county, number)
    return county


def _season(dice: Dice, system: Row) -> Row:
    """More than half of the houses on the lake are summer houses."""
    return (
        {"use": "seasonal", "season_from": "05-01", "season_to": "10-31"}
        if dice.chance(0.55)
        else {"use": system["use"]}
    )


def _septic(county: County, number: int) -> None:
    dice, old, beside = county.dice, county.dice.chance(0.6), number in {10, 64}
    area = (number - beside) % 3 + 1
    system = system_on_same_parcel(county, county.inventory[-1]) if beside else county.new_system()
    system |= (
        dated(county, old=old)
        | ended(dice, system)
        | _season(dice, system)
        | {"component": "septic", "service_area": area}
    )
    issued = system["permit_issued_on"]
    system["permit_number"] = county.permit(system, issued.year if isinstance(issued, date) else 1985, old=old)
    if number in _EXEMPTIONS:
        kind, granted_on = _EXEMPTIONS[number]
        system |= {"exemption_kind": kind, "exemption_granted_on": granted_on, "status": "active"}
    days = [day for day in _area_days(dice, area) if day > (installed_on(system) or date(1900, 1, 1))]
    recorded = system["status"] == "active" and dice.chance(0.7)
    known: Row = {
        "capacity_gallons": septic_capacity(dice),
        "last_pumped_on": None if recorded or not days else days[-1],
    }
    tanks = [system | known]
    if dice.chance(0.08):
        tanks = [tanks[0] | {"component_ref": name} for name in ("House", "Boathouse")]
    county.inventory += tanks
    if recorded:
        hauler = licence(dice.pick(LAKE_BEULAH.operators))
        county.history += [pumped(tank, day, hauler, gallons_of(dice, tank)) for day in days for tank in tanks]


def _area_days(dice: Dice, area: int) -> list[date]:
    """Draw the days on which the district's contractor came.

    One house in fifteen missed the last turn, and in 2026 half of area 1 is still to be done.
    """
    years = _YEARS[area]
    if area == 1 and dice.chance(0.5):
        years = years[:-1]
    elif dice.chance(0.07):
        years = years[:-2]
    days = [working(date(year, 6, 1) + timedelta(days=dice.between(0, 75 if year < 2026 else 38))) for year in years]
    return [day for day in days if day <= LAST_SERVICE]


def _holding(county: County, number: int) -> None:
    dice = county.dice
    tank = holding_system(county, metered=number % 3 != 2)
    tank |= contract(dice, "00947" if number % 4 == 3 else dice.pick(LAKE_BEULAH.operators)) | {
        "service_area": number % 3 + 1
    }
    seasonal = number >= 8
    if seasonal:
        tank |= {"use": "seasonal", "season_from": "05-01", "season_to": "10-31"}
    if number == 0:
        tank |= {
            "building": "commercial",
            "owner_name": "Beulah Landing Resort LLC",
            "owner_email": "office@beulah-landing.example.com",
        }
        tank |= {"exemption_kind": "commercial", "exemption_granted_on": date(2022, 5, 2), "use": "year_round"}
    county.inventory.append(tank)
    habit = Habit(gallons_per_day=dice.real(60, 110), first_reading=dice.between(2_000, 200_000))
    if seasonal:
        habit, days = seasonal_habit(dice, tank), seasonal_days(dice, 5, (2024, 2025, 2026))
    else:
        days = year_round_days(dice, int(str(tank["capacity_gallons"])), habit.gallons_per_day)
    hauler = str(tank["designated_license_number"])
    record_pumpings(
        county, tank, [day for day in days if day > (installed_on(tank) or date(1900, 1, 1))], habit, hauler
    )
