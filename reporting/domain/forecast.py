"""The day on which a metered holding tank reaches its service level."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from fractions import Fraction

from reporting.domain.answers import Forecast
from reporting.domain.meters import Metering, Span, usual_use
from reporting.domain.records import Component, Event
from reporting.domain.seasons import occupied_day, occupied_days
from reporting.domain.view import View


def forecast(view: View, component: Component, read: Metering, fraction: Fraction) -> Forecast:
    """The day on which the tank holds `fraction` of its capacity: from the last emptying, the readings since, and the
    usual use. Without a reading interval, an emptying or a capacity there is no day."""
    use = usual_use(read.spans)
    pumpings = [e for e in view.reports_of(component) if e.is_pumping]
    emptied = next((e for e in reversed(pumpings) if not e.partial), None)
    if use is None or emptied is None:
        return Forecast(gallons_per_day=use)
    since = [s for s in read.spans if s.start.on >= emptied.service_date]
    partly = [e for e in pumpings if e.partial and e.service_date >= emptied.service_date]
    day, filled = _content(view, emptied.service_date, use, since, partly)
    now = filled + use * occupied_days(view.system, day, view.as_of)
    if not component.capacity_gallons or use == 0:
        return Forecast(gallons_per_day=use, filled_gallons=now)
    missing = fraction * component.capacity_gallons - filled
    return Forecast(
        full_on=occupied_day(view.system, day, math.ceil(missing / use)), gallons_per_day=use, filled_gallons=now
    )


def _content(
    view: View, emptied_on: dt.date, use: Fraction, since: Sequence[Span], partly: Sequence[Event]
) -> tuple[dt.date, Fraction]:
    """The last day on which the content was read or partly pumped, and the content.

    What was metered counts, and the usual use where nothing was; a partial load never leaves less than nothing.
    """
    steps: list[tuple[dt.date, int, Fraction, dt.date]] = [(s.end.on, 0, s.gallons, s.start.on) for s in since]
    steps += [(e.service_date, 1, Fraction(e.gallons_pumped or 0), e.service_date) for e in partly]
    day, filled = emptied_on, Fraction(0)
    for on, is_load, gallons, begun_on in sorted(steps):
        if begun_on > day:
            filled += use * occupied_days(view.system, day, begun_on)
        elif begun_on < day and not is_load:  # a partial load fell into the interval: what is left of it counts
            whole = occupied_days(view.system, begun_on, on)
            gallons = gallons * occupied_days(view.system, day, on) / whole if whole and on > day else Fraction(0)
        filled = max(filled - gallons, Fraction(0)) if is_load else filled + gallons
        day = max(day, on)
    return day, filled
