"""A row with what became of it, and how a repeated report is told of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from reporting.intake.counting import Claim, First, Verdict
from reporting.intake.credentials import Holder, Sender
from reporting.intake.likeness import Candidate
from reporting.intake.places import Found, Known, Place
from reporting.intake.reading import ReadRow
from reporting.intake.tanks import Tank
from schemas.issues import Code, Issue


class Outcome(StrEnum):
    """What became of a row."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    QUEUED = "queued_for_review"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One row with its outcome; the rest is there unless it was rejected.

    report_id: given to what comes in. duplicate_of: the report that came in first; first_row: its row, where that is of
    this submission. near: the systems that a row in doubt might be of. opens: the row opens the provisional system that
    it is placed in. names_double: whether the sender may see `possible_duplicate_of`.
    """

    row: ReadRow
    outcome: Outcome
    issues: tuple[Issue, ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    content: Mapping[str, object] = field(default_factory=dict)
    claim: Claim = field(default_factory=lambda: Claim(content_sha="", same=()))
    found: Found = field(default_factory=Found)
    place: Place = field(default_factory=Place)
    near: tuple[Candidate, ...] = ()
    known: Known | None = None
    tank: Tank = field(default_factory=lambda: Tank(kind=""))
    holder: Holder = field(default_factory=lambda: Holder(business=""))
    report_id: str = ""
    visit: str | None = None
    opens: bool = False
    duplicate_of: str | None = None
    first_row: int | None = None
    possible_duplicate_of: str | None = None
    names_double: bool = False

    @property
    def stands(self) -> bool:
        """Whether the row comes in as a report."""
        return self.outcome in (Outcome.ACCEPTED, Outcome.QUEUED)


def repeat(j: Judged, verdict: Verdict) -> Judged:
    """The report as a copy of the first, or rejected where it says something else under the same number."""
    first = verdict.first
    where = f"row {first.row} of this file" if first.row is not None else f"report {first.report}"
    if verdict.is_copy:
        said = {"field": None, "code": "duplicate", "message": f"Is in already: {where} says the same.", "value": None}
        copy = replace(j, outcome=Outcome.DUPLICATE, duplicate_of=first.report, first_row=first.row)
        return replace(copy, warnings=(*j.warnings, said))
    message = (
        f"This ticket number was used for {where} with other content: "
        "amend that report, or give this one a number of its own."
    )
    issue = Issue(code=Code.REF_CONFLICT, field="report_ref", message=message, value=j.row.text("report_ref"))
    return replace(j, outcome=Outcome.REJECTED, issues=(j.row.place(issue),))


def point_out(j: Judged, double: First, sender: Sender) -> Judged:
    """The report with the one that it may repeat; another business's report is named to staff only."""
    seen_by_sender = sender.contractor_id is None or double.business == sender.contractor_id
    where = f"row {double.row}" if double.row is not None else f"report {double.report}"
    who = where[0].upper() + where[1:] if seen_by_sender else "Another report"
    said = {
        "field": None,
        "code": "possible_duplicate",
        "message": f"{who} tells of the same service under another number; the county may ask which one stands.",
        "value": double.report if seen_by_sender else None,
    }
    warnings = (*j.warnings, said)
    return replace(j, possible_duplicate_of=double.report, names_double=seen_by_sender, warnings=warnings)
