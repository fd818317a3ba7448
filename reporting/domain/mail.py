"""What mail to the owner opens: the pumping of a holding tank after the area's notice, answers to questionnaires."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from reporting.domain.answers import Finding, Obligation, Outcome, note, oblige
from reporting.domain.dealings import Mailing, Window
from reporting.domain.exemptions import Pause, counts_for, resume, suspend
from reporting.domain.records import Case, Component
from reporting.domain.view import View
from schemas.acts import AreaNotice, OpenInquiry, Presumption, Questionnaire
from schemas.calendar import add_days
from schemas.program import Provision

QUESTIONNAIRE, INQUIRY = "questionnaire", "inquiry"
NOTICES = ("area_notice", "")
_SEASON_DAYS = 183
"""How long before a window a notice that names none can have been mailed and still tell of it."""


def assess_mail(view: View, paused: Sequence[Pause], *, include_met: bool) -> Outcome:
    """The duties that notices and questionnaires open, and the inquiries that nobody has answered."""
    text = view.program.at(view.as_of)
    obligations: list[Obligation] = []
    for component in view.active_components:
        for p in text.of(AreaNotice):
            if view.applies(p.act, component):
                obligations += _scheduling(view, p, component, paused)
    for q in text.of(Questionnaire):
        obligations += _answers(view, q)
    shown = [o for o in obligations if include_met or o.met_on is None]
    findings = tuple(f for r in text.of(OpenInquiry) for f in _inquiries(view, r))
    return Outcome(obligations=tuple(shown), findings=findings)


def presumed(view: View, mailing: Mailing) -> str:
    """What a reason says of a mailing: its day, and whether it is presumed to have been received."""
    for p in view.program.at(view.as_of).of(Presumption):
        if mailing.mail_class in p.act.classes:
            words = mailing.mail_class.replace("_", " ")
            return f"; {words} mail of {mailing.on}: notice is presumed, {p.cite}"
    return f"; mailed {mailing.on}"


def _mailed(view: View, *kinds: str) -> list[Mailing]:
    """The mailings of some kinds made by `as_of` to the system's area, the first one first."""
    found = [
        m
        for m in view.history.dealings.mailings or ()
        if m.kind in kinds and m.on <= view.as_of and m.area in (None, view.system.service_area)
    ]
    return sorted(found, key=lambda m: (m.on, m.received_on or dt.date.max, m.kind))


def _scheduling(
    view: View, p: Provision[AreaNotice], component: Component, paused: Sequence[Pause]
) -> Iterator[Obligation]:
    """The first notice that no pumping has answered, and those that one has."""
    named = view.program.text_of(p.act.contractor_setting) if p.act.contractor_setting else ""
    pumped = [s for s in view.services(component, "pump") if s.event.is_emptying and counts_for(view, named, s.event)]
    begins = view.program.day("records_from") or dt.date.min
    for mailing in _area_notices(view):
        if mailing.on < begins:
            continue
        done = next((s.on for s in pumped if s.on >= mailing.on), None)
        received = mailing.received_on or add_days(mailing.on, view.program.days(p.act.delivery_setting))
        deadline = p.after_days(view.calendar, received, p.act.days)
        because = f"notice received {received}; {p.act.days} days{presumed(view, mailing)}"
        due, because = resume(deadline.due_on, because, paused)
        found = oblige(
            p,
            p.act.kind,
            p.on(view.calendar, due),
            as_of=view.as_of,
            lead_days=view.program.days("lead_days"),
            because=because,
            cycle=f"mailing:{mailing.on}",
            met_on=done,
            of=component,
        )
        yield suspend(found, paused)
        if done is None:
            return


def is_area_told(view: View, window: Window) -> bool:
    """Whether a notice that the area is being pumped has gone out for a window: it names it, or is of that season."""
    begins = add_days(window.from_on, -_SEASON_DAYS)
    return any(
        m.window_from == window.from_on or (m.window_from is None and begins <= m.on) for m in _area_notices(view)
    )


def _area_notices(view: View) -> list[Mailing]:
    """Area notices mailed, those too of which only the window tells."""
    told = [
        Mailing(kind="area_notice", on=w.mailed_on)
        for w in view.history.dealings.windows
        if w.mailed_on is not None and w.mailed_on <= view.as_of and w.area in (None, view.system.service_area)
    ]
    mailed = _mailed(view, *NOTICES)
    days = {m.on for m in mailed}
    return sorted([*mailed, *(m for m in told if m.on not in days)], key=lambda m: m.on)


def _answers(view: View, p: Provision[Questionnaire]) -> Iterator[Obligation]:
    """The first questionnaire not answered, and those that are."""
    returned = sorted(
        d.on for d in view.history.dealings.documents or () if QUESTIONNAIRE in d.kind and d.on and d.on <= view.as_of
    )
    for mailing in _mailed(view, QUESTIONNAIRE):
        answers = [d for d in (mailing.answered_on,) if d and d <= view.as_of]
        answered = min((*answers, *(d for d in returned if d >= mailing.on)), default=None)
        yield oblige(
            p,
            p.act.kind,
            p.after_days(view.calendar, mailing.on, p.act.days),
            as_of=view.as_of,
            lead_days=view.program.days("lead_days"),
            because=f"questionnaire mailed {mailing.on}; {p.act.days} days{presumed(view, mailing)}",
            cycle=f"questionnaire:{mailing.on}",
            met_on=answered,
        )
        if answered is None:
            return


def _inquiries(view: View, p: Provision[OpenInquiry]) -> Iterator[Finding]:
    cases = (_asked(view, c) for c in view.system.cases if c.kind not in p.act.not_in)
    mailed = (m.on for m in _mailed(view, INQUIRY) if not m.answered_on or m.answered_on > view.as_of)
    for day in sorted({*(d for d in cases if d), *mailed}):
        yield note(
            p,
            "inquiry_open",
            f"asked {day}; not answered",
            deadline=view.calendar.deadline_on(day, filing=False, prior=True),
        )


def _asked(view: View, case: Case) -> dt.date | None:
    """Since when a case has an inquiry that is not answered."""
    if case.step("answered_on", view.as_of) or case.step("closed_on", view.as_of):
        return None
    asked = case.step("inquired_on", view.as_of)
    if case.kind == INQUIRY:
        asked = asked or case.step("notified_on", view.as_of) or case.step("opened_on", view.as_of)
    return asked
