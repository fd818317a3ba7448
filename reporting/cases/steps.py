"""A case opened and taken further: steps with their days, notes and answers, later days given, duties waived.

Nothing is overwritten: every change is a version of the fact with an entry of its own. What people write stands in the
fact and in the entry's raw bytes, and in no entry itself.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reporting.cases.duties import case_duties
from reporting.cases.kinds import case_kinds, case_steps, latest_day, opened_on, out_of_order
from reporting.domain.answers import OPEN_STATES, Obligation
from reporting.forms import PLACE, Form, case_of
from reporting.intake.words import normalize_license
from reporting.owners import TEXTS, NotTold, Teller, Told, Values, keep_fact
from reporting.store.cases import CASE
from reporting.store.engine import Store
from schemas.issues import Code, Issue

LONGEST: Final = 4_000
_WORDS: Final = ("note", "reason", "authority", "answer")
"""What people may write with a step; `authority`: who gives more time or waives a duty, and by which right."""


def open_case(
    store: Store, teller: Teller, values: Values, *, case_id: str = "", cause: Mapping[str, object] | None = None
) -> Told | NotTold:
    """A case of the county's about a system.

    Values: a place, `kind` (`case_kinds`), `due_on`, `license_number` (of the business that it is about), `note`, and
    days of its steps (`case_steps`). case_id, cause: of a proposal that staff confirm.
    """
    steps = case_steps(teller.program)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, "kind", "due_on", "license_number", "note", *steps))
    kind, days = form.choice("kind", case_kinds(teller.program)), _days(form, steps)
    if not {"opened_on", "notified_on"} & set(days):
        days = {"opened_on": teller.today.isoformat(), **days}
    number, note = form.license("license_number"), form.text("note", longest=LONGEST)
    system = form.place(store)
    content: dict[str, object] = {"kind": kind, **days}
    if not form.issues:
        form.issues.extend(out_of_order(teller.program, teller.today, content, days, ""))
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content |= {"license_number": number, "license_norm": normalize_license(number)} if number else {}
    content |= {**({"cause": dict(cause)} if cause else {}), **({"note": note} if note else {})}
    first = dt.date.fromisoformat(opened_on(content))
    return keep_fact(store, teller, CASE, system, content, values, valid_from=first, fact_id=case_id)


def step_case(store: Store, teller: Teller, system: str, case_id: str, values: Values) -> Told | NotTold:
    """What happened next in a case; as it was it stays known. Raises RecordNotFound.

    Values: days of steps (`case_steps`), `due_on`, `note`, `answer` (the owner's, of `answered_on`), `reason`,
    `authority`. `due_on` with an authority gives more time for the case's `duty`, `waived` names one that is not asked
    for any more: each needs both the reason and the authority.
    """
    before = case_of(store, system, case_id)
    old = {name: value for name, value in before["content"].items() if name not in TEXTS}
    steps = case_steps(teller.program)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("due_on", "duty", "waived", *_WORDS, *steps))
    days = _days(form, steps)
    words = {name: text for name in _WORDS if (text := form.text(name, longest=LONGEST))}
    extending = "due_on" in days and "authority" in words and not form.text("waived")
    content: dict[str, Any] = {**old, **days}
    if form.text("waived") or extending:
        duties = case_duties(store, teller.program, system, case_id, teller.today)
        given = _waived(form, duties, words) if not extending else _extended(form, duties, words, days["due_on"])
        _check_most(form, teller, old, given.get("extensions"))
        content = {**old, **{name: day for name, day in days.items() if name != "due_on"}}
        for name, entry in given.items():
            content[name] = [*old.get(name, ()), {**entry, "on": teller.today.isoformat()}]
    form.issues.extend(_lacking(form, content, days, words))
    if not form.issues:
        new = {name: day for name, day in days.items() if name != "due_on"}
        form.issues.extend(out_of_order(teller.program, teller.today, content, new, str(old.get("closed_on") or "")))
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    valid = before["valid_from"]
    return keep_fact(store, teller, CASE, system, {**content, **words}, values, valid_from=valid, replaces=case_id)


def _days(form: Form, steps: Sequence[str]) -> dict[str, str]:
    days = {name: form.day(name, past=name != "due_on") for name in (*steps, "due_on")}
    return {name: day.isoformat() for name, day in days.items() if day is not None}


def _lacking(form: Form, content: Values, days: Values, words: Values) -> list[Issue]:
    if form.issues:
        return []
    if not (days or words or form.text("waived")):
        said = "Give the day of a step, a note, a later due_on or a duty to be waived."
        return [Issue(code=Code.REQUIRED, message=said)]
    if "answer" in words and not content.get("answered_on"):
        said = "Give answered_on too: the day of the answer."
        return [Issue(code=Code.REQUIRED, field="answered_on", message=said, pointer="/answered_on")]
    return []


def _extended(form: Form, duties: Sequence[Obligation], words: Values, until: str) -> dict[str, dict[str, str]]:
    """More time for one of the case's duties: the day before stays with it."""
    found = _duty(form, duties, "duty")
    _reasoned(form, words)
    if found is None:
        return {}
    if until <= found.last_day.isoformat():
        said = f"Give a day after {found.last_day}, on which the duty is due now: an extension gives more time."
        form.issues.append(Issue(code=Code.BAD_VALUE, field="due_on", message=said, pointer="/due_on", value=until))
    return {"extensions": {"duty": found.kind, "until": until, "was": found.last_day.isoformat()}}


def _check_most(form: Form, teller: Teller, content: Values, given: Mapping[str, str] | None) -> None:
    """More time than the text allows cannot be given."""
    most = latest_day(teller.program, teller.today, content, given["duty"]) if given else None
    if given and most and given["until"] > most[0].isoformat():
        said = f"Give a day up to {most[0]}: the text allows no more time ({most[1]})."
        form.issues.append(
            Issue(
                code=Code.BAD_VALUE, field="due_on", message=said, pointer="/due_on", value=given["until"], cite=most[1]
            )
        )


def _waived(form: Form, duties: Sequence[Obligation], words: Values) -> dict[str, dict[str, str]]:
    found = _duty(form, duties, "waived")
    _reasoned(form, words)
    return {"waivers": {"duty": found.kind}} if found else {}


def _duty(form: Form, duties: Sequence[Obligation], name: str) -> Obligation | None:
    """The open duty of the case that is meant: the one named, or the only one."""
    opened = {o.kind: o for o in duties if o.state in OPEN_STATES}
    asked = form.text(name)
    if not opened:
        said = "The case asks for nothing now that could be extended or waived: give due_on alone to set a day."
    elif not asked and len(opened) == 1:
        return next(iter(opened.values()))
    elif asked in opened:
        return opened[asked]
    else:
        said = f"Say which duty of the case is meant: {', '.join(opened)}."
    form.issues.append(Issue(code=Code.NOT_A_CHOICE, field=name, message=said, pointer=f"/{name}", value=asked or None))
    return None


def _reasoned(form: Form, words: Values) -> None:
    for name, what in (("reason", "why"), ("authority", "who decided it, by which right")):
        if name not in words:
            said = f"Give {name}: {what}."
            form.issues.append(Issue(code=Code.REQUIRED, field=name, message=said, pointer=f"/{name}"))
