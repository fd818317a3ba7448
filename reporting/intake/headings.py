"""Which column means which field, whatever its case, space and punctuation. Pure.

Near misses are suggested, never assumed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz, process

# All the ways to write "number" in a heading: `Permit #`, `Permit No.`, `Permit Num`.
_NUMBER_WORDS = frozenset({"no", "nr", "num", "nbr", "numb", "number"})
_LONGEST = 200
# rapidfuzz ratio, 0 to 100: one or two wrong letters in ten; and the next field must be clearly worse.
_NEAR, _CLEARLY = 78.0, 4.0


@dataclass(frozen=True, kw_only=True)
class HeadingMatch:
    """What the headings of a file mean.

    mapping: heading as sent → field. unknown: headings that mean nothing known. suggested: unknown heading → the field
    it nearly names; for the sender to confirm. duplicates: field → the two or more headings that all name it; none of
    them is in `mapping`, and the file is to be refused.
    """

    mapping: Mapping[str, str]
    unknown: tuple[str, ...] = ()
    suggested: Mapping[str, str] = field(default_factory=dict)
    duplicates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def normalize_heading(text: str) -> str:
    """A heading without case, spaces, punctuation, accents and invisible characters; every word for "number" is one.

    `Permit #`, `permit_no.` and `PERMIT NUMBER` all give `permitnumber`.
    """
    return _normal(text[:_LONGEST])


@lru_cache(maxsize=20_000)  # the names of all fields are compared with each file's headings
def _normal(text: str) -> str:
    shown = unicodedata.normalize("NFKD", text).casefold().replace("#", " number ").replace("№", " number ")
    kept = "".join(
        char if char.isalnum() else "" if unicodedata.category(char) in ("Mn", "Cf") else " " for char in shown
    )
    return "".join("number" if word in _NUMBER_WORDS else word for word in kept.split())


def match_headings(
    headings: Sequence[str], fields: Mapping[str, Sequence[str]], *, learned: Mapping[str, str | None] | None = None
) -> HeadingMatch:
    """What each heading of a file means.

    fields: field → its other names (aliases); its own name always counts. learned: what the sender confirmed before,
    normalized heading → field; it goes before the aliases. One learned to mean None is known and kept as it is.
    ValueError when two fields claim one name.
    """
    told = learned or {}
    ignored = {name for name, target in told.items() if target is None}
    names = _names(fields) | {name: target for name, target in told.items() if target is not None}
    names = {name: target for name, target in names.items() if name not in ignored}
    meant: dict[str, list[str]] = {}
    unknown: list[str] = []
    for heading in headings:
        name = normalize_heading(heading)
        target = names.get(name)
        if target is None and name not in ignored:
            unknown.append(heading)
        elif target is not None:
            meant.setdefault(target, []).append(heading)
    free = {name: target for name, target in names.items() if target not in meant}
    suggested = {heading: near for heading in unknown if (near := _near(normalize_heading(heading), free)) is not None}
    return HeadingMatch(
        mapping={found[0]: target for target, found in meant.items() if len(found) == 1},
        unknown=tuple(unknown),
        suggested=suggested,
        duplicates={target: tuple(found) for target, found in meant.items() if len(found) > 1},
    )


def _names(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for target, aliases in fields.items():
        for alias in (target, *aliases):
            name = normalize_heading(alias)
            if not name or names.setdefault(name, target) != target:
                raise ValueError(f"the heading {alias!r} is claimed by {names.get(name)} and {target}")
    return names


def _near(name: str, names: Mapping[str, str]) -> str | None:
    """The one field that a name nearly spells, or None when none is near or two are about equally near."""
    if len(name) < 4:
        return None
    found = process.extract(name, list(names), scorer=fuzz.ratio, score_cutoff=_NEAR - _CLEARLY, limit=10)
    if not found or found[0][1] < _NEAR:
        return None
    best = names[found[0][0]]
    rival = max((score for other, score, _index in found if names[other] != best), default=0.0)
    return best if found[0][1] - rival >= _CLEARLY else None
