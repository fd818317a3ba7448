"""The ledger in the record: entries written in the county's log, each once under its id, and read as accounts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, Final

from reporting.domain.ledger import Account, EntryKind, accounts
from reporting.owners import Teller, Told
from reporting.receipts import receipts_for
from reporting.scenario_facts.ledger import entry_of
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import insert_facts
from reporting.store.log import NewEntry, append, checkpoint

TEXTS: Final = ("reason", "authority", "note", "what", "reference", "method", "of")
"""What people write of an entry of the ledger, and its parcel: in the fact, and not in the log's own entry."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """An entry of the ledger that is to be written.

    content: the fact's, `cents` and `on` among it. values: as a person gave them, kept beside the log's entry.
    """

    kind: EntryKind
    id: str
    system: str
    on: date
    content: Mapping[str, Any]
    values: Mapping[str, object] | None = None


def money_id(kind: EntryKind, *parts: str) -> str:
    """The id of an entry of the ledger: the same for the same parts, so that it cannot be there twice."""
    digest = sha256("\x1f".join(parts).encode()).hexdigest()
    return f"{kind.value.removeprefix('fee_')}_{digest[:32]}"


def write(store: Store, teller: Teller, drafts: Sequence[Draft]) -> list[Told]:
    """Keep entries of the ledger under one entry of the log each; their systems are marked for assessment.

    Call `reporting.store.log.hold` before looking whether one is there.
    """
    if not drafts:
        return []
    entries = [NewEntry(type=d.kind.value, content=_entry(teller, d), raw=_raw(d)) for d in drafts]
    appended = append(store, entries, teller.now)
    rows = [
        {
            "kind": d.kind.value, "id": d.id, "system": d.system, "seq": one.seq, "valid_from": d.on,
            "content": dict(d.content),
        }
        for d, one in zip(drafts, appended, strict=True)
    ]  # fmt: skip
    insert_facts(store, rows)
    mark_dirty(store, sorted({d.system for d in drafts}))
    receipts = receipts_for(appended, checkpoint(store, teller.signer, teller.now))
    return [Told(id=d.id, system=d.system, receipt=receipt) for d, receipt in zip(drafts, receipts, strict=True)]


def accounts_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Account]:
    """The accounts of money facts by the ids of their charges."""
    return accounts(entry_of(row) for row in rows)


def _entry(teller: Teller, draft: Draft) -> dict[str, object]:
    """What the log itself says: which fee and how much, and nothing that people wrote.

    What a charge without a rule is for is what somebody wrote.
    """
    left_out = (
        TEXTS if draft.content.get("rule") or draft.kind is not EntryKind.CHARGE else (*TEXTS, "period", "cite", "kind")
    )
    said = {name: value for name, value in draft.content.items() if name not in left_out}
    return {"system": draft.system, "by": teller.by, "id": draft.id, **said}


def _raw(draft: Draft) -> bytes | None:
    if draft.values is None:
        return None
    return json.dumps(dict(draft.values), ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
