"""What is told of the county's cases: opened, a further step, past a deadline, handed over, closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from reporting.causes.records import Cause, Told, before, is_before, place
from reporting.domain.answers import Assessment, Obligation, State
from reporting.domain.cases import referral_steps
from schemas.acts import Act, CaseDeadline, Handover, Suspension
from schemas.program import Program, Provision

NEWS_DAYS: Final = 60
"""How old a step may be and still be told: what was entered long afterwards has been told on paper."""


def case_causes(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """The news of every case on file, each once."""
    for row in told.stored.facts.get("case", ()):
        yield from _of_case(row, assessment, program, told)


def _of_case(row: Mapping[str, Any], assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    content, key = row["content"], f"case:{told.stored.system_id}:{row['id']}"
    duties = [o for o in assessment.obligations if o.cycle.startswith(f"case:{row['id']}:")]
    standing = [o for o in duties if o.state is not State.MET]
    opened, closed = _opened(content), _day(content, "closed_on")
    is_closed = closed is not None and closed <= assessment.as_of and not standing
    for o in standing:
        step = o.cycle.rpartition(":")[2]  # the step that opened the duty; none: the case itself
        began = _day(content, step) if step else opened
        if o.state is State.OVERDUE:
            if not is_before(o.last_day, program.day("live_from")):
                to = _handed_to(assessment, o)
                named, office = f"{key}:overdue:{o.kind}:{step}", _office(program, assessment.as_of, to)
                named += f":{given['until']}" if (given := _extension(content, o)) else ""
                yield _cause("case_overdue", named, row, told, _of_duty(o), hand_to=to, office=office)
        elif _is_news(began, assessment, program):
            kind = "case_step" if step else "case_opened"
            yield _cause(kind, f"{key}:duty:{o.kind}:{step}", row, told, _of_duty(o), step=step)
        given = _extension(content, o)
        if given and o.state is not State.OVERDUE and _is_news(_day(given, "on"), assessment, program):
            named = f"{key}:extended:{o.kind}:{given['until']}"
            yield _cause("case_step", named, row, told, _of_duty(o), step="extended_on")
    law = _law(content, program, told, assessment.as_of)
    if not duties and not is_closed and _is_news(opened, assessment, program):
        yield _cause("case_opened", f"{key}:opened", row, told, law, because=_said(content, opened))
    for step, office in referral_steps(program).items():
        if _is_news(_day(content, step), assessment, program):
            named, said = f"{key}:{step.removesuffix('_on')}", _said(content, opened)
            yield _cause("case_handed_over", named, row, told, law, because=said, office=office)
    if is_closed and _is_news(closed, assessment, program):
        yield _cause("case_closed", f"{key}:closed", row, told, law, because=_said(content, opened))


def _extension(content: Mapping[str, Any], o: Obligation) -> Mapping[str, Any]:
    """The last extension of a duty; empty for none."""
    given = [one for one in content.get("extensions", ()) if one["duty"] == o.kind]
    return given[-1] if given else {}


def _is_news(day: date | None, assessment: Assessment, program: Program) -> bool:
    """Whether a step was taken by today, not long ago, and not before the county went live."""
    if day is None or is_before(day, program.day("live_from")):
        return False
    return before(assessment.as_of, NEWS_DAYS) <= day <= assessment.as_of


def _handed_to(assessment: Assessment, o: Obligation) -> str:
    """The office to which an overdue case is to be handed over, as the finding says it; '' for none."""
    for f in assessment.findings:
        if f.kind == "handover_due" and f.because.startswith(o.because):
            return f.because.rpartition("to be handed to ")[2]
    return ""


def _office(program: Program, today: date, to: str) -> str:
    """Whose address among the county's settings that office has."""
    return next((p.act.office for p in program.at(today).of(Handover) if p.act.to == to), "")


def _law(content: Mapping[str, Any], program: Program, told: Told, today: date) -> dict[str, Any]:
    """The provision under which such a case is kept; the ordinance as a whole where it names none."""
    text, kinds = program.at(today), [row["component"] for row in told.stored.components]
    found: Sequence[Provision[Act]] = [
        *(p for p in text.of(CaseDeadline) if content["kind"] in p.act.cases and _fits(p.act, kinds)),
        *(p for p in text.of(Suspension) if content["kind"] in p.act.cases),
    ]
    if not found:
        return {"rule": "", "cite": program.authority, "duty_of": "owner"}
    return {"rule": found[0].id, "cite": found[0].cite, "duty_of": found[0].duty_of}


def _fits(act: CaseDeadline, kinds: Sequence[str]) -> bool:
    return not act.components or bool(set(act.components) & set(kinds))


def _of_duty(o: Obligation) -> dict[str, Any]:
    names = ("rule", "cite", "because", "duty_of")
    days = {"due_on": o.due_on.isoformat(), "last_day": o.last_day.isoformat()}
    return {**{name: getattr(o, name) for name in names}, **days, "obligation": o.kind}


def _said(content: Mapping[str, Any], opened: date | None) -> str:
    return f"{content['kind']}: opened {opened}" if opened else str(content["kind"])


def _cause(kind: str, key: str, row: Mapping[str, Any], told: Told, law: Mapping[str, Any], **more: Any) -> Cause:
    about = {"case": row["id"], "case_kind": row["content"]["kind"], "steps": _steps(row["content"])}
    content = {**place(told), "component": "", "component_ref": "", **about, **law, **more}
    return Cause(kind=kind, cause_key=key, system=told.stored.system_id, content=content)


def _opened(content: Mapping[str, Any]) -> date | None:
    """When a case was opened: on that day, at its notice, else at its first step (an invoice, an order)."""
    named = _day(content, "opened_on") or _day(content, "notified_on")
    return named or min((date.fromisoformat(day) for day in _steps(content).values()), default=None)


def _steps(content: Mapping[str, Any]) -> dict[str, str]:
    """The days of a case's steps by name; the day by which the county asks for something is none."""
    return {name: day for name, day in content.items() if name.endswith("_on") and name != "due_on" and day}


def _day(content: Mapping[str, Any], name: str) -> date | None:
    value = content.get(name)
    return date.fromisoformat(value) if value else None
