"""The day on which a metered holding tank reaches its service level, and between which days.

The use is the average over the last intervals, per occupied day; where a year and more was read, it is turned by how
the same weeks of the year before compared with the weeks read last. What fills the tank counts: an interval in which
far more was pumped than metered (a meter that stands still, ground water) counts with what was pumped.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from reporting.domain.answers import Forecast
from reporting.domain.balance import read_intervals
from reporting.domain.meters import LAST_INTERVALS, Exact, Metering, Span, usual_use
from reporting.domain.records import Component, Event
from reporting.domain.seasons import has_season, occupied_day, occupied_days
from reporting.domain.view import View
from schemas.acts import MeterChecks
from schemas.calendar import add_days

YEAR = 365
FEWEST = 4
"""Intervals read before the year before is asked."""
TURN = Fraction(2)
"""By how much at most the year before raises the use, or lowers it."""
MARGIN = Fraction(1, 5)
"""By how much the use is expected to differ at least, while few intervals are known."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """Gallons an occupied day that are to be expected: most likely, by the last interval where that is more (`late`),
    and the highest and lowest of late."""

    usual: Fraction
    late: Fraction
    high: Fraction
    low: Fraction


def forecast(view: View, component: Component, read: Metering, fraction: Fraction) -> Forecast:
    """The day on which the tank holds `fraction` of its capacity: from the last emptying, the readings since, and the
    usual use. Without a reading interval, an emptying or a capacity there is no day."""
    spans = filling_spans(view, component, read)
    usual = usual_use(spans)
    pumpings = view.pumpings(component)
    emptied = next((e for e in reversed(pumpings) if not e.partial), None)
    if usual is None or emptied is None:
        return Forecast(gallons_per_day=usual)
    since = [s for s in spans if s.start.on >= emptied.service_date]
    partly = [e for e in pumpings if e.partial and e.service_date >= emptied.service_date]
    day, filled = _content(view, emptied.service_date, usual, since, partly)
    missing = fraction * (component.capacity_gallons or 0) - filled
    use = expected_use(view, spans, usual, day, missing)
    now = filled + use.usual * occupied_days(view.system, day, view.as_of)
    if not component.capacity_gallons or usual == 0:
        return Forecast(gallons_per_day=use.usual, filled_gallons=now)
    full, cautious, early, late = (
        occupied_day(view.system, day, math.ceil(missing / rate)) if rate else None
        for rate in (use.usual, use.late, use.high, use.low)
    )
    return Forecast(
        full_on=full,
        gallons_per_day=use.usual,
        filled_gallons=now,
        cautious_on=cautious,
        earliest_on=early,
        latest_on=late if full else None,
    )


def filling_spans(view: View, component: Component, read: Metering) -> tuple[Span, ...]:
    """The spans of use as they filled the tank: where far more was pumped than metered, what was pumped."""
    bounds = [p for p in view.program.at(view.as_of).of(MeterChecks) if view.applies(p.act, component)]
    if not bounds or not read.spans:
        return read.spans
    high = view.program.share(bounds[0].act.high_setting)
    more = []
    for one in read_intervals(view, component, read):
        if one.side(high, high) > 0:
            start, end = one.start.service_date, one.end.service_date
            more.append((start, end, Fraction(one.pumped), occupied_days(view.system, start, end)))
    return tuple(_filled(span, more) for span in read.spans) if more else read.spans


def _filled(span: Span, more: Sequence[tuple[dt.date, dt.date, Fraction, int]]) -> Span:
    for start, end, pumped, days in more:
        if start <= span.start.on and span.end.on <= end and days:
            return span._replace(gallons=pumped * span.days / days)
    return span


def expected_use(view: View, spans: Sequence[Span], usual: Fraction, day: dt.date, missing: Fraction) -> Use:
    """The use to be expected after `day` until `missing` gallons have come, and how far it may lie off."""
    last = [s for s in spans if s.days > 0][-LAST_INTERVALS:]
    rates = sorted(Fraction(s.gallons, s.days) for s in last)
    turned = usual * _turn(view, spans, last, usual, day, missing)
    factor = turned / usual if usual else Fraction(1)
    high = max(rates[-1] * factor, turned * (1 + MARGIN))
    latest = Fraction(last[-1].gallons, last[-1].days)
    return Use(usual=turned, late=max(turned, latest), high=high, low=min(rates[0] * factor, turned * (1 - MARGIN)))


def _turn(
    view: View, spans: Sequence[Span], last: Sequence[Span], usual: Fraction, day: dt.date, missing: Fraction
) -> Fraction:
    """How the weeks ahead compared with the weeks read last, a year ago; 1 where that was not read as a whole."""
    if has_season(view.system) or len(spans) < FEWEST + LAST_INTERVALS or not last or usual <= 0 or missing <= 0:
        return Fraction(1)
    ahead = min(max(math.ceil(missing / usual), 1), YEAR // 4)
    then = _use_between(spans, add_days(day, -YEAR), add_days(day, ahead - YEAR))
    before = _use_between(spans, add_days(last[0].start.on, -YEAR), add_days(last[-1].end.on, -YEAR))
    if not then or not before:
        return Fraction(1)
    return min(max(then / before, 1 / TURN), TURN)


def _use_between(spans: Sequence[Span], start: dt.date, end: dt.date) -> Fraction | None:
    """Gallons a day between two days as the spans that reach into them have it; None unless they cover them all."""
    gallons: Exact = 0
    days = 0
    for span in spans:
        if span.end.on <= start or span.start.on >= end:
            continue
        whole = (span.end.on - span.start.on).days
        inside = (min(span.end.on, end) - max(span.start.on, start)).days
        if inside > 0 and whole > 0:
            gallons += span.gallons if inside == whole else Fraction(span.gallons * inside, whole)
            days += inside
    return Fraction(gallons, days) if days and days >= (end - start).days else None


def _content(
    view: View, emptied_on: dt.date, use: Fraction, since: Sequence[Span], partly: Sequence[Event]
) -> tuple[dt.date, Fraction]:
    """The last day on which the content was read or partly pumped, and the content.

    What was metered counts, and the usual use where nothing was; a partial load never leaves less than nothing.
    """
    steps: list[tuple[dt.date, int, Exact, dt.date]] = [(s.end.on, 0, s.gallons, s.start.on) for s in since]
    steps += [(e.service_date, 1, e.gallons_pumped or 0, e.service_date) for e in partly]
    day, filled = emptied_on, Fraction(0)
    for on, is_load, gallons, begun_on in sorted(steps):
        if begun_on > day:
            filled += use * occupied_days(view.system, day, begun_on)
        elif begun_on < day and not is_load:  # a partial load fell into the interval: what is left of it counts
            whole = occupied_days(view.system, begun_on, on)
            left = occupied_days(view.system, day, on) if on > day else 0
            gallons = Fraction(gallons * left, whole) if whole else 0
        filled = max(filled - gallons, Fraction(0)) if is_load else filled + gallons
        day = max(day, on)
    return day, filled
