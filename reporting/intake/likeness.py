"""How much a system of the inventory is like the place that a report names. Pure.

The score is of evidence, from 0 to 1: each thing that agrees takes away a share of the doubt, each that contradicts
gives some of it back. It ranks candidates for a person; no report is ever credited by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import ExcelDamage, normalize_identifier

LEAST: Final = 0.5
"""The score from which a system is shown."""
ADDRESS_ALIKE: Final = 0.85
OWNER_ALIKE: Final = 0.85
_WEIGHTS: Final = {"permit_number": 0.95, "parcel_number": 0.85, "site_address": 0.65, "owner_name": 0.35}
_AGAINST: Final = {"permit_number": 0.8, "parcel_number": 0.85, "site_address": 0.9, "owner_name": 1.0}
_HIGHWAY: Final = re.compile(r"\b(COUNTY ROAD|STATE ROAD|US HIGHWAY) (\S+)")
_UNIT: Final = re.compile(r"\bUNIT (\S+)")
_WORDS: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True)
class Named:
    """What a report says of its place, as sent. `damage`: what a spreadsheet did to a number, by field."""

    permit_number: str = ""
    parcel_number: str = ""
    site_address: str = ""
    owner_name: str = ""
    damage: Mapping[str, ExcelDamage] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A system that a report might be of: `score` from 0 to 1, and why it comes into question."""

    system: str
    score: float
    why: str

    def as_json(self) -> dict[str, object]:
        """As it is kept in the review and shown."""
        return {"system": self.system, "score": self.score, "why": self.why}


def weigh(named: Named, system: str, on_file: Mapping[str, Any]) -> Candidate:
    """How well a system fits what a report says. on_file: its numbers, address and `owner_name`, None for none."""
    doubt, against, reasons = 1.0, 1.0, []
    for name, weight in _WEIGHTS.items():
        sent, filed = getattr(named, name), str(on_file.get(name) or "")
        if not sent or not filed:
            continue
        share, why = _COMPARE[name](sent, filed, named.damage.get(name))
        doubt *= 1 - weight * share
        against *= 1 if share else _AGAINST[name]
        reasons += [why] if why else []
    return Candidate(system=system, score=round((1 - doubt) * against, 2), why="; ".join(reasons))


def _number(what: str, sent: str, filed: str, damage: ExcelDamage | None) -> tuple[float, str]:
    a, b = normalize_identifier(sent), normalize_identifier(filed)
    if a == b:
        return 1.0, f"the {what} {filed} is the same"
    if damage is not None and damage.could_be(filed):
        return 0.9, f"a spreadsheet may have made {sent} of the {what} {filed}"
    if a.replace("-", "").lstrip("0") == b.replace("-", "").lstrip("0"):
        return 0.9, f"the {what} {filed} is the same but for dashes and zeros"
    if is_one_edit(a, b):
        return 0.75, f"the {what} {filed} is one character away"
    return 0.0, ""


def is_one_edit(a: str, b: str) -> bool:
    """Whether two normal forms differ by one character more, less or changed, or by two that changed places."""
    return bool(OSA.distance(a, b, score_cutoff=1) == 1)


def _permit(sent: str, filed: str, damage: ExcelDamage | None) -> tuple[float, str]:
    return _number("permit", sent, filed, damage)


def _parcel(sent: str, filed: str, damage: ExcelDamage | None) -> tuple[float, str]:
    return _number("parcel", sent, filed, damage)


def _address(sent: str, filed: str, damage: ExcelDamage | None) -> tuple[float, str]:
    share = address_likeness(normalize_address(sent), normalize_address(filed))
    if share == 1:
        return 1.0, "the address is the same"
    return (share, f"the address {filed} is alike") if share >= ADDRESS_ALIKE else (0.0, "")


def _owner(sent: str, filed: str, damage: ExcelDamage | None) -> tuple[float, str]:
    share = owner_likeness(sent, filed)
    if share < OWNER_ALIKE:
        return 0.0, ""
    return share, "the owner is the same" if share == 1 else f"the owner {filed} is alike"


_COMPARE: Final = {"permit_number": _permit, "parcel_number": _parcel, "site_address": _address, "owner_name": _owner}


@lru_cache(maxsize=50_000)
def address_likeness(a: str, b: str) -> float:
    """How alike two addresses in normal form are, from 0 to 1.

    Another house number, highway or unit is another place, however alike the rest is; a municipality that only one of
    them names says nothing.
    """
    if a == b:
        return 1.0
    house_a, _, rest_a = a.partition(" ")
    house_b, _, rest_b = b.partition(" ")
    street = float(fuzz.token_set_ratio(rest_a, rest_b)) / 100 if rest_a and rest_b else 0.0
    if _differ(_HIGHWAY, rest_a, rest_b) or _differ(_UNIT, rest_a, rest_b):
        street = min(street, 0.4)
    if house_a == house_b:
        return street
    return street * (0.9 if is_one_edit(house_a, house_b) else 0.3)


def _differ(pattern: re.Pattern[str], a: str, b: str) -> bool:
    """Whether both name one and not the same."""
    found_a, found_b = pattern.search(a), pattern.search(b)
    return found_a is not None and found_b is not None and found_a[0] != found_b[0]


@lru_cache(maxsize=50_000)
def owner_likeness(a: str, b: str) -> float:
    """How alike two owners' names are, from 0 to 1: the order of the words, `&` and `and` do not matter."""
    words_a, words_b = owner_words(a), owner_words(b)
    if not words_a or not words_b:
        return 0.0
    return float(fuzz.token_set_ratio(" ".join(words_a), " ".join(words_b))) / 100


def owner_words(name: str) -> list[str]:
    """An owner's name in words in capitals, without those that say nothing."""
    return [word for word in _WORDS.findall(name.upper()) if word not in ("AND", "THE", "LLC", "INC", "TRUST")]
