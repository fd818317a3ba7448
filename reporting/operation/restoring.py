"""Putting a backup in the place of a database: checked before it is there, and there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from reporting.errors import RestoreRefused
from reporting.operation.checking import check_logs, problems_of
from reporting.operation.manifest import CHECKPOINTS, DATABASE, Manifest, read_manifest
from reporting.store.copying import check_file, copy_rows, count_named, differences, is_empty
from reporting.store.engine import Database
from reporting.store.migrate import current, latest, upgrade
from reporting.store.room import database_address
from reporting.store.signing import SignedHead, VerifyingKey, read_heads
from reporting.store.verify import VerifyResult

_BESIDE: Final = ("-journal", "-wal", "-shm")
"""What may lie beside a SQLite file and belongs to it."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """How to restore: `replace` a SQLite file that has rows (it is set aside), and whether to go on `despite` problems
    that the check of the logs has found. now: for the name of what is set aside."""

    now: datetime
    replace: bool = False
    despite: bool = False


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What was restored: the backup's manifest, what the check found, and where the former file is now."""

    manifest: Manifest
    results: tuple[VerifyResult, ...]
    problems: tuple[str, ...]
    aside: Path | None = None


def restore_backup(backup: Path, url: str, owner_url: str, keys: Sequence[VerifyingKey], wanted: Wanted) -> Restored:
    """Restore a backup into the database at `url`, brought up to date when it is of an older version.

    owner_url: the same database for the role that owns the tables. keys: that sign the logs. Raises `RestoreRefused`
    (not a backup, changed since, something is there, a log does not hold), `MigrationFailed`, `DatabaseUnavailable`.
    """
    address = database_address(url)
    to_file = address.get_backend_name() == "sqlite"
    place = Path(str(address.database)) if to_file else None
    if place is None:
        _refuse_rows(owner_url)
    elif _has_rows(url, place) and not wanted.replace:
        raise RestoreRefused(f"{place} has rows: --replace sets it aside and takes its place.")
    with ExitStack() as stack:
        folder = stack.enter_context(_unpacked(backup))
        manifest = read_manifest(folder)
        staged = stack.enter_context(_staging(place))
        shutil.copyfile(folder / DATABASE, staged)
        notes = (folder / CHECKPOINTS).read_text(encoding="utf-8")
        saved = read_heads(notes, CHECKPOINTS, wanted.now) if notes else []  # none: there was no entry yet
        results = _check(staged, manifest, keys, saved)
        problems = tuple(problems_of(results))
        if problems and not wanted.despite:
            said = f"Its record does not hold: {' '.join(problems[:3])} Is the signing key the one of that time?"
            raise RestoreRefused(f"{said} --despite-problems restores it all the same.")
        aside = None
        if place is not None:
            aside = _put(staged, place, wanted.now)
        else:
            _fill(staged, owner_url)
    return Restored(manifest=manifest, results=tuple(results), problems=problems, aside=aside)


@contextmanager
def _unpacked(backup: Path) -> Iterator[Path]:
    """The backup's folder; a .zip file is unpacked for a while."""
    if backup.is_dir() or not backup.exists():
        yield backup
        return
    with tempfile.TemporaryDirectory(prefix="pumper-restore-") as name:
        try:
            with zipfile.ZipFile(backup) as archive:
                archive.extractall(name)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise RestoreRefused(f"{backup} is no backup: neither a folder nor a whole .zip file.") from error
        yield Path(name)


@contextmanager
def _staging(place: Path | None) -> Iterator[Path]:
    """A file in which the backup is made ready: beside the place it will have, so that it can be put there at once."""
    if place is None:
        with tempfile.TemporaryDirectory(prefix="pumper-restore-") as name:
            yield Path(name) / DATABASE
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    staged = place.with_name(f".{place.name}.restoring")
    try:
        yield staged
    except OSError as error:
        raise RestoreRefused(f"{place} cannot be written: {error.strerror or error}.") from error
    finally:
        for path in (staged, *(staged.with_name(staged.name + end) for end in _BESIDE)):
            path.unlink(missing_ok=True)


def _check(
    staged: Path, manifest: Manifest, keys: Sequence[VerifyingKey], saved: Sequence[SignedHead]
) -> list[VerifyResult]:
    """The file itself, its rows against the manifest, then, brought up to date, its logs."""
    url = f"sqlite:///{staged}"
    known = latest()
    if known is None or manifest.migration > known:
        raise RestoreRefused(f"It is of a newer version (migration {manifest.migration}; this one knows {known}).")
    made = Database.connect(url)
    try:
        with made.reading(None) as store:
            wrong = check_file(store) or differences(count_named(store, manifest.rows), manifest.rows)
        if wrong:
            raise RestoreRefused(f"It is not whole: {'; '.join(wrong[:5])}.")
        upgrade(url)
        with made.reading(None) as store:
            results = check_logs(store, keys, saved)
    finally:
        made.dispose()
    for result in results:
        said = manifest.logs.get(result.county)
        if result.ok and said is not None and (result.size, result.root.hex()) != (said.get("size"), said.get("root")):
            raise RestoreRefused(f"The log of {result.county} is not where the manifest says it was.")
    return results


def _has_rows(url: str, place: Path) -> bool:
    if not place.exists() or place.stat().st_size == 0:
        return False
    if current(url) != latest():
        return True  # of another version: whatever it is, it is not ours to throw away
    database = Database.connect(url)
    try:
        with database.reading(None) as store:
            return not is_empty(store)
    finally:
        database.dispose()


def _put(staged: Path, place: Path, now: datetime) -> Path | None:
    """Put the file in its place; what was there is set aside beside it. Gives where."""
    aside = None
    if place.exists() and place.stat().st_size:
        aside = place.with_name(f"{place.name}.before-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}")
        for end in ("", *_BESIDE):
            old = place.with_name(place.name + end)
            if old.exists():
                old.rename(aside.with_name(aside.name + end))
    for path, flags in ((staged, os.O_RDWR), (place.resolve().parent, os.O_RDONLY)):
        if path == staged:
            path.chmod(0o600)
        handle = os.open(path, flags)
        os.fsync(handle)
        os.close(handle)
    staged.replace(place)
    return aside


def _refuse_rows(owner_url: str) -> None:
    upgrade(owner_url)
    database = Database.connect(owner_url)
    try:
        with database.reading(None) as store:
            if not is_empty(store):
                raise RestoreRefused("The database has rows: name a new, empty one (CREATE DATABASE …).")
    finally:
        database.dispose()


def _fill(staged: Path, owner_url: str) -> None:
    """Copy the rows of a file that holds into an empty database, in one transaction."""
    source, target = Database.connect(f"sqlite:///{staged}"), Database.connect(owner_url)
    try:
        with source.reading(None) as reader, target.transaction(None) as writer:
            if not is_empty(writer):
                raise RestoreRefused("The database has rows meanwhile.")
            copy_rows(reader, writer)
    finally:
        source.dispose()
        target.dispose()
