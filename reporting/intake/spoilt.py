"""What identifiers may have been before a spreadsheet changed them, held against the county's whole inventory.

It is certain only where exactly one system has a number that the spreadsheet would have made this of.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from reporting.intake.identifiers import ExcelDamage, ExcelHarm
from reporting.intake.reading import ReadRow
from reporting.store.engine import Store
from reporting.store.matching import PARCEL, PERMIT, find_by_identifiers
from reporting.store.near import find_long_numbers

_KINDS: Final = (("permit_number", PERMIT), ("parcel_number", PARCEL))
# Zeros in front that a spreadsheet may have dropped from a number; no county's permits are longer.
_ZEROS: Final = 8
_MOST: Final = 50
"""So many systems are several, whatever else there is."""

Hits = Mapping[str, Sequence[str]]


def restore_numbers(store: Store, rows: Iterable[ReadRow]) -> dict[tuple[int, str], Hits]:
    """By row number and kind: the numbers on file that a spoilt identifier may have been, each with its systems.

    All of the county's are looked at, in a bounded number of queries.
    """
    spoilt = {(row.number, kind): row.damage[name] for row in rows for name, kind in _KINDS if name in row.damage}
    if not spoilt:
        return {}
    forms = {key: {(key[1], form) for form in _forms(damage)} for key, damage in spoilt.items()}
    known = find_by_identifiers(store, set().union(*forms.values()))
    lost = {key: damage for key, damage in spoilt.items() if damage.digits and damage.length is not None}
    numbers = {kind: _Numbers(store, kind, lost.values()) for kind in {kind for _, kind in lost}}
    found: dict[tuple[int, str], Hits] = {}
    for key, damage in spoilt.items():
        hits: dict[str, Sequence[str]] = {
            pair[1]: [s for s, _ in known[pair]] for pair in sorted(forms[key] & known.keys())
        }
        if key in lost:
            hits = {**hits, **numbers[key[1]].fitting(damage)}
        found[key] = hits
    return found


def is_lossy(damage: ExcelDamage | None) -> bool:
    """Whether what is left of an identifier names nothing by itself; of a number only zeros may be missing."""
    return damage is not None and damage.harm is not ExcelHarm.ZEROS


def _forms(damage: ExcelDamage) -> frozenset[str]:
    """The forms that can be looked up; of a number of which digits are lost there are too many."""
    zeros = _ZEROS if damage.digits and damage.length is None else -1
    return damage.forms | {"0" * n + damage.digits for n in range(zeros + 1)}


class _Numbers:
    """The county's long numbers of a kind by length and digits, zeros in front left out."""

    def __init__(self, store: Store, kind: str, damages: Iterable[ExcelDamage]) -> None:
        # A rounded number may have been a digit shorter than the one that is shown: 9.96 becomes 10.0.
        shortest = min(d.length for d in damages if d.length is not None) - 1
        systems: defaultdict[str, list[str]] = defaultdict(list)
        for norm, system in find_long_numbers(store, kind, max(1, shortest)):
            if norm.isascii() and norm.isdigit():
                systems[norm].append(system)
        self._systems = systems
        self._sorted = sorted((len(bare := norm.lstrip("0")), bare, norm) for norm in systems)
        self._known: dict[tuple[str, int], Hits] = {}

    def fitting(self, damage: ExcelDamage) -> Hits:
        """The numbers that the spreadsheet would have shown so, but not more than `_MOST`."""
        key = (damage.digits, damage.length or 0)
        if key not in self._known:
            self._known[key] = self._find(damage, key[1])
        return self._known[key]

    def _find(self, damage: ExcelDamage, length: int) -> Hits:
        hits: dict[str, list[str]] = {}
        for size in (length, length - 1):
            for prefix in _beginnings(damage.digits[:length]):
                at = bisect_left(self._sorted, (size, prefix, ""))
                while at < len(self._sorted) and len(hits) < _MOST:
                    found, bare, norm = self._sorted[at]
                    if found != size or not bare.startswith(prefix):
                        break
                    if damage.could_be(norm):
                        hits[norm] = self._systems[norm]
                    at += 1
        return hits


def _beginnings(digits: str) -> list[str]:
    """How a number may begin that is shown with these leading digits: cut off, or rounded up from the one before."""
    value = int(digits)
    if value == 0:
        return []
    before = str(value - 1) if value > 1 else ""
    if before == "" or len(before) < len(digits):
        before = "9" * len(digits)
    # What lies next to a half may have been cut before it was rounded.
    next_to_half = "4" if len(digits) > 5 else "4999999999"
    return [digits, *(before + digit for digit in "56789"), before + next_to_half]
