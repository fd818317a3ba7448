"""Checking the log: nothing wrong is named where nothing is, and every kind of tampering is, at the right entry."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from reporting.store import log
from reporting.store.engine import Database
from reporting.store.log import NewEntry
from reporting.store.merkle import Frontier, leaf_hash
from reporting.store.problems import DESTRUCTION, destroyed_seqs
from reporting.store.signing import SignedHead, Signer
from reporting.store.verify import VerifyResult, verify
from tests.reporting.store.builders import NOON

COUNT = 40
Tamper = Callable[[sqlite3.Connection], object]


def fill(database: Database, signer: Signer, count: int = COUNT, county: str = "portage") -> SignedHead:
    """A log of `count` entries, signed every ten."""
    signed = None
    for start in range(0, count, 10):
        entries = [
            NewEntry(type="report", content={"number": number}, raw=f"row {number}".encode())
            for number in range(start, min(start + 10, count))
        ]
        with database.transaction(county) as store:
            now = NOON + timedelta(minutes=start)
            log.append(store, entries, now)
            signed = log.checkpoint(store, signer, now)
    assert signed is not None
    return signed


def check(database: Database, signer: Signer, *saved: SignedHead) -> VerifyResult:
    with database.reading("portage") as store:
        return verify(store, [signer.verifying_key], saved)


def test_an_honest_log_holds(opened: Database, signer: Signer) -> None:
    head = fill(opened, signer)
    fill(opened, signer, 20, county="ozaukee")
    result = check(opened, signer, head)
    assert result == VerifyResult(
        county="portage", size=COUNT, root=head.root, checkpoints=5, signatures=5, problems=()
    )
    assert (result.ok, result.first_bad) == (True, None)


def test_an_empty_log_holds(opened: Database, signer: Signer) -> None:
    with opened.transaction("portage") as store:
        log.checkpoint(store, signer, NOON)
    assert check(opened, signer).ok


def test_pages_join_without_a_seam(opened: Database, signer: Signer) -> None:
    with opened.transaction("portage") as store:
        log.append(store, [NewEntry(type="note", content={"n": n}) for n in range(5_001)], NOON)
        log.checkpoint(store, signer, NOON)
    assert (check(opened, signer).size, check(opened, signer).ok) == (5_001, True)


@pytest.fixture
def filled(tmp_path: Path, signer: Signer, sqlite_template: Path) -> tuple[Database, Path, SignedHead]:
    """A SQLite file with a log, for hands that reach past the service."""
    path = Path(shutil.copyfile(sqlite_template, tmp_path / "tampered.db"))
    database = Database.connect(f"sqlite:///{path}")
    return database, path, fill(database, signer)


def tamper(path: Path, change: Tamper) -> None:
    """Change the file as somebody would who owns it: without triggers, without keys."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        change(connection)


def edit(seq: int, *, also_leaf: bool = False) -> Tamper:
    def change(connection: sqlite3.Connection) -> None:
        (entry,) = connection.execute("SELECT entry FROM log_entry WHERE seq = ?", (seq,)).fetchone()
        words = json.loads(entry)
        words["content"]["number"] += 1
        edited = json.dumps(words, sort_keys=True, separators=(",", ":")).encode()
        connection.execute("UPDATE log_entry SET entry = ? WHERE seq = ?", (edited, seq))
        if also_leaf:
            connection.execute("UPDATE log_entry SET leaf = ? WHERE seq = ?", (leaf_hash(edited), seq))

    return change


def sql(*statements: str) -> Tamper:
    return lambda connection: [connection.execute(statement) for statement in statements]


def swap(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    for old, new in ((7, 900), (8, 7), (900, 8)):
        connection.execute("UPDATE log_entry SET seq = ? WHERE seq = ?", (new, old))
        connection.execute("UPDATE log_raw SET seq = ? WHERE seq = ?", (new, old))


@pytest.mark.parametrize(
    ("change", "code", "first"),
    [
        (edit(7), "leaf", 7),
        (edit(23, also_leaf=True), "root", 21),  # no more can be told than between which heads
        (sql("DELETE FROM log_raw WHERE seq = 7", "DELETE FROM log_entry WHERE seq = 7"), "missing", 7),
        (swap, "entry", 7),
        (sql("UPDATE log_entry SET type = 'void' WHERE seq = 7"), "entry", 7),
        (sql("UPDATE log_entry SET recorded_at = '2020-01-01 00:00:00.000000' WHERE seq = 7"), "entry", 7),
        (sql("UPDATE log_raw SET raw = x'00' WHERE seq = 7"), "raw", 7),
        (sql("UPDATE log_raw SET salt = x'00' WHERE seq = 7"), "raw", 7),
        (sql("DELETE FROM log_raw WHERE seq = 7"), "raw", 7),
        (sql("DELETE FROM log_raw WHERE seq > 35", "DELETE FROM log_entry WHERE seq > 35"), "cut", 36),
        (sql("UPDATE checkpoint SET root = x'00' WHERE size = 20"), "root", 11),
        (sql("UPDATE checkpoint SET signature = zeroblob(64) WHERE size = 20"), "signature", None),
        (sql("UPDATE checkpoint SET key_id = '00000000' WHERE size = 20"), "signature", None),
        (sql("UPDATE log_head SET root = x'00'"), "head", None),
        (sql("UPDATE log_head SET size = 50"), "head", 41),
        (sql("UPDATE log_head SET last_at = '2020-01-01 00:00:00.000000'"), "head", None),
        (sql("DELETE FROM log_head"), "head", None),
    ],
)
def test_tampering_is_found_and_named(
    filled: tuple[Database, Path, SignedHead], signer: Signer, change: Tamper, code: str, first: int | None
) -> None:
    database, path, _ = filled
    tamper(path, change)
    result = check(database, signer)
    assert (result.ok, result.first_bad) == (False, first)
    assert code in {problem.code for problem in result.problems}


def test_an_entry_dated_before_the_one_that_it_follows_is_found(
    filled: tuple[Database, Path, SignedHead], signer: Signer
) -> None:
    """Also where the entry itself, its columns and its leaf say the same."""
    database, path, _ = filled

    def date_back(connection: sqlite3.Connection) -> None:
        (entry,) = connection.execute("SELECT entry FROM log_entry WHERE seq = 27").fetchone()
        words = json.loads(entry)
        words["recorded_at"] = f"2020{words['recorded_at'][4:]}"
        written = json.dumps(words, sort_keys=True, separators=(",", ":")).encode()
        statement = (
            "UPDATE log_entry SET entry = ?, leaf = ?, recorded_at = '2020' || substr(recorded_at, 5) WHERE seq = 27"
        )
        connection.execute(statement, (written, leaf_hash(written)))

    tamper(path, date_back)
    found = [(problem.code, problem.seq) for problem in check(database, signer).problems]
    assert found == [("time", 27), ("root", 27), ("root", 27), ("head", None)]


@pytest.mark.parametrize(("number", "named"), [(41, 41), (0, 1), (-7, 1)])
def test_an_inserted_entry_is_found(
    filled: tuple[Database, Path, SignedHead], signer: Signer, number: int, named: int
) -> None:
    database, path, _ = filled
    columns = f"county, {number}, type, recorded_at, entry, leaf"
    tamper(path, sql(f"INSERT INTO log_entry SELECT {columns} FROM log_entry WHERE seq = 40"))
    result = check(database, signer)
    assert not result.ok
    assert named in {problem.seq for problem in result.problems}
    assert number in {problem.seq for problem in result.problems}


def rewrite_all(connection: sqlite3.Connection) -> None:
    """Edit entry 7 and compute everything again but the signatures: what only an outside head shows."""
    edit(7, also_leaf=True)(connection)
    tree = Frontier()
    for (leaf,) in connection.execute("SELECT leaf FROM log_entry ORDER BY seq").fetchall():
        tree.append(leaf)
    connection.execute("UPDATE log_head SET root = ?, frontier = ?", (tree.root(), tree.pack()))
    connection.execute("DELETE FROM checkpoint")


def test_a_rewritten_log_is_found_against_a_saved_head(
    filled: tuple[Database, Path, SignedHead], signer: Signer
) -> None:
    database, path, saved = filled
    tamper(path, rewrite_all)
    assert check(database, signer).ok  # the control: inside itself the log agrees
    assert [problem.code for problem in check(database, signer, saved).problems] == ["root"]


def test_yesterdays_database_is_found_against_a_saved_head(
    filled: tuple[Database, Path, SignedHead], signer: Signer
) -> None:
    database, path, _ = filled
    yesterday = path.read_bytes()
    with database.transaction("portage") as store:
        log.append(store, [NewEntry(type="report", content={})], NOON + timedelta(days=1))
        saved = log.checkpoint(store, signer, NOON + timedelta(days=1))
    database.dispose()
    assert check(database, signer, saved).ok
    database.dispose()
    path.write_bytes(yesterday)
    result = check(database, signer, saved)
    assert [(problem.code, problem.seq) for problem in result.problems] == [("cut", 41)]


def test_a_saved_head_of_another_key_or_county(
    filled: tuple[Database, Path, SignedHead], signer: Signer, tmp_path: Path
) -> None:
    database, _, saved = filled
    other = Signer.load(tmp_path / "other.key").sign("portage", saved.size, saved.root, NOON)
    assert [problem.code for problem in check(database, signer, other).problems] == ["signature"]
    foreign = signer.sign("ozaukee", saved.size, bytes(32), NOON)
    assert check(database, signer, foreign).ok  # says nothing of this county


def test_every_flipped_bit_is_found(filled: tuple[Database, Path, SignedHead], signer: Signer) -> None:
    database, path, saved = filled
    chance = random.Random(20260713)
    places = [("log_entry", "entry"), ("log_entry", "leaf"), ("log_raw", "raw"), ("log_raw", "salt")]
    tamper(path, lambda connection: None)
    for _ in range(40):
        table, column = chance.choice(places)
        seq = chance.randint(1, COUNT)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            find = f"SELECT {column} FROM {table} WHERE seq = ?"
            (value,) = connection.execute(find, (seq,)).fetchone()
            bit = chance.randrange(len(value) * 8)
            flipped = bytearray(value)
            flipped[bit // 8] ^= 1 << bit % 8
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE seq = ?", (bytes(flipped), seq))
            assert check(database, signer, saved).first_bad == seq, (table, column, seq, bit)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE seq = ?", (value, seq))
    assert check(database, signer, saved).ok


def test_destroyed_rows_that_an_entry_names_are_no_problem(
    filled: tuple[Database, Path, SignedHead], signer: Signer
) -> None:
    database, path, _ = filled
    tamper(path, sql("DELETE FROM log_raw WHERE seq IN (3, 4, 5)"))
    with database.transaction("portage") as store:
        log.append(store, [NewEntry(type=DESTRUCTION, content={"seqs": [3, 4]})], NOON + timedelta(days=1))
    assert [(problem.code, problem.seq) for problem in check(database, signer).problems] == [("raw", 5)]


def test_a_destruction_names_what_came_before_it_and_nothing_else() -> None:
    content = {"seqs": [3, "4", True, 40, 41], "ranges": [[-5, 2], [39, 50]]}
    assert destroyed_seqs(content, 41) == {1, 2, 3, 39, 40}
