"""The whole service in a few lines: what P22 holds it against. Plain sets and dates, no law but the two rules it names.

A septic tank in the home county is pumped or inspected every 36 months (S20); a report is late that comes more than
three weeks after its service (no text there allows as many), and one within a week never is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

MONTHS = 36
IN_TIME, LATE = 6, 22
"""Days after the service: at most so many is in time for sure, at least so many is late for sure."""


class Said(StrEnum):
    """How the service answers a report, a correction or a void."""

    TAKEN = "taken"
    DUPLICATE = "duplicate"
    CONFLICT = "ref_conflict"
    ENDED = "report-ended"


@dataclass(kw_only=True)
class Report:
    """One report, or a later version of it: `first` is the id of the first version."""

    id: str
    first: str
    system: str
    ref: str
    day: date
    gallons: int
    late: bool
    stands: bool = True


@dataclass(kw_only=True)
class Model:
    """Systems by permit with the day they were last pumped before any report; the reports; whom a notice told."""

    pumped: dict[str, date]
    today: date
    reports: dict[str, Report] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    def standing_of(self, ref: str) -> Report | None:
        """The version that stands of the report with a ticket number."""
        return next((r for r in self.reports.values() if r.ref == ref and r.stands), None)

    def submit(self, system: str, ref: str, day: date, gallons: int) -> tuple[Said, str]:
        """What a report must be answered with, and the id of the one that it repeats, as it stands now.

        A client that sends what it sent before a correction repeats itself.
        """
        now = self.standing_of(ref)
        if now is None:
            return Said.TAKEN, ""
        versions = [r for r in self.reports.values() if r.first == now.first]
        same = any((r.system, r.day, r.gallons) == (system, day, gallons) for r in versions)
        return (Said.DUPLICATE if same else Said.CONFLICT), now.id

    def take(self, new: str, system: str, ref: str, day: date, gallons: int) -> None:
        """A report was taken."""
        late = (self.today - day).days >= LATE
        self.reports[new] = Report(id=new, first=new, system=system, ref=ref, day=day, gallons=gallons, late=late)

    def correct(self, old: str, new: str, gallons: int) -> None:
        """A correction was taken: it stands in the place of the former version, received when the first was."""
        was = self.reports[old]
        was.stands = False
        self.reports[new] = Report(
            id=new, first=was.first, system=was.system, ref=was.ref, day=was.day, gallons=gallons, late=was.late
        )

    def void(self, old: str) -> None:
        """A report was taken back, with all its versions."""
        self.reports[old].stands = False

    def tick(self) -> None:
        """The worker has scanned: every late report that stands is told of, once whatever becomes of it."""
        self.told |= {r.first for r in self.reports.values() if r.late and r.stands}

    def services(self, system: str) -> set[tuple[str, str, int]]:
        """The reports that a system's page names: id, day, gallons."""
        return {(r.id, r.day.isoformat(), r.gallons) for r in self.reports.values() if r.stands and r.system == system}

    def due_on(self, system: str) -> date:
        """When the tank is due: so many months after it was last pumped."""
        days = [r.day for r in self.reports.values() if r.stands and r.system == system]
        last = max([*days, self.pumped[system]])
        day = min(last.day, 28) if last.month == 2 else last.day
        return last.replace(year=last.year + MONTHS // 12, day=day)
