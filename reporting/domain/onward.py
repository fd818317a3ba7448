"""The days on which what is on file already begins to count: where the answer changes by itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from reporting.domain.view import View
from schemas.calendar import add_days
from schemas.words import SYSTEM_DATES


def facts_ahead(view: View) -> tuple[dt.date, ...]:
    """Days after `as_of` on which a fact or a text that is on file already begins to count."""
    return (*_dates_of_reports(view), *(d for d in _dates_on_file(view) if d > view.as_of))


def _dates_of_reports(view: View) -> Iterator[dt.date]:
    as_of = view.as_of
    for e in view.all_reports:
        if e.service_date > as_of:
            yield e.service_date
        if (received := view.receipt(e)) is not None and received > as_of:
            yield received
        if e.defects_corrected_on is not None and e.defects_corrected_on > as_of:
            yield e.defects_corrected_on
        if e.verification_asked_on is not None and e.verification_asked_on > as_of:
            yield e.verification_asked_on


def _dates_on_file(view: View) -> Iterator[dt.date]:
    yield from (n.on for n in view.history.owner_notices)
    yield from (s.received_on for s in view.history.statements)
    yield from view.history.dealings.days()
    system = view.system
    yield from (d for c in system.cases for d in c.dates.values())
    yield from (g.granted_on for g in system.exemptions)
    for contract in system.contracts or ():
        ended = add_days(contract.to_on, 1) if contract.to_on else None
        yield from (d for d in (contract.from_on, contract.filed_on, ended) if d is not None)
    named = (system.status_since, system.agreement_recorded_on, *(getattr(system, name) for name in SYSTEM_DATES))
    yield from (d for d in named if d is not None)
    for text in view.program.texts:
        yield text.starts_on
        yield from text.begins
