"""Which charge a payment is of: the one that is named, or the open one of the place; a yearly fee also ahead of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from reporting.domain.fees import fee_names
from reporting.domain.ledger import EntryKind
from reporting.fees.charging import charge_draft, view_of, wrong
from reporting.fees.ledger import Draft, accounts_of
from reporting.fees.terms import find_terms
from reporting.forms import Form
from reporting.owners import Teller
from reporting.status import find_systems
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.store.fees import money_by_id, money_of
from schemas.acts import Fee
from schemas.issues import Code
from schemas.program import Program

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Found:
    """A charge that is or will be: its id, its system, and what a payment of it says of itself."""

    id: str
    system: str
    kind: str
    year: int | None
    rule: str = ""
    left: int = 0


def find_charge(
    store: Store,
    teller: Teller,
    form: Form,
    *,
    fee: str,
    year: int | None,
    on: date,
    reference: str,
    planned: Iterable[Draft] = (),
) -> Found | None:
    """The charge that the values of a form mean; None with an issue in the form that says what to give.

    reference: of the payment; one that was entered under it before is meant again, paid or not.
    """
    named = form.text("charge", longest=64)
    if named:
        row = money_by_id(store, [named]).get(named)
        if row is None or row["kind"] != EntryKind.CHARGE:
            message = "There is no charge of this id in this county: look it up in the list of fees."
            wrong(form, "charge", message, value=named)
            return None
        return _found(row)
    system = form.place(store)
    if not system or not fee:
        if system:
            message = "Say which fee it is of, such as annual or the rule's id, or give the charge's id."
            wrong(form, "fee", message, Code.REQUIRED)
        return None
    names = names_of(teller.program, on, fee)
    rows = [row for one in _of_property(store, system) for row in one]
    meant = [found for found in _charges(rows, planned) if _is_meant(found, names) and year in (None, found.year)]
    again = [f for f in meant if _was_paid(rows, f.id, reference)]
    open_ones = again or [f for f in meant if f.left > 0] or meant
    if len(open_ones) == 1:
        return open_ones[0]
    if open_ones:
        years = ", ".join(str(f.year) for f in sorted(open_ones, key=lambda f: f.year or 0))
        wrong(form, "year", f"Several are charged ({years}): give the year, or the charge's id.", Code.REQUIRED)
        return None
    return _ahead(store, teller, form, system, names, year or on.year)


def names_of(program: Program, day: date, fee: str) -> frozenset[str]:
    """All the names of a fee that one of its names stands for."""
    name = "_".join(fee.casefold().replace("-", " ").split())
    for p in program.at(day).of(Fee):
        if name in fee_names(p):
            return frozenset(fee_names(p) | {name})
    return frozenset({name})


def _is_meant(found: Found, names: frozenset[str]) -> bool:
    return found.kind in names or found.rule.casefold() in names


def _of_property(store: Store, system: str) -> list[list[dict[str, Any]]]:
    """The money facts of a system and of the others on its parcel, which may have been charged for all."""
    return list(money_of(store, _on_parcel(store, system)).values())


def _on_parcel(store: Store, system: str) -> list[str]:
    """The systems of a system's parcel, in order of their ids; itself alone where it has no parcel number."""
    version: Mapping[str, Any] = load_history(store, [system])[system].system or {}
    parcel = version.get("parcel_number")
    return sorted({system, *(find_systems(store, parcel=parcel) if parcel else ())})


def _charges(rows: list[dict[str, Any]], planned: Iterable[Draft]) -> Iterator[Found]:
    """The charges among some money facts; those of 0 cents stand for another system's."""
    more: list[dict[str, Any]] = [{"id": d.id, "kind": d.kind, "content": d.content} for d in planned]
    about = {row["id"] for row in rows}
    known = accounts_of([*rows, *(row for row in more if row["content"]["charge"] in about)])
    for row in rows:
        if row["kind"] == EntryKind.CHARGE and row["content"]["cents"] > 0:
            yield _found(row, known[row["id"]].left)


def _found(row: Row, left: int = 0) -> Found:
    content = row["content"]
    return Found(
        id=row["id"], system=row["system"], kind=content["kind"], year=content.get("year"),
        rule=content.get("rule", ""), left=left,
    )  # fmt: skip


def _was_paid(rows: list[dict[str, Any]], charge_id: str, reference: str) -> bool:
    said = reference.casefold()
    return any(
        row["content"].get("charge") == charge_id and str(row["content"].get("reference", "")).casefold() == said
        for row in rows
    )


def _ahead(store: Store, teller: Teller, form: Form, system: str, names: frozenset[str], year: int) -> Found | None:
    """The yearly or one-time fee that will be charged, paid before it is."""
    if year > teller.today.year + 1:
        wrong(form, "year", f"Give a year up to {teller.today.year + 1}.", value=year)
        return None
    stored, view = view_of(store, teller, system, teller.today)
    for rule in dict.fromkeys(p.id for p in teller.program.at(teller.today).of(Fee) if names & fee_names(p)):
        terms = find_terms(view, rule)
        if terms is not None and terms.every and terms.cents:
            period = str(year) if terms.every == "year" else terms.every
            content = {"rule": rule, "period": period}
            draft = charge_draft(stored, terms.of_property, content, teller.today)
            first = _on_parcel(store, system)[0] if terms.of_property else system  # the one that a roll will charge
            return Found(id=draft.id, system=first, kind=terms.kind, year=year, rule=rule)
    message = "Nothing of this is charged to the system, and no yearly fee goes by this name: charge it first."
    wrong(form, "fee", message, Code.NOT_A_CHOICE, form.values.get("fee"))
    return None
