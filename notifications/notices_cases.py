"""Who is told of the county's cases: the owner, the county's or district's office, whom it is handed to. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from notifications.addresses import one_line
from notifications.addressing import to_audience, to_owner
from notifications.facts import desk_of, office_facts, tank_facts
from notifications.notices_owners import owner_of
from notifications.records import DomainEvent, EventKind, NoticeKind, Occasion, SystemNow, Told

_CASES: Final = {
    "order": "an order",
    "noncompliance": "a case of non-compliance",
    "hold": "hold status",
    "failed": "a case of a failing system",
    "tampering": "a case of tampering",
    "nuisance": "a case of nuisance",
    "invoice": "an invoice",
    "reinspection": "a reinspection",
    "bypass": "a case of a bypassed system",
    "no_access": "a case of missing access",
    "service_order": "an order to service a holding tank",
    "replaced_components": "a case of replaced components",
    "evaluation": "an evaluation",
    "report_request": "a request for a report",
    "records_request": "a request for records",
    "discharge": "a case of discharge",
    "wash_water": "a case of wash water",
}
_DUTIES: Final = {
    "correction": "correct what was found",
    "failed_system_report": "have the findings reported",
    "failed_system_correction": "correct the failed system",
    "owner_response": "answer the office",
    "connect_sewer": "connect to the public sewer",
    "payment": "pay the invoice",
    "abandon": "abandon the components",
    "evaluation_report": "have the evaluation reported",
    "requested_report": "file the report asked for",
}
_OFFICES: Final = {
    "sanitarian": "the county sanitarian",
    "counsel": "the office that prosecutes violations",
    "municipality": "the municipality",
}
_STEPS: Final = {
    "ordered_on": "ordered",
    "issued_on": "issued",
    "opened_on": "opened",
    "invoiced_on": "invoice sent",
    "notified_on": "written notice given",
    "inquired_on": "inquiry made",
    "answered_on": "inquiry answered",
    "extended_on": "more time given",
    "meeting_requested_on": "meeting asked for",
    "met_on": "meeting held",
    "reported_on": "findings reported",
    "verified_notified_on": "failure verified, written notice given",
    "verified_on": "correction verified",
    "connected_on": "connected",
    "paid_on": "paid",
    "serviced_on": "serviced",
    "handed_over_on": "handed over",
    "municipality_told_on": "municipality told",
    "referred_on": "referred for prosecution",
    "closed_on": "closed",
}


def tell_of_case(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """Owner and office; whom a case was handed to, or is to be handed to now that its deadline has passed."""
    kind = NoticeKind(event.kind)
    hand_to = one_line(event.content.get("hand_to") or "")
    context = {**office_facts(occasion), **_case_facts(event), "tank": tank_facts(event, system, occasion)}
    owners = {**context, "addressee": owner_of(system)}
    post = False if kind is NoticeKind.CASE_CLOSED else None
    yield from to_owner(kind, event, system, owners, occasion, post=post)
    offices = {**context, "addressee": desk_of(occasion.program)}
    yield from to_audience(kind, "county", event, occasion.book.county, offices, occasion)
    if event.kind == EventKind.CASE_HANDED_OVER or hand_to:
        office = _office(event)
        theirs = {**context, "addressee": f"To {_OFFICES[office]}"}
        mail = occasion.book.office(office, str(event.content.get("municipality") or ""))
        yield from to_audience(kind, office, event, mail, theirs, occasion)


def _office(event: DomainEvent) -> str:
    office = str(event.content.get("office") or "")
    return office if office in _OFFICES else "sanitarian"


def _case_facts(event: DomainEvent) -> dict[str, Any]:
    content = event.content
    named, obligation = str(content["case_kind"]), str(content.get("obligation") or "")
    return {
        "case": one_line(content["case"]),
        "case_words": _CASES.get(named, f"a case of {one_line(named.replace('_', ' '))}"),
        "duty_words": _DUTIES.get(obligation, one_line(obligation.replace("_", " "))),
        "steps": _steps(content.get("steps") or {}),
        "step": _STEPS.get(str(content.get("step") or ""), ""),
        "hand_to": one_line(content.get("hand_to") or ""),
        "office": _office(event),
        "office_words": _OFFICES[_office(event)],
    }


def _steps(steps: Mapping[str, str]) -> list[dict[str, str]]:
    """The steps taken, in order of time."""
    days = [(date.fromisoformat(day), name) for name, day in steps.items() if name in _STEPS]
    order = list(_STEPS)
    found = sorted(days, key=lambda pair: (pair[0], order.index(pair[1])))
    return [{"what": _STEPS[name], "on": day.isoformat()} for day, name in found]
