"""For a business while it types: what its figures come to, by the same checks that judge the report when it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from reporting.domain.answers import Finding
from reporting.domain.balance import meter_findings
from reporting.domain.forecast import filling_spans
from reporting.domain.meters import metering, usual_use
from reporting.domain.records import Event
from reporting.domain.view import View
from reporting.histories import read_domain
from reporting.intake.numbers import parse_gallons, parse_reading
from reporting.intake.values import BadValue
from reporting.licences import load_licences
from reporting.store.engine import Store
from reporting.web.hauler_chosen import Chosen
from reporting.web.hauler_place import Place

_TYPED: Final = "typed"


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What a meter's reading comes to. `gallons` used since the day `since`, `daily` and `usual` gallons a day.

    turned: that the meter went past its last digit is the likely reading of it.
    """

    gallons: int
    since: date
    days: int
    daily: int | None
    usual: int | None
    turned: bool


def look_at(
    store: Store, place: Place, chosen: Chosen, values: Mapping[str, str]
) -> tuple[Looked | None, list[Finding]]:
    """What the reading as typed would come to, and what the county would find of it; nothing where there is no meter
    that the business sees, or no reading that can be read.
    """
    typed = _typed_event(chosen, values)
    if typed is None or place.seen is None or chosen.component != "holding":
        return None, []
    system, history = read_domain(place.seen, load_licences(store, place.program, [place.seen]), as_of=place.today)
    history = replace(history, events=(*history.events, typed))
    view = View(program=place.program, system=system, history=history, as_of=place.today, known_at=None)
    tank = next((c for c in view.active_components if c.kind == "holding" and (c.ref or "") == chosen.ref), None)
    if tank is None:
        return None, []
    read = metering(view, tank)
    spans = filling_spans(view, tank, read)
    usual = usual_use([span for span in spans if span.end.event.id != _TYPED])
    found = [finding for finding in meter_findings(view, tank, read) if finding.event == _TYPED]
    last = next((span for span in read.spans if span.end.event.id == _TYPED), None)
    if last is None:
        return None, found
    return Looked(
        gallons=round(last.gallons),
        since=last.start.on,
        days=last.days,
        daily=round(last.gallons / last.days) if last.days else None,
        usual=round(usual) if usual is not None else None,
        turned=last.end.gallons < last.start.gallons,
    ), found


def _typed_event(chosen: Chosen, values: Mapping[str, str]) -> Event | None:
    try:
        reading = Fraction(parse_reading(values.get("meter_reading", "")))
    except BadValue:
        return None
    try:
        gallons = parse_gallons(values.get("gallons_pumped", ""))
    except BadValue:
        gallons = None
    return Event(
        id=_TYPED,
        event_type=chosen.event,
        service_date=chosen.on,
        component=chosen.component,
        component_ref=chosen.ref,
        gallons_pumped=gallons,
        meter_reading=reading,
        meter_unit=values.get("meter_unit", ""),
        meter_serial=values.get("meter_serial", ""),
    )
