"""The answer to a submission, row by row, in the shape of contract.md."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reporting.intake.outcomes import Judged, Outcome
from reporting.intake.recording import Recording
from reporting.receipts import Receipt
from reporting.store.signing import SignedHead
from schemas.issues import Issue

COUNTED = (Outcome.ACCEPTED, Outcome.DUPLICATE, Outcome.REJECTED, Outcome.QUEUED)


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A file that could not be read at all: one sentence that says how to save it right."""

    code: str
    detail: str
    status: int
    headings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """What is stored of a refusal."""
        return {"code": self.code, "detail": self.detail, "status": self.status, "headings": list(self.headings)}


@dataclass(frozen=True, kw_only=True)
class RowAnswer:
    """What became of one row. `system`: the one that an accepted report is of; for the caller, who judges it anew."""

    row: int
    outcome: Outcome
    report_id: str | None
    permit_number: str | None
    duplicate_of: str | None = None
    receipt: Receipt | None = None
    findings: tuple[Mapping[str, object], ...] = ()
    errors: tuple[Issue, ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    review: str | None = None
    possible_duplicate_of: str | None = None
    matched_by: str | None = None
    system: str | None = None

    def as_json(self) -> dict[str, object]:
        """One of contract.md's `outcomes`; keys that say nothing are left out where the contract does not ask for
        them.
        """
        shown: dict[str, object] = {
            "row": self.row,
            "outcome": self.outcome.value,
            "report_id": self.report_id,
            "permit_number": self.permit_number,
            "receipt": short_receipt(self.receipt),
            "findings": list(self.findings),
            "errors": [i.as_json() for i in self.errors],
            "warnings": list(self.warnings),
        }
        sometimes = {
            "duplicate_of": self.duplicate_of,
            "possible_duplicate_of": self.possible_duplicate_of,
            "review": self.review,
            "matched_by": self.matched_by,
        }
        return {**shown, **{k: v for k, v in sometimes.items() if v}}

    def in_receipt(self) -> dict[str, object]:
        """What the mail to the submitter says of the row."""
        return _in_receipt(self.as_json())


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The whole answer. `head`: the signed head of the county's record that all receipts of it stand on."""

    id: str
    county: str
    received_at: dt.datetime
    file_sha256: str
    dry_run: bool
    columns: Mapping[str, object]
    outcomes: tuple[RowAnswer, ...]
    head: SignedHead | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def counts(self) -> dict[str, int]:
        """How many rows there were, and of each outcome."""
        found = dict.fromkeys((o.value for o in COUNTED), 0)
        for outcome in self.outcomes:
            found[outcome.outcome.value] += 1
        return {"rows": len(self.outcomes), **found}

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that accepted reports are of, each once: those to judge anew."""
        return tuple(dict.fromkeys(o.system for o in self.outcomes if o.system))

    @property
    def status(self) -> int:
        """The HTTP status: 201 when nothing was rejected, 422 when everything was, 207 between."""
        counts = self.counts
        if counts["rejected"] == 0:
            return 201 if not self.dry_run else 200
        return 422 if counts["rejected"] == counts["rows"] else 207

    def as_json(self) -> dict[str, object]:
        """The body of the answer (contract.md)."""
        shown: dict[str, object] = {
            "id": self.id,
            "county": self.county,
            "received_at": self.received_at.astimezone(dt.UTC).isoformat().replace("+00:00", "Z"),
            "file_sha256": self.file_sha256,
            "dry_run": self.dry_run,
            **self.counts,
            "columns": dict(self.columns),
            "outcomes": [o.as_json() for o in self.outcomes],
        }
        if self.notes:
            shown["notes"] = list(self.notes)
        if self.head is not None:
            shown["record"] = {"size": self.head.size, "root": self.head.root.hex(), "key_id": self.head.key_id}
        return shown


def short_receipt(receipt: Receipt | None) -> str | None:
    """The receipt in one line: county, number of the entry, its hash. The whole one is at the report's address."""
    return f"{receipt.county}:{receipt.seq}:{receipt.leaf.hex()}" if receipt else None


def answer_row(j: Judged, recording: Recording) -> RowAnswer:
    """One row's answer; its findings are those of the report itself. A report that was only tried has no id."""
    written = recording.written
    first = j.duplicate_of if j.first_row is None or written else None
    return RowAnswer(
        row=j.row.number,
        outcome=j.outcome,
        report_id=(j.report_id if written else None) if j.stands else first,
        permit_number=j.row.text("permit_number") or None,
        duplicate_of=first,
        receipt=recording.receipts.get(j.report_id) if j.stands else None,
        findings=recording.findings.get(j.report_id, ()) if j.stands else (),
        errors=j.issues,
        warnings=j.warnings if written else tuple(_without_id(w) for w in j.warnings),
        review=j.place.doubt.value if j.stands and j.place.doubt else None,
        possible_duplicate_of=j.possible_duplicate_of if written and j.stands and j.names_double else None,
        matched_by=j.place.matched_by or None if j.stands else None,
        system=j.place.system if written and j.outcome is Outcome.ACCEPTED else None,
    )


def _without_id(warning: Mapping[str, object]) -> Mapping[str, object]:
    return {**warning, "value": None} if warning["code"] == "possible_duplicate" else warning


def show_outcome(stored: Mapping[str, Any]) -> dict[str, object]:
    """A stored outcome as the answer showed it when the submission came in: for its address, and after a restart."""
    return _stored_row(stored).as_json()


def stored_answer(submission: Mapping[str, Any], outcomes: Iterable[Mapping[str, Any]]) -> Answer:
    """The whole answer of a submission that is done, from what is stored of it; its systems are not named."""
    columns = {name: submission["columns"].get(name, []) for name in ("unknown", "suggested", "missing")}
    return Answer(
        id=submission["id"],
        county=submission["county"],
        received_at=submission["received_at"],
        file_sha256=submission["file_sha256"],
        dry_run=submission["dry_run"],
        columns=columns,
        outcomes=tuple(_stored_row(row) for row in outcomes),
        notes=tuple(submission["columns"].get("notes", ())),
    )


def _stored_row(stored: Mapping[str, Any]) -> RowAnswer:
    said = {w["code"]: w["value"] for w in stored["warnings"]}
    return RowAnswer(
        row=stored["row"],
        outcome=Outcome(stored["outcome"]),
        report_id=stored["report_id"],
        permit_number=stored["permit_number"],
        duplicate_of=stored["duplicate_of"],
        receipt=Receipt.from_json(stored["receipt"]) if stored["receipt"] else None,
        findings=tuple(stored["findings"]),
        errors=tuple(Issue(**e) for e in stored["errors"]),
        warnings=tuple(stored["warnings"]),
        review=said.get("review"),
        possible_duplicate_of=said.get("possible_duplicate"),
        matched_by=said.get("matched_by"),
    )


def stored_in_receipt(stored: Mapping[str, Any]) -> dict[str, object]:
    """What the mail to the submitter says of a stored outcome."""
    return _in_receipt(show_outcome(stored))


def _in_receipt(shown: Mapping[str, Any]) -> dict[str, object]:
    kept = ("row", "outcome", "report_id", "permit_number", "receipt", "duplicate_of", "review")
    return {**{k: v for k, v in shown.items() if k in kept}, "errors": [e["message"] for e in shown["errors"]]}
