"""What is told of requests: deferrals answered, certificates decided on or changed, copies of reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from reporting.causes.cases import NEWS_DAYS
from reporting.causes.records import Cause, Told, before, is_before, place
from reporting.domain.answers import Assessment
from reporting.intake.words import normalize_license
from schemas.acts import Act, AreaWindow, Exemption, ExemptionTerm, Feature, ReportCopies, WindowDeferral
from schemas.calendar import local_date
from schemas.program import Program, Provision

_CHANGES = "exemption_changes"


def request_causes(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """Every answer, decision, change and report of the last weeks, each once; none from before the county went live."""
    facts = told.stored.facts
    for row in facts.get("deferral", ()):
        if row["content"].get("outcome") and _is_news(_day(row["content"], "requested_on"), assessment, program):
            yield _deferral(row, assessment, program, told)
    for kind in ("exemption_application", "exemption"):
        for row in facts.get(kind, ()):
            yield from _decision(row, assessment, program, told)
    yield from _voided(assessment, program, told)
    for row in facts.get("exemption_change", ()):
        if _is_news(_day(row["content"], "reported_on"), assessment, program):
            yield from _change(row, assessment, program, told)
    yield from _copies(assessment, program, told)


def _is_news(day: date | None, assessment: Assessment, program: Program) -> bool:
    if day is None or is_before(day, program.day("live_from")):
        return False
    return before(assessment.as_of, NEWS_DAYS) <= day <= assessment.as_of


def _deferral(row: Mapping[str, Any], assessment: Assessment, program: Program, told: Told) -> Cause:
    """The answer as it was given, with who pumps the area."""
    content, answer, text = row["content"], row["content"]["outcome"], program.at(assessment.as_of)
    kinds = {component for p in text.of(WindowDeferral) for component in p.act.components}
    tank = next((part for part in told.stored.components if part["component"] in kinds), None)
    days = max((p.act.business_days for p in text.of(WindowDeferral)), default=0)
    named = (program.text_of(p.act.contractor_setting) for p in text.of(AreaWindow) if p.act.contractor_setting)
    licence = next((number for number in named if number), "")
    window = f"the window from {answer['window_from']} to {answer['window_to']}"
    return _cause(
        "deferral_answered",
        f"deferral:{told.stored.system_id}:{row['id']}",
        told,
        component=tank["component"] if tank else "",
        component_ref=tank["component_ref"] if tank else "",
        because=f"asked {content['requested_on']} to put off {window}",
        asked_on=content["requested_on"],
        business_days=days,
        duty_of="owner",
        **answer,
        **({"contractor_license": licence} if licence else {}),
    )


def _decision(row: Mapping[str, Any], assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """A certificate granted or ended, or refused."""
    content, text, key = row["content"], program.at(assessment.as_of), f"exemption:{told.stored.system_id}:{row['id']}"
    kinds = [p for p in text.of(Exemption) if p.act.exemption == content["kind"]]
    about = {"exemption": content["kind"], "duty_of": "owner"}
    if content.get("state") == "refused" and _is_news(_day(content, "decided_on"), assessment, program):
        law, said = _law(kinds), f"asked {content['received_on']} for a certificate of exemption"
        told_of = {"decision": "refused", "because": said, "reason": content.get("reason", "")}
        yield _cause("exemption_answered", f"{key}:refused", told, **law, **about, **told_of)
    if content.get("application") and _is_news(_day(content, "granted_on"), assessment, program):
        law, until = _law(kinds), (content.get("outcome") or {}).get("until", "")
        told_of = {"decision": "granted", "because": f"granted {content['granted_on']}", "until": until}
        yield _cause(
            "exemption_answered", f"{key}:granted", told, **law, **about, **told_of, granted_on=content["granted_on"]
        )
    ended = content.get("ended")
    if ended and _is_news(date.fromisoformat(ended["decided_on"]), assessment, program):
        law, said = _law(text.of(ExemptionTerm)), f"granted {content['granted_on']}, ends {content['ends_on']}"
        told_of = {"decision": "ended", "because": said, "reason": content.get("reason", ""), **ended}
        notice = max((p.act.notice_days for p in text.of(ExemptionTerm)), default=0)
        days = {"until": content["ends_on"], "granted_on": content["granted_on"], "notice_days": notice}
        yield _cause("exemption_answered", f"{key}:ended:{content['ends_on']}", told, **law, **about, **told_of, **days)


def _voided(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """A certificate that a pumping of the contractor's has ended: its owner hears of it."""
    rows = {row["id"]: row["service_date"] for row in told.stored.events}
    for f in assessment.findings:
        if f.kind != "exemption_voided" or not _is_news(rows.get(f.event), assessment, program):
            continue
        certificates = (row["content"] for row in told.stored.facts.get("exemption", ()))
        said = {f"exempt ({one['kind']}) from {one['granted_on']} ": one for one in certificates}
        of = next((one for start, one in said.items() if f.because.startswith(start)), None)
        if of is not None:
            about = {"exemption": of["kind"], "granted_on": of["granted_on"], "pumped_on": rows[f.event].isoformat()}
            told_of = {"decision": "voided", "because": f.because, "duty_of": "owner", "rule": f.rule, "cite": f.cite}
            yield _cause(
                "exemption_answered", f"exemption:{told.stored.system_id}:voided:{f.event}", told, **about, **told_of
            )


def _change(row: Mapping[str, Any], assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    content, text = row["content"], program.at(assessment.as_of)
    for p in (p for p in text.of(Feature) if p.act.feature == _CHANGES):
        told_of = {
            name: content[name] for name in ("reported_on", "conditions_met", "since", "note") if name in content
        }
        said = f"reported {content['reported_on']}"
        key = f"exemption_change:{told.stored.system_id}:{row['id']}"
        yield _cause(
            "exemption_changed", key, told, **_law([p]), duty_of=p.duty_of, because=said, exemption=content["kind"],
            certificate=content["exemption"], **told_of,
        )  # fmt: skip


def _copies(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """Each report of the district's contractor that stands, and each correction of one."""
    for p in program.at(assessment.as_of).of(ReportCopies):
        named = normalize_license(program.text_of(p.act.contractor_setting))
        for row in told.stored.events:
            received = local_date(row["received_at"], program.timezone) if row["received_at"] else None
            ours = row["event_type"] in p.act.events and named in ("", row["license_norm"])
            if ours and not row["historical"] and row["submission"] and _is_news(received, assessment, program):
                yield _copy(row, p, str(received), told)


def _copy(row: Mapping[str, Any], p: Provision[ReportCopies], received: str, told: Told) -> Cause:
    content = row["content"]
    said = {name: content[name] for name in ("gallons_pumped", "tank_condition", "ponding", "business_name")
            if content.get(name) not in (None, "")}  # fmt: skip
    return _cause(
        "report_copy",
        f"copy:{row['id']}",
        told,
        **_law([p]),
        **said,
        component=row["component"],
        component_ref=row["component_ref"],
        because=f"report {row['report_ref'] or row['id']}",
        duty_of=p.duty_of,
        event=row["id"],
        event_type=row["event_type"],
        service_date=row["service_date"].isoformat(),
        received_on=received,
        report_ref=row["report_ref"],
        contractor_license=row["license_number"],
        corrects=row["supersedes"] or "",
    )


def _cause(kind: str, key: str, told: Told, **content: Any) -> Cause:
    whole = {**place(told), "component": "", "component_ref": "", **content}
    return Cause(kind=kind, cause_key=key, system=told.stored.system_id, content=whole)


def _law(found: Any) -> dict[str, str]:
    one: Provision[Act] | None = next(iter(found), None)
    return {"rule": one.id, "cite": one.cite} if one else {"rule": "", "cite": ""}


def _day(content: Mapping[str, Any], name: str) -> date | None:
    return date.fromisoformat(content[name]) if content.get(name) else None
