"""Living through the invented years: tanks are pumped after they were announced, and what was said is held against
what was so."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from statistics import median
from typing import Final

from reporting.backtest.houses import DAYS, FIRST, SEASON, UNREAD, House, Kind, gauge, make_houses
from reporting.domain.answers import Assessment
from reporting.domain.assess import assess
from reporting.domain.records import Component, Event, History, Meter, System
from schemas.program import Program

LOSSES: Final = ("unaccounted_water", "balance_trend")
STANDSTILL: Final = "meter_stuck"
LEVEL: Final = 0.9
"""Share of the capacity at which a tank is to be serviced (S10), as the program has it."""
WARM_UP: Final = 3
"""Emptyings before the announcements of a tank are judged: there is nothing yet to count by."""
_LAST: Final = FIRST + dt.timedelta(days=DAYS - 1)


@dataclass(frozen=True, kw_only=True)
class Cycle:
    """From one emptying to the next: when the tank was announced, when it was full in truth, and what stayed unused.

    `unused_at_call`, `unused_at_forecast`: shares of the capacity still free on the day announced, and on the day that
    the forecast named; `early_at_call`: the same to the level at which the tank is to be serviced. `in_range`: whether
    that level was reached within the range told.
    """

    announced_on: dt.date | None
    full_on: dt.date
    unused_at_call: float | None
    unused_at_forecast: float | None
    early_at_call: float | None
    in_range: bool | None

    @property
    def is_in_time(self) -> bool:
        """Whether it was announced before it was full."""
        return self.announced_on is not None and self.announced_on < self.full_on


@dataclass(frozen=True, kw_only=True)
class Life:
    """What became of one house.

    `found_after`: pumpings from the trouble's beginning until a finding named it, None: never; of pumpings at which the
    meter was read, as the others tell nothing. `false_alarms`: intervals with such a finding and no trouble.
    """

    house: House
    cycles: Sequence[Cycle] = ()
    found_after: int | None = None
    pumpings_in_trouble: int = 0
    intervals: int = 0
    false_alarms: int = 0


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What all houses together came to: shares, and medians of shares of the capacity."""

    tanks: int
    cycles: int
    announced_in_time: float
    early_at_call: float
    unused_at_call: float
    unused_at_forecast: float
    within_range: float
    leaks: int
    leaks_found_within_three: float
    standstills: int
    standstills_found_within_two: float
    intervals_without_trouble: int
    false_alarms: float
    by_kind: dict[str, float] = field(default_factory=dict)


def try_out(program: Program, tanks: int, seed: int) -> Figures:
    """The figures of so many invented tanks under a program."""
    return figures([live(house, program, seed) for house in make_houses(tanks, seed)])


def live(house: House, program: Program, seed: int) -> Life:
    """One house through its years."""
    random = Random(f"{seed}:{house.name}")  # noqa: S311 - no secrets
    system = _system(house)
    events: list[Event] = []
    cycles: list[Cycle] = []
    emptied_on = FIRST
    found: dict[str, set[str]] = {}
    while True:
        full_on = house.full_on(emptied_on)
        if full_on is None:
            break
        judged = _announcement(system, events, program, emptied_on, full_on)
        if len(events) >= WARM_UP:
            cycles.append(_cycle(house, judged, emptied_on, full_on))
        called = judged[0] if judged[0] is not None and judged[0] < full_on else full_on
        pumped_on = min(called + dt.timedelta(days=random.randrange(1, 6)), full_on, _LAST)
        if pumped_on <= emptied_on:
            pumped_on = emptied_on + dt.timedelta(days=1)
        if pumped_on >= _LAST:
            break
        events.append(_pumping(house, len(events), emptied_on, pumped_on, random))
        emptied_on = pumped_on
        answer = assess(system, History(events=tuple(events)), program, emptied_on)
        for finding in answer.findings:
            if finding.kind in (*LOSSES, STANDSTILL, "infiltration"):
                found.setdefault(finding.event, set()).add(finding.kind)
    return _life(house, events, cycles, found)


def _system(house: House) -> System:
    tank = Component(kind="holding", capacity_gallons=house.capacity, meter=Meter(unit="gal", digits=7, serial="A1"))
    season = SEASON if house.is_seasonal else (None, None)
    use = "seasonal" if house.is_seasonal else "year_round"
    return System(
        components=(tank,), use=use, installed_on=dt.date(2015, 1, 5), season_from=season[0], season_to=season[1]
    )


def _announcement(
    system: System, events: Sequence[Event], program: Program, emptied_on: dt.date, until: dt.date
) -> tuple[dt.date | None, Assessment]:
    """The day on which the tank is said to need service, going from change to change; and the answer after emptying."""
    history = History(events=tuple(events))
    day = emptied_on
    first = answer = assess(system, history, program, day, include_met=False)
    while not answer.needs_service.value:
        if answer.next_change_on is None or answer.next_change_on > until:
            return None, first
        day = answer.next_change_on
        answer = assess(system, history, program, day, include_met=False)
    return day, first


def _cycle(house: House, judged: tuple[dt.date | None, Assessment], emptied_on: dt.date, full_on: dt.date) -> Cycle:
    announced_on, first = judged
    ahead = first.forecast
    level_on = house.full_on(emptied_on, LEVEL)
    unused = _unused(house, emptied_on, announced_on)
    in_range = None
    if ahead.earliest_on is not None and ahead.latest_on is not None and level_on is not None:
        in_range = ahead.earliest_on <= level_on <= ahead.latest_on
    return Cycle(
        announced_on=announced_on,
        full_on=full_on,
        unused_at_call=unused,
        unused_at_forecast=_unused(house, emptied_on, ahead.full_on),
        early_at_call=None if unused is None else max(0.0, unused - (1 - LEVEL)),
        in_range=in_range,
    )


def _unused(house: House, emptied_on: dt.date, day: dt.date | None) -> float | None:
    if day is None or day > _LAST:
        return None
    return max(0.0, 1 - house.content_after(emptied_on, day) / house.capacity)


def _pumping(house: House, number: int, emptied_on: dt.date, day: dt.date, random: Random) -> Event:
    unread = random.random() < UNREAD
    reading = Fraction(house.meter_on(day))
    return Event(
        id=f"E{number + 1:03}",
        event_type="pumping",
        service_date=day,
        received_at=dt.datetime.combine(day, dt.time(18), dt.UTC),
        component="holding",
        credential_kind="septage_operator",
        license_number="00412",
        gallons_pumped=gauge(house.content_after(emptied_on, day), random),
        meter_reading=None if unread and random.random() < 0.5 else reading,
        meter_estimated=unread,
    )


def _life(house: House, events: Sequence[Event], cycles: Sequence[Cycle], found: dict[str, set[str]]) -> Life:
    wanted = {Kind.LEAK: set(LOSSES), Kind.STUCK: {STANDSTILL}}.get(house.kind, set())
    trouble = house.trouble_on
    read = [e for e in events if e.meter_reading is not None and not e.meter_estimated]
    since = [e for e in read if trouble is not None and e.service_date > trouble]
    found_after = next((n for n, e in enumerate(since, 1) if found.get(e.id, set()) & wanted), None)
    before = [e for e in events[1:] if trouble is None or e.service_date <= trouble]
    return Life(
        house=house,
        cycles=cycles,
        found_after=found_after,
        pumpings_in_trouble=len(since),
        intervals=len(before),
        false_alarms=sum(1 for e in before if found.get(e.id)),
    )


def figures(lives: Sequence[Life]) -> Figures:
    """Shares and medians over all lives; of trouble only where it lasted long enough to be found."""
    cycles = [c for life in lives for c in life.cycles]
    leaks = [x for x in lives if x.house.kind is Kind.LEAK and x.pumpings_in_trouble >= 3]
    still = [x for x in lives if x.house.kind is Kind.STUCK and x.pumpings_in_trouble >= 2]
    intervals = sum(x.intervals for x in lives)
    return Figures(
        tanks=len(lives),
        cycles=len(cycles),
        announced_in_time=_share([c.is_in_time for c in cycles]),
        early_at_call=_median(c.early_at_call for c in cycles),
        unused_at_call=_median(c.unused_at_call for c in cycles),
        unused_at_forecast=_median(c.unused_at_forecast for c in cycles),
        within_range=_share([c.in_range for c in cycles if c.in_range is not None]),
        leaks=len(leaks),
        leaks_found_within_three=_share([x.found_after is not None and x.found_after <= 3 for x in leaks]),
        standstills=len(still),
        standstills_found_within_two=_share([x.found_after is not None and x.found_after <= 2 for x in still]),
        intervals_without_trouble=intervals,
        false_alarms=sum(x.false_alarms for x in lives) / intervals if intervals else 0.0,
        by_kind={
            kind.value: _share([c.is_in_time for x in lives if x.house.kind is kind for c in x.cycles]) for kind in Kind
        },
    )


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 1.0


def _median(found: Iterator[float | None]) -> float:
    known = [each for each in found if each is not None]
    return median(known) if known else 0.0
