"""All events of one system on the day judged, and the next day on which there will be another one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import chain

from reporting.causes import endings, owners, service
from reporting.causes.cases import case_causes
from reporting.causes.records import Cause, Told, first_after
from reporting.causes.requests import request_causes
from reporting.domain.answers import Assessment
from schemas.program import Program


def causes_of(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """The events of one system on the day judged; none before the county's `live_from`.

    What is due on and after that day is told, however long it has been overdue; reports that were late or missing
    before it are not: the county went live without its backlog. Suspended duties and those of a system that is no
    longer in use are none of them; a report is late all the same.
    """
    live_from = program.day("live_from")
    if live_from is not None and assessment.as_of < live_from:
        return
    yield from service.due_service(assessment, program, told)
    yield from service.reports(assessment, program, told)
    yield from owners.reminders(assessment, program, told)
    yield from owners.delinquencies(assessment, program, told)
    yield from endings.endings(assessment, program, told)
    yield from case_causes(assessment, program, told)
    yield from request_causes(assessment, program, told)


def next_told_on(assessment: Assessment, program: Program) -> date | None:
    """The next day on which something is to be told, though the answer stays the same."""
    days = (part.stage_days(assessment, program) for part in (service, owners, endings))
    return first_after(chain.from_iterable(days), assessment.as_of)
