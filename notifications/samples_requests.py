"""Invented facts of requests, certificates, copies and verifications of reports, for samples of their notices. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from notifications.records import EventKind, NoticeKind, Occasion
from schemas.acts import Act, ExemptionTerm, Feature, ReportCopies, WindowDeferral
from schemas.program import Provision

Rule = Callable[..., Provision[Act]]
Facts = Callable[[Occasion], Mapping[str, Any]]


def request_samples(rule: Rule) -> Mapping[NoticeKind, tuple[EventKind, Facts]]:
    """The event and the facts of each kind. rule: the first of the county's rules that does something."""
    return {
        NoticeKind.DEFERRAL_ANSWER: (EventKind.DEFERRAL_ANSWERED, lambda o: deferral_facts(rule(o, WindowDeferral), o)),
        NoticeKind.EXEMPTION_ANSWER: (EventKind.EXEMPTION_ANSWERED, lambda o: _answer(rule(o, ExemptionTerm), o)),
        NoticeKind.EXEMPTION_CHANGE: (
            EventKind.EXEMPTION_CHANGED,
            lambda o: _change(rule(o, ExemptionTerm), o),
        ),
        NoticeKind.CONTACT_CHANGED: (EventKind.CONTACT_CHANGED, _contact),
        NoticeKind.VERIFICATION_REQUESTED: (EventKind.VERIFICATION_REQUESTED, _asked),
        NoticeKind.REPORT_COPIES: (EventKind.REPORT_COPY, lambda o: _copy(rule(o, ReportCopies), o)),
    }


def deferral_facts(p: Provision[Act], occasion: Occasion, **values: Any) -> dict[str, Any]:
    """A request for other days, granted unless `values` say otherwise."""
    opens = occasion.today + timedelta(days=30)
    other = opens + timedelta(days=30)
    days = {"asked_on": occasion.today, "window_from": opens, "window_to": opens + timedelta(days=19)}
    days |= {"from": other, "to": other + timedelta(days=19), "last_day_to_ask": opens - timedelta(days=5)}
    return {
        **_law(p),
        "key": "deferral:sys_sample:deferral_7",
        "because": f"asked {occasion.today} to put off the window from {opens} to {days['window_to']}",
        "answer": "granted",
        "business_days": p.act.business_days if isinstance(p.act, WindowDeferral) else 0,
        **{name: day.isoformat() for name, day in days.items()},
        **values,
    }


def _answer(p: Provision[Act], occasion: Occasion) -> dict[str, Any]:
    ends = occasion.today + timedelta(days=30)
    return {
        **_law(p),
        "key": "exemption:sys_sample:exemption_7:ended",
        "because": f"granted 2024-05-01, ends {ends}",
        "component": "",
        "exemption": "infrequent_use",
        "decision": "ended",
        "ground": "notice",
        "reason": "The house is let to guests all summer.",
        "granted_on": "2024-05-01",
        "notified_on": occasion.today.isoformat(),
        "until": ends.isoformat(),
        "notice_days": 30,
    }


def _change(p: Provision[Act], occasion: Occasion) -> dict[str, Any]:
    text = occasion.program.at(occasion.today)
    duty = next((q for q in text.of(Feature) if q.act.feature == "exemption_changes"), p)
    return {
        **_law(duty),
        "key": "exemption_change:sys_sample:exemption_change_7",
        "because": f"reported {occasion.today}",
        "component": "",
        "exemption": "infrequent_use",
        "certificate": "exemption_7",
        "reported_on": occasion.today.isoformat(),
        "since": (occasion.today - timedelta(days=12)).isoformat(),
        "conditions_met": False,
        "note": "Our daughter's family of five lives here since July.",
    }


def _copy(p: Provision[Act], occasion: Occasion) -> dict[str, Any]:
    return {
        **_law(p),
        "key": "copy:rep_1",
        "because": "report T-101",
        "event": "rep_1",
        "event_type": "pumping",
        "service_date": (occasion.today - timedelta(days=3)).isoformat(),
        "received_on": occasion.today.isoformat(),
        "report_ref": "T-101",
        "gallons_pumped": 1000,
        "tank_condition": "good",
        "ponding": "none",
        "business_name": "Kettle Moraine Septic LLC",
    }


def _law(p: Provision[Act]) -> dict[str, str]:
    return {"rule": p.id, "cite": p.cite, "duty_of": p.duty_of}


def _asked(occasion: Occasion) -> dict[str, Any]:
    """The county asks a business to verify its report, SPS 383.55(4)."""
    return {
        "key": "verification:rep_1:17",
        "event": "rep_1",
        "report_ref": "T-101",
        "service_date": (occasion.today - timedelta(days=20)).isoformat(),
        "contractor_id": "con_sample",
        "rule": "S16",
        "cite": "SPS 383.55(4)",
        "duty_of": "contractor",
        "message": "The tank holds 1,000 gallons and the report says 2,400. Please look at your ticket.",
        "fields": ["gallons_pumped"],
        "asked_on": occasion.today.isoformat(),
        "answer_by": (occasion.today + timedelta(days=14)).isoformat(),
    }


def _contact(occasion: Occasion) -> dict[str, Any]:
    """An owner's contact was changed by the owner's link."""
    return {
        "key": "contact:sys_sample:18",
        "component": "",
        "rule": "S1",
        "cite": "SPS 383.255(1)",
        "former_email": "laverne@lor.example",
        "changed": ["email", "phone"],
        "changed_on": occasion.today.isoformat(),
    }
