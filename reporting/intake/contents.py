"""A report's content as it is kept, and the two hashes by which it is counted once."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.words import normalize_license
from schemas.fields import FIELDS, Type

_ORDER = {name: place for place, name in enumerate(FIELDS)}
_IN_IDENTITY = frozenset({"report_ref", "component", "component_ref"})


def content_of(values: Mapping[str, object]) -> dict[str, object]:
    """The values as JSON, in the order of the contract's fields: dates ISO, exact numbers as text, empty ones left
    out.
    """
    given = sorted(values.items(), key=lambda item: _ORDER[item[0]])
    return {name: value if type(value) is str else _plain(value) for name, value in given if value not in ("", ())}


def _plain(value: object) -> object:
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return value


def content_hash(content: Mapping[str, object]) -> str:
    """The content without its ticket number and component, in normal form, as SHA-256 in hex: two reports that say the
    same have the same.

    A "no" says what an empty field says; CSV and JSON differ in whether they write it.
    """
    said = [
        f"{name}={_normal(name, value) if isinstance(value, str) else value!r}"
        for name, value in sorted(content.items())
        if name not in _IN_IDENTITY and value is not False
    ]
    return _digest(said)


@lru_cache(maxsize=100_000)  # a file names the same people, places and licences over and over
def _normal(name: str, value: str) -> str:
    if name == "site_address":
        return normalize_address(value)
    kind = FIELDS[name].type
    if kind is Type.IDENTIFIER:
        return normalize_identifier(value)
    if kind is Type.LICENSE:
        return normalize_license(value)
    if kind is Type.READING:
        return str(Decimal(value).normalize())
    return " ".join(value.split())


@lru_cache(maxsize=20_000)
def normal_ref(text: str) -> str:
    """A ticket number or a tank's name in the form in which it is compared."""
    return normalize_identifier(text)


def identity_of(business: str, content: Mapping[str, object], component: str, ref: str, content_sha: str) -> str:
    """What a report is counted by: the business, its ticket number, the component and its name; without a ticket
    number the content in that place.
    """
    ticket = normal_ref(str(content.get("report_ref", "")))
    named = ("ref", ticket) if ticket else ("content", content_sha)
    return _digest((*named, business, component, normal_ref(ref)))


def visit_of(business: str, content: Mapping[str, object], place: str) -> str | None:
    """The key of a visit: rows that share ticket, place and date are one, whatever tanks they name."""
    ticket = normal_ref(str(content.get("report_ref", "")))
    return _digest(("visit", business, ticket, place, str(content.get("service_date")))) if ticket else None


def _digest(parts: Iterable[str]) -> str:
    # What no text may hold parts them (`values.clean_text`), so that no two lists give one text.
    return hashlib.sha256("\x1f".join(parts).encode("utf-8")).hexdigest()
