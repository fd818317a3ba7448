"""A program as tables that people read: services, reports, fields, people and fees, each with its section.

Made from the acts of the rules alone; no law stands here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from notifications.dates import long_day
from reporting.domain.ledger import dollars
from reporting.web.hauler_fields import title_of
from reporting.web.rendering import duty_words, words
from schemas.acts import (
    Act,
    AfterTheFact,
    AreaNotice,
    AreaWindow,
    Deferral,
    Fee,
    FullTank,
    PeriodReport,
    PlanIntervals,
    ReportDeadline,
    RequiredFields,
    ServiceAreas,
    ServiceInterval,
    ServiceLevel,
    ServiceYearInspection,
    Submitter,
    TaxRoll,
    WhoMay,
    YearlyService,
)
from schemas.program import Program, Provision

_EVERY: Final = {
    "year": "every year",
    "once": "once",
    "certificate": "for each certificate",
    "abandonment": "for each abandonment",
}
Say = Callable[[Program, Any], str]
"""What an act says, in words; its rule says the rest."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a table: what, for which systems or services, whose rule, its section, since when it is in force."""

    what: str
    about: str
    rule: str
    title: str
    cite: str
    since: dt.date


@dataclass(frozen=True, kw_only=True)
class Table:
    """The lines under one heading, in the program's order."""

    heading: str
    name: str
    lines: Sequence[Line]


def tables_of(program: Program, on: dt.date) -> list[Table]:
    """The tables of the text in force on a day; a table without lines is left out."""
    found = []
    for heading, name, says in _TABLES:
        lines = list(_lines(program, on, says))
        if lines:
            found.append(Table(heading=heading, name=name, lines=lines))
    return found


def settings_cited(program: Program, on: dt.date) -> dict[str, list[tuple[str, str]]]:
    """For each setting that a rule in force names, the rules with their sections."""
    found: dict[str, list[tuple[str, str]]] = {}
    for p in program.at(on).provisions:
        for name in p.act.__struct_fields__:
            value = getattr(p.act, name)
            if name.endswith("_setting") and value in program.settings and (p.id, p.cite) not in found.get(value, []):
                found.setdefault(value, []).append((p.id, p.cite))
    return found


def in_force_since(program: Program, on: dt.date, act: Act) -> dt.date:
    """Since when an act is in force: since a day of its own, else since its text is."""
    return act.since or program.at(on).starts_on


def _lines(program: Program, on: dt.date, says: dict[type[Act], Say]) -> Iterator[Line]:
    for p in program.at(on).provisions:
        say = says.get(type(p.act))
        if say is not None:
            yield Line(
                what=say(program, p.act),
                about=_about(p),
                rule=p.id,
                title=p.rule.title,
                cite=p.cite,
                since=in_force_since(program, on, p.act),
            )


def _about(provision: Provision[Any]) -> str:
    """To which systems and services it is narrowed, as the act says."""
    act = provision.act
    parts = [_list(getattr(act, name)) for name in ("components", "events", "buildings", "uses", "flags")]
    group = getattr(act, "group", None)
    if group is not None and group.before:
        parts.append(f"permitted or installed before {long_day(group.before)}")
    if group is not None and group.on_or_after:
        parts.append(f"permitted or installed on or after {long_day(group.on_or_after)}")
    if getattr(act, "exemption", ""):
        parts.append(f"exempt as {words(act.exemption)}")
    return "; ".join(part for part in parts if part)


def _list(names: Sequence[str]) -> str:
    return ", ".join(words(name) for name in names)


def _months(months: int) -> str:
    years, rest = divmod(months, 12)
    if rest:
        return f"every {months} months"
    return "every year" if years == 1 else f"every {years} years"


def _interval(program: Program, act: ServiceInterval) -> str:
    unless = f", unless an inspection finds less than {act.inspection_below}" if act.inspection_below else ""
    return f"{duty_words(act.kind)} {_months(act.months)}{unless}"


def _plan(program: Program, act: PlanIntervals) -> str:
    months = act.months_without_plan
    return f"Service as the system's own plan says{f'; without a plan, {_months(months)}' if months else ''}"


def _value(program: Program, name: str) -> str:
    value = program.setting(name)
    if value in (None, "", [], ()):
        return "not set"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return long_day(value) if isinstance(value, dt.date) else str(value)


def _deadline(program: Program, act: ReportDeadline) -> str:
    whose = ""
    if act.contractor_setting:
        named = _value(program, act.contractor_setting)
        whose = f", from {'everybody but ' if act.contractor_is == 'other' else ''}the contractor {named}"
    sent = "; a paper copy counts from the day on which it was sent" if act.date_sent_counts else ""
    return f"Within {act.days} days of the service{whose}{sent}"


def _fields(program: Program, act: RequiredFields) -> str:
    told = [title_of(name) for name in act.fields]
    if act.any_of:
        told.append(" or ".join(" with ".join(title_of(name) for name in choice) for choice in act.any_of))
    given = f", where {title_of(act.with_field).lower()} is given" if act.with_field else ""
    return "; ".join(told) + given


def _fee(program: Program, act: Fee) -> str:
    cents = act.cents if act.cents is not None else program.settings[act.cents_setting].value
    much = f"${dollars(int(cents))}" if isinstance(cents, int) and cents else "an amount that the county sets"
    return f"{much}, {_EVERY[act.every]}, for each {act.of}"


def _struct_kind(act: Act) -> str:
    return words(str(msgspec.structs.asdict(act).get("kind", "")))


_TABLES: Final[Sequence[tuple[str, str, dict[type[Act], Say]]]] = (
    (
        "How often a system is looked after",
        "services",
        {
            ServiceInterval: _interval,
            PlanIntervals: _plan,
            YearlyService: lambda program, act: f"{duty_words(act.kind)} at least once in each calendar year",
            Deferral: lambda program, act: (
                f"An inspection that finds less than {act.below} puts the next {_struct_kind(act)} off by "
                f"{act.months} months"
            ),
            FullTank: lambda program, act: (
                f"An inspection that finds {act.at_least} or more of sludge and scum: {_struct_kind(act)} at once"
            ),
            ServiceLevel: lambda program, act: (
                f"A tank is serviced when it is {_value(program, act.fraction_setting)} full (1 is the whole tank)"
            ),
            ServiceAreas: lambda program, act: f"One of {act.areas} areas is served each year",
            AreaWindow: lambda program, act: f"{duty_words(act.kind)} in the window of the system's area",
            AreaNotice: lambda program, act: f"{duty_words(act.kind)} within {act.days} days of the area's notice",
            ServiceYearInspection: lambda program, act: f"{duty_words(act.kind)} in the area's service year",
        },
    ),
    (
        "By when a report is due, and late after",
        "deadlines",
        {
            ReportDeadline: _deadline,
            PeriodReport: lambda program, act: (
                f"A report, or a statement that none was needed, for each {words(act.period)}, "
                f"{_value(program, act.days_setting)} days after its end"
            ),
        },
    ),
    ("What a report has to say", "fields", {RequiredFields: _fields}),
    (
        "Who may do the work and file the report",
        "people",
        {
            WhoMay: lambda program, act: f"{words(act.activity).capitalize()}: {_list(act.credentials)}",
            Submitter: lambda program, act: f"Reports{' only' if act.only else ''} from: {_list(act.who)}",
        },
    ),
    (
        "Fees",
        "fees",
        {
            Fee: _fee,
            AfterTheFact: lambda program, act: f"After the work was done: {act.times} times the usual fee",
            TaxRoll: lambda program, act: f"What is not paid goes onto the tax roll as a {words(act.charges_as)}",
        },
    ),
)
