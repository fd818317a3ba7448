"""JSON as the store writes it: the same value always gives the same text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from reporting.errors import EntryNotAllowed


def encode_json(value: Any) -> str:
    """Write a value for a JSON column, keys in their order; raises `TypeError` or `ValueError` (NaN, infinity)."""
    return _IN_ORDER.encode(value)


def canonical_json(value: Mapping[str, Any]) -> bytes:
    """Write a value as the bytes that are hashed: keys sorted, no spaces, UTF-8; raises `EntryNotAllowed`."""
    try:
        return _SORTED.encode(value).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise EntryNotAllowed(str(error)) from error


def instant_text(moment: datetime) -> str:
    """An instant as it stands in entries and receipts: UTC, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


_AS_WRITTEN: Final[dict[str, Any]] = {
    "ensure_ascii": False, "allow_nan": False, "separators": (",", ":"), "default": _plain,
}  # fmt: skip
# Made once: `json.dumps` would make one for every value.
_IN_ORDER: Final = json.JSONEncoder(**_AS_WRITTEN)
_SORTED: Final = json.JSONEncoder(sort_keys=True, **_AS_WRITTEN)
