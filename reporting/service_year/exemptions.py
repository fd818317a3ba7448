"""Certificates of exemption as they stand: ended by staff, changes that their holders report, the list (7.01–7.04)."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reporting.domain.applications import unmet_conditions
from reporting.domain.exemptions import assess_exemptions, ending
from reporting.domain.records import ExemptionGrant
from reporting.domain.view import View
from reporting.errors import DecisionRefused, RecordNotFound
from reporting.forms import Form
from reporting.histories import with_windows
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.service_year.applications import APPLICATION, EXEMPTION, OPEN, read_application, vars_of
from reporting.service_year.systems import place_of, view_of, views_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.log import hold
from reporting.store.services import facts_of_kind, system_of_fact
from schemas.acts import Exemption, ExemptionTerm
from schemas.calendar import add_days
from schemas.program import Program, Provision

CHANGE: Final = "exemption_change"
NOTICE: Final = "notice"
GROUNDS: Final = (NOTICE, "conditions", "surrendered")
"""Why a certificate ends early: the district's written notice, conditions no longer met, given back by its holder."""
STATES: Final = ("applied", "refused", "in_force", "to_begin", "ending", "expired", "ended", "voided")
_RUNNING: Final = ("in_force", "to_begin", "ending")


def end_exemption(store: Store, teller: Teller, exemption_id: str, values: Values) -> Told | NotTold:
    """End a certificate early. Raises RecordNotFound, DecisionRefused for one that has ended.

    Values: `ground` (`GROUNDS`), `notified_on` (the day on which the notice is mailed or handed over; today), `ends_on`
    (its last day; by notice so many days after it at the earliest, which is what it is unless given), `reason`, which
    the owner is told.
    """
    hold(store)
    system, before, view = _standing(store, teller, exemption_id)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("ground", "notified_on", "ends_on", "reason"))
    ground, reason = form.choice("ground", GROUNDS), form.text("reason", required=True, longest=2_000)
    notified, ends = form.day("notified_on") or teller.today, form.day("ends_on")
    if ground == NOTICE:
        ends = _after_notice(view, form, notified, ends)
    last = ends or teller.today
    if last.isoformat() < before["granted_on"]:
        form.refuse("ends_on", f"Give a day that is not before the certificate of {before['granted_on']}.")
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    notice = {"notified_on": notified.isoformat()} if ground == NOTICE else {}
    ended = {"ground": ground, "decided_on": teller.today.isoformat(), **notice}
    content = {**before, "ends_on": last.isoformat(), "ended": ended, "reason": reason}
    granted = dt.date.fromisoformat(before["granted_on"])
    told = keep_fact(store, teller, EXEMPTION, system, content, values, valid_from=granted, replaces=exemption_id)
    return Told(id=told.id, system=system, receipt=told.receipt, more={"ends_on": last.isoformat()})


def report_change(store: Store, teller: Teller, exemption_id: str, values: Values) -> Told | NotTold:
    """A change that the holder of a certificate reports (LB23); where its conditions are no longer met, the certificate
    is proposed to be ended: staff ends it. Raises RecordNotFound, DecisionRefused for one that has ended.

    Values: `note` (what has changed), `reported_on` (today), `conditions_met`, `since`.
    """
    hold(store)
    system, before, _view = _standing(store, teller, exemption_id)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("note", "reported_on", "conditions_met", "since"))
    note, met = form.text("note", required=True, longest=2_000), form.flag("conditions_met", required=True)
    reported, since = form.day("reported_on", past=True) or teller.today, form.day("since")
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {
        "exemption": exemption_id,
        "kind": before["kind"],
        "reported_on": reported.isoformat(),
        "conditions_met": met,
        **({"since": since.isoformat()} if since else {}),
        "note": note,
    }
    told = keep_fact(store, teller, CHANGE, system, content, values, valid_from=reported)
    return Told(id=told.id, system=system, receipt=told.receipt, more={"end_proposed": met is False})


def list_exemptions(
    store: Store, program: Program, today: dt.date, kinds: Sequence[str] = (), states: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Applications that are open or were refused, and every certificate with its state and last day, newest first."""
    facts = [*facts_of_kind(store, EXEMPTION), *facts_of_kind(store, APPLICATION)]
    systems = sorted({fact["system"] for fact in facts})
    rows = [row for stored, view in views_of(store, program, systems, today) for row in exemption_rows(stored, view)]
    wanted = [row for row in rows if (not kinds or row["kind"] in kinds) and (not states or row["state"] in states)]
    return sorted(wanted, key=lambda row: (row["since"], row["id"]), reverse=True)


def exemption_rows(stored: StoredHistory, view: View) -> list[dict[str, Any]]:
    """The same of one system. `since`: when it was applied for or granted."""
    changes: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in stored.facts.get(CHANGE, ()):
        told = {name: value for name, value in row["content"].items() if name not in ("exemption", "kind")}
        changes[row["content"]["exemption"]].append(told)
    place = place_of(stored)
    certificates = [
        {"id": row["id"], **place, **_certificate(row["content"], view, changes[row["id"]])}
        for row in stored.facts.get(EXEMPTION, ())
    ]
    applications = [
        {"id": row["id"], **place, **_application(row["content"], view)}
        for row in stored.facts.get(APPLICATION, ())
        if row["content"]["state"] != "granted"
    ]
    return [*certificates, *applications]


def _application(content: Mapping[str, Any], view: View) -> dict[str, Any]:
    unmet = unmet_conditions(view, read_application(content)) if content["state"] == OPEN else ()
    law = next((p for p in view.program.at(view.as_of).of(Exemption) if p.act.exemption == content["kind"]), None)
    return {
        "kind": content["kind"],
        "state": content["state"],
        "since": content["received_on"],
        "last_day": None,
        "rule": law.id if law else None,
        "cite": law.cite if law else None,
        "because": content.get("reason") or "; ".join(f"{one.message} ({one.cite})" for one in unmet),
        "unmet": [vars_of(one) for one in unmet],
    }


def _certificate(content: Mapping[str, Any], view: View, changes: list[dict[str, Any]]) -> dict[str, Any]:
    grant = _grant(content)
    end = ending(view, grant)
    state = _state(content, view, grant)
    law: Provision[Exemption] | Provision[ExemptionTerm] | None = end.void or end.term
    said = f"exempt ({grant.kind}) from {grant.granted_on}"
    voided = f"; pumped {end.voided_by.service_date}" if end.voided_by else ""
    return {
        "kind": grant.kind,
        "state": state,
        "since": grant.granted_on.isoformat(),
        "last_day": None if end.last_day == dt.date.max else end.last_day.isoformat(),
        "rule": law.id if law else None,
        "cite": law.cite if law else None,
        "because": said + voided + (f"; {content['reason']}" if content.get("reason") else ""),
        "ended": content.get("ended"),
        "certification": _certification(view, grant) if state in _RUNNING else None,
        "changes": changes,
        "end_proposed": state in _RUNNING and any(one["conditions_met"] is False for one in changes),
    }


def _certification(view: View, grant: ExemptionGrant) -> dict[str, Any] | None:
    """The first yearly certification that is not on file (7.01 a), where such a certificate asks for one."""
    since = f"exempt ({grant.kind}) since {grant.granted_on};"
    found = (o for o in assess_exemptions(view).obligations if o.period and o.because.startswith(since))
    for o in found:
        days = {"last_day": o.last_day.isoformat(), "state": o.state.value}
        return {"year": o.period, **days, "rule": o.rule, "cite": o.cite}
    return None


def _state(content: Mapping[str, Any], view: View, grant: ExemptionGrant) -> str:
    end, today = ending(view, grant), view.as_of
    if today < grant.granted_on:
        return "to_begin"
    if today <= end.last_day:
        return "ending" if content.get("ended") else "in_force"
    if end.voided_by is not None:
        return "voided"
    return "ended" if content.get("ends_on") == end.last_day.isoformat() else "expired"


def _grant(content: Mapping[str, Any]) -> ExemptionGrant:
    ends = content.get("ends_on")
    return ExemptionGrant(
        kind=content["kind"],
        granted_on=dt.date.fromisoformat(content["granted_on"]),
        ends_on=dt.date.fromisoformat(ends) if ends else None,
    )


def _standing(store: Store, teller: Teller, exemption_id: str) -> tuple[str, dict[str, Any], View]:
    """A certificate that runs: its system, its content, the view. Raises RecordNotFound, DecisionRefused."""
    system = system_of_fact(store, EXEMPTION, exemption_id)
    stored = with_windows(store, load_history(store, [system]))[system] if system else None
    rows = stored.facts[EXEMPTION] if stored else ()
    found = next((dict(row["content"]) for row in rows if row["id"] == exemption_id), None)
    if system is None or stored is None or found is None:
        raise RecordNotFound
    view = view_of(store, teller.program, stored, teller.today)
    if _state(found, view, _grant(found)) not in _RUNNING:
        raise DecisionRefused(f"This certificate ended on {ending(view, _grant(found)).last_day}.")
    return system, found, view


def _after_notice(view: View, form: Form, notified: dt.date, ends: dt.date | None) -> dt.date | None:
    """The last day of a certificate ended by notice: not before the days of notice are over (7.03)."""
    for p in view.program.at(notified).of(ExemptionTerm):
        if p.act.notice_days:
            first = add_days(notified, p.act.notice_days)
            if ends is not None and ends < first:
                said = f"{p.act.notice_days} days of written notice from {notified} end {first} ({p.cite})"
                form.refuse("ends_on", f"Give {first} or a later day: {said}.", ends.isoformat())
            return ends or first
    form.refuse("ground", "This county's ordinance ends no certificate by notice: give another ground.")
    return ends
