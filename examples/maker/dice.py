"""Chance that falls the same way on every machine and every Python."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import TypeVar

T = TypeVar("T")

#: The day the samples are arranged around: what is due, full or late is so on this Monday.
AS_OF = date(2026, 7, 13)
#: No service in the samples is later than this Saturday (wrong rows excepted).
LAST_SERVICE = date(2026, 7, 11)


class Dice:
    """Draws made from Random.random() alone: the one method whose sequence Python promises to keep for a seed."""

    def __init__(self, seed: str) -> None:
        """Start the sequence of that seed."""
        self._random = Random(seed)

    def chance(self, share: float) -> bool:
        """Say yes in that share of the draws."""
        return self._random.random() < share

    def real(self, low: float, high: float) -> float:
        """Draw from low up to high."""
        return low + (high - low) * self._random.random()

    def between(self, low: int, high: int) -> int:
        """Draw a whole number, both ends included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, choices: Sequence[T]) -> T:
        """Draw one of the choices, each as likely."""
        return choices[self.between(0, len(choices) - 1)]

    def day(self, first: date, last: date) -> date:
        """Draw a day, both ends included."""
        return first + timedelta(days=self.between(0, (last - first).days))


def working(day: date) -> date:
    """Move a service off Sundays and the holidays on which no hauler drives, to the working day before."""
    while day.weekday() == 6 or (day.month, day.day) in {(1, 1), (7, 4), (12, 24), (12, 25)}:
        day -= timedelta(days=1)
    return day


def months_before(day: date, months: int) -> date:
    """Count calendar months back; the samples stay clear of the 29th to the 31st."""
    total = day.year * 12 + day.month - 1 - months
    return date(total // 12, total % 12 + 1, min(day.day, 28))
