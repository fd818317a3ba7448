"""Water meters of holding tanks: use between readings, rollovers, replaced meters, the water balance, and the day the tank is full.

Readings stay as they were read; gallons are derived (1 ft³ = 7.48052 gal, 1 m³ = 264.172 gal). All sums are exact fractions.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reporting.domain.answers import Finding, Forecast, note
from reporting.domain.records import Component, Event, System
from reporting.domain.view import View
from schemas.acts import FlowLimit, MeterChecks
from schemas.calendar import add_days
from schemas.program import Provision

GALLONS = {"gal": Fraction(1), "gal_x100": Fraction(100), "ft3": Fraction("7.48052"), "m3": Fraction("264.172")}
LAST_INTERVALS = 5


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One reading that was really read: its report, its meter, and its value in gallons."""

    event: Event
    serial: str
    gallons: Fraction
    wrap: Fraction | None

    @property
    def on(self) -> dt.date:
        """The day of the reading."""
        return self.event.service_date


@dataclass(frozen=True, kw_only=True)
class Span:
    """Use between two readings of one meter; `days` counts the occupied ones."""

    start: Reading
    end: Reading
    gallons: Fraction
    days: int


@dataclass(frozen=True, kw_only=True)
class Metering:
    """What the meter of one tank says: the usable spans, and the readings that fell below the one before."""

    spans: tuple[Span, ...]
    decreased: tuple[Reading, ...]


def occupied_days(system: System, start: dt.date, end: dt.date) -> int:
    """Days after `start` up to `end`; for seasonal use with a known season only those in it."""
    if system.use != "seasonal" or not system.season_from or not system.season_to:
        return (end - start).days
    return sum(in_season(system, add_days(start, n)) for n in range(1, (end - start).days + 1))


def in_season(system: System, day: dt.date) -> bool:
    """Whether a seasonal building is occupied on a day; a season may run over the turn of the year."""
    if system.use != "seasonal" or not system.season_from or not system.season_to:
        return True
    today, first, last = (day.month, day.day), system.season_from, system.season_to
    return first <= today <= last if first <= last else today >= first or today <= last


def metering(view: View, component: Component) -> Metering:
    """The spans of use of one tank's meter or meters, in order of date; estimated readings are left out."""
    by_serial: dict[str, list[Reading]] = {}
    for event in view.reports:
        if view.is_of(event, component) and event.meter_reading is not None and not event.meter_estimated:
            reading = _reading(event, component)
            by_serial.setdefault(reading.serial, []).append(reading)
    spans: list[Span] = []
    decreased: list[Reading] = []
    for readings in by_serial.values():
        _compare(view, readings, spans, decreased)
    spans.sort(key=lambda s: (s.end.on, s.start.on))
    return Metering(spans=tuple(spans), decreased=tuple(decreased))


def _reading(event: Event, component: Component) -> Reading:
    meter = component.meter
    unit = GALLONS.get(event.meter_unit or (meter.unit if meter else "gal"), Fraction(1))
    digits = meter.digits if meter else None
    assert event.meter_reading is not None
    return Reading(
        event=event,
        serial=event.meter_serial or (meter.serial if meter else ""),
        gallons=event.meter_reading * unit,
        wrap=Fraction(10) ** digits * unit if digits else None,
    )


def _compare(view: View, readings: Sequence[Reading], spans: list[Span], decreased: list[Reading]) -> None:
    used, over = Fraction(0), 0
    for start, end in zip(readings, readings[1:], strict=False):
        days = occupied_days(view.system, start.on, end.on)
        gallons = end.gallons - start.gallons
        if gallons < 0:
            usual = used / over if over else None
            gallons = _rolled_over(view, start, end, days, usual)
            if gallons < 0:
                decreased.append(end)
                continue
        spans.append(Span(start=start, end=end, gallons=gallons, days=days))
        used, over = used + gallons, over + days


def _rolled_over(view: View, start: Reading, end: Reading, days: int, usual: Fraction | None) -> Fraction:
    """The use if the meter went past its last digit and that use is plausible; else a negative number."""
    if start.wrap is None or days <= 0:
        return Fraction(-1)
    gallons = start.wrap - start.gallons + end.gallons
    limit = (
        usual * Fraction(str(view.program.number("rollover_factor")))
        if usual
        else Fraction(view.program.days("rollover_gallons_per_day"))
    )
    return gallons if 0 <= gallons <= limit * days else Fraction(-1)


def meter_findings(view: View, component: Component, read: Metering) -> Iterator[Finding]:
    """Decreased readings, intervals out of balance, and use above a limit."""
    for p in view.program.at(view.as_of).of(MeterChecks):
        if not view.applies(p.act, component):
            continue
        for reading in read.decreased:
            because = f"reading {_plain(reading.event.meter_reading)} on {reading.on} is below the one before"
            yield note(
                p,
                "meter_reading_decreased",
                because,
                event=reading.event.id,
                component=component.kind,
                component_ref=component.ref,
            )
        yield from _balance(view, component, p, read)
    for span in read.spans:
        for limit in view.program.at(span.end.on).of(FlowLimit):
            if (
                view.applies(limit.act, component, span.end.event)
                and span.days > 0
                and span.gallons > limit.act.gallons_per_day * span.days
            ):
                because = f"{_plain(span.gallons / span.days)} gallons a day from {span.start.on} to {span.end.on}; limit {limit.act.gallons_per_day}"
                yield note(
                    limit,
                    "flow_over_limit",
                    because,
                    event=span.end.event.id,
                    component=component.kind,
                    component_ref=component.ref,
                )


def _balance(view: View, component: Component, p: Provision[MeterChecks], read: Metering) -> Iterator[Finding]:
    low = Fraction(str(view.program.number(p.act.low_setting)))
    high = Fraction(str(view.program.number(p.act.high_setting)))
    for start, end, pumped in pumping_intervals(view, component):
        metered = metered_between(read, start, end)
        if metered is None:
            continue
        if metered == 0:
            kind = "infiltration" if pumped else ""
        else:
            kind = "unaccounted_water" if pumped / metered < low else "infiltration" if pumped / metered > high else ""
        if kind:
            because = f"{_plain(pumped)} gallons pumped, {_plain(metered)} metered from {start.service_date} to {end.service_date}"
            yield note(p, kind, because, event=end.id, component=component.kind, component_ref=component.ref)


def pumping_intervals(view: View, component: Component) -> Iterator[tuple[Event, Event, Fraction]]:
    """From one emptying to the next: both reports, and the gallons pumped (partial loads summed with the next); unknown gallons leave it out."""
    start: Event | None = None
    pumped: Fraction | None = Fraction(0)
    for event in view.reports:
        if not event.is_pumping or not view.is_of(event, component):
            continue
        pumped = None if pumped is None or event.gallons_pumped is None else pumped + event.gallons_pumped
        if event.partial:
            continue
        if start is not None and pumped is not None:
            yield start, event, pumped
        start, pumped = event, Fraction(0)


def metered_between(read: Metering, start: Event, end: Event) -> Fraction | None:
    """Gallons metered from one report's reading to another's, over a replaced meter too; None where the chain of readings has a hole."""
    if start.meter_reading is None or end.meter_reading is None or start.meter_estimated or end.meter_estimated:
        return None
    total, at, serial = Fraction(0), start.service_date, ""
    inside = [
        s
        for s in read.spans
        if s.start.on >= start.service_date and s.end.on <= end.service_date and s.end.on > s.start.on
    ]
    for span in inside:
        if span.start.on != at and not (serial and span.start.serial != serial and span.start.on >= at):
            return None
        total, at, serial = total + span.gallons, span.end.on, span.end.serial
    return total if inside and at == end.service_date and inside[-1].end.event.id == end.id else None


def usual_use(read: Metering) -> Fraction | None:
    """Gallons an occupied day over the last intervals, or None where no interval is usable."""
    last = [s for s in read.spans if s.days > 0][-LAST_INTERVALS:]
    days = sum(s.days for s in last)
    return sum((s.gallons for s in last), Fraction(0)) / days if days else None


def forecast(view: View, component: Component, read: Metering, fraction: Fraction) -> Forecast:
    """The day on which the tank reaches its service level, from the last emptying, the readings since, and the usual use."""
    use = usual_use(read)
    pumpings = [e for e in view.reports if e.is_pumping and view.is_of(e, component)]
    last = next((e for e in reversed(pumpings) if not e.partial), None)
    if use is None or last is None:
        return Forecast(gallons_per_day=use)
    start, filled = _filled_at_last_reading(view, read, last, pumpings)
    now = filled + use * occupied_days(view.system, start, view.as_of)
    if not component.capacity_gallons or use == 0:
        return Forecast(gallons_per_day=use, filled_gallons=now)
    missing = fraction * component.capacity_gallons - filled
    return Forecast(
        full_on=_occupied_day(view.system, start, math.ceil(missing / use)), gallons_per_day=use, filled_gallons=now
    )


def _filled_at_last_reading(
    view: View, read: Metering, last: Event, pumpings: Sequence[Event]
) -> tuple[dt.date, Fraction]:
    """The last day since the emptying on which the content is known, and the content."""
    partly = sum(
        (Fraction(e.gallons_pumped or 0) for e in pumpings if e.partial and e.service_date >= last.service_date),
        Fraction(0),
    )
    since = [s for s in read.spans if s.start.on >= last.service_date]
    if last.meter_reading is None or not since:
        return last.service_date, -partly
    return since[-1].end.on, max(sum((s.gallons for s in since), Fraction(0)) - partly, Fraction(0))


def _occupied_day(system: System, start: dt.date, days: int) -> dt.date | None:
    """The day on which so many occupied days have passed after `start`; None beyond ten years."""
    if days <= 0:
        return start
    if system.use != "seasonal" or not system.season_from:
        return add_days(start, days)
    day, left = start, days
    for _ in range(3660):
        day = add_days(day, 1)
        left -= in_season(system, day)
        if left == 0:
            return day
    return None


def _plain(value: Fraction | None) -> str:
    """A number as people write it, to two places at most."""
    if value is None:
        return ""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")
