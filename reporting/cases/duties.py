"""What a case asks for, judged now from the facts: what the sweep kept may lie a step behind."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from reporting.domain.answers import Assessment, Obligation
from reporting.domain.assess import assess
from reporting.domain.records import System
from reporting.errors import RecordNotFound
from reporting.histories import load_licences, read_domain, with_windows
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from schemas.program import Program


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A system's facts, what they say of it, and how it stands."""

    stored: StoredHistory
    system: System
    assessment: Assessment


def judged_system(store: Store, program: Program, system: str, on: dt.date) -> Judged:
    """A system as it stands on a day. Raises RecordNotFound."""
    stored = load_history(store, [system]).get(system)
    if stored is None:
        raise RecordNotFound
    stored = with_windows(store, {system: stored})[system]
    licences = load_licences(store, program, [stored])
    known, history = read_domain(stored, licences, as_of=on)
    return Judged(stored=stored, system=known, assessment=assess(known, history, program, on))


def duties_of(assessment: Assessment, case_id: str) -> list[Obligation]:
    """The duties of one case, met ones too."""
    return [o for o in assessment.obligations if o.cycle.startswith(f"case:{case_id}:")]


def case_duties(store: Store, program: Program, system: str, case_id: str, on: dt.date) -> list[Obligation]:
    """The same for a case of a system. Raises RecordNotFound."""
    return duties_of(judged_system(store, program, system, on).assessment, case_id)
