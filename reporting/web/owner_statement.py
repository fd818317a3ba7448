"""The owner's statement that a period needed no service, where the county's program has reporting periods."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.facts import statement
from reporting.api.moments import program_today
from reporting.api.problems import absent
from reporting.api.visibility import visible_system
from reporting.store.engine import Store
from reporting.web.asking import Told, form_values, go, in_own_county
from reporting.web.owner_asking import HOME, own_system, render_owner, tell_own
from schemas.acts import PeriodReport

YEARS: Final = 2
"""How many years before the running one are offered; of an older period the owner writes to the county."""


@dataclass(frozen=True, kw_only=True)
class Period:
    """A reporting period that has ended: its name (`2026`, `2026-H1`), the words for it, rule and section."""

    name: str
    words: str
    rule: str
    cite: str


def offered_periods(store: Store) -> list[Period]:
    """The reporting periods of the own system that have ended, newest first; none where the program has none."""
    program, today = program_today(store)
    stored = visible_system(store, own_system(), today)
    kinds = {row["component"] for row in stored.components}
    found: list[Period] = []
    for year in range(today.year - YEARS, today.year + 1):
        for half, end in ((1, dt.date(year, 6, 30)), (2, dt.date(year, 12, 31))):
            for p in program.at(end).of(PeriodReport) if end < today else ():
                halves = p.act.period == "half_year"
                if (halves or half == 2) and (not p.act.components or kinds & set(p.act.components)):
                    words = f"{'January to June' if half == 1 else 'July to December'} {year}" if halves else str(year)
                    name = f"{year}-H{half}" if halves else str(year)
                    found.append(Period(name=name, words=words, rule=p.id, cite=p.cite))
    return list(reversed(found))


@in_own_county
def show_statement_form() -> AnyResponse:
    """The form; 404 where nothing is asked by periods."""
    return _page({}, None)


@in_own_county
def file_own_statement() -> AnyResponse:
    """Keep the statement, or say what is wrong with it."""
    values = form_values()
    with service().database.reading(call().tenant) as store:
        names = {one.name for one in offered_periods(store)}
    errors = {}
    if values.get("period") not in names:
        errors["period"] = "Choose the period that the statement is for."
    if not str(values.get("reason", "")).strip():
        errors["reason"] = "Say why no service was needed."
    told = Told(status=422, summary="Nothing was kept: see below.", errors=errors)
    if not errors:
        told = tell_own(statement, values, "period", "reason")
    return go(HOME, "stated") if told.ok else _page(values, told)


def _page(values: dict[str, str], told: Told | None) -> AnyResponse:
    with service().database.reading(call().tenant) as store:
        periods = offered_periods(store)
    if not periods:
        raise absent()
    return render_owner("statement", status=told.status if told else 200, periods=periods, values=values, told=told)
