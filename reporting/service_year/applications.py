"""Applications for a certificate of exemption: filed, completed, granted or refused by staff (7.01–7.02)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from reporting.domain.applications import Application, Unmet, exemption_kinds, unmet_conditions
from reporting.domain.exemptions import ending
from reporting.domain.records import ExemptionGrant
from reporting.domain.view import View
from reporting.errors import DecisionRefused, RecordNotFound
from reporting.forms import PLACE, Form
from reporting.histories import with_windows
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.service_year.money import charge_paid
from reporting.service_year.systems import view_of
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.store.log import hold
from reporting.store.services import system_of_fact
from schemas.acts import Fee
from schemas.issues import Code, Issue

APPLICATION: Final = "exemption_application"
EXEMPTION: Final = "exemption"
OPEN: Final = "applied"
GRANTED: Final = "granted"
REFUSED: Final = "refused"
_PAPERS: Final = ("paid", "affidavit_on", "people", "days_a_year", "serviced_on", "verified_on", "verified_by")


def apply_for_exemption(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """An application for a certificate. `more` names the conditions that it does not meet yet.

    Values: a place, `kind`, `received_on` (today), `note`, and what it shows: `paid`, `affidavit_on`, `people`,
    `days_a_year`, `serviced_on`, `verified_on`, `verified_by` (a licence).
    """
    hold(store)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, "kind", "received_on", "note", *_PAPERS))
    kind, received = form.text("kind", required=True), form.day("received_on", past=True) or teller.today
    papers, note, system = _papers(form), form.text("note", longest=2_000), form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {"kind": kind, "received_on": received.isoformat(), "state": OPEN, **papers}
    content |= {"note": note} if note else {}
    view = view_of(store, teller.program, with_windows(store, load_history(store, [system]))[system], teller.today)
    kinds = exemption_kinds(view)
    if kind not in kinds:
        there = f"Give one of {', '.join(kinds)}." if kinds else "This county's ordinance has no such certificate."
        form.refuse("kind", there, kind)
        return NotTold(issues=tuple(form.issues))
    open_now = [row for row in _facts(store, system, APPLICATION) if row["content"]["state"] == OPEN]
    if any(row["content"]["kind"] == kind for row in open_now):
        raise DecisionRefused("An application for such a certificate is open: complete or refuse that one.")
    told = keep_fact(store, teller, APPLICATION, system, content, values, valid_from=received)
    return _with_unmet(store, teller, told, content)


def complete_application(store: Store, teller: Teller, application_id: str, values: Values) -> Told | NotTold:
    """What came later for an application: fee, affidavit, the contractor's verification. Raises as `application_of`."""
    hold(store)
    system, before = application_of(store, application_id)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(_PAPERS)
    papers = _papers(form)
    if not form.issues and not papers:
        form.refuse("paid", f"Give what came: {', '.join(_PAPERS)}.")
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {**before, **papers}
    told = _keep(store, teller, system, application_id, content, values)
    return _with_unmet(store, teller, told, content)


def grant_exemption(store: Store, teller: Teller, application_id: str, values: Values) -> Told | NotTold:
    """Grant a certificate from a day on (today); refused while a condition is not met, each said with its section.

    Values: `granted_on`, `reference` (of the fee's payment). The certificate is a fact of its own, which `id` names.
    Raises as `application_of`.
    """
    hold(store)
    system, before = application_of(store, application_id)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("granted_on", "reference"))
    granted, reference = form.day("granted_on") or teller.today, form.text("reference", longest=100)
    if granted.isoformat() < before["received_on"]:
        form.refuse("granted_on", f"Give a day that is not before the application of {before['received_on']}.")
    view = view_of(store, teller.program, with_windows(store, load_history(store, [system]))[system], teller.today)
    unmet = () if form.issues else unmet_conditions(view, read_application(before))
    issues = [*form.issues, *(_issue(one) for one in unmet)]
    if issues:
        return NotTold(issues=tuple(issues))
    decided = {"state": GRANTED, "decided_on": teller.today.isoformat()}
    _keep(store, teller, system, application_id, {**before, **decided}, values)
    content: dict[str, Any] = {"kind": before["kind"], "granted_on": granted.isoformat(), "application": application_id}
    content |= _until(view, before["kind"], granted)
    told = keep_fact(store, teller, EXEMPTION, system, content, values, valid_from=granted)
    for p in teller.program.at(teller.today).of(Fee):
        if p.act.every == "certificate":
            cause, reference = f"certificate:{granted}", reference or told.id
            charge_paid(store, teller, system=system, rule=p.id, cause=cause, on=teller.today, reference=reference)
    return told


def _until(view: View, kind: str, granted: dt.date) -> dict[str, Any]:
    """The last day of the ordinance's term, which the certificate's letter names."""
    last = ending(view, ExemptionGrant(kind=kind, granted_on=granted)).last_day
    return {} if last == dt.date.max else {"outcome": {"until": last.isoformat()}}


def refuse_exemption(store: Store, teller: Teller, application_id: str, values: Values) -> Told | NotTold:
    """Refuse an application; the owner is told why. Values: `reason`. Raises as `application_of`."""
    hold(store)
    system, before = application_of(store, application_id)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("reason",))
    reason = form.text("reason", required=True, longest=2_000)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    decided = {"state": REFUSED, "decided_on": teller.today.isoformat(), "reason": reason}
    return _keep(store, teller, system, application_id, {**before, **decided}, values)


def application_of(store: Store, application_id: str) -> tuple[str, dict[str, Any]]:
    """The system and the content of an open application. Raises RecordNotFound, DecisionRefused for one decided on."""
    system = system_of_fact(store, APPLICATION, application_id)
    rows = _facts(store, system, APPLICATION) if system else []
    found = next((row for row in rows if row["id"] == application_id), None)
    if system is None or found is None:
        raise RecordNotFound
    content = dict(found["content"])
    if content["state"] != OPEN:
        raise DecisionRefused(f"This application was {content['state']} on {content['decided_on']}.")
    return system, content


def read_application(content: Mapping[str, Any]) -> Application:
    """An application as the assessment reads it."""
    days = {name: dt.date.fromisoformat(day) for name, day in content.items() if name.endswith("_on")}
    return Application(
        kind=content["kind"],
        received_on=days["received_on"],
        paid=content.get("paid"),
        affidavit_on=days.get("affidavit_on"),
        people=content.get("people"),
        days_a_year=content.get("days_a_year"),
        serviced_on=days.get("serviced_on"),
        verified_on=days.get("verified_on"),
        verified_by=content.get("verified_by", ""),
    )


def _papers(form: Form) -> dict[str, Any]:
    days = {name: form.day(name, past=True) for name in ("affidavit_on", "serviced_on", "verified_on")}
    counts = {"people": form.count("people", 0, 999), "days_a_year": form.count("days_a_year", 0, 366)}
    given = {"paid": form.flag("paid"), "verified_by": form.license("verified_by") or None, **counts}
    given |= {name: day.isoformat() if day else None for name, day in days.items()}
    return {name: value for name, value in given.items() if value is not None}


def _facts(store: Store, system: str, kind: str) -> list[Mapping[str, Any]]:
    return list(load_history(store, [system])[system].facts.get(kind, ()))


def _keep(
    store: Store, teller: Teller, system: str, application_id: str, content: Mapping[str, object], values: Values
) -> Told:
    received = dt.date.fromisoformat(str(content["received_on"]))
    return keep_fact(store, teller, APPLICATION, system, content, values, valid_from=received, replaces=application_id)


def _unmet(store: Store, teller: Teller, system: str, content: Mapping[str, Any]) -> tuple[Unmet, ...]:
    stored = with_windows(store, load_history(store, [system]))[system]
    return unmet_conditions(view_of(store, teller.program, stored, teller.today), read_application(content))


def _with_unmet(store: Store, teller: Teller, told: Told, content: Mapping[str, Any]) -> Told:
    unmet = [vars_of(one) for one in _unmet(store, teller, told.system, content)]
    return Told(id=told.id, system=told.system, receipt=told.receipt, more={"unmet": unmet})


def vars_of(unmet: Unmet) -> dict[str, str]:
    """A condition as plain values."""
    return {"field": unmet.field, "message": unmet.message, "rule": unmet.rule, "cite": unmet.cite}


def _issue(unmet: Unmet) -> Issue:
    pointer = f"/{unmet.field}"
    return Issue(code=Code.BAD_VALUE, field=unmet.field, message=unmet.message, pointer=pointer, cite=unmet.cite)
