"""The systems that a report in doubt might be of, with scores: for a person to choose from, never to credit one.

Exact permit, exact parcel, what a spreadsheet may have made of a number, numbers one edit away, then address and
owner. Set-based: a chunk of doubted reports costs a bounded number of queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, Final, TypeVar

from reporting.histories import PROVISIONAL
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.likeness import ADDRESS_ALIKE, LEAST, Candidate, Named, address_likeness, owner_words, weigh
from reporting.store.engine import Store
from reporting.store.inventory import hold_inventory
from reporting.store.matching import PARCEL, PERMIT, find_by_grams, replace_grams
from reporting.store.near import (
    find_addresses,
    find_any,
    grams_up_to,
    has_grams,
    load_places,
    places_after,
    set_grams_up_to,
)

MOST: Final = 10
"""How many candidates a review shows."""
PROBED: Final = 100
"""Of how many reports at once the neighbourhood is searched; those behind them get it when they are looked at."""
_PIECED: Final = 20
"""The same for pieces of words, which cost most: a common one is half of the county."""
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-"
_SHORTEST, _LONGEST = 4, 40
_BY_ADDRESS: Final = 2_000
_BY_PIECES: Final = 50
_COMMON: Final = frozenset(
    {"ROAD", "COUN", "STAT", "STRE", "AVEN", "LANE", "DRIV", "COUR", "HIGH", "CIRC", "TRAI", "UNIT", "N", "S", "E", "W"}
)
_NUMBERS: Final = (("permit_number", PERMIT), ("parcel_number", PARCEL))
K = TypeVar("K", bound=Hashable)


def find_candidates(
    store: Store, named: Mapping[K, Named], known: Mapping[K, Sequence[str]] | None = None
) -> dict[K, tuple[Candidate, ...]]:
    """For each report the systems that come into question, best first, at most `MOST`.

    known: systems that must be among them, such as those that its numbers lead to. Only systems of the inventory are
    found, and only those that score at least `LEAST`.
    """
    must = {key: list((known or {}).get(key, ())) for key in named}
    probed = dict(islice(named.items(), PROBED))
    near: defaultdict[K, set[str]] = defaultdict(set)
    for search in (_by_number, _by_address, _by_pieces):
        for key, systems in search(store, probed).items():
            near[key].update(systems)
    places = load_places(store, {s for ids in (*near.values(), *must.values()) for s in ids})
    return {key: _ranked(one, must[key], near[key], places) for key, one in named.items()}


def _ranked(
    named: Named, must: Sequence[str], near: Iterable[str], places: Mapping[str, Mapping[str, Any]]
) -> tuple[Candidate, ...]:
    found = {s: weigh(named, s, places.get(s, {})) for s in must}
    for system in near:
        place = places.get(system)
        if place is None or place["status"] in (PROVISIONAL, "removed") or system in found:
            continue
        one = weigh(named, system, place)
        if one.score >= LEAST:
            found[system] = one
    return tuple(sorted(found.values(), key=lambda c: (-c.score, c.system))[: max(MOST, len(must))])


def _by_number(store: Store, named: Mapping[K, Named]) -> dict[K, set[str]]:
    """The systems with the same permit or parcel, or with one that is one edit away or what Excel spoilt."""
    wanted: dict[K, set[tuple[str, str]]] = {}
    for key, one in named.items():
        pairs = set()
        for name, kind in _NUMBERS:
            norm = normalize_identifier(getattr(one, name))
            pairs |= {(kind, form) for form in (norm, *variants(norm)) if form}
            if damage := one.damage.get(name):
                pairs |= {(kind, form) for form in damage.forms}
                zeros = range(9) if damage.digits and damage.length is None else ()
                pairs |= {(kind, "0" * n + damage.digits) for n in zeros}
        wanted[key] = pairs
    found = find_any(store, sorted(set().union(*wanted.values())))
    return {key: {s for pair in pairs & found.keys() for s in found[pair]} for key, pairs in wanted.items()}


def variants(norm: str) -> Iterator[str]:
    """Every normal form that is one edit away: a character more, less or another, or two that changed places.

    None for numbers so short that half of the county's are, and for texts that are no number.
    """
    if not _SHORTEST <= len(norm) <= _LONGEST:
        return
    made: set[str] = set()
    for at in range(len(norm) + 1):
        head, tail = norm[:at], norm[at:]
        made.update(head + char + tail for char in _ALPHABET)
        if tail:
            made.add(head + tail[1:])
            made.update(head + char + tail[1:] for char in _ALPHABET)
        if len(tail) > 1:
            made.add(head + tail[1] + tail[0] + tail[2:])
    made.discard(norm)
    yield from sorted(form for form in made if "--" not in form and form.strip("-") == form)


def _by_address(store: Store, named: Mapping[K, Named]) -> dict[K, set[str]]:
    """The systems with the same house number on a street that is alike."""
    norms = {key: normalize_address(one.site_address) for key, one in named.items() if one.site_address}
    houses = {norm.split(" ", 1)[0] for norm in norms.values()}
    by_house = find_addresses(store, sorted(house for house in houses if any(c.isdigit() for c in house)), _BY_ADDRESS)
    return {
        key: {
            system
            for filed, system in by_house.get(norm.split(" ", 1)[0], ())
            if address_likeness(norm, filed) >= ADDRESS_ALIKE
        }
        for key, norm in norms.items()
    }


def _by_pieces(store: Store, named: Mapping[K, Named]) -> dict[K, set[str]]:
    """The systems that share most pieces of address and owner, where the county's places have been indexed."""
    if not named or not has_grams(store):
        return {}
    found: dict[K, set[str]] = {}
    for key, one in islice(named.items(), _PIECED):
        pieces = pieces_of(one.site_address, one.owner_name)
        # One piece alone is a street or a family.
        found[key] = {s for s, shared in find_by_grams(store, pieces, _BY_PIECES) if shared > 1} if pieces else set()
    return found


def pieces_of(address: str, owner: str) -> frozenset[str]:
    """The pieces of words that a place is found by: its house number, a highway's letters, the beginnings of words."""
    words = normalize_address(address).split()
    pieces = {f"#{word}" if number == 0 else word[:4] for number, word in enumerate(words)}
    pieces |= {f"{a[:2]}:{b}" for a, b in pairwise(words) if a in ("ROAD", "HIGHWAY")}
    pieces |= {f"@{word[:4]}" for word in owner_words(owner) if len(word) > 2}
    return frozenset(pieces - _COMMON)


def index_places(store: Store, limit: int = 5_000) -> int:
    """Index the places and owners that were put on file since the last time by pieces of their words, so that they are
    found under a wrong house number or a misspelt name; about `limit` at once. Gives how many; 0 when nothing is left.

    For the worker, and for whoever has imported an inventory. What is not indexed yet is found by number and address.
    """
    hold_inventory(store)
    changed = places_after(store, grams_up_to(store), limit)
    if not changed:
        return 0
    places = load_places(store, {system for _, system in changed})
    pieces = {
        system: pieces_of(str(place["site_address"] or ""), str(place["owner_name"] or ""))
        for system, place in places.items()
        if place["status"] != PROVISIONAL
    }
    replace_grams(store, pieces)
    set_grams_up_to(store, changed[-1][0])
    return len(changed)
