"""For a business: a report in three steps: what and when, the fields that the program asks for, and the signature.

What is sent takes the way of `POST /v1/{county}/reports`; before that it is tried, so that nothing is signed in vain.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.bodies import Sent, limits
from reporting.api.calls import Reply, call, service
from reporting.api.once import answered_before, change_once
from reporting.api.problems import Problem, absent, encode_bytes
from reporting.api.reports import taking
from reporting.intake.accept import Options, Upload, submit
from reporting.intake.answer import Refused, RowAnswer
from reporting.intake.outcomes import Outcome
from reporting.intake.signatures import is_drawn
from reporting.store.engine import Store
from reporting.web.hauler_chosen import (
    Chosen,
    Errors,
    chosen_of,
    errors_of,
    given_of,
    is_day,
    new_once,
    once_of,
    said,
    summary_of,
)
from reporting.web.hauler_fields import SIGNING, event_words, groups_of, seen_values
from reporting.web.hauler_find import my_counties
from reporting.web.hauler_look import look_at
from reporting.web.hauler_place import Place, is_below, last_reading, own_values, place_of
from reporting.web.hauler_waiting import by_phone, doubts_for_phone, refused_to_phone, sent_to_phone
from reporting.web.rendering import render
from schemas.fields import FIELDS

_TO_CONFIRM: Final = ("gallons_pumped", "meter_reading")
Taken = TypeVar("Taken", bound=Reply | None)
_AFTERWARDS: Final = " Amend the report if it is a slip."
"""What intake adds for a report that is in; before it is sent there is nothing to amend."""


def show_form(county: str, place: str = "") -> Response:
    """What was done and when; once that is chosen, the fields of such a report."""
    with service().database.reading(county) as store:
        here = place_of(store, place)
        _refuse_county(county)
        given = given_of(request.args)
        chosen, errors = chosen_of(given, here.today)
        if chosen is None:
            return _choose(here, given, errors if request.args.get("event_type") else {})
        groups = groups_of(here.program, chosen.component, chosen.event, chosen.on, here.traits)
        asked = {control.name for group in groups if not group.folded for control in group.controls}
        own = {name: text for name, text in own_values(store).items() if name in asked or name == "license_number"}
        values = {**own, **here.facts, **chosen.values}
        return _form(store, here, chosen, values, {}, new_once())


def take_form(county: str, place: str = "") -> AnyResponse:
    """The fields are tried; then all that is signed is shown; and then it is sent, once."""
    with service().database.reading(county) as store:
        here = place_of(store, place)
        _refuse_county(county)
        given = given_of(request.form)
        chosen, errors = chosen_of(given, here.today)
        if chosen is None:
            return refused_to_phone(errors) if by_phone() else _choose(here, given, errors, status=422)
        values = {**given, **chosen.values, "signed_on": _signed_on(here, chosen, given)}
        once = once_of(request.form)
        step = request.form.get("step", "check")
        if step == "change":
            return _form(store, here, chosen, values, {}, once)
        if step == "send" and (before := _answered_before(store, county, values, once)):
            return before
        # Before it is signed, somebody's name stands in: without any nothing but its lack would be found.
        tried = _try(store, here, {"signature": values.get("technician_name", "–"), **values})
        doubts = _doubts(store, here, chosen, values, tried)
        if step == "look":
            looked, findings = look_at(store, here, chosen, values)
            return render("hauler/looked", doubts=doubts, looked=looked, findings=findings)
        errors = errors_of(tried.errors, without=SIGNING)
        signing = _signing_errors(values, doubts, tried) if step == "send" else {}
        if by_phone() and (errors or signing):
            return refused_to_phone({**errors, **doubts_for_phone(signing, doubts)})
        if errors:
            return _form(store, here, chosen, values, errors, once)
        if step != "send" or signing:
            return _review(here, chosen, values, tried, doubts, signing, once)
    return _send(county, here, chosen, values, once)


def _refuse_county(county: str) -> None:
    """A county that the business has no licence for is none that it reports to from here."""
    if county not in my_counties():
        raise absent()


def _try(store: Store, here: Place, values: Mapping[str, str]) -> RowAnswer:
    """What would become of the report; nothing is stored."""
    options = Options(strict=True, dry_run=True, limits=limits())
    taken = submit(store, here.program, call().sender, _upload(values), call().now, service().signer, options)
    if isinstance(taken, Refused):
        raise Problem(taken.status, taken.code.replace("_", "-"), taken.detail)
    return taken.outcomes[0]


def _upload(values: Mapping[str, str]) -> Upload:
    return Upload(data=encode_bytes(dict(values)), file_name=None, content_type="application/json")


def _doubts(
    store: Store, here: Place, chosen: Chosen, values: Mapping[str, str], tried: RowAnswer
) -> list[dict[str, Any]]:
    """Values that can be read and are hardly meant: to be confirmed before they are signed."""
    found: list[dict[str, Any]] = [
        {**one, "message": str(one["message"]).removesuffix(_AFTERWARDS)}
        for one in tried.warnings
        if one["field"] in _TO_CONFIRM
    ]
    last = last_reading(store, here, chosen.component, chosen.ref)
    if last is not None and is_below(values.get("meter_reading", ""), last):
        message = (
            f"Look at the water meter reading: {values['meter_reading']} is lower than the last one on file, "
            f"{last['reading']:,} on {last['on']}. Send it if the meter was replaced or turned over."
        )
        found.append({"field": "meter_reading", "message": message})
    return found


def _signing_errors(values: Mapping[str, str], doubts: Sequence[object], tried: RowAnswer) -> Errors:
    errors = {name: rows for name, rows in errors_of(tried.errors).items() if name in SIGNING}
    if not values.get("signature"):
        errors["signature"] = [said("Type your name or draw your signature under this report.")]
    if doubts and request.form.get("confirm") != "yes":
        errors["confirm"] = [said("Say that the values above are right, or change them.")]
    return errors


def _signed_on(here: Place, chosen: Chosen, given: Mapping[str, str]) -> str:
    """The day on which it was signed: as the page told it that was signed, which a phone without a signal may send
    days later. A day that cannot be is not taken over.
    """
    text = given.get("signed_on", "")
    return text if chosen.on.isoformat() <= text <= here.today.isoformat() and is_day(text) else here.today.isoformat()


def _answered_before(store: Store, county: str, values: Mapping[str, str], once: str) -> AnyResponse | None:
    """Where a form leads that was taken before and whose answer may have been lost: it is not judged once more."""
    reply = _or_sent_with_others(lambda: answered_before(store, _sent(values), once))
    return _done(county, reply, once) if reply is not None else None


def _send(county: str, here: Place, chosen: Chosen, values: Mapping[str, str], once: str) -> AnyResponse:
    sent = _sent(values)
    reply = _or_sent_with_others(lambda: change_once(sent, taking(sent.upload), once)[0])
    if reply.status < 400:
        return _done(county, reply, once)
    errors = errors_of(reply.body.get("errors", ())) or {"": [said(reply.body["detail"])]}
    if by_phone():
        return refused_to_phone(errors)
    with service().database.reading(county) as store:
        return _form(store, here, chosen, values, errors, once)


def _sent(values: Mapping[str, str]) -> Sent:
    upload = _upload(values)
    return Sent(upload=upload, fingerprint=hashlib.sha256(upload.data).hexdigest())


def _or_sent_with_others(ask: Callable[[], Taken]) -> Taken:
    try:
        return ask()
    except Problem as problem:
        if problem.code != "key-reused":
            raise
        detail = "This form was sent already, with other values. Look at it in My reports, and correct it there."
        raise Problem(409, "key-reused", detail) from problem


def _done(county: str, reply: Reply, once: str) -> AnyResponse:
    """To what became of it. The form's key goes along where no log sees it: a phone that kept the form forgets it."""
    path = f"/sent/{county}/{reply.body['submission']}"
    return sent_to_phone(path) if by_phone() else redirect(f"{path}#once={once}", 303)


def _choose(here: Place, given: Mapping[str, str], errors: Errors, status: int = 200) -> Response:
    tank = ":".join(given[name] for name in ("component", "component_ref") if name in given)
    return render(
        "hauler/choose",
        status=status,
        here=here,
        tank=tank,
        event=given.get("event_type", ""),
        events=event_words(),
        day=given.get("service_date", ""),
        yesterday=here.today - dt.timedelta(days=1),
        errors=errors,
        summary_rows=summary_of(errors),
    )


def _form(store: Store, here: Place, chosen: Chosen, values: Mapping[str, str], errors: Errors, once: str) -> Response:
    also = {name for name in (*values, *errors) if name in FIELDS}
    groups = groups_of(here.program, chosen.component, chosen.event, chosen.on, here.traits, also)
    shown = {control.name for group in groups for control in group.controls}
    return render(
        "hauler/form",
        status=422 if errors else 200,
        here=here,
        chosen=chosen,
        groups=groups,
        values=values,
        errors=errors,
        summary_rows=summary_of(errors),
        carried={name: text for name, text in chosen.values.items() if name not in shown},
        once=once,
        last=last_reading(store, here, chosen.component, chosen.ref),
    )


def _review(
    here: Place,
    chosen: Chosen,
    values: Mapping[str, str],
    tried: RowAnswer,
    doubts: Sequence[Mapping[str, Any]],
    errors: Errors,
    once: str,
) -> Response:
    kept = {name: text for name, text in values.items() if name not in SIGNING}
    return render(
        "hauler/review",
        status=422 if errors else 200,
        here=here,
        chosen=chosen,
        rows=seen_values({**kept, "signed_on": values["signed_on"]}),
        signed_on=values["signed_on"],
        kept=kept,
        name="" if is_drawn(values.get("signature")) else values.get("signature", ""),
        drawn=values["signature"] if is_drawn(values.get("signature")) and "signature" not in errors else "",
        findings=tried.findings,
        notes=[one for one in tried.warnings if one["field"] not in _TO_CONFIRM],
        queued=tried.outcome is Outcome.QUEUED,
        repeats=tried.duplicate_of,
        doubts=doubts,
        errors=errors,
        summary_rows=summary_of(errors),
        once=once,
    )
