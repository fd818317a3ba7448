"""Components put out of use for good: whether they were pumped before, watched by the county, and paid for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from fractions import Fraction

from reporting.domain.answers import Finding, Outcome, note
from reporting.domain.fees import fee_cents, fee_names, paid_by
from reporting.domain.records import Component, Event
from reporting.domain.view import View
from schemas.acts import Abandonment, Fee
from schemas.calendar import add_days
from schemas.program import Provision


def assess_abandonment(view: View) -> Outcome:
    """What is wrong with an abandonment that was reported; judged also where the system is no longer in use."""
    findings: list[Finding] = []
    for event in view.reports:
        if event.event_type != "abandonment":
            continue
        subject = view.subject(event)
        text = view.program.at(event.service_date)
        for p in text.of(Abandonment):
            if view.applies(p.act, subject, event):
                findings += [*_unpumped(view, p, event, subject), *_unobserved(view, p, event)]
        for fee in text.of(Fee):
            if fee.act.every == "abandonment" and view.applies(fee.act, subject, event):
                findings += _unpaid(view, fee, event)
    return Outcome(findings=tuple(findings))


def _unpumped(view: View, p: Provision[Abandonment], event: Event, subject: Component | None) -> Iterator[Finding]:
    days = view.program.days(p.act.days_setting)
    since = add_days(event.service_date, -days)
    component = view.component_of(event)
    pumped = [c.event for c in view.claims(component) if c.activity == "pump"] if component else []
    for done in pumped:
        entitled = done.baseline or not done.credential_kind or done.credential_kind in p.act.credentials
        current = done.credential_expires_on is None or done.credential_expires_on >= done.service_date
        if done.is_emptying and entitled and current and since <= done.service_date <= event.service_date:
            return
    who = " or ".join(p.act.credentials).replace("_", " ")
    because = f"abandoned {event.service_date}; no pumping by a {who} on that day or in the {days} days before"
    yield note(p, "abandonment_not_pumped", because, event=event.id, of=subject)


def _unobserved(view: View, p: Provision[Abandonment], event: Event) -> Iterator[Finding]:
    documents = view.documents
    if documents is None or not p.act.observed_as:
        return
    if not any(d.kind in p.act.observed_as and d.is_on_file(view.as_of) for d in documents):
        because = f"abandoned {event.service_date}; no word of a county inspector on site on file"
        yield note(p, "abandonment_not_observed", because, event=event.id)


def _unpaid(view: View, p: Provision[Fee], event: Event) -> Iterator[Finding]:
    """The fee of an abandonment, where payments are known: not paid, and nothing on file that frees from it."""
    if view.history.dealings.payments is None or document_that_frees(view, p, event.service_date):
        return
    paid = [x for x in paid_by(view, fee_names(p)) if not x.is_open]
    abandoned = sorted(e.service_date for e in view.reports if e.event_type == "abandonment")
    days = sorted(set(abandoned))  # the tanks of one day are one abandonment
    if days.index(event.service_date) >= len(paid) and _is_first_of_day(view, event):
        dollars = Fraction(fee_cents(view, p), 100)
        said = f"${float(dollars):.2f} for the abandonment of {event.service_date}, not paid"
        yield note(p, "fee_due", said, event=event.id, amount=dollars)


def _is_first_of_day(view: View, event: Event) -> bool:
    alike = [e.id for e in view.reports if e.event_type == "abandonment" and e.service_date == event.service_date]
    return min(alike) == event.id


def document_that_frees(view: View, p: Provision[Fee], abandoned_on: dt.date) -> str:
    """The document on file that frees an abandonment from its fee; '' for none."""
    filed = [d for d in view.documents or () if d.is_on_file(view.as_of)]
    for d in filed:
        if d.kind in p.act.free_with:
            return d.kind.replace("_", " ")
        days = p.act.free_within.get(d.kind)
        if days is not None and d.on is not None and d.on <= p.after_days(view.calendar, abandoned_on, days).last_day:
            return d.kind.replace("_", " ")
    return ""
