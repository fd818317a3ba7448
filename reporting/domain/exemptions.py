"""Exemptions and holds: what suspends the duties of service, until when, and what a certificate's end means."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reporting.domain.answers import Ahead, Finding, Obligation, Outcome, State, note, oblige
from reporting.domain.records import Event, ExemptionGrant
from reporting.domain.view import View
from schemas.acts import Exemption, ExemptionTerm, Suspension, YearlyCertification
from schemas.calendar import add_days
from schemas.program import Provision


@dataclass(frozen=True, kw_only=True)
class Pause:
    """A span in which the duties of service are suspended. `ended_on` None: it runs on `as_of`."""

    because: str
    started_on: dt.date
    ended_on: dt.date | None
    exempt: bool
    cite: str = ""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The last day of a certificate, the provision that ends it, and the pumping that voided it, if one did."""

    last_day: dt.date
    term: Provision[ExemptionTerm] | None = None
    voided_by: Event | None = None
    void: Provision[Exemption] | None = None


def ending(view: View, grant: ExemptionGrant) -> Ending:
    """When a certificate ends: with its term or the county's own date, or on the day before a pumping that voids it."""
    text = view.program.at(grant.granted_on)
    terms = text.of(ExemptionTerm)
    last = grant.ends_on or dt.date.max
    if terms:
        last = _term_end(view, terms[0].act.months, grant)
    for p in text.of(Exemption):
        if p.act.exemption != grant.kind or not p.act.ends_with_pumping:
            continue
        named = view.program.text_of(p.act.contractor_setting) if p.act.contractor_setting else ""
        for event in view.reports:
            counts = event.is_pumping and not event.baseline and grant.granted_on < event.service_date <= last
            if counts and (not named or event.license_number == named):
                return Ending(last_day=add_days(event.service_date, -1), voided_by=event, void=p)
    return Ending(last_day=last, term=terms[0] if terms else None)


def _term_end(view: View, months: int, grant: ExemptionGrant) -> dt.date:
    """The last day of a certificate: its own, or the ordinance's term."""
    own = view.calendar.deadline_after_months(grant.granted_on, months, filing=False, prior=True).due_on
    return min(own, grant.ends_on) if grant.ends_on else own


def in_force(view: View, kind: str, day: dt.date) -> bool:
    """Whether an exemption of that kind holds on a day."""
    return any(g.kind == kind and g.granted_on <= day <= ending(view, g).last_day for g in view.system.exemptions)


def counts_for(view: View, contractor: str, event: Event) -> bool:
    """Whether a pumping is by the only contractor who counts ('' where anybody does), or under a certificate that
    leaves the choice to the owner."""
    if not contractor or event.baseline or not event.license_number:
        return True
    return event.license_number == contractor or in_force(view, "inspection_only", event.service_date)


def pauses(view: View) -> tuple[Pause, ...]:
    """Every suspension of the system's duties that has begun by `as_of`, in the order in which they end."""
    found = (*_exemption_pauses(view), *_hold_pauses(view))
    return tuple(sorted(found, key=lambda p: p.ended_on or dt.date.max))


def _exemption_pauses(view: View) -> Iterator[Pause]:
    for grant in view.system.exemptions:
        for p in view.program.at(grant.granted_on).of(Exemption):
            if p.act.exemption != grant.kind or not p.act.suspends or grant.granted_on > view.as_of:
                continue
            end = ending(view, grant).last_day
            because = f"exempt since {grant.granted_on} ({grant.kind}), {p.cite}"
            ended = end if end < view.as_of else None
            yield Pause(because=because, started_on=grant.granted_on, ended_on=ended, exempt=True, cite=p.cite)


def _hold_pauses(view: View) -> Iterator[Pause]:
    for case in view.system.cases:
        opened = case.step("opened_on", view.as_of) or case.step("notified_on", view.as_of)
        for p in view.program.at(view.as_of).of(Suspension):
            if case.kind in p.act.cases and opened is not None:
                yield Pause(
                    because=f"on hold since {opened}, {p.cite}",
                    started_on=opened,
                    ended_on=case.step("closed_on", view.as_of),
                    exempt=False,
                    cite=p.cite,
                )


def resume(due: dt.date, because: str, paused: Sequence[Pause]) -> tuple[dt.date, str]:
    """A due date as suspensions that have ended leave it: what fell due by then is due on the day after the end."""
    for pause in paused:
        if pause.ended_on is not None and due <= pause.ended_on:
            due, because = add_days(pause.ended_on, 1), f"{because}; {pause.because}, until {pause.ended_on}"
    return due, because


def suspend(obligation: Obligation, paused: Sequence[Pause]) -> Obligation:
    """The obligation as a running hold or exemption leaves it."""
    running = next((p for p in paused if p.ended_on is None), None)
    if running is None or obligation.state is State.MET:
        return obligation
    return replace(obligation, state=State.SUSPENDED, days_late=0, suspended_because=running.because, changes_on=())


def assess_exemptions(view: View) -> Outcome:
    """Certificates that have ended, and the yearly certification that some ask for."""
    findings: list[Finding] = []
    ends = [(grant, ending(view, grant)) for grant in view.system.exemptions]
    current = [g for g, end in ends if g.granted_on <= view.as_of <= end.last_day]
    for grant, end in ends:
        if end.last_day >= view.as_of or any(g.kind == grant.kind for g in current):
            continue
        said = f"exempt ({grant.kind}) from {grant.granted_on} to {end.last_day}"
        if end.voided_by is not None and end.void is not None:
            because = f"{said}; pumped {end.voided_by.service_date}"
            findings.append(note(end.void, "exemption_voided", because, event=end.voided_by.id))
        elif end.term is not None:
            findings.append(note(end.term, "exemption_expired", said))
    certifications = [_certification(view, g) for g in current]
    return Outcome(
        obligations=tuple(o for found, _ in certifications for o in found),
        findings=tuple(findings),
        changes_on=(
            *(add_days(end.last_day, 1) for _, end in ends if end.last_day < dt.date.max),
            *(d for _, days in certifications for d in days),
        ),
    )


def exemption_ends(view: View) -> Iterator[Ahead]:
    """The certificates that hold and are to end with the ordinance's term, or on the county's own day."""
    ends = [(grant, ending(view, grant)) for grant in view.system.exemptions]
    for grant, end in ends:
        later = any(g.kind == grant.kind and e.last_day > end.last_day for g, e in ends)
        if end.term is None or later or not grant.granted_on <= view.as_of <= end.last_day < dt.date.max:
            continue
        yield Ahead(
            kind="exemption",
            on=end.last_day,
            rule=end.term.id,
            cite=end.term.cite,
            because=f"exempt ({grant.kind}) since {grant.granted_on}, until {end.last_day}",
            duty_of=end.term.duty_of,
            cycle=f"exemption:{grant.kind}:{grant.granted_on}",
        )


def _certification(view: View, grant: ExemptionGrant) -> tuple[list[Obligation], list[dt.date]]:
    found: list[Obligation] = []
    changes: list[dt.date] = []
    for p in view.program.at(view.as_of).of(YearlyCertification):
        if p.act.exemption != grant.kind:
            continue
        year = _first_year(view, grant, p)
        if year is None:
            continue
        found.append(
            oblige(
                p,
                "annual_certification",
                p.on(view.calendar, dt.date(year, 12, 31)),
                as_of=view.as_of,
                lead_days=view.program.days("lead_days"),
                because=f"exempt ({grant.kind}) since {grant.granted_on}; a certification for {year}",
                cycle=f"year:{year}",
                period=str(year),
            )
        )
        if _records_begin(view) is None and year < dt.MAXYEAR:
            changes.append(dt.date(year + 1, 1, 1))
    return found, changes


def _records_begin(view: View) -> dt.date | None:
    """The first day on record: the county's own date, else that of the first report or statement."""
    begins = view.program.day("records_from")
    if begins is not None:
        return begins
    stated = [s for s in view.history.statements if s.received_on <= view.as_of]
    known = [e.service_date for e in view.reports] + [s.received_on for s in stated]
    known += [dt.date(int(s.period[:4]), 1, 1) for s in stated if s.period[:4].isdecimal() and int(s.period[:4])]
    return min(known, default=None)


def _first_year(view: View, grant: ExemptionGrant, p: Provision[YearlyCertification]) -> int | None:
    """The first year judged that has no certification; years before the records begin are not judged."""
    stated = (s for s in view.history.statements if s.kind in ("certification", "") and s.received_on <= view.as_of)
    filed = {s.period[:4] for s in stated}
    begins = _records_begin(view) or view.as_of
    year = max(grant.granted_on, begins).year
    filed |= {str(y) for y in _certified(view, p)}
    while str(year) in filed:
        year += 1
    return year if year <= dt.MAXYEAR else None


def _certified(view: View, p: Provision[YearlyCertification]) -> Iterator[int]:
    """The years certified by documents on file: the year named, else the one whose last day it was in time for."""
    for document in view.history.dealings.documents or ():
        if document.kind not in p.act.filed_as or (document.on is not None and document.on > view.as_of):
            continue
        if document.year is not None:
            yield document.year
        elif document.on is not None:
            before = document.on.year - 1
            in_time = before > 0 and document.on <= p.on(view.calendar, dt.date(before, 12, 31)).last_day
            yield before if in_time else document.on.year
