"""What a county does, lacks, signs and hands out is the same, whether or not it has twins with the same ids."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Table, delete, select

from reporting import tables
from reporting.store import copying, export, log
from reporting.store.engine import Database, Store
from reporting.store.signing import Signer
from tests.reporting.store.builders import NOON, ON_SQLITE
from tests.reporting.store.test_twins import COUNTIES, READS, WRITES, fill

LACKING = (
    tables.event, tables.finding, tables.letter, tables.log_detail, tables.log_entry, tables.log_raw,
    tables.mail_bounce, tables.mail_pause, tables.obligation, tables.owner_version, tables.print_run,
    tables.review, tables.standing, tables.system_version,
)  # fmt: skip
"""The tables of which a query asks for what belongs to another table's row."""
APART = {
    "derived.mark_dirty",  # needs a system more
    "log.append",  # writes other salts each time
}


class _Undone(Exception):
    pass


@contextmanager
def undone(database: Database) -> Iterator[Store]:
    """A transaction of the one county of which nothing stays."""
    try:
        with database.transaction("portage") as store:
            yield store
            raise _Undone
    except _Undone:
        pass


def without(store: Store, table: Table) -> dict[str, Any]:
    """What each function answers of the county without its rows of a table, or why it cannot."""
    run = store.connection.exec_driver_sql
    run("PRAGMA defer_foreign_keys = ON")
    kept = run("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", (table.name,))
    for name in kept.scalars().all():
        run(f"DROP TRIGGER {name}")
    store.connection.execute(delete(table).where(table.c.county == store.tenant))
    found: dict[str, Any] = {}
    for name, ask in READS.items():
        try:
            found[name] = ask(store)
        except LookupError as error:
            found[name] = repr(error)
    return found


def lacking(database: Database) -> dict[str, dict[str, Any]]:
    """The same of each table."""
    found = {}
    for table in LACKING:
        with undone(database) as store:
            found[table.name] = without(store, table)
    return found


def changes(database: Database) -> dict[str, Any]:
    """What each function that changes something answers, and what the county has then."""
    found = {}
    for name in sorted(WRITES.keys() - APART):
        with undone(database) as store:
            answer = WRITES[name](store)
            log.settle(store)
            has = {
                table.name: sorted(
                    map(repr, store.connection.execute(select(table).where(table.c.county == "portage")))
                )
                for table in tables.tenant_tables()
            }
            found[name] = (answer, has)
    return found


@ON_SQLITE  # its triggers can be taken out for a moment, and no row security stands behind the queries
def test_what_one_lacks_its_twins_do_not_lend(opened: Database, signer: Signer) -> None:
    fill(opened, "portage", signer)
    alone = lacking(opened)
    fill(opened, "ozaukee", signer)
    fill(opened, "winnebago", signer)
    for table, found in lacking(opened).items():
        lent = [name for name, answer in found.items() if answer != alone[table][name]]
        assert (table, lent) == (table, [])


@ON_SQLITE
def test_a_change_is_the_same_with_or_without_a_twin(opened: Database, signer: Signer) -> None:
    fill(opened, "portage", signer)
    alone = changes(opened)
    fill(opened, "ozaukee", signer)
    fill(opened, "winnebago", signer)
    assert [name for name, change in changes(opened).items() if change != alone[name]] == []


def test_each_log_has_its_own_last_head(opened: Database, signer: Signer) -> None:
    for county in COUNTIES:
        fill(opened, county, signer)
    with opened.reading(None) as store:
        found = copying.heads(store)
    last = {county: (at.size, signed.county, signed.size) for county, (at, signed) in found.items() if signed}
    assert last == {"ozaukee": (7, "ozaukee", 5), "portage": (3, "portage", 2), "winnebago": (7, "winnebago", 5)}


def exported(database: Database, folder: Path) -> dict[str, bytes]:
    """The files of the one county's log."""
    with database.reading("portage") as store, export.new_bundle(folder) as bundle:
        head = log.signed_head(store, 2)
        assert head is not None
        export.export_log(store, bundle, head, NOON)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_an_export_is_the_same_with_or_without_a_twin(opened: Database, signer: Signer, tmp_path: Path) -> None:
    fill(opened, "portage", signer)
    alone = exported(opened, tmp_path / "alone")
    fill(opened, "ozaukee", signer)
    fill(opened, "winnebago", signer)
    assert exported(opened, tmp_path / "among others") == alone
