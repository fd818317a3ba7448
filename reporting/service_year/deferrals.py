"""An owner's request for another window: kept, answered at once by the ordinance, and the answer kept with it (LB7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from reporting.domain.areas import answer_deferral
from reporting.domain.dealings import DeferralRequest
from reporting.domain.deferrals import Grant, Refusal
from reporting.forms import PLACE, Form
from reporting.histories import with_windows
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.service_year.money import charge_paid
from reporting.service_year.systems import place_of, view_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.log import hold
from reporting.store.services import facts_of_kind

DEFERRAL: Final = "deferral"
GRANTED: Final = "granted"
REFUSED: Final = "refused"
_FIELDS: Final = ("received_on", "desired_from", "desired_to", "window_from", "paid", "written", "reference", "note")


def file_deferral(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """A request for another window, granted or refused at once; `more` of the answer says which, and why.

    Values: a place, `received_on` (today), `desired_from`, `desired_to` (as long as a window is), `window_from` (the
    window that it asks to put off; else the first not yet over), `paid` (whether the fee came with it; charged and
    noted as paid if it is granted), `reference` (of the payment), `written` (true), `note`. Who asks for what the
    ordinance does not grant has a refusal with every reason, and may ask again.
    """
    hold(store)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, *_FIELDS))
    received = form.day("received_on", past=True) or teller.today
    desired, until, window = form.day("desired_from"), form.day("desired_to"), form.day("window_from")
    form.before("desired_from", "desired_to")
    paid, written, note = form.flag("paid", required=True), form.flag("written"), form.text("note", longest=2_000)
    if until and not desired:
        form.refuse("desired_from", "Give the first day of the desired window too.")
    reference, system = form.text("reference", longest=100), form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    request = DeferralRequest(
        requested_on=received, from_on=desired, to_on=until, paid=paid, written=written is not False, window_from=window
    )
    stored = with_windows(store, load_history(store, [system]))[system]
    content = {**_as_content(request), **({"note": note} if note else {})}
    answer = _answer(store, teller, stored, request, content, form)
    if answer is None:
        return NotTold(issues=tuple(form.issues))
    kept = {**content, "outcome": answer}
    told = keep_fact(store, teller, DEFERRAL, system, kept, values, valid_from=received)
    if answer["answer"] == GRANTED:
        cause, law = f"window:{answer['window_from']}", str(answer["rule"])
        reference = reference or told.id
        charge_paid(store, teller, system=system, rule=law, cause=cause, on=received, reference=reference)
    return replace(told, more=answer)


def list_deferrals(store: Store, year: int | None = None) -> list[dict[str, Any]]:
    """The requests on file with what was answered, newest first. year: of that window's year only."""
    facts = facts_of_kind(store, DEFERRAL)
    places = load_history(store, sorted({fact["system"] for fact in facts}))
    rows = [
        {
            "id": fact["id"],
            **place_of(places[fact["system"]]),
            "received_on": fact["content"]["requested_on"],
            "paid": fact["content"].get("paid"),
            "desired_from": fact["content"].get("desired_from"),
            "desired_to": fact["content"].get("desired_to"),
            "note": fact["content"].get("note"),
            **fact["content"].get("outcome", {}),
        }
        for fact in facts
    ]
    wanted = [row for row in rows if year is None or str(row.get("window_from") or "").startswith(f"{year:04}-")]
    return sorted(wanted, key=lambda row: (row["received_on"], row["id"]), reverse=True)


def _as_content(request: DeferralRequest) -> dict[str, Any]:
    """A request as a scenario's `deferrals` tells it."""
    days = {
        "requested_on": request.requested_on,
        "desired_from": request.from_on,
        "desired_to": request.to_on,
        "scheduled_from": request.window_from,
    }
    told = {name: day.isoformat() for name, day in days.items() if day}
    return {**told, "paid": request.paid, "written": request.written}


def _answer(
    store: Store,
    teller: Teller,
    stored: StoredHistory,
    request: DeferralRequest,
    content: Mapping[str, Any],
    form: Form,
) -> dict[str, Any] | None:
    """What the assessment makes of the request beside what is on file; None with the issue where there is no window."""
    before = stored.facts.get(DEFERRAL, ())
    if any(all(row["content"].get(k) == v for k, v in content.items() if k != "note") for row in before):
        form.refuse("desired_from", "This request is on file already.", content.get("desired_from"))
        return None
    facts = {**stored.facts, DEFERRAL: [*before, {"content": content}]}
    view = view_of(store, teller.program, replace(stored, facts=facts), teller.today)
    found = answer_deferral(view, request)
    if found is None:
        message = "There is no window of a septic tank here that could be put off: set the window first."
        form.refuse("window_from", message, content.get("scheduled_from"))
        return None
    return _outcome(found)


def _outcome(found: Grant | Refusal) -> dict[str, Any]:
    """The answer as plain values: the window as it stood, the one granted or the reasons, the section."""
    told: dict[str, Any] = {
        "answer": GRANTED if isinstance(found, Grant) else REFUSED,
        "window_from": found.slot.from_on.isoformat(),
        "window_to": found.slot.to_on.isoformat(),
        "last_day_to_ask": found.last_day.isoformat(),
        "rule": found.provision.id,
        "cite": found.provision.cite,
    }
    if isinstance(found, Grant):
        return {**told, "from": found.from_on.isoformat(), "to": found.to_on.isoformat()}
    return {**told, "reasons": list(found.reasons)}
