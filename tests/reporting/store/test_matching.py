"""Identifiers, pieces of words, and reviews."""

import pytest

from reporting.store import matching
from reporting.store.engine import Database
from reporting.store.matching import ADDRESS, PARCEL, PERMIT, find_by_identifiers
from tests.reporting.store.builders import add_systems


def named(kind: str, norm: str, system: str, component: str = "") -> dict[str, str]:
    return {"kind": kind, "norm": norm, "system": system, "component": component}


def test_identifiers_find_every_system_that_has_them(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b")
        rows = [
            named(PERMIT, "1", "a"),
            named(PARCEL, "1", "b"),
            named(PARCEL, "2", "a"),
            named(PARCEL, "2", "b", "holding"),
        ]
        matching.add_identifiers(store, rows)
        matching.add_identifiers(store, rows)  # again: they stay
        found = find_by_identifiers(store, [(PERMIT, "1"), (PARCEL, "2"), (PARCEL, "3"), (ADDRESS, "1"), (PERMIT, "1")])
    assert found == {(PERMIT, "1"): [("a", "")], (PARCEL, "2"): [("a", ""), ("b", "holding")]}
    with opened.reading("ozaukee") as store:
        assert find_by_identifiers(store, [(PERMIT, "1")]) == {}


def test_many_identifiers_are_found_by_sets(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a")
        matching.add_identifiers(store, [named(PERMIT, str(n), "a") for n in range(1300)])
        assert len(find_by_identifiers(store, [(PERMIT, str(n)) for n in range(0, 2600, 2)])) == 650


def test_identifiers_of_a_kind_are_forgotten_before_new_ones(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b")
        matching.add_identifiers(store, [named(PERMIT, "1", "a"), named(PARCEL, "1", "a"), named(PERMIT, "1", "b")])
        matching.drop_identifiers(store, ["a"], [PERMIT])
        assert find_by_identifiers(store, [(PERMIT, "1"), (PARCEL, "1")]) == {
            (PERMIT, "1"): [("b", "")],
            (PARCEL, "1"): [("a", "")],
        }


def test_pieces_of_words_rank_systems(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b", "c")
        matching.replace_grams(
            store, {"a": frozenset({"n55", "oak"}), "b": frozenset({"oak"}), "c": frozenset({"elm"})}
        )
        assert matching.find_by_grams(store, ["n55", "oak", "oak"], 5) == [("a", 2), ("b", 1)]
        assert matching.find_by_grams(store, ["n55", "oak"], 1) == [("a", 2)]
        matching.replace_grams(store, {"a": frozenset({"elm"})})
        assert matching.find_by_grams(store, ["n55", "oak"], 5) == [("b", 1)]


@pytest.mark.parametrize("system", ["a", None])
def test_a_review_is_resolved_once(opened: Database, system: str | None) -> None:
    with opened.transaction("portage") as store:
        rows = [
            {
                "id": f"rev{n}",
                "event": f"e{n}",
                "state": "open",
                "reason": "two systems",
                "candidates": ["a"],
                "created_seq": n,
            }
            for n in (1, 2, 3)
        ]
        matching.insert_reviews(store, rows)
        assert [row["id"] for row in matching.list_reviews(store, "open", "rev1", 1)] == ["rev2"]
        assert matching.resolve_review(store, "rev2", state="placed", system=system, seq=9, by="key")
        assert not matching.resolve_review(store, "rev2", state="refused", system=None, seq=10, by="other")
        assert not matching.resolve_review(store, "rev9", state="placed", system=system, seq=9, by="key")
        assert [row["id"] for row in matching.list_reviews(store, "open", None, 9)] == ["rev1", "rev3"]
        (placed,) = matching.list_reviews(store, "placed", None, 9)
    assert (placed["system"], placed["resolved_seq"], placed["resolved_by"]) == (system, 9, "key")
