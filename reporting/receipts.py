"""Receipts: what a submitter keeps to show that a record was taken.

A receipt names an entry (county, sequence number, leaf hash) and a signed head of the county's log that includes it.
Sequence numbers start at 1: entry `seq` is leaf `seq - 1` of the tree.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from reporting.errors import ReceiptUnreadable, RecordNotFound
from reporting.store.encoding import instant_text
from reporting.store.engine import Store
from reporting.store.log import Appended, appended_entry, signed_head
from reporting.store.problems import Problem
from reporting.store.signing import SignedHead, VerifyingKey
from reporting.store.verify import VerifyResult, verify


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Proof for a submitter: entry `seq` with this leaf hash is in the county's log under the signed head."""

    county: str
    seq: int
    leaf: bytes
    size: int
    root: bytes
    key_id: str
    signature: bytes
    recorded_at: datetime

    def to_json(self) -> dict[str, Any]:
        """The receipt as a JSON object: hashes in hex, the signature in base64, the instant in UTC."""
        return {
            "county": self.county,
            "seq": self.seq,
            "leaf": self.leaf.hex(),
            "size": self.size,
            "root": self.root.hex(),
            "key_id": self.key_id,
            "signature": b64encode(self.signature).decode(),
            "recorded_at": instant_text(self.recorded_at),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Receipt:
        """Read what `to_json` wrote; raises `ReceiptUnreadable`."""
        try:
            receipt = cls(
                county=value["county"],
                seq=value["seq"],
                leaf=bytes.fromhex(value["leaf"]),
                size=value["size"],
                root=bytes.fromhex(value["root"]),
                key_id=value["key_id"],
                signature=b64decode(value["signature"], validate=True),
                recorded_at=datetime.fromisoformat(value["recorded_at"]),
            )
            exact = receipt.to_json() == {key: value[key] for key in receipt.to_json()}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ReceiptUnreadable from error
        if not exact or type(receipt.seq) is not int or type(receipt.size) is not int:
            raise ReceiptUnreadable
        return receipt

    @classmethod
    def parse(cls, text: str | bytes) -> Receipt:
        """Read a receipt file, a JSON object; raises `ReceiptUnreadable`."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ReceiptUnreadable from error
        if not isinstance(value, dict):
            raise ReceiptUnreadable
        return cls.from_json(value)

    @property
    def head(self) -> SignedHead:
        """The signed head that the receipt stands on; its time is not part of a receipt, so the record's is given."""
        return SignedHead(
            county=self.county,
            size=self.size,
            root=self.root,
            key_id=self.key_id,
            signature=self.signature,
            signed_at=self.recorded_at,
        )


def receipts_for(appended: Sequence[Appended], head: SignedHead) -> list[Receipt]:
    """One receipt an entry, all on the same head; raises `ValueError` for an entry that the head does not include."""
    if any(entry.seq > head.size for entry in appended):
        raise ValueError("the head was signed before the entry was added")
    return [
        Receipt(
            county=head.county,
            seq=entry.seq,
            leaf=entry.leaf,
            size=head.size,
            root=head.root,
            key_id=head.key_id,
            signature=head.signature,
            recorded_at=entry.recorded_at,
        )
        for entry in appended
    ]


def stored_receipt(store: Store, seq: int) -> Receipt:
    """The receipt of entry `seq`, on the first signed head that includes it; raises `RecordNotFound`."""
    entry, signed = appended_entry(store, seq), signed_head(store, seq)
    if entry is None or signed is None:
        raise RecordNotFound
    return receipts_for([entry], signed)[0]


def verify_receipt(
    store: Store, receipt: Receipt, keys: Sequence[VerifyingKey] = (), saved: Sequence[SignedHead] = ()
) -> VerifyResult:
    """Check one receipt against the whole log: its entry is there unchanged, and its head is the log's own.

    saved: further heads that were kept outside.
    """
    result = verify(store, keys, saved=[*saved, receipt.head])
    problem = _problem_of(store, receipt)
    return replace(result, problems=(*result.problems, problem)) if problem else result


def _problem_of(store: Store, receipt: Receipt) -> Problem | None:
    if receipt.county != store.tenant:
        return Problem(code="receipt", seq=None, message="The receipt is of another county.")
    if not 1 <= receipt.seq <= receipt.size:
        return Problem(code="receipt", seq=None, message=f"The receipt's head does not reach entry {receipt.seq}.")
    if appended_entry(store, receipt.seq) != Appended(
        seq=receipt.seq, leaf=receipt.leaf, recorded_at=receipt.recorded_at
    ):
        message = f"Entry {receipt.seq} is not the one that the receipt names."
        return Problem(code="receipt", seq=receipt.seq, message=message)
    return None
