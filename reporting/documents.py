"""Agreements, contracts and certificates that the county keeps on file for a system (OZ18, OZ19, PO9, PO22, WI20)."""

from __future__ import annotations

from typing import Final

from reporting.forms import PLACE, Form
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.store.engine import Store
from schemas.acts import (
    Abandonment,
    DocumentNeeded,
    DocumentRenewal,
    Fee,
    YearlyCertification,
)
from schemas.issues import Code, Issue
from schemas.program import Program

DOCUMENT: Final = "document"
_FIELDS: Final = ("kind", "filed_on", "recorded", "recorded_on", "year", "license_number", "note")
_FIRST_YEAR, _LAST_YEAR = 1900, 2199


def file_document(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """A document filed with the county on a day (today).

    Values: a place, `kind` (`document_kinds`), `filed_on`, `recorded` (whether it is recorded with the register of
    deeds) or `recorded_on`, `year` (of a yearly one), `license_number` (with whom it is), `note`.
    """
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, *_FIELDS))
    kind = form.choice("kind", document_kinds(teller.program))
    filed, recorded_on = form.day("filed_on", past=True) or teller.today, form.day("recorded_on", past=True)
    recorded, year = _flag(form, "recorded"), _year(form)
    number, note = form.license("license_number"), form.text("note", longest=2_000)
    if recorded is False and recorded_on is not None:
        _wrong(form, "recorded", "Leave out one of recorded (false) and recorded_on: they contradict each other.")
    system = form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content: dict[str, object] = {"kind": kind, "filed_on": filed.isoformat()}
    if recorded_on is not None:
        content["recorded_on"] = recorded_on.isoformat()
    elif recorded is not None:
        content["recorded"] = recorded
    content |= {"year": year} if year else {}
    content |= {"license_number": number} if number else {}
    content |= {"note": note} if note else {}
    return keep_fact(store, teller, DOCUMENT, system, content, values, valid_from=filed)


def document_kinds(program: Program) -> tuple[str, ...]:
    """The documents that some rule of the program speaks of, under all their names."""
    found: list[str] = []
    for act in (act for rule in program.rules for act in rule.acts):
        if isinstance(act, DocumentNeeded | DocumentRenewal):
            found += [name for names in ((own, *also) for own, also in act.documents.items()) for name in names]
        if isinstance(act, DocumentRenewal):
            found += [*act.after, *act.waived_as]
        if isinstance(act, Abandonment):
            found += act.observed_as
        if isinstance(act, Fee):
            found += [*act.free_with, *act.free_within]
        if isinstance(act, YearlyCertification):
            found += act.filed_as
    return tuple(sorted(set(found)))


def _flag(form: Form, name: str) -> bool | None:
    value = form.values.get(name)
    if value is None or isinstance(value, bool):
        return value
    _wrong(form, name, "Give true or false.")
    return None


def _year(form: Form) -> int | None:
    value = form.values.get("year")
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and _FIRST_YEAR <= value <= _LAST_YEAR:
        return value
    _wrong(form, "year", "Give a year, such as 2026.")
    return None


def _wrong(form: Form, name: str, message: str) -> None:
    form.issues.append(Issue(code=Code.BAD_VALUE, field=name, message=message, pointer=f"/{name}"))
