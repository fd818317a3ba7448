"""What an application for a certificate of exemption has to show before one can be granted. Pure."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reporting.domain.view import View
from schemas.acts import ExemptionConditions, Fee
from schemas.program import Provision


@dataclass(frozen=True, kw_only=True)
class Application:
    """An application as it was filed. None: nobody said. `serviced_on`: when the affidavit says it was serviced.

    `days_a_year`: for how many days a year the property is used; `verified_on`: when the contractor verified it, and
    `verified_by` by which licence.
    """

    kind: str
    received_on: dt.date
    paid: bool | None = None
    affidavit_on: dt.date | None = None
    people: int | None = None
    days_a_year: int | None = None
    serviced_on: dt.date | None = None
    verified_on: dt.date | None = None
    verified_by: str = ""


@dataclass(frozen=True, kw_only=True)
class Unmet:
    """A condition that an application does not meet: which member to mend, why, and by which section."""

    field: str
    message: str
    rule: str
    cite: str


def exemption_kinds(view: View) -> tuple[str, ...]:
    """The kinds of certificates that the ordinance has."""
    return tuple(dict.fromkeys(p.act.exemption for p in view.program.at(view.as_of).of(ExemptionConditions)))


def unmet_conditions(view: View, application: Application) -> tuple[Unmet, ...]:
    """Every condition of such a certificate that the application does not meet; with none it may be granted."""
    found = [
        unmet
        for p in view.program.at(view.as_of).of(ExemptionConditions)
        if p.act.exemption == application.kind
        for unmet in (*_of_system(view, p), *_of_papers(view, p, application), *_of_service(view, p, application))
    ]
    return (*found, *_of_fee(view, application))


def _unmet(p: Provision[ExemptionConditions] | Provision[Fee], field: str, message: str) -> Unmet:
    return Unmet(field=field, message=message, rule=p.id, cite=p.cite)


def _of_system(view: View, p: Provision[ExemptionConditions]) -> Iterator[Unmet]:
    if p.act.buildings and view.system.building not in p.act.buildings:
        message = f"The inventory has a {view.system.building.replace('_', ' ')}; it is for: {_words(p.act.buildings)}."
        yield _unmet(p, "building", message)
    if p.act.components and not any(c.kind in p.act.components for c in view.active_components):
        yield _unmet(p, "component", f"It is for a system with a tank of this kind in use: {_words(p.act.components)}.")


def _of_papers(view: View, p: Provision[ExemptionConditions], told: Application) -> Iterator[Unmet]:
    if p.act.affidavit and told.affidavit_on is None:
        yield _unmet(p, "affidavit_on", "The sworn affidavit is not on file: give the day on which it was signed.")
    if p.act.people and (told.people is None or told.people > p.act.people):
        yield _unmet(p, "people", f"Used by no more than {p.act.people} people; {_said(told.people)}.")
    most = 7 * p.act.weeks
    if most and (told.days_a_year is None or told.days_a_year > most):
        message = f"Used for no more than {p.act.weeks} weeks ({most} days) a year; {_said(told.days_a_year)}."
        yield _unmet(p, "days_a_year", message)
    if p.act.verified and told.verified_on is None:
        yield _unmet(p, "verified_on", "The contractor has not verified it: give the day on which that was done.")
    named = view.program.text_of(p.act.contractor_setting) if p.act.contractor_setting else ""
    if p.act.verified and told.verified_on is not None and named and not _is_same(told.verified_by, named):
        yield _unmet(p, "verified_by", f"The district's contractor verifies it: give license {named}.")


def _of_service(view: View, p: Provision[ExemptionConditions], told: Application) -> Iterator[Unmet]:
    """Inspected or pumped within so many months: by the record, else as the affidavit has it."""
    if not p.act.serviced_months:
        return
    days = [s.on for c in view.active_components for s in view.services(c, "inspect", "pump")]
    known = [day for day in (*days, told.serviced_on) if day is not None and day <= told.received_on]
    last = max(known, default=None)
    if last is None:
        yield _unmet(p, "serviced_on", "Nothing says when it was last inspected or pumped.")
        return
    until = view.calendar.deadline_after_months(last, p.act.serviced_months, filing=False, prior=True).due_on
    if told.received_on > until:
        message = f"Last inspected or pumped {last}; {p.act.serviced_months} months of it ended {until}."
        yield _unmet(p, "serviced_on", message)


def _of_fee(view: View, told: Application) -> Iterator[Unmet]:
    for p in view.program.at(view.as_of).of(Fee):
        if p.act.every == "certificate" and told.paid is not True:
            yield _unmet(p, "paid", f"The fee of ${(p.act.cents or 0) / 100:.2f} did not come with the form.")


def _is_same(licence: str, named: str) -> bool:
    """Whether two spellings are of one license, but for case and signs."""
    one, other = (re.sub("[^0-9a-z]", "", text.lower()) for text in (licence, named))
    return one == other


def _said(number: int | None) -> str:
    return "the application does not say" if number is None else f"the application says {number}"


def _words(names: tuple[str, ...]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)
