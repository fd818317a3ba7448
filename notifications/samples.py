"""A notice of each kind from invented facts, by a county's own rules: for `pumper notices preview` and tests. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from notifications.access import Letter, invitation_notice, owner_link_notice, signin_notice
from notifications.addresses import AddressField
from notifications.digests import group_lines
from notifications.facts import desk_of, office_facts
from notifications.notices import make_notices
from notifications.records import (
    AddressBook,
    Contractor,
    DomainEvent,
    EventKind,
    Line,
    Notice,
    NoticeKind,
    Occasion,
    SystemNow,
)
from notifications.samples_requests import request_samples
from schemas.acts import (
    Act,
    AreaNotice,
    CaseDeadline,
    ContractNeeded,
    ContractRenewal,
    ExemptionTerm,
    ReportDeadline,
    ServicedNotice,
    ServiceInterval,
    ServiceLevel,
    WhoMay,
    WindowNotice,
)
from schemas.program import Program, Provision

_LICENCE: Final = "00412"
_BUSINESS: Final = "con_sample"
_SYSTEM: Final = "sys_sample"
_TANK: Final = {
    "system": _SYSTEM,
    "permit_number": "SP-1987",
    "parcel_number": "08-058-02-001.00",
    "site_address": "N5551 County Road K",
    "municipality": "Town of Saukville",
    "component": "septic",
    "component_ref": "",
    "contractor_license": _LICENCE,
}
_NOW: Final = SystemNow(
    owner_name="Laverne Lor",
    access_notes="Lid under the lilac; dog in the yard.",
    owner_mail=AddressField(addresses=("laverne@lor.example",)),
    owner_postal="Laverne Lor\nN5551 County Road K\nSaukville, WI 53080",
    latitude="43.3857",
    longitude="-87.9512",
    last_pumped_on=date(2023, 7, 19),
    last_gallons=1000,
)


class NoSample(ValueError):
    """The county's program has no rule that such a notice could be of; the sentence says so."""


def sample_notices(kind: NoticeKind, program: Program, today: date, base_url: str, map_url: str = "") -> list[Notice]:
    """One notice for each audience of a kind, from invented facts on `today`. Raises `NoSample`."""
    book = AddressBook(
        contractors={
            _BUSINESS: Contractor(
                id=_BUSINESS,
                name="Kettle Moraine Septic LLC",
                mail=AddressField(addresses=("office@kettle-septic.example",)),
            )
        },
        licences={_LICENCE: _BUSINESS},
        county=AddressField(addresses=("office@county.example",)),
        sanitarian=AddressField(addresses=("sanitarian@county.example",)),
    )
    settings = {"clerk_email": "clerk@county.example"} if "clerk_email" in program.settings else {}
    known = program.with_settings({**settings, "live_from": ""})
    occasion = Occasion(program=known, book=book, today=today, base_url=base_url, map_url=map_url)
    if kind in _ALONE:
        return [_ALONE[kind](occasion)]
    told = make_notices(_event(kind, occasion), _NOW, occasion)
    grouped = group_lines([one for one in told if isinstance(one, Line)], today, office_facts(occasion))
    notices = [one for one in (*told, *grouped) if isinstance(one, Notice) and one.kind == kind]
    by_audience = {one.context.get("audience"): one for one in reversed(notices)}
    return list(reversed(by_audience.values()))


def _event(kind: NoticeKind, occasion: Occasion) -> DomainEvent:
    event_kind, facts = {**_EVENTS, **request_samples(_rule)}[kind]
    content = {**_TANK, **facts(occasion)}
    key = str(content.pop("key"))
    system = None if event_kind in (EventKind.CREDENTIAL_EXPIRING, EventKind.RECEIPT, EventKind.CHECKPOINT) else _SYSTEM
    return DomainEvent(id="evt_sample", kind=event_kind, cause_key=key, system=system, content=content)


def _rule(occasion: Occasion, *effects: type[Act]) -> Provision[Act]:
    """The first rule of the county that does one of these; the county's own before the state's."""
    text = occasion.program.at(occasion.today)
    for effect in effects:
        for p in text.of(effect):
            return p
    names = " or ".join(effect.__name__ for effect in effects)
    raise NoSample(f"{occasion.program.name} has no rule for this kind of notice ({names}).")


def _law(p: Provision[Act]) -> dict[str, str]:
    return {"rule": p.id, "cite": p.cite, "duty_of": p.duty_of}


def _due(days: int, because: str, *effects: type[Act], **more: Any) -> Callable[[Occasion], Mapping[str, Any]]:
    """The facts of a duty whose due date lies so many days ahead."""

    def facts(occasion: Occasion) -> Mapping[str, Any]:
        p = _rule(occasion, *effects)
        deadline = p.on(occasion.program.calendar, occasion.today + timedelta(days=days))
        due, obligation = deadline.due_on.isoformat(), str(more.get("obligation", "pump"))
        key = f"due:{_SYSTEM}:septic::{obligation}:{p.id}:event:rep_1:1"
        about = {**_law(p), "because": because, "due_on": due, "last_day": deadline.last_day.isoformat()}
        return {"key": key, "obligation": obligation, **about, **more}

    return facts


def _licence(occasion: Occasion) -> Mapping[str, Any]:
    p, ends = _rule(occasion, WhoMay), (occasion.today + timedelta(days=60)).isoformat()
    return {
        "key": f"licence:{_LICENCE}:septage_operator:{ends}",
        **_law(p),
        "credential_kind": "septage_operator",
        "because": f"licence {_LICENCE} ends {ends}",
        "due_on": ends,
        "last_day": ends,
    }


def _window(effect: type[Act], days: int) -> Callable[[Occasion], Mapping[str, Any]]:
    def facts(occasion: Occasion) -> Mapping[str, Any]:
        p, opens = _rule(occasion, effect), occasion.today + timedelta(days=days)
        until, mail_by = opens + timedelta(days=19), opens - timedelta(days=23)
        return {
            "key": f"ahead:{_SYSTEM}:septic::{p.id}:window:{opens}",
            **_law(p),
            "because": f"window from {opens} to {until}",
            "due_on": opens.isoformat(),
            "last_day": opens.isoformat(),
            "until": until.isoformat(),
            **({"mail_by": mail_by.isoformat()} if effect is WindowNotice else {"component": "holding"}),
        }

    return facts


def _case(days: int, **more: Any) -> Callable[[Occasion], Mapping[str, Any]]:
    """The facts of a case of non-compliance, or of the first kind that the county's rules have."""

    def facts(occasion: Occasion) -> Mapping[str, Any]:
        p = _rule(occasion, CaseDeadline)
        assert isinstance(p.act, CaseDeadline)
        named, opened = p.act.cases[0], occasion.today - timedelta(days=max(0, 10 - days))
        deadline = p.on(occasion.program.calendar, occasion.today + timedelta(days=days))
        steps = {"opened_on": opened.isoformat(), "notified_on": opened.isoformat(), **more.get("steps", {})}
        about = {**_law(p), "because": f"{named}: notified on {opened}", "case": "case_7", "case_kind": named}
        dates = {"due_on": deadline.due_on.isoformat(), "last_day": deadline.last_day.isoformat()}
        told = {"component": "", "obligation": p.act.kind, **about, **dates, **more, "steps": steps}
        return {"key": f"case:{_SYSTEM}:case_7:sample", **told}

    return facts


def _closed(occasion: Occasion) -> Mapping[str, Any]:
    return _case(20, steps={"closed_on": occasion.today.isoformat()}, due_on="", last_day="")(occasion)


def _handed_over(occasion: Occasion) -> Mapping[str, Any]:
    return _case(-40, steps={"handed_over_on": occasion.today.isoformat()})(occasion)


def _late(occasion: Occasion) -> Mapping[str, Any]:
    serviced, today = occasion.today - timedelta(days=45), occasion.today
    report = {"event": "rep_1", "service_date": serviced.isoformat(), "received_on": today.isoformat()}
    about = _due(-10, f"received {today}", ReportDeadline)(occasion)
    return {**about, **report, "report_ref": "T-101", "contractor_id": _BUSINESS, "key": f"late:rep_1:{about['rule']}"}


def _receipt(occasion: Occasion) -> Mapping[str, Any]:
    return {
        "key": "receipt:sub_sample",
        "submission": "sub_sample",
        "contractor_id": _BUSINESS,
        "received_at": datetime.combine(occasion.today, time(14, 5), UTC).isoformat(),
        "file_name": "july-route.csv",
        "counts": {"rows": 2, "accepted": 1, "rejected": 1},
        "rows": [
            {"row": 2, "outcome": "accepted", "report_id": "rep_1", "permit_number": "SP-1987", "receipt": "x-000017"},
            {"row": 3, "outcome": "rejected", "errors": ["Give the day of service."]},
        ],
    }


def _checkpoint(occasion: Occasion) -> Mapping[str, Any]:
    return {"key": "checkpoint:42", "size": 42, "key_id": "sample", "note": f"pumper/{occasion.program.slug}\n42\n"}


def _letter(occasion: Occasion) -> Letter:
    until = datetime.combine(occasion.today + timedelta(days=7), time(17), UTC)
    link = f"{occasion.base_url}/sample"
    return Letter(recipient="pat@example.org", key="sample", link=link, expires_at=until, base_url=occasion.base_url)


def _week(occasion: Occasion) -> Notice:
    monday = occasion.today - timedelta(days=occasion.today.weekday())
    p = _rule(occasion, ServiceInterval)
    line = {"what": "pump", "last_day": (monday - timedelta(days=3)).isoformat(), "rule": p.id, "cite": p.cite}
    place = {name: _TANK[name] for name in ("permit_number", "site_address", "municipality")}
    context = {
        **office_facts(occasion),
        "addressee": desk_of(occasion.program),
        "week_from": monday.isoformat(),
        "week_to": (monday + timedelta(days=6)).isoformat(),
        "since": (monday - timedelta(days=7)).isoformat(),
        "standings": {"compliant": 812, "due_soon": 61, "overdue": 37},
        "newly_overdue": 3,
        "overdue": [{**line, **place}],
        "late_reports": 4,
        "missing_new": 2,
        "missing_reports": 5,
        "missing_periods": 1,
        "failed_mails": 0,
        "letters_waiting": 12,
        "reviews": 6,
        "case_deadlines": 1,
        "cases": [{**line, **place, "what": "correction", "last_day": (monday + timedelta(days=4)).isoformat()}],
    }
    key = f"{NoticeKind.WEEKLY_SUMMARY}|sample"
    return Notice(kind=NoticeKind.WEEKLY_SUMMARY, recipient="office@county.example", dedupe_key=key, context=context)


_PUMPED: Final = "pumped 2023-07-19; every 36 months"
_TOLD: Final = "the owner told of service on 2026-06-20; no report within 3 days of it"
_FULL: Final = "forecast: full in 5 days at 61 gallons a day"
_MISSING: Final = _due(-16, _TOLD, ServicedNotice, ReportDeadline, obligation="missing_report", contractor_id=_BUSINESS)
_EVENTS: Final[Mapping[NoticeKind, tuple[EventKind, Callable[[Occasion], Mapping[str, Any]]]]] = {
    NoticeKind.RECEIPT: (EventKind.RECEIPT, _receipt),
    NoticeKind.CHECKPOINT: (EventKind.CHECKPOINT, _checkpoint),
    NoticeKind.DUE_DIGEST: (EventKind.SERVICE_DUE, _due(24, _PUMPED, ServiceInterval)),
    NoticeKind.UNDESIGNATED_DIGEST: (
        EventKind.NEEDS_SERVICE,
        _due(5, _FULL, ServiceLevel, component="holding", contractor_license=""),
    ),
    NoticeKind.LATE_REPORT: (EventKind.LATE_REPORT, _late),
    NoticeKind.LATE_REPORT_COPY: (EventKind.LATE_REPORT, _late),
    NoticeKind.MISSING_REPORT: (EventKind.MISSING_REPORT, _MISSING),
    NoticeKind.MISSING_REPORT_COPY: (EventKind.MISSING_REPORT, _MISSING),
    NoticeKind.OWNER_REMINDER: (EventKind.OWNER_REMINDER, _due(60, _PUMPED, ServiceInterval)),
    NoticeKind.DELINQUENT_OWNER: (EventKind.DELINQUENT_OWNER, _due(-3, _PUMPED, ServiceInterval)),
    NoticeKind.CONTRACT_EXPIRING: (
        EventKind.CONTRACT_EXPIRING,
        _due(60, f"contract with {_LICENCE} ends in 60 days", ContractRenewal, ContractNeeded, component=""),
    ),
    NoticeKind.CREDENTIAL_EXPIRING: (EventKind.CREDENTIAL_EXPIRING, _licence),
    NoticeKind.EXEMPTION_EXPIRING: (
        EventKind.EXEMPTION_EXPIRING,
        _due(60, "exempt (vacant) for seven years", ExemptionTerm, component=""),
    ),
    NoticeKind.WINDOW_NOTICE: (EventKind.WINDOW_NOTICE, _window(WindowNotice, 50)),
    NoticeKind.AREA_NOTICE: (EventKind.AREA_NOTICE, _window(AreaNotice, 60)),
    NoticeKind.CASE_OPENED: (EventKind.CASE_OPENED, _case(20)),
    NoticeKind.CASE_STEP: (EventKind.CASE_STEP, _case(20, step="notified_on")),
    NoticeKind.CASE_OVERDUE: (EventKind.CASE_OVERDUE, _case(-3, hand_to="the county sanitarian")),
    NoticeKind.CASE_HANDED_OVER: (EventKind.CASE_HANDED_OVER, _handed_over),
    NoticeKind.CASE_CLOSED: (EventKind.CASE_CLOSED, _closed),
}
_ALONE: Final[Mapping[NoticeKind, Callable[[Occasion], Notice]]] = {
    NoticeKind.SIGNIN_LINK: lambda occasion: signin_notice(_letter(occasion), "Pat Sample"),
    NoticeKind.INVITATION: lambda occasion: invitation_notice(
        _letter(occasion), occasion.program.name, "clerk", is_staff=True
    ),
    NoticeKind.OWNER_LINK: lambda occasion: owner_link_notice(
        _letter(occasion), occasion.program.name, f"permit {_TANK['permit_number']}"
    ),
    NoticeKind.WEEKLY_SUMMARY: _week,
}
