"""The water balance of a holding tank, readings that cannot be, and use above a limit."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from reporting.domain.answers import Finding, note
from reporting.domain.meters import Exact, Metering, metered_between, plain
from reporting.domain.records import Component, Event
from reporting.domain.view import View
from schemas.acts import FlowLimit, MeterChecks
from schemas.program import Provision


def meter_findings(view: View, component: Component, read: Metering) -> Iterator[Finding]:
    """Decreased readings, intervals out of balance, and use above a limit."""
    for p in view.program.at(view.as_of).of(MeterChecks):
        if view.applies(p.act, component):
            yield from _decreased(component, p, read)
            yield from _balance(view, component, p, read)
            yield from _standstill(view, component, p, read)
            yield from _trend(view, component, p, read)
    yield from _flow(view, component, read)


def _decreased(component: Component, p: Provision[MeterChecks], read: Metering) -> Iterator[Finding]:
    for reading in read.decreased:
        because = f"reading {plain(reading.event.meter_reading)} on {reading.on} is below the one before"
        yield note(
            p,
            "meter_reading_decreased",
            because,
            event=reading.event.id,
            of=component,
        )


def _balance(view: View, component: Component, p: Provision[MeterChecks], read: Metering) -> Iterator[Finding]:
    low = view.program.share(p.act.low_setting)
    high = view.program.share(p.act.high_setting)
    for one in balanced(view, component, read):
        side = one.side(low, high)
        if side:
            kind = "unaccounted_water" if side < 0 else "infiltration"
            because = f"{one.pumped} gallons pumped, {plain(one.metered)} metered {one.words}"
            yield note(p, kind, because, event=one.end.id, of=component)


def _standstill(view: View, component: Component, p: Provision[MeterChecks], read: Metering) -> Iterator[Finding]:
    for one in read_intervals(view, component, read):
        if not one.metered and one.pumped > 0:
            because = f"{one.pumped} gallons pumped, and the meter stands as it stood {one.words}"
            yield note(p, "meter_stuck", because, event=one.end.id, of=component)


def _trend(view: View, component: Component, p: Provision[MeterChecks], read: Metering) -> Iterator[Finding]:
    """The balance of the last intervals together, where each by itself is within its bounds; only the latest.

    The bounds are those of the setting for all of them; two of three have to lie off by more, as chance has it.
    """
    if not p.act.trend_intervals_setting:
        return
    most = view.program.days(p.act.trend_intervals_setting)
    if most < 2:
        return
    low, high = (view.program.share(name) for name in (p.act.low_setting, p.act.high_setting))
    last = read_intervals(view, component, read)[-most:]
    if any(not one.metered or one.side(low, high) for one in last):
        return  # one that is out of balance by itself is named as that
    for count in range(min(most, len(last)), 1, -1):
        some = last[-count:]
        pumped, metered = sum(one.pumped for one in some), sum(one.metered for one in some)
        width = Fraction(round(math.sqrt(most / count), 4)).limit_denominator(10_000)
        least = 1 - (1 - view.program.share(p.act.trend_low_setting)) * width
        greatest = 1 + (view.program.share(p.act.trend_high_setting) - 1) * width
        if not least <= Fraction(pumped, metered) <= greatest:
            word = "loss" if pumped < metered else "infiltration"
            said = f"{pumped} gallons pumped, {plain(metered)} metered in the last {count} intervals together"
            because = f"{said}, from {some[0].start.service_date} to {some[-1].end.service_date}: a slow {word}"
            yield note(p, "balance_trend", f"{because} is suspected", event=some[-1].end.id, of=component)
            return


class Pumped(NamedTuple):
    """One interval between emptyings of which the readings do not tell what was metered."""

    start: Event
    end: Event
    pumped: int


class Balanced(NamedTuple):
    """One interval between emptyings of which both is known: what was pumped, and what was metered."""

    start: Event
    end: Event
    pumped: int
    metered: Exact

    def side(self, low: Fraction, high: Fraction) -> int:
        """-1: less was pumped than the share `low` of what was metered; 1: more than `high`; 0: neither.

        In whole numbers, which is quicker.
        """
        metered, parts = self.metered.as_integer_ratio()
        pumped = self.pumped * parts
        share, of = low.as_integer_ratio()
        if pumped * of < share * metered:
            return -1
        share, of = high.as_integer_ratio()
        return int(pumped * of > share * metered)

    @property
    def words(self) -> str:
        """From when to when."""
        return f"from {self.start.service_date} to {self.end.service_date}"


def balanced(view: View, component: Component, read: Metering) -> Iterator[Balanced]:
    """The intervals with both figures, in order; those with estimated or missing readings are left out."""
    return (one for one in _intervals(view, component, read) if isinstance(one, Balanced))


def read_intervals(view: View, component: Component, read: Metering) -> tuple[Balanced, ...]:
    """From one emptying at which the meter was read to the next such one: where a reading in between is estimated or
    missing, the loads are summed. A load of unknown gallons leaves an interval out."""
    if "intervals" not in read.kept:
        read.kept["intervals"] = tuple(_read_intervals(view, component, read))
    return read.kept["intervals"]


def _read_intervals(view: View, component: Component, read: Metering) -> Iterator[Balanced]:
    read_on = {day for s in read.spans for day in (s.start.on, s.end.on)}
    begun: Event | None = None
    known_until: dt.date | None = None
    total = 0
    for one in _intervals(view, component, read):
        start, end = one.start, one.end
        if begun is None or start.service_date != known_until:
            begun, total = start if start.service_date in read_on else None, 0
        known_until, total = end.service_date, total + one.pumped
        if begun is None or known_until not in read_on:
            continue
        if begun is start:  # both were read, as nearly always
            if isinstance(one, Balanced):
                yield one
        elif (metered := metered_between(read, begun.service_date, known_until)) is not None:
            yield Balanced(start=begun, end=end, pumped=total, metered=metered)
        begun = None


def _intervals(view: View, component: Component, read: Metering) -> tuple[Balanced | Pumped, ...]:
    """From each emptying to the next: what was pumped, and what was metered where that is known."""
    if "pumpings" not in read.kept:
        found: list[Balanced | Pumped] = []
        for start, end, pumped in pumping_intervals(view, component):
            metered = metered_between(read, start.service_date, end.service_date)
            if metered is None:
                found.append(Pumped(start=start, end=end, pumped=pumped))
            else:
                found.append(Balanced(start=start, end=end, pumped=pumped, metered=metered))
        read.kept["pumpings"] = tuple(found)
    return read.kept["pumpings"]


def pumping_intervals(view: View, component: Component) -> Iterator[tuple[Event, Event, int]]:
    """From one emptying to the next: both reports, and the gallons pumped, partial loads summed with the next.

    Unknown gallons leave an interval out.
    """
    start: Event | None = None
    pumped: int | None = 0
    pumpings = view.pumpings(component)
    for _, loads in groupby(pumpings, key=lambda e: e.service_date):
        end: Event | None = None
        for event in loads:
            pumped = None if pumped is None or event.gallons_pumped is None else pumped + event.gallons_pumped
            end = end if event.partial else event
        if end is None:
            continue
        if start is not None and pumped is not None:
            yield start, end, pumped
        start, pumped = end, 0


def _flow(view: View, component: Component, read: Metering) -> Iterator[Finding]:
    """Use above a limit on average between two readings, by the text in force at the second."""
    for span in read.spans:
        for p in view.program.at(span.end.on).of(FlowLimit):
            limit = p.act.gallons_per_day
            if not view.applies(p.act, component, span.end.event) or span.days <= 0:
                continue
            if span.gallons > limit * span.days:
                used = f"{plain(Fraction(span.gallons, span.days))} gallons a day"
                because = f"{used} from {span.start.on} to {span.end.on}; limit {limit}"
                yield note(
                    p,
                    "flow_over_limit",
                    because,
                    event=span.end.event.id,
                    of=component,
                )
