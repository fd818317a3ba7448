"""Exemptions and holds: what suspends the duties of service, until when, and what a certificate's end means."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reporting.domain.answers import Finding, Obligation, Outcome, State, note, oblige
from reporting.domain.records import ExemptionGrant
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


def term_end(view: View, grant: ExemptionGrant) -> tuple[dt.date, Provision[ExemptionTerm] | None]:
    """The last day of a certificate and the provision that sets its term (none: the county's own date, or never)."""
    terms = view.program.at(grant.granted_on).of(ExemptionTerm)
    if not terms:
        return grant.ends_on or dt.date.max, None
    return view.exemption_end(grant.kind, terms[0].act.months, grant.granted_on, grant.ends_on), terms[0]


def in_force(view: View, kind: str, day: dt.date) -> bool:
    """Whether an exemption of that kind holds on a day."""
    return any(g.kind == kind and g.granted_on <= day <= term_end(view, g)[0] for g in view.system.exemptions)


def pauses(view: View) -> tuple[Pause, ...]:
    """Every suspension of the system's duties that has begun by `as_of`."""
    return (*_exemption_pauses(view), *_hold_pauses(view))


def _exemption_pauses(view: View) -> Iterator[Pause]:
    for grant in view.system.exemptions:
        for p in view.program.at(grant.granted_on).of(Exemption):
            if p.act.exemption != grant.kind or not p.act.suspends or grant.granted_on > view.as_of:
                continue
            end = term_end(view, grant)[0]
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


def suspend(obligation: Obligation, paused: Sequence[Pause]) -> Obligation:
    """The obligation as a running hold or exemption leaves it."""
    running = next((p for p in paused if p.ended_on is None), None)
    if running is None:
        return obligation
    return replace(obligation, state=State.SUSPENDED, days_late=0, suspended_because=running.because, changes_on=())


def assess_exemptions(view: View) -> Outcome:
    """Certificates that have ended, and the yearly certification that some ask for."""
    findings: list[Finding] = []
    changes: list[dt.date] = []
    current = [g for g in view.system.exemptions if g.granted_on <= view.as_of <= term_end(view, g)[0]]
    for grant in view.system.exemptions:
        end, term = term_end(view, grant)
        changes.append(add_days(end, 1))
        if end < view.as_of and term is not None and not any(g.kind == grant.kind for g in current):
            findings.append(note(term, "exemption_expired", f"exempt ({grant.kind}) from {grant.granted_on} to {end}"))
    certifications = tuple(o for g in current for o in _certification(view, g))
    return Outcome(obligations=certifications, findings=tuple(findings), changes_on=tuple(changes))


def _certification(view: View, grant: ExemptionGrant) -> Iterator[Obligation]:
    for p in view.program.at(view.as_of).of(YearlyCertification):
        if p.act.exemption != grant.kind:
            continue
        filed = {
            s.period[:4] for s in view.history.statements if s.kind == "certification" and s.received_on <= view.as_of
        }
        year = _first_year(view, grant, filed)
        yield oblige(
            p,
            "annual_certification",
            p.on(view.calendar, dt.date(year, 12, 31)),
            as_of=view.as_of,
            lead_days=view.program.days("lead_days"),
            because=f"exempt ({grant.kind}) since {grant.granted_on}; a certification for {year}",
            cycle=f"year:{year}",
            period=str(year),
        )


def _first_year(view: View, grant: ExemptionGrant, filed: set[str]) -> int:
    """The first year judged that has no certification; years before the records begin are not judged."""
    begins = view.program.day("records_from")
    if begins is None:
        known = [e.service_date for e in view.reports] + [s.received_on for s in view.history.statements]
        begins = min(known, default=view.as_of)
    year = min(max(grant.granted_on, begins).year, view.as_of.year)
    while str(year) in filed:
        year += 1
    return year
