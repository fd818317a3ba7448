"""Invented holding tanks: what flows in day by day, what the meter shows, and what the truck takes.

Pure: the same seed gives the same houses on every machine.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

FIRST: Final = dt.date(2023, 1, 2)
DAYS: Final = 3 * 365
CAPACITIES: Final = (2000, 2500, 3000, 4000, 5000)
SEASON: Final = ((5, 1), (10, 15))
LEAK: Final = 0.2
GAUGE_ERROR: Final = 0.02
"""Standard deviation of what a truck's gauge says, which is then rounded to 50 gallons."""
UNREAD: Final = 0.1
"""Share of pumpings whose reading was estimated or left out."""


class Kind(StrEnum):
    """What is particular about a house."""

    STEADY = "steady"
    SUMMER = "summer"
    SEASONAL = "seasonal"
    GUESTS = "guests"
    LEAK = "leak"
    STUCK = "stuck meter"


@dataclass(frozen=True, kw_only=True)
class House:
    """One house: `used` gallons by day, of which `kept` stay in the tank (a leak loses some), and what the meter shows.

    `trouble_on`: since when it leaks, or its meter stands still; None for neither.
    """

    name: str
    kind: Kind
    capacity: int
    used: Sequence[float]
    kept: Sequence[float]
    shown: Sequence[float]
    trouble_on: dt.date | None = None

    @property
    def is_seasonal(self) -> bool:
        """Whether it is lived in for part of the year only, and the county knows which."""
        return self.kind is Kind.SEASONAL

    def meter_on(self, day: dt.date) -> int:
        """What the meter shows at the end of a day, in whole gallons."""
        return 1000 + int(sum(self.shown[: _index(day) + 1]))

    def content_after(self, emptied_on: dt.date, day: dt.date) -> float:
        """What is in the tank at the end of a day if nothing was pumped since it was emptied at the end of another."""
        return sum(self.kept[_index(emptied_on) + 1 : _index(day) + 1])

    def full_on(self, emptied_on: dt.date, share: float = 1.0) -> dt.date | None:
        """The first day at whose end so much of the tank is full; None beyond the days simulated."""
        content = 0.0
        for i in range(_index(emptied_on) + 1, DAYS):
            content += self.kept[i]
            if content >= share * self.capacity:
                return FIRST + dt.timedelta(days=i)
        return None


def make_houses(count: int, seed: int) -> list[House]:
    """So many houses, the kinds in turn."""
    kinds = tuple(Kind)
    return [_make(i, kinds[i % len(kinds)], Random(f"{seed}:{i}")) for i in range(count)]  # noqa: S311 - no secrets


def _make(number: int, kind: Kind, random: Random) -> House:
    capacity = random.choice(CAPACITIES)
    usual = capacity / random.uniform(25, 90)
    guests = _visits(random) if kind is Kind.GUESTS else {}
    used = []
    for i in range(DAYS):
        day = FIRST + dt.timedelta(days=i)
        use = usual * random.gammavariate(9, 1 / 9) * guests.get(i, 1.0)
        if kind is Kind.SUMMER:
            use *= 1 + 0.35 * math.sin(2 * math.pi * (day.timetuple().tm_yday - 110) / 365)
        if kind is Kind.SEASONAL and not SEASON[0] <= (day.month, day.day) <= SEASON[1]:
            use = 0.0
        used.append(use)
    trouble = random.randrange(400, 600) if kind in (Kind.LEAK, Kind.STUCK) else None
    since = DAYS if trouble is None else trouble
    return House(
        name=f"{kind.value} {number + 1}",
        kind=kind,
        capacity=capacity,
        used=used,
        kept=[u * (1 - LEAK) if kind is Kind.LEAK and i >= since else u for i, u in enumerate(used)],
        shown=[0.0 if kind is Kind.STUCK and i >= since else u for i, u in enumerate(used)],
        trouble_on=None if trouble is None else FIRST + dt.timedelta(days=trouble),
    )


def _visits(random: Random) -> dict[int, float]:
    """Days with guests, and how many times the usual is used then."""
    found: dict[int, float] = {}
    for _ in range(6 * DAYS // 365):
        start, times = random.randrange(DAYS), random.uniform(1.5, 3)
        found |= dict.fromkeys(range(start, start + random.randrange(2, 8)), times)
    return found


def gauge(content: float, random: Random) -> int:
    """What the truck's gauge says of a load: not exact, and to 50 gallons."""
    return max(50, 50 * round(content * random.gauss(1, GAUGE_ERROR) / 50))


def _index(day: dt.date) -> int:
    return (day - FIRST).days
