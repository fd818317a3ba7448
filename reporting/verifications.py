"""The county asks for verification of anything in a report (SPS 383.55(4), S16); the business answers, staff closes.

The report stands and counts all the while; until it is answered the finding `verification_requested` says so. An
amendment is an answer too, and a report taken back needs none. What people write stands in the fact and in the entry's
raw bytes, which can be destroyed; the entry itself says who asked of which report, when, and of which fields.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from reporting.errors import DecisionRefused, ReportEnded
from reporting.forms import Form
from reporting.ids import new_id
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.store.engine import Store
from reporting.store.events_out import record_domain_events
from reporting.store.facts import load_history
from reporting.store.verifications import VERIFICATION, verifications_of
from schemas.acts import Verification
from schemas.fields import FIELDS
from schemas.issues import Code, Issue

REQUESTED: Final = "requested"
ANSWERED: Final = "answered"
CLOSED: Final = "closed"
STATES: Final = (REQUESTED, ANSWERED, CLOSED)
EVENT_KIND: Final = "verification_requested"
LONGEST: Final = 2_000
_PLACE: Final = ("permit_number", "parcel_number", "site_address", "municipality")

Report = Mapping[str, Any]


def ask(store: Store, teller: Teller, report: Report, values: Values) -> Told | NotTold:
    """Ask the business of a report that stands to verify something in it; the domain event tells it.

    Values: `message`, `fields` (names of fields of a report), `answer_by`. Raises ReportEnded, DecisionRefused (it was
    asked before, and that is not closed).
    """
    if report["ended_seq"] is not None:
        raise ReportEnded
    before = verifications_of(store, [report["id"]]).get(report["id"])
    if before is not None and before["content"]["state"] != CLOSED:
        raise DecisionRefused("Verification of this report was asked for before: close that first.")
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("message", "fields", "answer_by"))
    message = form.text("message", required=True, longest=LONGEST)
    fields, answer_by = _fields(form), form.day("answer_by")
    if answer_by is not None and answer_by < teller.today:
        said = f"Give a day that is still to come: today is {teller.today}."
        form.issues.append(Issue(code=Code.BAD_VALUE, field="answer_by", message=said, pointer="/answer_by"))
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {
        "report": report["id"],
        "state": REQUESTED,
        "asked_on": teller.today.isoformat(),
        **({"answer_by": answer_by.isoformat()} if answer_by else {}),
        "fields": fields,
        "message": message,
    }
    told = _keep(store, teller, report, content, values, before)
    _tell(store, teller, report, content, told)
    return told


def answer(store: Store, teller: Teller, report: Report, values: Values) -> Told | NotTold:
    """The business's word on what was asked. Values: `answer`. Raises DecisionRefused where nothing waits for one."""
    before = _open(store, report, REQUESTED, "Nothing was asked of this report, or it was answered before.")
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("answer",))
    text = form.text("answer", required=True, longest=LONGEST)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    given = {"state": ANSWERED, "answered_on": teller.today.isoformat(), "answered_by": teller.by, "answer": text}
    return _keep(store, teller, report, {**before["content"], **given, "report": report["id"]}, values, before)


def close(store: Store, teller: Teller, report: Report, values: Values) -> Told | NotTold:
    """Staff is content, answered or not. Values: `note`. Raises DecisionRefused where nothing is open."""
    before = _open(store, report, "", "Nothing was asked of this report, or it was closed before.")
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("note",))
    note = form.text("note", longest=LONGEST)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    given = {"state": CLOSED, "closed_on": teller.today.isoformat(), **({"note": note} if note else {})}
    return _keep(store, teller, report, {**before["content"], **given, "report": report["id"]}, values, before)


def follow(store: Store, teller: Teller, former_id: str, report: Report | None) -> Told | None:
    """What an amendment (`report`: the new version) or a void (None) means for what was asked of the former version.

    An amendment answers it and takes it along; of a report that was taken back nothing is asked any more.
    """
    before = verifications_of(store, [former_id]).get(former_id)
    if before is None:
        return None
    content = {**before["content"]}
    if report is not None:
        content["report"] = report["id"]
        if content["state"] == REQUESTED:
            content |= {"state": ANSWERED, "answered_on": teller.today.isoformat(), "answered_by": teller.by}
            content["amendment"] = report["id"]
    elif content["state"] != CLOSED:
        content |= {"state": CLOSED, "closed_on": teller.today.isoformat(), "voided": True}
    else:
        return None
    return _keep(store, teller, report or {"system": before["system"]}, content, {}, before)


def shown(fact: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What was asked of a report and what came of it, for whoever may see the report."""
    return {name: value for name, value in fact["content"].items() if name != "report"} if fact else None


def _open(store: Store, report: Report, state: str, problem: str) -> Mapping[str, Any]:
    before = verifications_of(store, [report["id"]]).get(report["id"])
    if before is None or before["content"]["state"] == CLOSED or state not in ("", before["content"]["state"]):
        raise DecisionRefused(problem)
    return before


def _keep(
    store: Store,
    teller: Teller,
    report: Report,
    content: Mapping[str, object],
    values: Values,
    before: Mapping[str, Any] | None,
) -> Told:
    """The next version of what is asked of a report, under the id of the report that it was first asked of."""
    named = str(before["id"] if before else content["report"])
    system = before["system"] if before else report["system"] or ""
    asked = dt.date.fromisoformat(str(content["asked_on"]))
    kind = {"replaces": named} if before else {"fact_id": named}
    return keep_fact(store, teller, VERIFICATION, system, content, values, valid_from=asked, **kind)


def _fields(form: Form) -> list[str]:
    given = form.values.get("fields") or []
    names = given if isinstance(given, list) else [given]
    wrong = [name for name in names if not isinstance(name, str) or name not in FIELDS]
    if wrong:
        said = f"Give names of a report's fields; {str(wrong[0])[:60]!r} is none."
        form.issues.append(Issue(code=Code.NOT_A_CHOICE, field="fields", message=said, pointer="/fields"))
    return [str(name) for name in dict.fromkeys(map(str, names))]


def _tell(store: Store, teller: Teller, report: Report, content: Mapping[str, object], told: Told) -> None:
    """The event from which the business's notice is made."""
    stored = load_history(store, [report["system"]]).get(report["system"]) if report["system"] else None
    row = (stored.system if stored else None) or report["content"]
    law = next(iter(teller.program.at(teller.today).of(Verification)), None)
    event = {
        **{name: row.get(name) for name in _PLACE},
        **({"system": report["system"]} if report["system"] else {}),
        "component": report["component"],
        "component_ref": report["component_ref"],
        "event": report["id"],
        "event_type": report["event_type"],
        "service_date": report["service_date"].isoformat(),
        "report_ref": report["report_ref"],
        "contractor_id": report["contractor_id"],
        "contractor_license": report["license_number"],
        "rule": law.id if law else "",
        "cite": law.cite if law else "",
        "duty_of": "contractor",
        **{name: content[name] for name in ("message", "fields", "asked_on", "answer_by") if content.get(name)},
    }
    row = {
        "id": new_id("evt", teller.now),
        "kind": EVENT_KIND,
        "cause_key": f"verification:{report['id']}:{told.receipt.seq}",
        "system": report["system"],
        "occurred_at": teller.now,
        "content": {name: value for name, value in event.items() if value},
    }
    record_domain_events(store, [row])
