"""The water balance of a holding tank, readings that cannot be, and use above a limit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby

from reporting.domain.answers import Finding, note
from reporting.domain.meters import Metering, metered_between, plain
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
    low = Fraction(str(view.program.number(p.act.low_setting)))
    high = Fraction(str(view.program.number(p.act.high_setting)))
    for start, end, pumped in pumping_intervals(view, component):
        metered = metered_between(read, start.service_date, end.service_date)
        if metered is None:
            continue
        kind = "unaccounted_water" if pumped < low * metered else "infiltration" if pumped > high * metered else ""
        if kind:
            span = f"from {start.service_date} to {end.service_date}"
            because = f"{pumped} gallons pumped, {plain(metered)} metered {span}"
            yield note(p, kind, because, event=end.id, of=component)


def pumping_intervals(view: View, component: Component) -> Iterator[tuple[Event, Event, int]]:
    """From one emptying to the next: both reports, and the gallons pumped, partial loads summed with the next.

    Unknown gallons leave an interval out.
    """
    start: Event | None = None
    pumped: int | None = 0
    pumpings = [e for e in view.reports_of(component) if e.is_pumping]
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
                used = f"{plain(span.gallons / span.days)} gallons a day"
                because = f"{used} from {span.start.on} to {span.end.on}; limit {limit}"
                yield note(
                    p,
                    "flow_over_limit",
                    because,
                    event=span.end.event.id,
                    of=component,
                )
