"""A clerk who works on the reports in doubt: what waits, what is decided, and what follows for the dates."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from reporting.domain.answers import State
from reporting.intake.amend import amend, void
from reporting.intake.answer import RowAnswer
from reporting.intake.credentials import Sender
from reporting.reviews.decisions import Decided, Decider, Decision, Verdict
from reporting.reviews.placing import move, send_back
from reporting.reviews.reading import show_review
from reporting.reviews.resolving import forget_match, resolve
from reporting.status import StatusAnswer, system_status
from reporting.store.lists import SystemFilter, list_systems
from reporting.sweep import assess_now
from schemas.loader import shipped_program
from tests.reporting.counties import the_system
from tests.reporting.intake.sending import NOW, STAFF, Desk

TODAY = date(2026, 7, 13)
LATER = NOW + timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Clerk:
    """Works at a county's counter."""

    desk: Desk
    reason: str = "spoken to the driver"

    def decider(self, now: datetime = LATER) -> Decider:
        return Decider(by="clerk", now=now, reason=self.reason, signer=self.desk.signer)

    def system(self, permit: str) -> str:
        with self.desk.database.reading(self.desk.county) as store:
            return the_system(store, permit).system_id

    def send(self, row: dict[str, Any], **how: Any) -> RowAnswer:
        """A hauler's report, judged at once as the edge does."""
        answer = self.desk.row(row, sender=self.desk.business(), **how)
        self._assess(tuple(s for s in (answer.system,) if s))
        return answer

    def waiting(self) -> list[dict[str, Any]]:
        """The open reviews, oldest first."""
        return sorted(
            (r for r in self.desk.rows("review") if r["state"] == "open"), key=lambda r: (r["created_seq"], r["id"])
        )

    def show(self, review_id: str) -> dict[str, Any]:
        with self.desk.database.reading(self.desk.county) as store:
            return show_review(store, review_id)

    def resolve(self, permit: str = "", *, review: str = "", now: datetime = LATER, **how: Any) -> Decided:
        """Decide the first open review (or `review`): for the system with this permit, else as `how` says."""
        system = self.system(permit) if permit else ""
        decision = Decision(**{"verdict": Verdict.MATCHED, "system": system, **how})
        with self.desk.database.transaction(self.desk.county) as store:
            done = resolve(store, review or self.waiting()[0]["id"], decision, self.decider(now))
        self._assess(done.systems)
        return done

    def move(self, report_id: str, permit: str, *, now: datetime = LATER, **how: Any) -> Decided:
        decision = Decision(**{"verdict": Verdict.MATCHED, "system": self.system(permit), **how})
        with self.desk.database.transaction(self.desk.county) as store:
            done = move(store, report_id, decision, self.decider(now))
        self._assess(done.systems)
        return done

    def send_back(self, report_id: str, *, now: datetime = LATER) -> Decided:
        with self.desk.database.transaction(self.desk.county) as store:
            done = send_back(store, report_id, self.decider(now))
        self._assess(done.systems)
        return done

    def forget(self, review_id: str) -> None:
        with self.desk.database.transaction(self.desk.county) as store:
            forget_match(store, review_id, self.decider())

    def amend(self, report_id: str, now: datetime = LATER, **changes: Any) -> RowAnswer:
        with self.desk.database.transaction(self.desk.county) as store:
            program = shipped_program(self.desk.county)
            return amend(store, program, STAFF, report_id, changes, "mistyped", now, self.desk.signer)

    def void(self, report_id: str, now: datetime = LATER) -> None:
        with self.desk.database.transaction(self.desk.county) as store:
            void(store, Sender(name="hauler"), report_id, "never happened", now, self.desk.signer)

    def due(self, permit: str) -> date | None:
        """When the tank of this system is due next, as the county's lists have it."""
        system = self.system(permit)
        found = {
            row["due_on"]
            for row in self.desk.rows("obligation")
            if row["system"] == system and row["kind"] == "pump_or_inspect" and row["state"] != State.MET
        }
        return found.pop() if len(found) == 1 else None

    def status(self, system: str, known_at: datetime | None = None) -> StatusAnswer:
        with self.desk.database.reading(self.desk.county) as store:
            program = shipped_program(self.desk.county)
            return system_status(store, program, system, known_at=known_at, as_of=TODAY, today=TODAY)

    def listed(self) -> set[str]:
        """The systems in the county's list."""
        with self.desk.database.reading(self.desk.county) as store:
            return {row["system"] for row in list_systems(store, SystemFilter(), None, 100).rows}

    def _assess(self, systems: tuple[str, ...]) -> None:
        with self.desk.database.transaction(self.desk.county) as store:
            assess_now(store, shipped_program(self.desk.county), systems, TODAY, NOW)
