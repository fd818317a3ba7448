"""How much a fee is, by which section, when it is due, and when its amount may be changed: read from the program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from reporting.domain.abandonment import document_that_frees
from reporting.domain.fees import fee_cents
from reporting.domain.view import View
from reporting.histories import SETTING
from reporting.store.engine import Store
from reporting.store.facts import load_county_facts
from schemas.acts import AfterTheFact, CaseDeadline, Fee
from schemas.issues import Code, Issue
from schemas.loader import shipped_program
from schemas.program import Program, Provision

PAYMENT = "payment"
"""The duty of a case that is one to pay."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """A fee that a rule of the program asks for, of one system on one day.

    cents: None where the rule names no amount and the county sets it. kind: the name under which payments are filed.
    every: `year`, `once`, or '' for one that has a cause each time. due_on: where the rule gives a time to pay.
    free_by: the document on file that frees from it.
    """

    rule: str
    cite: str
    title: str
    kind: str
    cents: int | None
    every: str = ""
    of_property: bool = False
    due_on: date | None = None
    free_by: str = ""


def find_terms(view: View, rule: str) -> Terms | None:
    """The terms of a rule's fee for a system on `as_of`; None where the rule asks for none of it."""
    return next((t for p in view.program.at(view.as_of).provisions if p.id == rule for t in _terms(view, p)), None)


def rules_with_fees(program: Program, day: date) -> tuple[str, ...]:
    """The rules of the text in force that ask for a fee."""
    found = [p.id for p in program.at(day).provisions if isinstance(p.act, Fee) or _is_other_fee(p.act)]
    return tuple(dict.fromkeys(found))


def times_after_the_fact(program: Program, day: date) -> Provision[AfterTheFact] | None:
    """By which provision a fee asked for after the work was done is a multiple of the usual one, if by any."""
    return next(iter(program.at(day).of(AfterTheFact)), None)


def refuse_change(store: Store, program: Program, name: str, value: object, valid_from: date) -> Issue | None:
    """Why a setting that may change once in a calendar year cannot change on that day too; None where it can.

    value: as `Setting.read` gives it. The same value again is no change.
    """
    by = next((p for p in program.at(valid_from).of(Fee) if p.act.once_a_year and p.act.cents_setting == name), None)
    if by is None:
        return None
    changed, held = [], shipped_program(program.slug).settings[name].value
    on_day = held
    for row in (row for row in load_county_facts(store, SETTING) if row["id"] == name):
        since, own = row["valid_from"] or date.min, row["content"].get("value")
        changed += [since] if own != held and since.year == valid_from.year else []
        held = own
        on_day = own if since <= valid_from else on_day
    if not changed or value == on_day:
        return None
    message = (
        f"{name} was changed from {changed[0]} on, and it may change at most once in a calendar year ({by.cite}): "
        f"give a day in another year than {valid_from.year}."
    )
    return Issue(code=Code.INCONSISTENT, field=name, message=message, value=str(value)[:200], cite=by.cite)


def _is_other_fee(act: object) -> bool:
    return bool(getattr(act, "fee_cents", None)) or (isinstance(act, CaseDeadline) and act.kind == PAYMENT)


def _terms(view: View, p: Provision[Any]) -> Iterator[Terms]:
    act: Any = p.act
    said: dict[str, Any] = {"rule": p.id, "cite": p.cite, "title": p.rule.title}
    if isinstance(act, Fee):
        if view.applies(act, view.system.main_tank):
            every = act.every if act.every in ("year", "once") else ""
            free = document_that_frees(view, p, view.as_of) if act.every == "abandonment" else ""
            said |= {"every": every, "of_property": act.of == "property", "free_by": free}
            yield Terms(**said, kind=act.paid_as[0], cents=fee_cents(view, p))
    elif isinstance(act, CaseDeadline):
        if act.kind == PAYMENT and view.applies(act, view.system.main_tank):
            yield Terms(**said, kind=act.cases[0], cents=None, due_on=_due(view, p))
    elif cents := getattr(act, "fee_cents", None):
        # The act is of something that costs a fee, such as a deferral or an appeal: the fee goes by the act's own name.
        yield Terms(**said, kind=str(act.__struct_config__.tag), cents=cents)


def _due(view: View, p: Provision[CaseDeadline]) -> date | None:
    """The last day to pay, counted from `as_of`, on which the owner was told."""
    if p.act.business_days is not None:
        return p.after_business_days(view.calendar, view.as_of, p.act.business_days).last_day
    return p.after_days(view.calendar, view.as_of, p.act.days).last_day if p.act.days is not None else None
