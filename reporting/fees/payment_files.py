"""Payments from a file: CSV, XLSX or a JSON list, row by row; each is in, a duplicate, or rejected with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from reporting.domain.ledger import EntryKind, dollars
from reporting.fees.ledger import Draft, write
from reporting.fees.paying import PAYMENT_FIELDS, Paid, plan_payment
from reporting.intake.moments import parse_date
from reporting.intake.sheet import Cell, FileRefused, Limits
from reporting.intake.values import clean_text, raw_value
from reporting.inventory.columns import Column, Day
from reporting.inventory.headed import ReadRow, open_headed
from reporting.owners import NotTold, Teller
from reporting.store.engine import Store
from reporting.store.log import hold
from schemas.issues import Issue

MOST_ROWS: Final = 2_000
"""Payments in one file: each is looked up by itself."""
ACCEPTED, DUPLICATE, REJECTED = "accepted", "duplicate", "rejected"


def _text(cell: Cell, day: Day) -> str:
    return " ".join(clean_text(raw_value(cell)).split())


def _date(cell: Cell, day: Day) -> str:
    return parse_date(raw_value(cell), today=day.today, time_zone=day.time_zone).isoformat()


_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "charge": ("charge id", "fee id"),
    "permit_number": ("permit", "permit no"),
    "parcel_number": ("parcel", "parcel no", "parcel id", "tax key"),
    "site_address": ("address", "property address"),
    "fee": ("kind", "rule", "for", "type"),
    "year": ("for year", "fee year"),
    "amount": ("dollars", "paid", "amount paid"),
    "on": ("paid on", "date", "received on", "date paid"),
    "reference": ("receipt", "receipt no", "check", "check no", "check number", "receipt number"),
    "method": ("paid by", "how"),
}
_COLUMNS: Final[Mapping[str, Column]] = {
    name: Column(name=name, parse=_date if name == "on" else _text, aliases=_ALIASES.get(name, ()))
    for name in PAYMENT_FIELDS
}
_REQUIRED: Final = (
    ("charge", "permit_number+fee", "parcel_number+fee", "site_address+fee", "system+fee"),
    ("amount", "cents"),
    ("reference",),
)


class PaymentRow(NamedTuple):
    """What became of one row."""

    row: int
    outcome: str
    payment: str | None
    charge: str | None
    errors: tuple[Issue, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The row as plain JSON values."""
        return {**self._asdict(), "errors": [issue.as_json() for issue in self.errors]}


@dataclass(frozen=True, kw_only=True)
class PaymentsAnswer:
    """What became of a file of payments. `cents`: the sum of those just taken. systems: to be judged anew."""

    rows: tuple[PaymentRow, ...]
    cents: int
    systems: tuple[str, ...]

    @property
    def errors(self) -> tuple[Issue, ...]:
        """All that rejected rows, in the file's order."""
        return tuple(issue for row in self.rows for issue in row.errors)

    def count(self, outcome: str) -> int:
        """How many rows ended so."""
        return sum(row.outcome == outcome for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """The answer as plain JSON values."""
        counts = {"accepted": ACCEPTED, "duplicates": DUPLICATE, "rejected": REJECTED}
        return {
            "rows": len(self.rows),
            **{name: self.count(outcome) for name, outcome in counts.items()},
            "cents": self.cents,
            "dollars": dollars(self.cents),
            "outcomes": [row.as_json() for row in self.rows],
        }


def pay_file(
    store: Store, teller: Teller, data: bytes, *, file_name: str | None, content_type: str | None, limits: Limits
) -> PaymentsAnswer:
    """Take the payments of a file whose columns are the values of `reporting.fees.paying.pay`.

    A row that cannot be taken keeps no other one back. Raises `FileRefused`, also for more than `MOST_ROWS`.
    """
    file = open_headed(
        data, file_name=file_name, content_type=content_type, limits=limits, columns=_COLUMNS, required=_REQUIRED,
        day=Day(today=teller.today, time_zone=teller.program.timezone),
    )  # fmt: skip
    hold(store)
    drafts: dict[str, Draft] = {}
    rows: list[PaymentRow] = []
    for read in file.rows():
        if len(rows) == MOST_ROWS:
            message = f"The file has more than {MOST_ROWS:,} payments: split it and send each part by itself."
            raise FileRefused("too_many_rows", message, 413)
        rows.append(_take(store, teller, read, drafts))
    write(store, teller, list(drafts.values()))
    cents = sum(draft.content["cents"] for draft in drafts.values())
    return PaymentsAnswer(rows=tuple(rows), cents=cents, systems=tuple(sorted({d.system for d in drafts.values()})))


def _take(store: Store, teller: Teller, read: ReadRow, drafts: dict[str, Draft]) -> PaymentRow:
    if read.errors:
        return PaymentRow(read.number, REJECTED, None, None, read.errors)
    planned = plan_payment(store, teller, read.values, tuple(drafts.values()))
    if isinstance(planned, NotTold):
        errors = tuple(issue.at(read.number, f"{read.pointer}{issue.pointer}") for issue in planned.issues)
        return PaymentRow(read.number, REJECTED, None, None, errors)
    if isinstance(planned, Paid):
        return PaymentRow(read.number, DUPLICATE, planned.id, planned.charge)
    assert planned.kind is EntryKind.PAYMENT
    drafts[planned.id] = planned
    return PaymentRow(read.number, ACCEPTED, planned.id, planned.content["charge"])
