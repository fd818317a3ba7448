"""The ledger of a system as a scenario tells it: what was paid, and what of each charge was left at the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from reporting.domain.ledger import Account, EntryKind, LedgerEntry, course, dollars

Row = Mapping[str, Any]


def fees_paid(facts: Mapping[str, Sequence[Row]]) -> dict[str, list[dict[str, Any]]]:
    """The member `fees_paid` of a scenario, from the money facts of a system by kind; absent where there are none.

    One entry for each charge and for each change of what is left of it; a payment made ahead of its charge stands
    alone until then.
    """
    rows = [row for kind in EntryKind for row in facts.get(kind.value, ())]
    if not rows:
        return {}
    told = {row["id"]: row["content"] for row in rows}
    about = {row["content"].get("charge") or row["id"]: row["content"] for row in reversed(rows)}
    found = []
    for entry, account in course(entry_of(row) for row in rows):
        said = told.get(entry.charge) or about[entry.charge]
        year = {"year": said["year"]} if said.get("year") else {}
        found.append({"kind": said["kind"], **year, **_state(entry, account)})
    return {"fees_paid": found}


def _state(entry: LedgerEntry, account: Account) -> dict[str, Any]:
    """The account after an entry; nothing is known to be left of what was not charged yet."""
    paid = account.paid - account.refunded
    left = {} if account.charged is None else {"left": dollars(max(account.left, 0))}
    return {"amount": dollars(max(paid, 0)), "on": entry.on.isoformat(), "charge": entry.charge, **left}


def entry_of(row: Row) -> LedgerEntry:
    """A money fact as an entry of the ledger."""
    content, kind = row["content"], EntryKind(row["kind"])
    charge = row["id"] if kind is EntryKind.CHARGE else content["charge"]
    return LedgerEntry(kind=kind, charge=charge, cents=content["cents"], on=date.fromisoformat(content["on"]))
