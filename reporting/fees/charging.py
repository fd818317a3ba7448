"""Charging a fee: once for each rule, system and cause, whoever asks for it and how often."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from reporting.domain.fee_rolls import ONCE
from reporting.domain.ledger import EntryKind, dollars
from reporting.domain.view import View
from reporting.errors import RecordNotFound
from reporting.fees.ledger import Draft, money_id, write
from reporting.fees.terms import Terms, find_terms, rules_with_fees, times_after_the_fact
from reporting.forms import PLACE, Form
from reporting.histories import NO_LICENCES, read_domain
from reporting.intake.identifiers import normalize_identifier
from reporting.owners import NotTold, Teller, Told, Values
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.fees import money_by_id
from reporting.store.log import hold
from schemas.issues import Code, Issue

MOST_CENTS: Final = 100_000_000
_FIELDS: Final = ("rule", "what", "cause", "year", "cents", "on", "due_on", "after_the_fact", "cite", "note")
_AMOUNT: Final = re.compile(r"\$?([0-9]{1,7})(?:\.([0-9]{2}))?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Charged:
    """A charge on file. told: the receipt of the entry just made; None where it had been charged before."""

    id: str
    system: str
    cents: int
    due_on: date | None
    told: Told | None

    @property
    def is_new(self) -> bool:
        """Whether it was charged just now."""
        return self.told is not None


def charge(
    store: Store,
    teller: Teller,
    *,
    system: str,
    rule: str,
    cause: str = "",
    on: date | None = None,
    year: int | None = None,
    cents: int | None = None,
    values: Values | None = None,
) -> Charged | NotTold:
    """Charge a system the fee of a rule of its program: once for each `cause`, also under two callers at once.

    cause: what it is for, in a few fixed words (`window:2027-06-01`, `certificate:2026-05-01`); a yearly fee has its
    `year` for one and a fee due once has none. on: the day of it (today), by which the text in force and the time to
    pay are found. cents: only where the rule names no amount. values: as a person gave them.
    Raises RecordNotFound for an unknown system.
    """
    day = on or teller.today
    stored, view = view_of(store, teller, system, day)
    terms = find_terms(view, rule)
    if terms is None:
        there = ", ".join(rules_with_fees(teller.program, day)) or "none"
        return _refused("rule", rule, f"{rule or 'This'} asks for no fee of this system; rules with fees: {there}.")
    if terms.cents is not None and cents not in (None, terms.cents):
        return _refused("cents", str(cents), f"Leave out the amount: {terms.cite} sets ${dollars(terms.cents)}.")
    if terms.free_by:
        return _refused("rule", rule, f"Nothing is to be charged: {terms.free_by} on file ({terms.cite}).")
    amount = terms.cents or cents
    if amount is None:
        return _refused("cents", None, f"Give the amount in cents: {terms.cite} names none.", Code.REQUIRED)
    period = {"year": str(year or day.year), "once": ONCE}.get(terms.every, cause)
    if not period:
        return _refused("cause", None, "Say what it is for, such as the permit's number or a day.", Code.REQUIRED)
    content = _content(terms, period, year or day.year, amount, day)
    return charge_once(store, teller, charge_draft(stored, terms.of_property, content, day, values))


def charge_draft(
    stored: StoredHistory, of_property: bool, content: Mapping[str, Any], on: date, values: Values | None = None
) -> Draft:
    """The entry that charges a system; the systems of one parcel share the id of a fee of their property."""
    parcel = (stored.system or {}).get("parcel_number")
    norm = normalize_identifier(parcel) if of_property and parcel else ""
    subject = f"parcel:{norm}" if norm else stored.system_id
    charge_id = money_id(EntryKind.CHARGE, str(content.get("rule") or content.get("what")), content["period"], subject)
    content = {**content, "of": subject}  # of two records that turn out to be one system, both charges stay
    return Draft(
        kind=EntryKind.CHARGE, id=charge_id, system=stored.system_id, on=on, content=content, values=values
    )  # fmt: skip


def charge_once(store: Store, teller: Teller, draft: Draft) -> Charged:
    """Keep a charge that is not there yet; what is there stays as it is."""
    hold(store)
    found = money_by_id(store, [draft.id]).get(draft.id)
    content, system = (found["content"], found["system"]) if found else (draft.content, draft.system)
    told = None if found else write(store, teller, [draft])[0]
    due = date.fromisoformat(content["due_on"]) if content.get("due_on") else None
    return Charged(id=draft.id, system=system, cents=content["cents"], due_on=due, told=told)


def charge_by_staff(store: Store, teller: Teller, values: Values) -> Charged | NotTold:
    """A charge as a clerk enters it: the fee of a rule, or another one (`what`) with its amount.

    Values: a place; `rule`, or `what` (a permit, an appeal …); `cause` (which one: its number or day), `year` of a
    yearly fee; `cents` where no rule sets them; `on` (today), `due_on`, `cite`, `note`; `after_the_fact`: true for a
    permit, application or review asked for after the work was done.
    """
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, *_FIELDS))
    rule, what = form.text("rule", longest=20), form.text("what")
    if bool(rule) == bool(what):
        wrong(form, "rule", "Give the rule whose fee it is, or what else it is for (what); one of them.")
    cause, on = form.text("cause"), form.day("on", past=True) or teller.today
    year, cents = whole(form, "year", 1900, 2199), read_cents(form, required=bool(what))
    late = form.flag("after_the_fact")
    due, cite, note = form.day("due_on"), form.text("cite"), form.text("note", longest=2_000)
    if what and not cause:
        wrong(form, "cause", "Say which one it is for: its number, or its day.", Code.REQUIRED)
    system = form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    if rule:
        if late:
            return _refused("after_the_fact", "true", "Leave it out: only permits, applications and reviews are so.")
        return charge(
            store, teller, system=system, rule=rule, cause=cause, on=on, year=year, cents=cents, values=values
        )
    content = {
        "what": what, "kind": _kind(what), "period": cause, "cents": cents, "on": on.isoformat(),
        "year": year or on.year, **_given(due_on=due.isoformat() if due else "", cite=cite, note=note),
    }  # fmt: skip
    return _charge_other(store, teller, system, content, bool(late), values)


def _charge_other(
    store: Store, teller: Teller, system: str, content: dict[str, Any], late: bool, values: Values
) -> Charged | NotTold:
    """A fee that no rule of the program sets; the usual amount is a multiple of itself after the fact."""
    on = date.fromisoformat(content["on"])
    stored = load_history(store, [system])[system]
    if late:
        by = times_after_the_fact(teller.program, on)
        if by is None:
            return _refused("after_the_fact", "true", "Leave it out: the ordinance has no fee after the fact.")
        usual = content["cents"]
        cite = "; ".join(filter(None, (content.get("cite"), by.cite)))
        content |= {"cents": usual * by.act.times, "usual_cents": usual, "times": by.act.times, "cite": cite}
    return charge_once(store, teller, charge_draft(stored, False, content, on, values))


def read_cents(form: Form, *, required: bool) -> int | None:
    """An amount: `cents` as a whole number, or `amount` in dollars (`40.00`)."""
    if form.values.get("amount") not in (None, ""):
        text = form.text("amount")
        found = _AMOUNT.fullmatch(text)
        meant = int(found[1]) * 100 + int(found[2] or 0) if found else 0
        if 0 < meant <= MOST_CENTS:
            return meant
        wrong(form, "amount", "Give an amount of dollars and cents, such as 40.00.", value=text)
        return None
    cents = whole(form, "cents", 1, MOST_CENTS)
    if cents is None and required and form.values.get("cents") in (None, ""):
        wrong(form, "cents", "Give the amount in cents, such as 4000 for $40.00.", Code.REQUIRED)
    return cents


def whole(form: Form, name: str, least: int, most: int) -> int | None:
    """A whole number, also as a text of digits; None where it is absent or wrong."""
    value = form.values.get(name)
    if value in (None, ""):
        return None
    digits = isinstance(value, str) and re.fullmatch("[0-9]{1,10}", value.strip(), re.ASCII)
    number = int(value) if isinstance(value, str) and digits else value
    if isinstance(number, int) and not isinstance(number, bool) and least <= number <= most:
        return number
    wrong(form, name, f"Give a whole number from {least:,} to {most:,}.", value=value)
    return None


def view_of(store: Store, teller: Teller, system: str, day: date) -> tuple[StoredHistory, View]:
    """A system as it is on file, and as the assessment sees it on a day. Raises RecordNotFound."""
    stored = load_history(store, [system]).get(system)
    if stored is None:
        raise RecordNotFound
    domain, history = read_domain(stored, NO_LICENCES, as_of=day)
    return stored, View(program=teller.program, system=domain, history=history, as_of=day, known_at=None)


def _content(terms: Terms, period: str, year: int, cents: int, on: date) -> dict[str, Any]:
    due = terms.due_on.isoformat() if terms.due_on else ""
    said = {"rule": terms.rule, "cite": terms.cite, "kind": terms.kind, "period": period, "year": year}
    return {**said, "cents": cents, "on": on.isoformat(), **_given(due_on=due)}


def _given(**texts: str) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text}


def _kind(what: str) -> str:
    return re.sub("[^a-z0-9]+", "_", what.lower()).strip("_") or "other"


def wrong(form: Form, name: str, message: str, code: str = Code.BAD_VALUE, value: object = None) -> None:
    """Note in a form what is wrong with a value, and what to do."""
    shown = None if value is None else str(value)[:200]
    form.issues.append(Issue(code=code, field=name, message=message, pointer=f"/{name}", value=shown))


def _refused(name: str, value: str | None, message: str, code: str = Code.BAD_VALUE) -> NotTold:
    return NotTold(issues=(Issue(code=code, field=name, message=message, pointer=f"/{name}", value=value),))
