"""The windows in which an area is pumped: what the owner owes in them, and the notice that comes before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reporting.domain.answers import Ahead, Finding, Obligation, Outcome, note, oblige
from reporting.domain.dealings import DeferralRequest, Mailing, Window
from reporting.domain.deferrals import Grant, Refusal, Slot, defer
from reporting.domain.exemptions import Pause, counts_for, in_force, resume, suspend
from reporting.domain.mail import is_area_told, presumed
from reporting.domain.records import Component
from reporting.domain.turns import is_turn
from reporting.domain.view import View
from schemas.acts import AreaNotice, AreaWindow, WindowNotice
from schemas.calendar import Deadline, add_days
from schemas.program import Provision

NOTICES = ("window_notice", "")


@dataclass(frozen=True, kw_only=True)
class WindowMail:
    """A window as it stands for a system, and its notice: `mailed_on` None while none is on file.

    mail_by: the last day for mailing it; late: why the notice is late or missing, '' where it is not; excused: the
    system was at rest on that day, so that none is owed.
    """

    window: Window
    slot: Slot
    mail_by: dt.date
    mailed_on: dt.date | None
    late: str
    excused: bool


def assess_areas(view: View, paused: Sequence[Pause], *, include_met: bool) -> Outcome:
    """The pumping in the area's window, notices mailed too late, requests for another window that are refused."""
    obligations: list[Obligation] = []
    findings: list[Finding] = []
    changes: list[dt.date] = []
    every, refused, _granted = _schedule(view)
    begins = _records_begin(view)
    slots = [s for s in every if begins is None or s.to_on >= begins]
    for component in view.active_components:
        for p in view.program.at(view.as_of).of(AreaWindow):
            if view.applies(p.act, component):
                obligations += _pumping(view, p, component, slots, paused, include_met)
        for q in view.program.at(view.as_of).of(WindowNotice):
            if view.applies(q.act, component):
                findings += (f for s in slots if (f := _late_notice(view, q, s.window, paused)))
                changes += (d for s in slots for d in _mailing_days(view, q, s.window))
    findings += [_refusal(r) for r in refused if any(view.applies(r.provision.act, c) for c in view.active_components)]
    return Outcome(obligations=tuple(obligations), findings=tuple(findings), changes_on=tuple(changes))


def noticed_until(view: View, component: Component, due: dt.date) -> Slot | None:
    """The first window of which the owner had notice by `as_of` and that ends after `due`."""
    for p in view.program.at(view.as_of).of(AreaWindow):
        if not view.applies(p.act, component):
            continue
        for slot in _schedule(view)[0]:
            if slot.to_on > due and not _is_for_others(view, p, slot) and _is_noticed(view, slot.window):
                return slot
    return None


def window_mail(view: View, paused: Sequence[Pause]) -> Iterator[WindowMail]:
    """The notices of the system's windows, of septic tanks: owed, mailed, late."""
    for p in view.program.at(view.as_of).of(WindowNotice):
        if not any(view.applies(p.act, c) for c in view.active_components):
            continue
        for slot in _schedule(view)[0]:
            found, late = _notice(view, slot.window), _late_notice(view, p, slot.window, paused)
            last = _mailing_day(view, p, slot.window)
            yield WindowMail(
                window=slot.window,
                slot=slot,
                mail_by=last,
                mailed_on=found.on if found else None,
                late=late.because if late else "",
                excused=found is None and _is_at_rest(paused, min(last, view.as_of)),
            )


def windows_ahead(view: View, paused: Sequence[Pause]) -> Iterator[Ahead]:
    """The windows still to open of which the owner has had no notice; none while at rest, or put off as asked."""
    if any(p.ended_on is None for p in paused):
        return
    text = view.program.at(view.as_of)
    for component in view.active_components:
        for p in (p for p in text.of(WindowNotice) if view.applies(p.act, component)):
            for slot in _schedule(view)[0]:
                if slot.from_on == slot.window.from_on > view.as_of and _notice(view, slot.window) is None:
                    yield _to_open(p, component, slot.window, slot.to_on, _mailing_day(view, p, slot.window))
        for q in (q for q in text.of(AreaNotice) if view.applies(q.act, component)):
            length = max((p.act.days for p in text.of(AreaWindow)), default=1)
            for window in _windows(view):
                if window.from_on > view.as_of and not is_area_told(view, window):
                    yield _to_open(q, component, window, _end(window, length), None)


def _to_open(
    p: Provision[WindowNotice] | Provision[AreaNotice],
    component: Component,
    window: Window,
    until: dt.date,
    mail_by: dt.date | None,
) -> Ahead:
    kind = "window" if isinstance(p.act, WindowNotice) else "area"
    days = f"from {window.from_on} to {until}"
    return Ahead(
        kind=kind,
        on=window.from_on,
        rule=p.id,
        cite=p.cite,
        because=f"window {days}" if kind == "window" else f"the area is pumped {days}",
        duty_of=p.duty_of,
        cycle=f"{kind}:{window.from_on}",
        component=component.kind,
        component_ref=component.ref,
        until=until,
        mail_by=mail_by,
    )


def answer_deferral(view: View, request: DeferralRequest) -> Grant | Refusal | None:
    """What becomes of a request that is in the history; None where the system has no window that it could be of."""
    _slots, refused, granted = _schedule(view)
    answers: tuple[Grant | Refusal, ...] = (*refused, *granted)
    for one in answers:
        if one.request == request and any(view.applies(one.provision.act, c) for c in view.active_components):
            return one
    return None


def _schedule(view: View) -> tuple[tuple[Slot, ...], tuple[Refusal, ...], tuple[Grant, ...]]:
    """The system's windows in order of time, after the deferrals granted; the deferrals refused and granted."""
    if not view.history.dealings.windows:
        return (), (), ()
    for p in view.program.at(view.as_of).of(AreaWindow):
        slots = [Slot(window=w, from_on=w.from_on, to_on=_end(w, p.act.days)) for w in _windows(view)]
        return defer(view, slots, p.act.days)
    return (), (), ()


def _windows(view: View) -> list[Window]:
    """The system's windows as they were set, in order of time."""
    return sorted((w for w in view.history.dealings.windows if _is_ours(view, w)), key=lambda w: w.from_on)


def _end(window: Window, days: int) -> dt.date:
    """The last day of a window; one that names none is so many days long."""
    return max(window.to_on or add_days(window.from_on, days - 1), window.from_on)


def _is_ours(view: View, window: Window) -> bool:
    """Whether a window is of the system's area; one that names none is the system's, unless it is another's turn."""
    if window.area is not None:
        return window.area == view.system.service_area
    return is_turn(view, window.from_on.year) is not False


def _records_begin(view: View) -> dt.date | None:
    """Windows that closed before the records begin are not judged."""
    return view.program.day("records_from") or min((e.service_date for e in view.reports), default=None)


def _is_for_others(view: View, p: Provision[AreaWindow], slot: Slot) -> bool:
    """Whether the owner holds a certificate under which the window is not one of pumping."""
    return any(in_force(view, kind, slot.from_on) for kind in p.act.not_under)


def _pumping(
    view: View,
    p: Provision[AreaWindow],
    component: Component,
    slots: Sequence[Slot],
    paused: Sequence[Pause],
    include_met: bool,
) -> Iterator[Obligation]:
    """The first window not pumped since it opened, and the ones that were; without any notice nothing is overdue."""
    named = view.program.text_of(p.act.contractor_setting) if p.act.contractor_setting else ""
    pumped = [s for s in view.services(component, "pump") if s.event.is_emptying and counts_for(view, named, s.event)]
    for slot in slots:
        done = next((s.on for s in pumped if s.on >= slot.from_on), None)
        if _is_for_others(view, p, slot) or (done is not None and not include_met):
            continue
        due, because = resume(slot.to_on, f"window from {slot.from_on} to {slot.to_on}{slot.said}", paused)
        mailing = _notice(view, slot.window)
        found = oblige(
            p,
            p.act.kind,
            p.on(view.calendar, due),
            as_of=view.as_of,
            lead_days=view.program.days("lead_days"),
            because=f"{because}{presumed(view, mailing) if mailing else ''}",
            cycle=f"window:{slot.window.from_on}",
            met_on=done,
            of=component,
        )
        if done is not None:
            yield found
        elif mailing is not None or not _is_mail_known(view) or view.as_of <= found.last_day:
            yield suspend(found, paused)
            return


def _is_mail_known(view: View) -> bool:
    return view.history.dealings.mailings is not None


def _notice(view: View, window: Window) -> Mailing | None:
    """The first notice of a window that was mailed by `as_of`."""
    found = [m for m in view.history.dealings.mailings or () if m.kind in NOTICES and _tells_of(view, m, window)]
    if window.mailed_on is not None:
        found.append(Mailing(kind="window_notice", on=window.mailed_on))
    # a mailing that says more of itself stands for the day that the window names
    found.sort(key=lambda m: (m.on, not m.mail_class, m.kind))
    return next((m for m in found if m.on <= view.as_of), None)


def _tells_of(view: View, mailing: Mailing, window: Window) -> bool:
    """Whether a mailing tells of a window: of the one that it names, else of the first that is not over by then."""
    if mailing.area is not None and mailing.area not in (window.area, view.system.service_area):
        return False
    if mailing.window_from is not None:
        return mailing.window_from == window.from_on
    days = max((p.act.days for p in view.program.at(view.as_of).of(AreaWindow)), default=1)
    told = next((w for w in _windows(view) if _end(w, days) >= mailing.on), None)
    return told is not None and told.from_on == window.from_on


def _is_noticed(view: View, window: Window) -> bool:
    """Whether the owner had notice by `as_of`; where the mail is not known, once its last day has come."""
    if _notice(view, window) is not None:
        return True
    days = [_mailing_day(view, q, window) for q in view.program.at(view.as_of).of(WindowNotice)]
    return not _is_mail_known(view) and all(view.as_of >= day for day in days)


def _mailing_day(view: View, p: Provision[WindowNotice], window: Window) -> dt.date:
    """The last day on which the notice of a window can be mailed to be received in time; never rolled forward."""
    return add_days(window.from_on, -p.act.days - view.program.days(p.act.delivery_setting))


def _mailing_days(view: View, p: Provision[WindowNotice], window: Window) -> tuple[dt.date, dt.date]:
    last = _mailing_day(view, p, window)
    return last, add_days(last, 1)


def _late_notice(view: View, p: Provision[WindowNotice], window: Window, paused: Sequence[Pause]) -> Finding | None:
    """The finding on a notice mailed too late, or not at all; none for one received in time, or while at rest."""
    last, mailing = _mailing_day(view, p, window), _notice(view, window)
    if _is_at_rest(paused, last):
        return None
    asked = f"{p.act.days} days and {view.program.days(p.act.delivery_setting)} of delivery before {window.from_on}"
    if mailing is None:
        if view.as_of <= last or not _is_mail_known(view):
            return None
        because = f"no notice on file; {asked} ended {last}"
    elif mailing.received_on is not None and mailing.received_on <= view.as_of:
        if mailing.received_on <= add_days(window.from_on, -p.act.days):
            return None
        because = f"received {mailing.received_on}; {p.act.days} days before {window.from_on} had begun"
    elif mailing.on > last:
        because = f"mailed {mailing.on}; {asked} ended {last}"
    else:
        return None
    return note(p, "window_notice_late", because, deadline=Deadline(due_on=last, last_day=last))


def _is_at_rest(paused: Sequence[Pause], day: dt.date) -> bool:
    return any(q.started_on <= day and (q.ended_on is None or q.ended_on >= day) for q in paused)


def _refusal(r: Refusal) -> Finding:
    because = f"asked {r.request.requested_on} to defer the window from {r.slot.from_on}: {'; '.join(r.reasons)}"
    deadline = Deadline(due_on=r.last_day, last_day=r.last_day)
    return note(r.provision, "deferral_refused", because, deadline=deadline)
