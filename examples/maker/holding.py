"""Holding tanks: pumpings at the pace at which water runs in, so that a forecast can be made from the readings."""

from dataclasses import dataclass
from datetime import date, timedelta

from maker.columns import Row
from maker.contractors import licence
from maker.county import County, Track
from maker.dice import AS_OF, LAST_SERVICE, Dice, working
from maker.tickets import pumped

#: Share of the volume at which a holding tank is full (component manuals under SPS 383.54).
FULL = 0.9
GALLONS_PER_CUBIC_FOOT = 7.48052


@dataclass(frozen=True, kw_only=True)
class Habit:
    """How a holding tank is used and pumped. `balance` is gallons pumped over gallons metered: 1 where all is well."""

    gallons_per_day: float
    balance: float = 1.0
    first_reading: float = 20_000
    round_to: int = 1
    estimated: bool = False


def meter(dice: Dice, unit: str = "gal") -> Row:
    """Make up a meter's columns."""
    return {
        "meter_serial": f"{dice.pick('ABKMRS')}{dice.between(10000, 99999)}",
        "meter_unit": unit,
        "meter_digits": 6 if unit == "gal" else 5,
    }


def seasonal_habit(dice: Dice, tank: Row) -> Habit:
    """Draw a cottage's use: its tank is six to eight tenths full after the 57 days between two pumpings."""
    capacity = int(str(tank["capacity_gallons"]))
    return Habit(gallons_per_day=capacity * dice.real(0.6, 0.8) / 57, first_reading=dice.between(2_000, 200_000))


def year_round_days(dice: Dice, capacity: int, gallons_per_day: float) -> list[date]:
    """Draw five to eight pumpings, each when the tank was about full, the next near, past or long past AS_OF.

    A quarter will be full within the week, an eighth should have been pumped days ago, a tenth was forgotten for weeks.
    """
    interval = FULL * capacity / gallons_per_day
    turn = dice.real(0, 1)
    if turn < 0.25:
        full_on = dice.day(AS_OF + timedelta(days=2), AS_OF + timedelta(days=7))
    elif turn < 0.375:
        full_on = dice.day(AS_OF - timedelta(days=8), AS_OF - timedelta(days=1))
    elif turn < 0.475:
        full_on = AS_OF - timedelta(days=dice.between(25, 60))
    else:
        full_on = AS_OF + timedelta(days=dice.between(10, max(11, int(interval) - 3)))
    day = min(full_on - timedelta(days=round(interval)), LAST_SERVICE)
    days = []
    for _ in range(dice.between(5, 8)):
        days.append(working(day))
        day -= timedelta(days=round(interval * dice.real(0.93, 1.02)))
    return sorted(days)


def seasonal_days(dice: Dice, first_month: int, years: tuple[int, ...]) -> list[date]:
    """Draw a cottage's pumpings: in its first weeks, at midsummer and at closing time, as far as the year has come."""
    days = []
    for year in years:
        days += [date(year, first_month, 1) + timedelta(days=n + dice.between(0, 9)) for n in (18, 64, 121)]
    return [working(day) for day in days if day <= LAST_SERVICE]


def record_pumpings(county: County, tank: Row, days: list[date], habit: Habit, hauler: str) -> None:
    """Add a holding tank's pumpings to the county's history, and where it is metered the track of its readings."""
    dice, capacity, unit = county.dice, int(str(tank["capacity_gallons"])), tank.get("meter_unit")
    seasonal = tank["use"] != "year_round"
    total, previous = habit.first_reading, None
    for number, day in enumerate(days):
        used = FULL * capacity * dice.real(0.93, 1.0) / max(1.0, habit.balance)
        if previous is not None:
            idle = seasonal and previous.year != day.year
            used = habit.gallons_per_day * (30 if idle else (day - previous).days) * dice.real(0.97, 1.03)
            total += used
        gallons = min(round(used * habit.balance * dice.real(0.96, 1.02) / 10) * 10, capacity)
        found: Row = {"work_description": "Pumped holding tank"}
        if unit is not None:
            found |= _read(tank, total, habit, estimated=habit.estimated and number == len(days) - 2)
        county.history.append(pumped(tank, day, licence(hauler), max(gallons, 300), **found))
        previous = day
    if unit == "gal" and previous is not None and not seasonal:
        county.tracks.append(Track(tank=tank, last_on=previous, reading=total, gallons_per_day=habit.gallons_per_day))


def _read(tank: Row, total: float, habit: Habit, *, estimated: bool) -> Row:
    unit, digits = tank["meter_unit"], int(str(tank["meter_digits"]))
    value = total / GALLONS_PER_CUBIC_FOOT if unit == "ft3" else total
    shown = round(value / habit.round_to) * habit.round_to % 10**digits
    return {
        "meter_reading": shown,
        "meter_unit": unit,
        "meter_serial": tank["meter_serial"],
        "meter_estimated": estimated or None,
    }
