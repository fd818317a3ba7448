"""The log: consecutive numbers, time that never goes back, heads, and what may not be changed."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import DBAPIError

from reporting import tables
from reporting.errors import CountyMissing, EntryNotAllowed
from reporting.store import log
from reporting.store.engine import Database, Store
from reporting.store.log import NewEntry
from reporting.store.merkle import EMPTY_ROOT, leaf_hash
from reporting.store.signing import Signer
from tests.reporting.store.builders import NOON

SECOND = timedelta(seconds=1)


def add(store: Store, *words: str, at: int = 0) -> list[log.Appended]:
    entries = [NewEntry(type="report", content={"words": word}, raw=word.encode(errors="replace")) for word in words]
    return log.append(store, entries, NOON + at * SECOND)


def test_entries_are_numbered_from_one_and_chained(opened: Database) -> None:
    with opened.transaction("portage") as store:
        assert log.head(store) == log.Head(size=0, root=EMPTY_ROOT, frontier=b"", last_at=None)
        first = add(store, "a", "b")
        second = add(store, "c")
    with opened.reading("portage") as store:
        entries = log.entries_of(store, [1, 2, 3, 4])
        at = log.head(store)
    assert [entry.seq for entry in [*first, *second]] == [1, 2, 3]
    assert [entry.leaf for entry in [*first, *second]] == [leaf_hash(entries[seq]) for seq in (1, 2, 3)]
    assert (at.size, at.last_at) == (3, NOON)


def test_an_entry_is_canonical_json_that_commits_to_the_raw_bytes(opened: Database) -> None:
    with opened.transaction("portage") as store:
        log.append(store, [NewEntry(type="report", content={"z": 1, "a": "Nuñez"}, raw=b"as it came")], NOON)
        log.append(store, [NewEntry(type="note", content={})], NOON)
        entries = log.entries_of(store, [1, 2])
        salt = store.connection.execute(select(tables.log_raw.c.salt)).scalar_one()
        assert log.raw_of(store, 1) == b"as it came"
        assert log.raw_of(store, 2) is None
    assert len(salt) == 16
    assert entries[1].decode() == (
        f'{{"commit":"{sha256(salt + b"as it came").hexdigest()}","content":{{"a":"Nuñez","z":1}},'
        '"county":"portage","recorded_at":"2026-07-13T12:00:00.000000Z","seq":1,"type":"report"}'
    )
    assert "commit" not in json.loads(entries[2])


def test_each_county_counts_for_itself(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add(store, "a", "b")
    with opened.transaction("ozaukee") as store:
        assert [entry.seq for entry in add(store, "c")] == [1]


def test_the_clock_going_back_does_not_turn_recorded_times(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add(store, "a", at=10)
    with opened.transaction("portage") as store:
        assert add(store, "b", at=3)[0].recorded_at == NOON + 10 * SECOND
        assert add(store, "c", at=5)[0].recorded_at == NOON + 10 * SECOND
        assert add(store, "d", at=11)[0].recorded_at == NOON + 11 * SECOND


@pytest.mark.parametrize(("at", "seq"), [(-1, 0), (0, 2), (4.999999, 2), (5, 3), (600, 3)])
def test_an_instant_names_one_sequence_number(opened: Database, at: float, seq: int) -> None:
    with opened.transaction("portage") as store:
        add(store, "a", "b", at=0)
        add(store, "c", at=5)
    with opened.transaction("ozaukee") as store:
        add(store, "d", "e", "f", "g")
    with opened.reading("portage") as store:
        assert log.seq_at(store, NOON + at * SECOND) == seq


def test_two_writers_at_once_take_consecutive_numbers(opened: Database) -> None:
    def write(name: str) -> list[int]:
        seqs = []
        for number in range(15):
            with opened.transaction("portage") as store:
                # Read first, as intake does: a SQLite transaction that took its lock late would fail here.
                store.connection.execute(select(tables.log_head)).all()
                seqs += [entry.seq for entry in add(store, f"{name}{number}", f"{name}{number}'")]
        return seqs

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(write, ["x", "y"]))
    assert sorted([*both[0], *both[1]]) == list(range(1, 61))
    assert all(seqs[i + 1] == seqs[i] + 1 for seqs in both for i in range(0, 30, 2))


def test_a_rolled_back_entry_leaves_no_gap(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add(store, "a")
    with pytest.raises(EntryNotAllowed), opened.transaction("portage") as store:
        add(store, "lost", "\ud800")
    with opened.transaction("portage") as store:
        assert [entry.seq for entry in add(store, "b")] == [2]


@pytest.mark.parametrize("content", [{"n": float("nan")}, {"n": "\ud800"}, {"n": object()}, {1: "a", "b": 2}])
def test_content_without_canonical_json_is_refused(opened: Database, content: dict[str, object]) -> None:
    with pytest.raises(EntryNotAllowed), opened.transaction("portage") as store:
        log.append(store, [NewEntry(type="report", content=content)], NOON)


def test_the_log_belongs_to_a_county(opened: Database) -> None:
    with pytest.raises(CountyMissing), opened.transaction(None) as store:
        add(store, "a")


@pytest.mark.parametrize("name", ["log_entry", "checkpoint"])
@pytest.mark.parametrize("change", ["update", "delete"])
def test_what_is_written_stays_even_for_the_owner(
    opened: Database, owner: Database, signer: Signer, name: str, change: str
) -> None:
    with opened.transaction("portage") as store:
        add(store, "a")
        log.checkpoint(store, signer, NOON)
    table = tables.metadata.tables[name]
    statement = delete(table) if change == "delete" else update(table).values({list(table.c)[-1].name: None})
    for database in (opened, owner):
        with pytest.raises(DBAPIError), database.transaction("portage") as store:
            store.connection.execute(statement)
    with pytest.raises(DBAPIError, match="can only be added to"), owner.transaction("portage") as store:
        store.connection.execute(statement)


def test_an_entry_cannot_be_replaced_by_a_new_one(opened: Database) -> None:
    if opened.dialect == "postgresql":
        replace = "INSERT INTO log_entry SELECT * FROM log_entry ON CONFLICT (county, seq) DO UPDATE SET type = 'x'"
    else:
        replace = "INSERT OR REPLACE INTO log_entry SELECT county, seq, 'x', recorded_at, entry, leaf FROM log_entry"
    with opened.transaction("portage") as store:
        add(store, "a")
    with pytest.raises(DBAPIError), opened.transaction("portage") as store:
        store.connection.execute(text(replace))


def test_a_size_is_signed_once(opened: Database, signer: Signer) -> None:
    with opened.transaction("portage") as store:
        add(store, "a", "b")
        first = log.checkpoint(store, signer, NOON)
        again = log.checkpoint(store, signer, NOON + SECOND)
        add(store, "c")
        later = log.checkpoint(store, signer, NOON + SECOND)
        rows = store.connection.execute(select(tables.checkpoint.c.size)).scalars().all()
        assert log.signed_head(store, 1) == first
        assert log.signed_head(store, 3) == later
        assert log.signed_head(store, 4) is None
    assert first == again
    assert (first.size, later.size, list(rows)) == (2, 3, [2, 3])
    assert signer.verifying_key.signed(first)


def test_a_big_batch_is_the_same_log(opened: Database) -> None:
    # Enough for COPY on PostgreSQL.
    with opened.transaction("portage") as store:
        added = add(store, *(f"row {number}" for number in range(1200)))
        entries = log.entries_of(store, range(1, 1201))
        assert log.raw_of(store, 700) == b"row 699"
    assert [entry.leaf for entry in added] == [leaf_hash(entries[seq]) for seq in range(1, 1201)]
