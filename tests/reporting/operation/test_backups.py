"""Backups of each kind restored into each kind, and the backups that are refused."""

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from reporting import tables
from reporting.errors import BackupRefused, CopyFailed, RestoreRefused
from reporting.operation.backups import make_backup
from reporting.operation.manifest import DATABASE, MANIFEST, digest
from reporting.operation.restoring import Restored, Wanted, restore_backup
from reporting.store.copying import copy_rows, count_rows, heads
from reporting.store.engine import Database
from reporting.store.migrate import is_current
from reporting.store.signing import Signer
from tests.reporting.api.world import AWAY, HOME, NOW, World, a_report
from tests.reporting.operation.conftest import Empty
from tests.reporting.store.test_twins import fill
from tests.services.databases import DatabaseUrls, Kind

COUNTIES = (HOME, AWAY, "_service")


def everything(url: str) -> dict[str, Any]:
    """Every row of every county, and how many there are in all."""
    database = Database.connect(url)
    try:
        with database.reading(None) as store:
            counts, logs = count_rows(store), {county: at for county, (at, _signed) in heads(store).items()}
        return {"counts": counts, "logs": logs, **{county: rows_in(database, county) for county in COUNTIES}}
    finally:
        database.dispose()


def rows_in(database: Database, county: str) -> dict[str, list[str]]:
    """Every row of a county; in JSON without the order of keys, which PostgreSQL does not keep."""
    with database.reading(county) as store:
        return {
            table.name: sorted(
                json.dumps(dict(row), sort_keys=True, default=repr)
                for row in store.connection.execute(select(table).where(table.c.county == county)).mappings()
            )
            for table in tables.tenant_tables()
        }


def backed_up(office: World, target: Path) -> Path:
    make_backup(office.database, office.config.database_url, target, NOW)
    return target


def restored(office: World, backup: Path, urls: DatabaseUrls, **how: bool) -> Restored:
    wanted = Wanted(now=NOW, **how)
    return restore_backup(backup, urls.app_url, urls.owner_url, [office.signer.verifying_key], wanted)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)])
def test_a_backup_of_each_kind_is_restored_into_each(office: World, empty: Empty, tmp_path: Path, kind: Kind) -> None:
    before = everything(office.config.database_url)
    backup = backed_up(office, tmp_path / ("backup" if kind == "sqlite" else "backup.zip"))
    office.post(f"/v1/{HOME}/reports", a_report(report_ref="T-9"))  # after it, so not in it
    urls = empty(kind)
    done = restored(office, backup, urls)
    assert everything(urls.app_url) == before
    assert done.problems == ()
    assert {result.county for result in done.results} == {HOME, AWAY}
    assert all(result.size and result.checkpoints for result in done.results if result.county == HOME)
    assert before["counts"]["event"] > 3
    assert is_current(urls.app_url)
    assert [path.name for path in tmp_path.iterdir() if ".part" in path.name or "restoring" in path.name] == []


def test_rows_of_every_table_come_through(database: DatabaseUrls, empty: Empty, tmp_path: Path, signer: Signer) -> None:
    """With something in every column that a test knows to fill, from SQLite to PostgreSQL and back."""
    source = Database.connect(database.app_url)
    for county in (HOME, AWAY):
        fill(source, county, signer)
    urls = empty("sqlite" if database.kind == "postgresql" else "postgresql")
    target = Database.connect(urls.owner_url)
    with source.reading(None) as reader, target.transaction(None) as writer:
        copied = copy_rows(reader, writer)
    assert sum(count > 0 for count in copied.values()) > 20
    for county in (HOME, AWAY):
        assert rows_in(source, county) == rows_in(target, county)
    source.dispose()
    target.dispose()


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer.load(tmp_path / "signing.key")


# --- What is refused ---


def edit(backup: Path, **values: Any) -> None:
    said = json.loads((backup / MANIFEST).read_bytes())
    (backup / MANIFEST).write_text(json.dumps({**said, **values}))


def change(backup: Path, statement: str, *triggers: str) -> None:
    """Something else in the copy, with a manifest that agrees with the file."""
    with closing(sqlite3.connect(backup / DATABASE)) as connection, connection:
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
    said = json.loads((backup / MANIFEST).read_bytes())
    edit(backup, files={**said["files"], DATABASE: digest(backup / DATABASE)})


def cut(backup: Path) -> None:
    data = (backup / DATABASE).read_bytes()
    (backup / DATABASE).write_bytes(data[: len(data) // 2])


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda b: (b / MANIFEST).unlink(), "is no backup"),
    "no JSON": (lambda b: (b / MANIFEST).write_text("{"), "not as it was written"),
    "another form": (lambda b: edit(b, format="another"), "reads 'pumper backup 1'"),
    "half a file": (cut, "SHA-256"),
    "no file": (lambda b: (b / DATABASE).unlink(), "cannot be read"),
    "newer": (lambda b: edit(b, migration="9999"), "newer version"),
    "other counts": (lambda b: change(b, "DELETE FROM standing WHERE rowid = 1"), "standing has"),
    "another log": (lambda b: edit(b, logs={HOME: {"size": 1, "root": "00"}}), "not where the manifest says"),
    "a report changed": (lambda b: change(b, "UPDATE event SET license_norm = '1'"), "does not hold"),
    "an entry changed": (
        lambda b: change(b, "UPDATE log_entry SET entry = X'7B7D' WHERE seq = 2", "log_entry_no_update"),
        "does not hold",
    ),
}  # fmt: skip


def test_broken_backups_are_refused_and_nothing_is_there(on_sqlite: World, empty: Empty, tmp_path: Path) -> None:
    whole, urls = backed_up(on_sqlite, tmp_path / "backup"), empty("sqlite")
    before = everything(urls.app_url)
    for fault, (spoil, said) in BROKEN.items():
        backup = shutil.copytree(whole, tmp_path / fault)
        spoil(backup)
        with pytest.raises(RestoreRefused, match=said):
            restored(on_sqlite, backup, urls)
        assert everything(urls.app_url) == before, fault
    restored(on_sqlite, whole, urls)  # the control


def test_a_backup_under_another_key_is_restored_only_despite_it(on_sqlite: World, empty: Empty, tmp_path: Path) -> None:
    backup, urls = backed_up(on_sqlite, tmp_path / "backup"), empty("sqlite")
    keys = [Signer.load(tmp_path / "another.key").verifying_key]
    with pytest.raises(RestoreRefused, match=r"not by a key that was in force.*Is the signing key"):
        restore_backup(backup, urls.app_url, urls.owner_url, keys, Wanted(now=NOW))
    done = restore_backup(backup, urls.app_url, urls.owner_url, keys, Wanted(now=NOW, despite=True))
    assert done.problems
    assert everything(urls.app_url)["counts"]["event"] > 0


def test_what_is_there_is_set_aside_or_stays(on_sqlite: World, tmp_path: Path) -> None:
    url = on_sqlite.config.database_url
    urls = DatabaseUrls(kind="sqlite", app_url=url, owner_url=url)
    backup = backed_up(on_sqlite, tmp_path / "backup")
    on_sqlite.post(f"/v1/{HOME}/reports", a_report(report_ref="T-9"))
    before = everything(url)
    on_sqlite.database.dispose()
    with pytest.raises(RestoreRefused, match="has rows"):
        restored(on_sqlite, backup, urls)
    assert everything(url) == before
    done = restored(on_sqlite, backup, urls, replace=True)
    assert done.aside is not None
    assert everything(f"sqlite:///{done.aside}") == before
    assert everything(url) != before


@pytest.mark.needs_postgres
def test_a_server_with_rows_is_left_alone(on_sqlite: World, empty: Empty, tmp_path: Path) -> None:
    backup, urls = backed_up(on_sqlite, tmp_path / "backup"), empty("postgresql")
    restored(on_sqlite, backup, urls)
    before = everything(urls.app_url)
    with pytest.raises(RestoreRefused, match="name a new, empty one"):
        restored(on_sqlite, backup, urls, replace=True)
    assert everything(urls.app_url) == before


def test_a_backup_takes_nobodys_place(on_sqlite: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    target.mkdir()
    backed_up(on_sqlite, target)
    with pytest.raises(BackupRefused, match="is there already"):
        backed_up(on_sqlite, target)
    with pytest.raises(BackupRefused, match="is no folder"):
        backed_up(on_sqlite, tmp_path / "nowhere" / "backup")
    (tmp_path / "kept.zip").write_text("mine")
    with pytest.raises(BackupRefused, match="is there already"):
        backed_up(on_sqlite, tmp_path / "kept.zip")


def test_a_zip_that_was_cut_is_refused(on_sqlite: World, empty: Empty, tmp_path: Path) -> None:
    backup = backed_up(on_sqlite, tmp_path / "backup.zip")
    with zipfile.ZipFile(backup) as archive:
        assert archive.testzip() is None
    backup.write_bytes(backup.read_bytes()[:-100])
    with pytest.raises(RestoreRefused, match="whole"):
        restored(on_sqlite, backup, empty("sqlite"))


def test_a_disk_that_is_too_small_is_said_at_once(
    on_sqlite: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = Path(str(on_sqlite.database.engine.url.database)).stat().st_size
    for free, fits in ((size, True), (size - 1, False)):
        disk = shutil.disk_usage(tmp_path)._replace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder, disk=disk: disk)
        if fits:
            backed_up(on_sqlite, tmp_path / "fits")
        else:
            with pytest.raises(BackupRefused, match="bytes free"):
                backed_up(on_sqlite, tmp_path / "does not")
    assert not (tmp_path / "does not").exists()


def test_rows_of_a_county_that_is_not_known_are_not_left_behind(on_sqlite: World, empty: Empty) -> None:
    with on_sqlite.database.transaction("nowhere") as store:
        row = {"county": "nowhere", "id": "s", "created_seq": 1}
        store.connection.execute(tables.system.insert(), row)
    target = Database.connect(empty("sqlite").app_url)
    with (
        pytest.raises(CopyFailed, match="nowhere"),
        on_sqlite.database.reading(None) as reader,
        target.transaction(None) as writer,
    ):
        copy_rows(reader, writer)
    target.dispose()
