"""What the meters of a system's holding tanks say: intervals in balance, readings, use, peaks, the forecast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final

from reporting.domain.balance import balanced, meter_findings, pumping_intervals
from reporting.domain.forecast import filling_spans, forecast
from reporting.domain.meters import Exact, metering, usual_use
from reporting.domain.records import Component, Event, History, System
from reporting.domain.view import View
from schemas.acts import FlowLimit, ServiceLevel
from schemas.program import Program

COLUMNS: Final = (
    "component_ref", "from", "to", "days", "metered_gallons", "pumped_gallons", "ratio", "gallons_per_day", "finding",
    "because", "report_id",
)  # fmt: skip
_BALANCE: Final = ("unaccounted_water", "infiltration", "balance_trend", "meter_stuck", "meter_reading_decreased")


def meter_tables(system: System, history: History, program: Program, as_of: date) -> list[dict[str, Any]]:
    """For each holding tank in use: intervals between emptyings (`intervals`, rows of `COLUMNS`), `readings` as they
    were read and what they come to, `use`, `peaks` by month where any was reported, the `forecast`."""
    view = View(program=program, system=system, history=history, as_of=as_of, known_at=None)
    return [_tank(view, component) for component in view.active_components if component.kind == "holding"]


def _tank(view: View, component: Component) -> dict[str, Any]:
    read = metering(view, component)
    findings: dict[str, list[Any]] = {}
    for finding in meter_findings(view, component, read):
        findings.setdefault(finding.event, []).append(finding)
    level = next((p for p in view.program.at(view.as_of).of(ServiceLevel) if view.applies(p.act, component)), None)
    fraction = view.program.share(level.act.fraction_setting) if level else Fraction(1)
    ahead = forecast(view, component, read, fraction)
    metered = {one.end.id: one.metered for one in balanced(view, component, read)}
    return {
        "component_ref": component.ref or None,
        "capacity_gallons": component.capacity_gallons,
        "meter": _meter(component),
        "intervals": [
            _interval(component, *loads, metered.get(loads[1].id), findings)
            for loads in pumping_intervals(view, component)
        ],
        "readings": list(_readings(view, component, findings)),
        "use": {
            "gallons_per_day": _number(usual_use(filling_spans(view, component, read))),
            "limit_gallons_per_day": _limit(view, component),
        },
        "peaks": _peaks(view, component),
        "forecast": {
            "full_on": _iso(ahead.full_on),
            "earliest_on": _iso(ahead.earliest_on),
            "latest_on": _iso(ahead.latest_on),
            "gallons_per_day": _number(ahead.gallons_per_day),
            "filled_gallons": _number(ahead.filled_gallons),
        },
    }


def _meter(component: Component) -> dict[str, Any] | None:
    meter = component.meter
    return {"unit": meter.unit, "digits": meter.digits, "serial": meter.serial or None} if meter else None


def _interval(
    component: Component,
    start: Event,
    end: Event,
    pumped: int,
    metered: Exact | None,
    findings: Mapping[str, Sequence[Any]],
) -> dict[str, Any]:
    days = (end.service_date - start.service_date).days
    said = [f for f in findings.get(end.id, ()) if f.kind in _BALANCE]
    because = "; ".join(f.because for f in said)
    if metered is None:
        because = because or "not judged: a reading is missing, estimated or cannot be"
    return {
        "component_ref": component.ref or None,
        "from": start.service_date.isoformat(),
        "to": end.service_date.isoformat(),
        "days": days,
        "metered_gallons": _number(metered),
        "pumped_gallons": pumped,
        "ratio": _number(Fraction(pumped, metered) if metered else None),
        "gallons_per_day": _number(Fraction(metered, days) if metered is not None and days else None),
        "finding": ", ".join(f.kind for f in said) or None,
        "because": because or None,
        "report_id": end.id,
    }


def _readings(view: View, component: Component, findings: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every reading as it was read, estimated ones too, with the use since the one before where it can be told."""
    read = metering(view, component)
    since = {span.end.event.id: span for span in read.spans}
    for event in view.reports_of(component):
        if event.meter_reading is None:
            continue
        span = since.get(event.id)
        flow = [f for f in findings.get(event.id, ()) if f.kind in ("flow_over_limit", "meter_reading_decreased")]
        meter = component.meter
        yield {
            "on": event.service_date.isoformat(),
            "reading": _number(event.meter_reading),
            "unit": event.meter_unit or (meter.unit if meter else "gal"),
            "serial": event.meter_serial or (meter.serial if meter else "") or None,
            "estimated": event.meter_estimated,
            "gallons_since": _number(span.gallons) if span else None,
            "rolled_over": bool(span and span.end.gallons < span.start.gallons),
            "days_since": span.days if span else None,
            "finding": ", ".join(f.kind for f in flow) or None,
            "report_id": event.id,
        }


def _limit(view: View, component: Component) -> int | None:
    acts = (p.act for p in view.program.at(view.as_of).of(FlowLimit) if view.applies(p.act, component))
    return next((act.gallons_per_day for act in acts), None)


def _peaks(view: View, component: Component) -> list[dict[str, Any]]:
    """The highest daily flow reported of each month, from the first that was reported to the month judged."""
    found: dict[str, int] = {}
    for event in view.reports_of(component):
        if event.peak_daily_gallons is not None:
            name = event.service_date.isoformat()[:7]
            found[name] = max(found.get(name, 0), event.peak_daily_gallons)
    if not found:
        return []
    limit = _limit(view, component)
    year, month = (int(part) for part in min(found).split("-"))
    rows = []
    while (year, month) <= (view.as_of.year, view.as_of.month):
        peak = found.get(f"{year:04}-{month:02}")
        over = None if peak is None or limit is None else peak > limit
        rows.append({"month": f"{year:04}-{month:02}", "peak_daily_gallons": peak, "over_limit": over})
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return rows


def _number(value: Exact | None) -> float | int | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), 3)


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
