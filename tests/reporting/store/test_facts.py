"""Facts: what was known at each sequence number, in a bounded number of questions."""

from datetime import date

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from reporting import tables
from reporting.store import facts
from reporting.store.engine import Database
from reporting.store.facts import end_versions, load_county_facts, load_history
from reporting.store.identities import Taken, find_identities, find_same_day
from tests.reporting.store.builders import a_system, add_systems, an_event


def test_history_is_what_was_known(opened: Database) -> None:
    with opened.transaction("portage") as store:
        facts.insert_systems(store, [a_system("s", seq=1, permit_number="P-1", content={"use": "seasonal"})])
        facts.insert_components(store, [{"system": "s", "component": "septic", "seq": 1, "content": {"gallons": 999}}])
        facts.insert_owners(store, [{"system": "s", "seq": 2, "name": "Old Owner", "content": {}}])
        end_versions(store, tables.owner_version, [{"system": "s"}], 4)
        facts.insert_owners(store, [{"system": "s", "seq": 4, "name": "New Owner", "content": {}}])
        facts.insert_designations(
            store, [{"system": "s", "seq": 3, "license_number": "00412", "license_norm": "412", "valid_from": None}]
        )
        facts.insert_contracts(
            store, [{"system": "s", "seq": 3, "license_number": "1", "license_norm": "1", "content": {}}]
        )
        facts.insert_facts(
            store,
            [
                {"kind": "exemption", "system": "s", "seq": 3, "id": "x", "content": {"kind": "vacant"}},
                {"kind": "case", "system": "s", "seq": 5, "id": "c", "content": {}},
            ],
        )
        facts.insert_events(
            store, [an_event("late", "s", seq=5), an_event("early", "s", seq=6, service_date=date(2020, 1, 1))]
        )
    with opened.reading("portage") as store:
        now = load_history(store, ["s"])["s"]
        at = {seq: load_history(store, ["s"], seq).get("s") for seq in range(7)}
    assert at[0] is None
    assert now == at[6]
    assert now.system is not None
    assert (now.system["permit_number"], now.system["content"]) == ("P-1", {"use": "seasonal"})
    assert [(row["component"], row["component_ref"], row["content"]) for row in now.components] == [
        ("septic", "", {"gallons": 999})
    ]
    assert [row["id"] for row in now.events] == ["early", "late"]
    assert [history.owner["name"] if history and history.owner else None for history in at.values()] == [
        None, None, "Old Owner", "Old Owner", "New Owner", "New Owner", "New Owner",
    ]  # fmt: skip
    assert [sorted(history.facts) if history else None for history in at.values()] == [
        None, [], [], ["exemption"], ["exemption"], ["case", "exemption"], ["case", "exemption"],
    ]  # fmt: skip
    assert [len(history.designations) + len(history.contracts) for history in at.values() if history] == [
        0,
        0,
        2,
        2,
        2,
        2,
    ]


def test_a_version_is_known_from_its_number_until_the_one_that_ends_it(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "s")
        facts.insert_events(store, [an_event("e", "s", seq=3)])
        assert end_versions(store, tables.event, [{"id": "e"}, {"id": "other"}], 5) == 1
        assert end_versions(store, tables.event, [{"id": "e"}], 9) == 0  # it ended before; that stands
        assert end_versions(store, tables.event, [], 9) == 0
        known = [seq for seq in range(8) if (found := load_history(store, ["s"], seq)) and found["s"].events]
        assert known == [3, 4]
        assert load_history(store, ["s"])["s"].events == []
        assert facts.load_events(store, ["e", "e", "no"])["e"]["ended_seq"] == 5


def test_the_number_of_questions_does_not_grow_with_the_systems(opened: Database) -> None:
    ids = [f"s{number}" for number in range(501)]
    asked: list[str] = []
    event.listen(opened.engine, "before_cursor_execute", lambda c, cur, statement, *rest: asked.append(statement))
    with opened.transaction("portage") as store:
        add_systems(store, *ids)
        facts.insert_events(store, [an_event(f"e{one}", one) for one in ids])
        counts = []
        for part in (ids[:1], ids[:500], ids):
            asked.clear()
            histories = load_history(store, part)
            assert list(histories)
            assert {key: len(value.events) for key, value in histories.items()} == dict.fromkeys(part, 1)
            counts.append(len(asked))
    assert counts == [8, 8, 16]


def test_facts_of_the_county_itself(opened: Database) -> None:
    with opened.transaction("portage") as store:
        rows = [
            {
                "kind": "setting",
                "seq": seq,
                "id": f"lead {seq}",
                "valid_from": date(2026, month, 1),
                "content": {"days": month},
            }
            for seq, month in ((1, 5), (2, 3))
        ]
        facts.insert_facts(store, rows)
        assert [row["content"] for row in load_county_facts(store, "setting")] == [{"days": 3}, {"days": 5}]
        assert [row["id"] for row in load_county_facts(store, "setting", 1)] == ["lead 1"]
        assert load_county_facts(store, "case") == []
    with opened.reading("ozaukee") as store:
        assert load_county_facts(store, "setting") == []


def test_an_identity_is_taken_once_while_it_is_current(opened: Database) -> None:
    with opened.transaction("portage") as store:
        facts.insert_events(store, [an_event("e1", None, identity="i", submission="sub", row=4)])
        assert find_identities(store, ["i", "j", "i"]) == {"i": Taken("e1", "sha of e1", "sub", 4)}
    with pytest.raises(IntegrityError), opened.transaction("portage") as store:
        facts.insert_events(store, [an_event("e2", None, identity="i")])
    with opened.transaction("ozaukee") as store:
        assert find_identities(store, ["i"]) == {}
        facts.insert_events(store, [an_event("e2", None, identity="i")])
    with opened.transaction("portage") as store:
        end_versions(store, tables.event, [{"identity": "i"}], 7)
        assert find_identities(store, ["i"]) == {}
        facts.insert_events(store, [an_event("e3", None, identity="i", seq=7)])
        assert find_identities(store, ["i"])["i"].event == "e3"


def test_many_identities_are_found_by_sets(opened: Database) -> None:
    with opened.transaction("portage") as store:
        facts.insert_events(store, [an_event(f"e{n}", None, identity=f"i{n}") for n in range(1100)])
        found = find_identities(store, [f"i{n}" for n in range(0, 2200, 2)])
    assert {taken.event for taken in found.values()} == {f"e{n}" for n in range(0, 1100, 2)}


def test_events_of_the_same_day_are_held_against_a_new_one(opened: Database) -> None:
    first, second = date(2026, 7, 1), date(2026, 7, 2)
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b")
        facts.insert_events(
            store,
            [
                an_event("1", "a", service_date=first),
                an_event("2", "a", service_date=second),
                an_event("3", "b", service_date=first),
                an_event("4", "a", service_date=first, seq=2),
                an_event("5", "a", service_date=first, ended_seq=3),
            ],
        )
        found = find_same_day(store, [("a", first), ("b", second), ("a", first)])
    assert {key: [one.event for one in events] for key, events in found.items()} == {("a", first): ["1", "4"]}


@pytest.mark.parametrize("count", [1, 700])
def test_a_batch_of_any_size_keeps_every_value(opened: Database, count: int) -> None:
    content = {"text": 'tab\t, "quote", \\N, new\nline, Nuñez, 漢', "n": 1.5, "none": None, "list": [1, {"a": True}]}
    rows = [an_event(f"e{n}", None, content=content, row=n, historical=True, visit="") for n in range(count)]
    with opened.transaction("portage") as store:
        facts.insert_events(store, rows)
        facts.insert_events(store, [an_event(f"f{n}", None) for n in range(count)])  # COPY twice in one transaction
        found = facts.load_events(store, [row["id"] for row in rows])
        assert facts.load_events(store, ["f0"])["f0"]["historical"] is False
    for row in rows:
        kept = found[row["id"]]
        assert {name: kept[name] for name in row} == row
        assert (kept["component_ref"], kept["ended_seq"], kept["county"]) == ("", None, "portage")


def test_a_column_that_is_not_there_is_a_mistake(opened: Database) -> None:
    with pytest.raises(KeyError, match="galons"), opened.transaction("portage") as store:
        facts.insert_events(store, [an_event("e", None, galons=1)])
