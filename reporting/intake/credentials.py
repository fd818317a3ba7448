"""Whose licence a report names, and what is on file of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reporting.histories import Licences, load_licences
from reporting.intake.reading import ReadRow
from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.people import find_credentials, licences_of
from schemas.issues import Code, Issue
from schemas.program import Program

_NUMBERS = ("license_number", "inspector_license_number")


@dataclass(frozen=True, kw_only=True)
class Sender:
    """In whose name a submission is judged: a contractor's business, or staff (`contractor_id` None)."""

    name: str
    contractor_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Holder:
    """The business that a report is counted under. `contractor_id` None: it is not on file."""

    business: str
    contractor_id: str | None = None


def licences_of_rows(store: Store, program: Program, rows: Iterable[ReadRow]) -> Licences:
    """What is on file of every licence that the rows and the county's settings name."""
    norms = {normalize_license(row.text(name)) for row in rows for name in _NUMBERS} - {""}
    in_settings = load_licences(store, program, ())
    return replace(in_settings, by_norm={**in_settings.by_norm, **find_credentials(store, norms)})


def restore_zeros(
    store: Store, sender: Sender, rows: Sequence[ReadRow], licences: Licences
) -> tuple[Sequence[ReadRow], bool]:
    """The rows with the zeros that a spreadsheet took from the front of a licence number, and whether there were any.

    Only a licence of the sender's own business is restored, and only where it is the only one that it could be: what
    nobody has on file is left as it stands, and warned of.
    """
    lost = {n for row in rows for name in _NUMBERS if (n := _bare(row.text(name))) and n not in licences.by_norm}
    if not lost or sender.contractor_id is None:
        return rows, False
    own: dict[str, set[str]] = {}
    for credential in licences_of(store, sender.contractor_id):
        if bare := _bare(credential["license_norm"]):
            own.setdefault(bare, set()).add(str(credential["license_number"]))
    sure = {number: next(iter(own[number])) for number in lost if len(own.get(number, ())) == 1}
    return [_with_zeros(row, sure) for row in rows] if sure else rows, bool(sure)


def _with_zeros(row: ReadRow, sure: Mapping[str, str]) -> ReadRow:
    for name in _NUMBERS:
        sent = row.text(name)
        number = sure.get(_bare(sent)) if normalize_license(sent) == _bare(sent) else None
        if number is not None:
            message = f"Zeros in front of this licence number were lost; it is taken as {number}."
            said = {"field": name, "code": "license_zeros", "message": message, "value": sent}
            row = replace(row, values={**row.values, name: number}, warnings=(*row.warnings, said))
    return row


def _bare(number: str) -> str:
    """A licence number that is all digits, without zeros in front; else ''."""
    norm = normalize_license(number)
    return norm.lstrip("0") if norm.isascii() and norm.isdigit() else ""


def held_by(licences: Licences, row: ReadRow) -> Sequence[Mapping[str, Any]]:
    """The credentials that the report's licence number stands for."""
    return licences.by_norm.get(normalize_license(row.text("license_number")), ())


def holder_of(sender: Sender, row: ReadRow, held: Sequence[Mapping[str, Any]]) -> Holder:
    """The licence's business, else the sender's, else the licence itself.

    Where two businesses have one number it is the sender's own, else that of the kind of credential reported.
    """
    fit = [c for c in held if c["contractor_id"] == sender.contractor_id]
    fit = fit or [c for c in held if c["kind"] == row.text("credential_kind")] or list(held)
    if fit:
        return Holder(business=str(fit[0]["contractor_id"]), contractor_id=str(fit[0]["contractor_id"]))
    if sender.contractor_id is not None:
        return Holder(business=sender.contractor_id, contractor_id=sender.contractor_id)
    return Holder(business=f"license:{normalize_license(row.text('license_number'))}")


def foreign_license(sender: Sender, row: ReadRow, held: Sequence[Mapping[str, Any]]) -> list[Issue]:
    """What is wrong when a business reports under another's licence; the inspector's licence is free."""
    if sender.contractor_id is None or not held or any(c["contractor_id"] == sender.contractor_id for c in held):
        return []
    message = (
        "Send this report with the key of the business that holds this licence, or give a licence of your own business."
    )
    number = row.text("license_number")
    return [row.place(Issue(code=Code.LICENSE_NOT_YOURS, field="license_number", message=message, value=number))]


def license_warnings(row: ReadRow, held: Sequence[Mapping[str, Any]]) -> list[Mapping[str, object]]:
    """What the sender should know of a licence that nobody has on file."""
    number = row.text("license_number")
    if held or not number:
        return []
    message = "The licence is not in the list of contractors; the county may ask for it."
    return [{"field": "license_number", "code": "license_unknown", "message": message, "value": number}]
