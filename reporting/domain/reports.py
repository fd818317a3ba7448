"""What is said of a report by itself: late, of somebody not entitled, and what it points out to the county."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from reporting.domain.answers import Finding, Outcome, note
from reporting.domain.asks import asks
from reporting.domain.exemptions import in_force
from reporting.domain.records import Component, Event
from reporting.domain.submitters import filing_duty, names_submitter, submitter_findings
from reporting.domain.view import Refusal, Service, View
from schemas.acts import Act, Defective, FailureCodes, NoAccess, ReportDeadline, Tampering, Verification
from schemas.calendar import Deadline
from schemas.program import Provision


def assess_reports(view: View) -> Outcome:
    """Findings on every report that stands."""
    speaking = (event for event in view.reports if _is_looked_at(view, event) or _has_more(view, event))
    return Outcome(findings=tuple(f for event in speaking for f in report_findings(view, event)))


def report_findings(view: View, event: Event) -> Iterator[Finding]:
    """The findings that a report carries by itself."""
    component = view.component_of(event)
    subject = component or view.subject(event)
    found = list(_late(view, event, subject)) if _is_looked_at(view, event) else []
    if component is not None and (claims := view.claims_of(event, component)):
        found += _refused(view, event, component, claims)
    if _says_more(event):
        found += _pointed_out(view, event, subject)
        found += submitter_findings(view, event, subject)
        found += _unverified(view, event, subject)
    yield from found


def _has_more(view: View, event: Event) -> bool:
    return _says_more(event) or view.is_refused(event)


def _says_more(event: Event) -> bool:
    """Whether a report says anything that some rule points out or asks about; most say nothing of the kind."""
    said = event.tampering or event.no_access or event.surface_discharge or event.defects or event.failure_condition
    return bool(said or event.verification_asked_on is not None or names_submitter(event))


def report_deadline(
    view: View, event: Event, component: Component | None
) -> tuple[Provision[ReportDeadline], Deadline] | None:
    """By when a report was due and by which provision: the strictest that applies.

    Of equal ones the closer (for this building, this exemption), then the county's before the state's.
    """
    found = [
        (p.after_days(view.calendar, event.service_date, p.act.days), order, p)
        for order, p in enumerate(_deadlines_for(view, event, component))
    ]
    if not found:
        return None
    deadline, _, provision = min(found, key=lambda f: (f[0].last_day, f[0].due_on, -_closeness(f[2].act), f[1]))
    return provision, deadline


def _deadlines_for(view: View, event: Event, component: Component | None) -> list[Provision[ReportDeadline]]:
    """The provisions that set this report a deadline; of those that count alike only the ones of the fewest days."""
    found = [
        p
        for p in view.program.at(event.service_date).of(ReportDeadline)
        if view.applies(p.act, component, event) and _is_for(view, p.act, event)
    ]
    fewest: dict[tuple[bool, bool, bool], int] = {}
    for p in found:
        way = (p.filing, p.rule.mailable, p.rule.prior)
        fewest[way] = min(fewest.get(way, p.act.days), p.act.days)
    return [p for p in found if p.act.days == fewest[p.filing, p.rule.mailable, p.rule.prior]]


def _closeness(act: ReportDeadline) -> int:
    return bool(act.buildings) + bool(act.exemption)


def _is_for(view: View, act: ReportDeadline, event: Event) -> bool:
    if act.exemption and not in_force(view, act.exemption, event.service_date):
        return False
    if not act.contractor_is:
        return True
    named = view.program.text_of(act.contractor_setting)
    if not named:
        return True
    return (event.license_number == named) == (act.contractor_is == "this")


def _is_looked_at(view: View, event: Event) -> bool:
    """Whether a report may be late at all: one received, not within the shortest of all times, not as backlog."""
    received = view.receipt(event)
    if event.baseline or event.historical or received is None or received > view.as_of:
        return False
    within = (received - event.service_date).days <= view.program.shortest_deadline
    return not within and not _is_before_the_start(view, received)


def _late(view: View, event: Event, subject: Component | None) -> Iterator[Finding]:
    received, due = view.receipt(event), report_deadline(view, event, subject)
    if due is None or received is None:
        return
    provision, deadline = due
    filed, word = received, "received"
    if provision.act.date_sent_counts and event.sent_on is not None and event.sent_on < received:
        filed, word = event.sent_on, "sent"
    if filed > deadline.last_day:
        because = f"{word} {filed}, {provision.act.days} days from {event.service_date} ended {deadline.last_day}"
        whose = filing_duty(view, event, subject, provision.duty_of)
        yield note(provision, "late_report", because, event=event.id, of=subject, deadline=deadline, duty_of=whose)


def _is_before_the_start(view: View, received: date) -> bool:
    """Whether it came in before the county's `live_from`, as backlog does: judged for duties, never for lateness."""
    live_from = view.program.day("live_from")
    return live_from is not None and received < live_from


def _refused(view: View, event: Event, component: Component, claims: Sequence[Service | Refusal]) -> Iterator[Finding]:
    """Work that does not count for want of a right.

    A pumping that counts and whose inspection does not is passed over, unless an inspection is a duty of its own.
    """
    pumped = any(isinstance(c, Service) and c.activity == "pump" for c in claims)
    for claim in claims:
        if not isinstance(claim, Refusal):
            continue
        if claim.activity == "inspect" and not event.is_inspection:
            continue  # a pumping report that states what was seen claims no inspection
        if claim.activity == "inspect" and pumped and not _is_inspection_asked(view, event, component):
            continue
        who = (claim.credential or "credential").replace("_", " ")
        doing = claim.activity.replace("_", " ")
        because = f"{who} expired {claim.expired_on}" if claim.expired else f"{who} is not entitled to {doing}"
        because = f"{who}: the registration is for the own tank only" if claim.of_another else because
        # An expired credential is named as such, and is no current credential: the report does not count either way.
        for kind in ("not_qualified", "credential_expired") if claim.expired else ("not_qualified",):
            yield note(claim.provision, kind, because, event=event.id, of=component)


def _is_inspection_asked(view: View, event: Event, component: Component) -> bool:
    return any(ask.kind == "inspect_tank" for ask in asks(view, component, view.program.at(event.service_date)))


def _pointed_out(view: View, event: Event, subject: Component | None) -> Iterator[Finding]:
    text = view.program.at(event.service_date)
    reported = f"reported {event.service_date}"

    def acting(acts: tuple[Provision[Act], ...], kind: str, because: str) -> Iterator[Finding]:
        for p in acts:
            if view.applies(p.act, subject, event):
                yield note(p, kind, because, event=event.id, of=subject)

    if event.tampering:
        yield from acting(text.of(Tampering), "tampering", reported)
    if event.defects and (event.defects_corrected_on is None or event.defects_corrected_on > view.as_of):
        yield from acting(text.of(Defective), "defect_not_corrected", f"{', '.join(event.defects)}; {reported}")
    if event.no_access:
        yield from acting(text.of(NoAccess), "no_access", reported)
    for p in text.of(FailureCodes):
        code = event.failure_condition or (p.act.surface if event.surface_discharge else "")
        if code:
            said = p.act.codes.get(code, "condition not in this program's list")
            yield from acting((p,), "failing_system", f"condition ({code}): {said}; {reported}")


def _unverified(view: View, event: Event, subject: Component | None) -> Iterator[Finding]:
    """A report of which the county waits for a verification; with the day by which it asked for it."""
    asked = event.verification_asked_on
    if asked is None or asked > view.as_of:
        return
    by = event.verification_answer_by
    for p in view.program.at(view.as_of).of(Verification):
        because = f"the county asked for verification {asked}" + (f", by {by}" if by else "")
        deadline = p.on(view.calendar, by) if by else None
        yield note(p, "verification_requested", because, event=event.id, of=subject, deadline=deadline)
