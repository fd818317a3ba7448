"""A county's reports as they are given out on a records request (Wis. Stat. 19.35(1)), whole or with parts left out.

Which information is kept back is for the records custodian to decide, with the balance that 19.35(1)(a) asks for; where
a record holds both, 19.36(6) has the rest given out with that deleted. What is left out here is what says who the owner
is, how to reach them and how to get in, and what was written freely or signed by hand; each place that held something
says that it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from schemas.fields import FIELDS

LEFT_OUT: Final = "left out (Wis. Stat. 19.36(6))"
_ON_FILE: Final = ("name", "email", "phone", "mailing_address")
_INVENTORY: Final = tuple(f"inventory_owner_{name}" for name in _ON_FILE)
COLUMNS: Final = (
    "report_id", "received_at", "system", *FIELDS, *_INVENTORY, "inventory_access_notes", "supersedes",
)  # fmt: skip
KEPT_BACK: Final = ("owner_name", "notes", *_INVENTORY, "inventory_access_notes")
"""Columns that a redacted file leaves out; of `SIGNATURES` it leaves out images and keeps typed names."""
SIGNATURES: Final = ("signature", "inspector_signature")


def requested_rows(rows: Iterator[Mapping[str, Any]], *, redacted: bool) -> Iterator[list[object]]:
    """The lines of the file, heading first, from the rows of `reporting.store.requested`."""
    yield list(COLUMNS)
    for row in rows:
        values = _values(row)
        yield [_shown(name, values.get(name), redacted) for name in COLUMNS]


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    owner = {**(row["owner_content"] or {}), "name": row["owner_name"], "email": row["owner_email"]}
    return {
        **row["content"],
        "report_id": row["id"],
        "received_at": row["received_at"].isoformat(timespec="seconds").replace("+00:00", "Z"),
        "system": row["system"],
        "supersedes": row["supersedes"],
        **{f"inventory_owner_{name}": owner.get(name) for name in _ON_FILE},
        "inventory_access_notes": (row["system_content"] or {}).get("access_notes"),
    }


def _shown(name: str, value: object, redacted: bool) -> object:
    if value in (None, "", []):
        return None
    if redacted and (name in KEPT_BACK or (name in SIGNATURES and str(value).startswith("data:"))):
        return LEFT_OUT
    return "; ".join(map(str, value)) if isinstance(value, list) else value
