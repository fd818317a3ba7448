"""Notices and reports of one servicing are matched one to one."""

import datetime as dt
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from reporting.domain.missing import match_days

FIRST = dt.date(2026, 5, 1)
DAYS = st.lists(st.integers(0, 12).map(lambda n: FIRST + dt.timedelta(days=n)), max_size=3).map(sorted)


@given(DAYS, DAYS)
def test_as_many_as_can_be_answered_are_and_of_those_ways_the_nearest(
    told: list[dt.date], reported: list[dt.date]
) -> None:
    answered = match_days(told, reported, 3)
    assert (len(told) - len(answered)) == min(_ways(told, reported))[0]


def _ways(told: list[dt.date], reported: list[dt.date]) -> list[tuple[int, int]]:
    """Unanswered notices and days off in all of every way to give each notice a report of its own, or none."""
    slots: list[dt.date | None] = [*reported, *([None] * len(told))]
    found = []
    for way in permutations(slots, len(told)):
        off = [abs((day - slot).days) for day, slot in zip(told, way, strict=True) if slot is not None]
        near = [n for n in off if n <= 3]
        found.append((len(told) - len(near), sum(near)))
    return found
