"""A backup: the whole database at one moment as one SQLite file, whichever kind it is of, with its manifest.

The same form for both kinds: it can be restored into either, and looked into and verified where it lies
(docs/decisions/0042-backup-restore-move.md). The signing key is not in it.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from reporting.errors import BackupRefused
from reporting.operation.manifest import CHECKPOINTS, DATABASE, MANIFEST, README, Manifest, digest, service_version
from reporting.store.copying import copy_rows, count_rows, heads, snapshot_sqlite
from reporting.store.engine import Database
from reporting.store.migrate import current, upgrade
from reporting.store.room import database_address
from reporting.store.signing import checkpoint_note

_README: Final = """A backup of the reporting service, made at {at} UTC of a {source} database.

pumper.db          everything: a SQLite database (migration {migration})
checkpoints.txt    the last signed head of each log (C2SP tlog-checkpoint)
manifest.json      versions, rows of each table, where each log stood, the SHA-256 of each file

To restore it:     pumper restore {name}
To look into it:   DATABASE_URL=sqlite:///{name}/pumper.db pumper verify --against {name}/checkpoints.txt

It holds everything that people reported, owners' names and hashed credentials: keep it as the records themselves are
kept. The key that signs receipts is not in it: keep a copy of that apart.
"""


def make_backup(database: Database, url: str, target: Path, now: datetime) -> Manifest:
    """Write a backup to a new folder, or to a new .zip file; it appears whole or not at all.

    url: the database's address. Raises `BackupRefused` for a target that is there or has too little room, `CopyFailed`,
    `DatabaseUnavailable`.
    """
    _check_target(target)
    with _draft(target) as folder:
        _check_room(url, folder)
        copy = folder / DATABASE
        if database.dialect == "sqlite":
            snapshot_sqlite(url, copy)
        else:
            _copy_into(database, copy)
        manifest = _describe(folder, database.dialect, now)
        (folder / README).write_text(_words_of(manifest, target), encoding="utf-8")
        (folder / MANIFEST).write_bytes(manifest.as_bytes())
        _put(folder, target)
    return manifest


def _check_target(target: Path) -> None:
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists():
        raise BackupRefused(f"{target} is there already: name a new folder, or a new .zip file.")
    if not target.resolve().parent.is_dir():
        raise BackupRefused(f"{target.resolve().parent} is no folder.")


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A folder beside the target, gone afterwards; what an interrupted run left is replaced."""
    folder = target.with_name(f".{target.name}.part")
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        yield folder
    except OSError as error:
        raise BackupRefused(f"{target} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_room(url: str, folder: Path) -> None:
    """Say at once that it cannot fit, rather than fill the disk that the service may need."""
    name = database_address(url).database
    if database_address(url).get_backend_name() != "sqlite" or name is None:
        return
    needed, free = Path(name).stat().st_size, shutil.disk_usage(folder).free
    if needed > free:
        raise BackupRefused(f"There are {free:,} bytes free, and the database alone has {needed:,}.")


def _copy_into(database: Database, copy: Path) -> None:
    """The rows of another kind of database, of one moment."""
    url = f"sqlite:///{copy}"
    upgrade(url)
    made = Database.connect(url)
    try:
        with database.reading(None) as source, made.transaction(None) as target:
            copy_rows(source, target)
    finally:
        made.dispose()


def _describe(folder: Path, source: str, now: datetime) -> Manifest:
    """What is in the copy itself, read from it; its signed heads are written beside it."""
    url = f"sqlite:///{folder / DATABASE}"
    made = Database.connect(url)
    try:
        with made.reading(None) as store:
            rows, logs = count_rows(store), heads(store)
    finally:
        made.dispose()
    notes = [checkpoint_note(signed) for _at, signed in logs.values() if signed is not None]
    (folder / CHECKPOINTS).write_text("\n".join(notes), encoding="utf-8")
    return Manifest(
        made_at=now.astimezone(UTC).isoformat(timespec="seconds"),
        service=service_version(),
        source=source,
        migration=current(url) or "",
        rows=rows,
        logs={county: {"size": at.size, "root": at.root.hex()} for county, (at, _signed) in logs.items()},
        files={name: digest(folder / name) for name in (DATABASE, CHECKPOINTS)},
    )


def _words_of(manifest: Manifest, target: Path) -> str:
    at = manifest.made_at[:16].replace("T", " ")
    return _README.format(at=at, source=manifest.source, migration=manifest.migration, name=target.name)


def _put(folder: Path, target: Path) -> None:
    """Put the draft in its place once it is on the disk."""
    if target.suffix.lower() == ".zip":
        packed = target.with_name(f".{target.name}.part.zip")
        try:
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for path in sorted(folder.iterdir()):
                    archive.write(path, path.name)
            packed.chmod(0o600)
            _sync(packed)
            packed.replace(target)
        finally:
            packed.unlink(missing_ok=True)
    else:
        for path in folder.iterdir():
            _sync(path)
        if target.is_dir():
            target.rmdir()  # an empty one
        folder.rename(target)
    _sync(target.resolve().parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
