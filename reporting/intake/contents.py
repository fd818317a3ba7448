"""A report's content as it is kept, and the two hashes by which it is counted once."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.words import normalize_license
from schemas.fields import FIELDS, Type

_NORMAL = {"site_address": normalize_address}


def content_of(values: Mapping[str, object]) -> dict[str, object]:
    """The values as JSON, in the order of the contract's fields: dates ISO, exact numbers as text, empty ones left
    out.
    """
    return {name: _plain(values[name]) for name in FIELDS if name in values and values[name] not in ("", ())}


def _plain(value: object) -> object:
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal | Fraction):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return value


def content_hash(content: Mapping[str, object]) -> str:
    """The content without its ticket number, in normal form, as SHA-256 in hex: two reports that say the same have
    the same.
    """
    return _digest({name: _normal(name, value) for name, value in content.items() if name != "report_ref"})


def _normal(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    if name in _NORMAL:
        return _NORMAL[name](value)
    if FIELDS[name].type is Type.IDENTIFIER:
        return normalize_identifier(value)
    if FIELDS[name].type is Type.LICENSE:
        return normalize_license(value)
    if FIELDS[name].type is Type.READING:
        return str(Decimal(value).normalize())
    return " ".join(value.split())


def identity_of(business: str, content: Mapping[str, object], component: str, content_sha: str) -> str:
    """What a report is counted by: the business, its ticket number and the component; without a ticket number its
    content.
    """
    reference = content.get("report_ref")
    if isinstance(reference, str) and normalize_identifier(reference):
        tank = normalize_identifier(str(content.get("component_ref") or ""))
        return _digest(["ref", business, normalize_identifier(reference), component, tank])
    return _digest(["content", business, component, content_sha])


def visit_of(business: str, content: Mapping[str, object], place: str) -> str | None:
    """The key of a visit: rows that share ticket, place and date are one, whatever tanks they name."""
    reference = content.get("report_ref")
    if not isinstance(reference, str):
        return None
    return _digest(["visit", business, normalize_identifier(reference), place, content.get("service_date")])


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
