"""What is answered to an inventory or a contractors' file: counts, what became of each row, the first differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from schemas.issues import Issue

ADDED: Final = "added"
CHANGED: Final = "changed"
UNTOUCHED: Final = "untouched"
REJECTED: Final = "rejected"


class RowOutcome(NamedTuple):
    """What became of one row: `added`, `changed`, `untouched` (what it is part of, as a whole) or `rejected`.

    name: the permit number of a system, the licence number of a credential. id: the system's or the business's.
    """

    row: int
    outcome: str
    name: str | None
    id: str | None
    errors: tuple[Issue, ...] = ()
    warnings: tuple[Issue, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The outcome as plain JSON values."""
        return {
            "row": self.row,
            "outcome": self.outcome,
            "name": self.name,
            "id": self.id,
            "errors": [issue.as_json() for issue in self.errors],
            "warnings": [issue.as_json() for issue in self.warnings],
        }


class ShownDifference(NamedTuple):
    """One value that a file changes (or would), for people to look at."""

    row: int
    name: str | None
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class InventoryAnswer:
    """The answer to one file. Counts are of systems (contractors: of licences), `rows` and `rejected` of rows.

    `outcomes`: every row in the file's order. `differences`: the first values that change of what is on file.
    `plan_sha256`: of all that the file does, the same for a trial and for the import that does just that.
    """

    county: str | None
    file_name: str | None
    file_sha256: str
    dry_run: bool
    rows: int
    added: int
    changed: int
    untouched: int
    rejected: int
    columns: dict[str, object]
    outcomes: tuple[RowOutcome, ...]
    differences: tuple[ShownDifference, ...]
    notes: tuple[str, ...] = ()
    plan_sha256: str = ""

    @property
    def errors(self) -> tuple[Issue, ...]:
        """All that rejected rows, in the file's order."""
        return tuple(issue for outcome in self.outcomes for issue in outcome.errors)

    @property
    def warnings(self) -> tuple[Issue, ...]:
        """All that is worth knowing of rows that were taken."""
        return tuple(issue for outcome in self.outcomes for issue in outcome.warnings)

    def as_json(self, *, only_issues: bool = False) -> dict[str, object]:
        """The answer as plain JSON values; `only_issues`: of the rows, those with errors or warnings."""
        shown = [o for o in self.outcomes if not only_issues or o.errors or o.warnings]
        plain = ("county", "file_name", "file_sha256", "dry_run", "rows", "added", "changed", "untouched", "rejected")
        return {
            **{name: getattr(self, name) for name in plain},
            "columns": self.columns,
            "outcomes": [outcome.as_json() for outcome in shown],
            "differences": [difference._asdict() for difference in self.differences],
            "notes": list(self.notes),
            **({"plan_sha256": self.plan_sha256} if self.plan_sha256 else {}),
        }


def count_outcomes(found: Sequence[str]) -> dict[str, int]:
    """How many are added, changed and untouched, each named."""
    return {outcome: sum(one == outcome for one in found) for outcome in (ADDED, CHANGED, UNTOUCHED)}
