"""Water meters of holding tanks: what was used between two readings, over rollovers and replaced meters.

Readings stay as they were read; gallons are derived (1 ft³ = 7.48052 gal, 1 m³ = 264.172 gal). All sums are exact:
whole numbers, as readings mostly are, else fractions. Estimated readings are left out.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from reporting.domain.records import Component, Event, Meter
from reporting.domain.seasons import occupied_days
from reporting.domain.view import View

Exact = int | Fraction
"""A number without error: whole ones count several times quicker than fractions."""

GALLONS: dict[str, Exact] = {"gal": 1, "gal_x100": 100, "ft3": Fraction("7.48052"), "m3": Fraction("264.172")}
LAST_INTERVALS = 5
REPLACED_WITHIN_DAYS = 3  # between the closing reading of a meter and the opening reading of the next
MOST_DIGITS = 12


class Reading(NamedTuple):
    """One reading that was really read: its report, its meter, its value in gallons, and where it turns over.

    A tuple, as is a span: a tank has as many as reports.
    """

    event: Event
    on: dt.date
    serial: str
    gallons: Exact
    wrap: Exact | None


class Span(NamedTuple):
    """Use between two readings of one meter; `days` counts the occupied ones."""

    start: Reading
    end: Reading
    gallons: Exact
    days: int


@dataclass(frozen=True, kw_only=True)
class Metering:
    """What the meter of one tank says: the usable spans, and the readings that fell below the one before.

    `ends_on`: the last day of each span. `between`, `kept`: what was counted of it, as it is asked again.
    """

    spans: tuple[Span, ...]
    decreased: tuple[Reading, ...]
    between: dict[tuple[dt.date, dt.date], Exact | None] = field(default_factory=dict, compare=False, repr=False)
    kept: dict[str, tuple[Any, ...]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def ends_on(self) -> tuple[dt.date, ...]:
        """The last day of each span, in order."""
        return tuple(span.end.on for span in self.spans)


def metering(view: View, component: Component) -> Metering:
    """The spans of use of one tank's meter or meters, in order of date."""
    spans: list[Span] = []
    decreased: list[Reading] = []
    for start, end in _pairs(_readings(view, component)):
        days = occupied_days(view.system, start.on, end.on)
        gallons = end.gallons - start.gallons
        if gallons < 0:
            rolled = _rolled_over(view, start, end, days, usual_use(spans))
            if rolled is None:
                decreased.append(end)
                continue
            gallons = rolled
        spans.append(Span(start=start, end=end, gallons=gallons, days=days))
    return Metering(spans=tuple(spans), decreased=tuple(decreased))


def _readings(view: View, component: Component) -> list[Reading]:
    meter = component.meter or Meter()
    read = [e for e in view.reports_of(component) if e.meter_reading is not None and not e.meter_estimated]
    named = {e.meter_serial for e in read if e.meter_serial}
    usual = meter.serial or (min(named) if len(named) == 1 else "")
    turns = 10**meter.digits if meter.digits and 0 < meter.digits <= MOST_DIGITS else None
    wraps = {name: turns * gallons for name, gallons in GALLONS.items()} if turns else {}
    readings = []
    for event in read:
        name = event.meter_unit or meter.unit
        unit = GALLONS.get(name)
        if unit is None or event.meter_reading is None:
            continue
        whole, parts = event.meter_reading.as_integer_ratio()
        readings.append(
            Reading(
                event=event,
                on=event.service_date,
                serial=event.meter_serial or usual,
                gallons=(whole if parts == 1 else event.meter_reading) * unit,
                wrap=wraps.get(name),
            )
        )
    return readings


def _pairs(readings: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    """Each reading with the one before it of the same meter, in order of date; of one day the lower comes first."""
    by_serial: dict[str, list[Reading]] = {}
    for reading in sorted(readings, key=lambda r: (r.on, r.gallons, r.event.id)):
        by_serial.setdefault(reading.serial, []).append(reading)
    found = [pair for each in by_serial.values() for pair in pairwise(each)]
    return sorted(found, key=lambda p: (p[1].on, p[0].on, p[1].serial, p[1].gallons))


def _rolled_over(view: View, start: Reading, end: Reading, days: int, usual: Fraction | None) -> Exact | None:
    """The use if the meter went past its last digit and that use is plausible, else None."""
    if end.wrap is None or days <= 0:
        return None
    gallons = end.wrap - start.gallons + end.gallons
    if usual:
        limit = usual * view.program.share("rollover_factor")
    else:
        limit = Fraction(view.program.days("rollover_gallons_per_day"))
    return gallons if 0 <= gallons <= limit * days else None


def usual_use(spans: Sequence[Span]) -> Fraction | None:
    """Gallons an occupied day over the last intervals, or None where no interval is usable."""
    last = [s for s in spans if s.days > 0][-LAST_INTERVALS:]
    days = sum(s.days for s in last)
    return Fraction(sum(s.gallons for s in last), days) if days else None


def metered_between(read: Metering, start: dt.date, end: dt.date) -> Exact | None:
    """Gallons metered from a reading of one day to one of another, over a replaced meter too.

    None where the chain of readings does not reach from the one to the other.
    """
    key = (start, end)
    if key not in read.between:
        read.between[key] = _between(read, start, end)
    return read.between[key]


def _between(read: Metering, start: dt.date, end: dt.date) -> Exact | None:
    first, last = bisect_left(read.ends_on, start), bisect_right(read.ends_on, end)
    inside = [s for s in read.spans[first:last] if s.start.on >= start]
    if len(inside) == 1:  # as nearly every interval is
        [only] = inside
        return only.gallons if (only.start.on, only.end.on) == (start, end) else None
    total: Exact = 0
    at, serial = start, ""
    for span in inside:
        replaced = serial not in ("", span.start.serial)
        late = (span.start.on - at).days
        if late != 0 and not (replaced and 0 < late <= REPLACED_WITHIN_DAYS):
            return None
        total, at, serial = total + span.gallons, span.end.on, span.end.serial
    return total if inside and at == end else None


def plain(value: Exact | None) -> str:
    """A number as people write it, to two places at most."""
    return "" if value is None else f"{float(value):.2f}".rstrip("0").rstrip(".")
