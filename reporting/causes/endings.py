"""What is told before it comes: contracts and certificates that end, windows that open, licences that run out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from reporting.causes.records import Cause, Told, before, place
from reporting.domain.answers import Ahead, Assessment
from schemas.acts import AreaNotice, AreaWindow, WhoMay
from schemas.program import Program

EVENTS: Final = {
    "contract": "contract_expiring",
    "exemption": "exemption_expiring",
    "window": "window_notice",
    "area": "area_notice",
}
"""The event of each kind of `Ahead`."""


def endings(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """What is near enough to be told of, each contract, certificate and window once."""
    for one in assessment.ahead:
        if assessment.as_of >= _told_on(one, program) and not _is_told_of(one, told):
            yield _of_ahead(one, program, told)


def _is_told_of(one: Ahead, told: Told) -> bool:
    """Whether it is a certificate that the county ends itself: its own letter says when and why."""
    certificates = (row["content"] for row in told.stored.facts.get("exemption", ()))
    ended = {f"exemption:{row['kind']}:{row['granted_on']}" for row in certificates if row.get("ended")}
    return one.kind == "exemption" and one.cycle in ended


def stage_days(assessment: Assessment, program: Program) -> Iterator[date]:
    """The days on which something ahead is told of."""
    yield from (_told_on(one, program) for one in assessment.ahead)


def ending_key(system: str, one: Ahead) -> str:
    """What names a day ahead, as a cause."""
    return f"ahead:{system}:{one.component}:{one.component_ref}:{one.rule}:{one.cycle}"


def _told_on(one: Ahead, program: Program) -> date:
    if one.kind == "window":
        return before(one.mail_by or one.on, program.days("window_notice_lead_days"))
    if one.kind == "area":
        return before(one.on, program.days("area_notice_days"))
    return before(one.on, program.days("expiry_notice_days"))


def _district_contractor(program: Program, on: date) -> str:
    """The licence of the only contractor who pumps the areas, where the district has set one."""
    text = program.at(on)
    acts: list[AreaWindow | AreaNotice] = [p.act for p in text.of(AreaWindow)]
    acts += [p.act for p in text.of(AreaNotice)]
    named = (program.text_of(act.contractor_setting) for act in acts if act.contractor_setting)
    return next((number for number in named if number), "")


def _of_ahead(one: Ahead, program: Program, told: Told) -> Cause:
    licence = one.licence or (_district_contractor(program, one.on) if one.kind in ("window", "area") else "")
    days = {"due_on": one.on, "last_day": one.on, "until": one.until, "mail_by": one.mail_by}
    content = {
        **place(told),
        "component": one.component,
        "component_ref": one.component_ref,
        "rule": one.rule,
        "cite": one.cite,
        "because": one.because,
        "duty_of": one.duty_of,
        **{name: day.isoformat() for name, day in days.items() if day},
        **({"contractor_license": licence} if licence else {}),
    }
    system = told.stored.system_id
    return Cause(kind=EVENTS[one.kind], cause_key=ending_key(system, one), system=system, content=content)


def expiring_licences(program: Program, credentials: Iterable[Mapping[str, Any]], today: date) -> Iterator[Cause]:
    """Licences that end within `expiry_notice_days`, each term once; none where no rule of the program asks for one.

    credentials: rows with `license_norm`, `license_number`, `kind`, `expires_on`, `contractor_id`, such as those of
    the businesses that service the county's systems.
    """
    live_from = program.day("live_from")
    if live_from is not None and today < live_from:
        return
    for row in credentials:
        ends = row["expires_on"]
        if ends is None or not before(ends, program.days("expiry_notice_days")) <= today <= ends:
            continue
        asking = [p for p in program.at(today).of(WhoMay) if row["kind"] in p.act.credentials]
        for p in asking[:1]:
            content = {
                "contractor_id": row["contractor_id"],
                "contractor_license": row["license_number"],
                "credential_kind": row["kind"],
                "rule": p.id,
                "cite": p.cite,
                "because": f"licence {row['license_number']} ends {ends}",
                "duty_of": "contractor",
                "due_on": ends.isoformat(),
                "last_day": ends.isoformat(),
            }
            key = f"licence:{row['license_norm']}:{row['kind']}:{ends}"
            yield Cause(kind="credential_expiring", cause_key=key, system="", content=content)
