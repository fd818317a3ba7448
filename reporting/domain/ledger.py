"""What was charged of one fee, paid, given back and waived, in cents, and what is left of it; pure sums."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum


class EntryKind(StrEnum):
    """What an entry of the ledger is; the word is the kind of its fact in the record too."""

    CHARGE = "fee_charge"
    PAYMENT = "payment"
    REFUND = "fee_refund"
    WAIVER = "fee_waiver"


@dataclass(frozen=True, kw_only=True)
class LedgerEntry:
    """One entry about a charge: so many cents on a day."""

    kind: EntryKind
    charge: str
    cents: int
    on: dt.date


@dataclass(frozen=True, kw_only=True)
class Account:
    """A charge as it stands, in cents. `charged` None: paid before it was charged."""

    charged: int | None = None
    paid: int = 0
    refunded: int = 0
    waived: int = 0

    @property
    def left(self) -> int:
        """What is still to be paid; below 0 what was paid too much."""
        return (self.charged or 0) - self.paid + self.refunded - self.waived

    @property
    def is_open(self) -> bool:
        """Whether something of it is left to pay."""
        return self.left > 0

    def after(self, entry: LedgerEntry) -> Account:
        """The account with one more entry."""
        match entry.kind:
            case EntryKind.CHARGE:
                return replace(self, charged=(self.charged or 0) + entry.cents)
            case EntryKind.PAYMENT:
                return replace(self, paid=self.paid + entry.cents)
            case EntryKind.REFUND:
                return replace(self, refunded=self.refunded + entry.cents)
            case EntryKind.WAIVER:
                return replace(self, waived=self.waived + entry.cents)


def accounts(entries: Iterable[LedgerEntry]) -> dict[str, Account]:
    """Each charge's account by its id."""
    found: dict[str, Account] = {}
    for entry in entries:
        found[entry.charge] = found.get(entry.charge, Account()).after(entry)
    return found


def course(entries: Iterable[LedgerEntry]) -> Iterator[tuple[LedgerEntry, Account]]:
    """The entries in order of their days, the charge before what was paid on its day, each with its account after it.

    A charge that was paid ahead of time counts from the payment on: nothing of it was ever left to pay.
    """
    ordered = sorted(entries, key=lambda e: (e.on, e.kind is not EntryKind.CHARGE))
    known: dict[str, Account] = {}
    for entry in ordered:
        known[entry.charge] = known.get(entry.charge, Account()).after(entry)
        yield entry, known[entry.charge]


def dollars(cents: int) -> str:
    """Cents as people write dollars: `40.00`, `-0.05`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"
