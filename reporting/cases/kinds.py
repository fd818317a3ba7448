"""The words of cases: which kinds may be opened, which steps they have, and in which order steps can be taken."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from schemas.acts import CaseClosing, CaseDeadline, CaseProposal, Handover, Referral
from schemas.issues import Code, Issue
from schemas.program import Program, Provision

CASES: Final = ("order", "noncompliance", "hold", "failed", "tampering")
STEPS: Final = (
    "opened_on",
    "notified_on",
    "reported_on",
    "verified_notified_on",
    "answered_on",
    "inquired_on",
    "meeting_requested_on",
    "met_on",
    "handed_over_on",
    "closed_on",
)
_STEP_LISTS: Final = ("counted_from", "met_by")
_ENDS: Final = (
    "answered_on",
    "met_on",
    "reported_on",
    "verified_notified_on",
    "verified_on",
    "connected_on",
    "abandoned_on",
    "serviced_on",
    "paid_on",
    "meeting_requested_on",
    "closed_on",
)
"""Steps that cannot be taken before there is a case."""
_AFTER: Final = (
    ("met_on", "meeting_requested_on"),
    ("answered_on", "inquired_on"),
    ("verified_notified_on", "reported_on"),
    ("paid_on", "invoiced_on"),
    ("reported_on", "completed_on"),
)
"""Of two steps, where both are on file the first is not before the second."""
_NEEDS: Final = {"met_on": "meeting_requested_on"}
"""A step that there cannot be without another one."""
_AFTER_CLOSING: Final = frozenset({"closed_on", "verified_on"})
"""What may still be entered of a closed case: its closing corrected, and what was verified afterwards."""


def case_kinds(program: Program) -> tuple[str, ...]:
    """The kinds of cases that may be opened: the usual ones, and those that a rule of the program speaks of."""
    acts = [act for rule in program.rules for act in rule.acts]
    named = [kind for act in acts for kind in getattr(act, "cases", ())]
    named += [act.case for act in acts if isinstance(act, CaseProposal) and act.case]
    return tuple(dict.fromkeys((*CASES, *named)))


def case_steps(program: Program) -> tuple[str, ...]:
    """The steps that a case may have: the usual ones, and those from or until which a rule of the program counts."""
    kinds = CaseDeadline | CaseClosing | Handover | Referral
    acts = [act for rule in program.rules for act in rule.acts if isinstance(act, kinds)]
    named = [step for act in acts for name in _STEP_LISTS for step in getattr(act, name, ())]
    named += [step for act in acts for name in ("after", "needs", "step") if (step := getattr(act, name, ""))]
    return tuple(dict.fromkeys((*STEPS, *named)))


def latest_day(program: Program, today: dt.date, content: Mapping[str, Any], duty: str) -> tuple[dt.date, str] | None:
    """The last day to which a text lets a duty of a case be set, and its citation; None where it says no such thing."""
    acts: Iterable[Provision[CaseDeadline]] = program.at(today).of(CaseDeadline)
    for p in acts:
        start = next((str(content[name]) for name in p.act.counted_from if content.get(name)), "")
        if p.act.at_most and p.act.months and p.act.kind == duty and content["kind"] in p.act.cases and start:
            return p.after_months(program.calendar, dt.date.fromisoformat(start), p.act.months).last_day, p.cite
    return None


def opened_on(content: Mapping[str, Any]) -> str:
    """The day of a case: when it was opened, else of its notice, else of its first step; '' for none."""
    steps = [str(day) for name, day in content.items() if name.endswith("_on") and name != "due_on" and day]
    return str(content.get("opened_on") or content.get("notified_on") or min(steps, default=""))


def out_of_order(
    program: Program, today: dt.date, content: Mapping[str, Any], new: Mapping[str, str], closed: str
) -> Iterator[Issue]:
    """What is wrong with the order of a case's steps.

    content: the case with the steps to be; new: those of them that are being entered; closed: when it was closed
    before this ('' for open).
    """
    if closed and set(new) - _AFTER_CLOSING:
        name = sorted(set(new) - _AFTER_CLOSING)[0]
        yield _wrong(name, f"This case was closed on {closed}: open another one.", new[name])
        return
    first = min((str(content[name]) for name in content if name in _beginnings(content)), default="")
    for name in [one for one in _ENDS if one in new]:
        if first and new[name] < first:
            yield _wrong(name, f"Give a day that is not before the case began, {first}.", new[name])
    for name, before in _AFTER:
        if {name, before} & set(new) and content.get(name) and content.get(before) and content[name] < content[before]:
            said = f"{_words(name)} {content[name]} lies before {_words(before)} {content[before]}: give the later day."
            yield _wrong(name if name in new else before, said, content[name])
    for name, needed in _NEEDS.items():
        if name in new and not content.get(needed):
            yield _wrong(name, f"Give {needed} too: nothing on file says that it was {_words(needed)}.", new[name])
    if "closed_on" in new:
        yield from _unverified(program, today, content)


def _beginnings(content: Mapping[str, Any]) -> set[str]:
    return {name for name, day in content.items() if name.endswith("_on") and day} - {"due_on", *_ENDS}


def _unverified(program: Program, today: dt.date, content: Mapping[str, Any]) -> Iterator[Issue]:
    """A closing that the law allows only after another step, where that one is not on file; not of a waived duty."""
    waived = {one["duty"] for one in content.get("waivers", ())}
    closings: Iterable[Provision[CaseClosing]] = program.at(today).of(CaseClosing)
    for p in closings:
        if content["kind"] not in p.act.cases or p.act.kind in waived:
            continue
        needed, closed = content.get(p.act.needs), content["closed_on"]
        if not needed:
            said = f"Give {p.act.needs} first: the case closes only when that is on file ({p.id}, {p.cite})."
            yield _wrong("closed_on", said, closed, p.cite)
        elif closed < needed:
            said = f"The case cannot be closed before it was {_words(p.act.needs)}, {needed} ({p.id}, {p.cite})."
            yield _wrong("closed_on", said, closed, p.cite)


def _wrong(name: str, message: str, value: object, cite: str = "") -> Issue:
    return Issue(
        code=Code.INCONSISTENT, field=name, message=message, pointer=f"/{name}", value=str(value), cite=cite or None
    )


def _words(name: str) -> str:
    return name.removesuffix("_on").replace("_", " ")
