"""What the four counties' systems have in common: dates, tanks, ends of life."""

from datetime import date, timedelta

from maker.columns import Row
from maker.county import County
from maker.dice import AS_OF, Dice
from maker.holding import meter

#: What offices write when nobody measured.
UNKNOWN_CAPACITY = 999


def dated(county: County, *, old: bool) -> Row:
    """Draw permit and installation. Old permits (before 2000-07-01) often lack their dates; new ones never do."""
    dice = county.dice
    if not old:
        issued = dice.day(date(2000, 8, 1), date(2025, 10, 20))
        installed = issued + timedelta(days=dice.between(20, 150))
        return {
            "permit_issued_on": issued,
            "installed_on": installed,
            "occupied_on": installed + timedelta(days=dice.between(10, 120)),
        }
    issued = dice.day(date(1971, 4, 1), date(1999, 11, 30))
    if dice.chance(0.35):
        return {"permit_issued_on": None, "installed_on": date(issued.year, 7, 1) if dice.chance(0.4) else None}
    return {"permit_issued_on": issued, "installed_on": issued + timedelta(days=dice.between(15, 200))}


def installed_on(system: Row) -> date | None:
    """The day a system's first interval runs from, where the file knows one."""
    day = system.get("occupied_on") or system.get("installed_on") or system.get("permit_issued_on")
    return day if isinstance(day, date) else None


def septic_capacity(dice: Dice) -> int | None:
    """Draw a septic tank's gallons: usual sizes, the 999 of an office that did not know, or nothing."""
    turn = dice.real(0, 1)
    if turn < 0.06:
        return UNKNOWN_CAPACITY
    return None if turn < 0.09 else dice.pick((750, 1000, 1000, 1000, 1200, 1250, 1500))


def gallons_of(dice: Dice, tank: Row) -> int:
    """Draw what a pumping of a septic tank brings up: about what the tank holds."""
    capacity = tank.get("capacity_gallons")
    usual = capacity if isinstance(capacity, int) and capacity != UNKNOWN_CAPACITY else 1000
    return round(usual * dice.real(0.8, 1.0) / 50) * 50


def ended(dice: Dice, system: Row) -> Row:
    """End about one system in twenty-five: abandoned, sewered, or its tank removed."""
    return (
        {"status": dice.pick(("abandoned", "sewered", "removed"))}
        if dice.chance(0.04)
        else {"status": system["status"]}
    )


def contract(dice: Dice, number: str) -> Row:
    """Draw a servicing contract with a hauler; one in ten has expired, one in ten expires within 60 days of AS_OF."""
    turn = dice.real(0, 1)
    if turn < 0.1:
        until = dice.day(date(2025, 8, 31), AS_OF - timedelta(days=10))
    elif turn < 0.2:
        until = dice.day(AS_OF + timedelta(days=3), AS_OF + timedelta(days=55))
    else:
        until = dice.day(AS_OF + timedelta(days=90), date(2029, 6, 30))
    return {
        "designated_license_number": number,
        "contract_from": date(until.year - 3, until.month, min(until.day, 28)),
        "contract_to": until,
    }


def holding_system(county: County, *, metered: bool, old: float = 0.3) -> Row:
    """Open a holding tank of 2,000 to 3,000 gallons with its recorded agreement and, where metered, its meter."""
    is_old = county.dice.chance(old)
    system = county.new_system() | dated(county, old=is_old)
    issued = system.get("permit_issued_on")
    return system | {
        "permit_number": county.permit(system, issued.year if isinstance(issued, date) else 1990, old=is_old),
        "component": "holding",
        "capacity_gallons": county.dice.pick((2000, 2000, 2500, 3000)),
        "agreement_recorded_on": issued,
        **(meter(county.dice) if metered else {}),
    }
