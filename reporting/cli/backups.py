"""`pumper backup`, `restore` and `move`: the whole database, with everything in it."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from notifications.worker import is_alive
from reporting.cli.common import log_to_stderr, opened, signer_of
from reporting.cli.records import sign_logs
from reporting.cli.words import JSON, moment, print_json
from reporting.config import Config, read
from reporting.errors import DatabaseUnavailable, MoveRefused, RestoreRefused
from reporting.operation.backups import make_backup
from reporting.operation.moving import Moved, is_same
from reporting.operation.moving import move as move_rows
from reporting.operation.restoring import Restored, Wanted, restore_backup
from reporting.store.copying import unmark_moved
from reporting.store.engine import Database
from reporting.store.migrate import is_current

_NO_GRACE = dt.timedelta(0)


@click.command()
@click.argument("target", type=click.Path(path_type=Path), metavar="FOLDER|FILE.zip")
@JSON
def backup(target: Path, as_json: bool) -> None:
    """Write everything to a new folder or .zip file, while the service runs: one moment, with a manifest.

    The same form for SQLite and PostgreSQL. The key that signs receipts is not in it: keep a copy of that apart.
    """
    with opened() as (settings, database):
        sign_logs(database, settings)
        made = make_backup(database, settings.database_url, target, moment())
    if as_json:
        print_json({"path": str(target), **_shown(made.rows, made.logs), "migration": made.migration})
        return
    click.echo(f"{sum(made.rows.values()):,} rows of {len(made.rows)} tables, {_logs(made.logs)}: written to {target}")
    click.echo(f"Keep a copy of {settings.signing_key_file} apart: it is not in the backup.")


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="FOLDER|FILE.zip")
@click.option("--replace", is_flag=True, help="Where a SQLite file has rows: set it aside and take its place.")
@click.option("--despite-problems", is_flag=True, help="Restore although the check of the record finds problems.")
@JSON
def restore(source: Path, replace: bool, despite_problems: bool, as_json: bool) -> None:
    """Restore a backup into the configured database, which must be empty, and check it against the heads it kept.

    A backup of an older version is brought up to date. It is there whole or not at all.
    """
    settings = read()
    log_to_stderr(settings.log_level)
    _refuse_running(settings, RestoreRefused)
    keys = [signer_of(settings).verifying_key]
    wanted = Wanted(now=moment(), replace=replace, despite=despite_problems)
    done = restore_backup(source, settings.database_url, settings.migration_database_url, keys, wanted)
    if as_json:
        aside = str(done.aside) if done.aside else None
        print_json({**_shown(done.manifest.rows, done.manifest.logs), "aside": aside, "problems": done.problems})
    else:
        _say_restored(done)
    if done.problems:
        sys.exit(1)


def _say_restored(done: Restored) -> None:
    made = done.manifest
    click.echo(f"Restored: {sum(made.rows.values()):,} rows, {_logs(made.logs)}, as of {made.made_at}.")
    if done.aside:
        click.echo(f"What was there before is in {done.aside}.")
    for problem in done.problems:
        click.echo(f"  {problem}")
    held = "does not hold" if done.problems else "holds"
    click.echo(
        f"The record {held} against the heads in the backup; `pumper verify --against FILE` takes those of mails."
    )
    click.echo(
        "Before you start the worker: `pumper init`; keys and sessions ended since are live again, and mails that were "
        "waiting then may have gone out since (`pumper mail pause COUNTY` holds them)."
    )


@click.command()
@click.option("--to", "url", metavar="URL", help="The other database, empty, for the role that owns its tables.")
@click.option("--cancel", is_flag=True, help="Go on with this database although it was moved.")
@JSON
def move(url: str | None, cancel: bool, as_json: bool) -> None:
    """Move everything to another database, SQLite or PostgreSQL; stop the service first.

    The other side is checked before anything counts; afterwards this database is not served from any more.
    """
    if cancel == (url is not None):
        raise click.UsageError("say where: --to URL (or --cancel)")
    settings = read()
    log_to_stderr(settings.log_level)
    if not is_current(settings.database_url):
        raise MoveRefused("This database is not set up or not up to date: run `pumper init`.")
    if url is None:
        _cancel(settings)
        return
    if is_same(settings.database_url, url):
        raise click.UsageError("--to names the database that is configured")
    _refuse_running(settings, MoveRefused)
    with opened(settings) as (_, database):
        sign_logs(database, settings)
        moved = move_rows(database, url, [signer_of(settings).verifying_key])
    _say_moved(moved, as_json=as_json)


def _cancel(settings: Config) -> None:
    database = Database.connect(settings.database_url)
    try:
        with database.transaction(None) as store:
            unmark_moved(store)
    finally:
        database.dispose()
    click.echo("This database is served from again; what was reported to the other one since is not in it.")


def _say_moved(moved: Moved, *, as_json: bool) -> None:
    if as_json:
        print_json({"rows": moved.rows, "logs": moved.logs})
        return
    click.echo(f"{sum(moved.rows.values()):,} rows moved and compared; every log holds there.")
    click.echo("Set DATABASE_URL to the other database (and MIGRATION_DATABASE_URL to its owner), then start again.")


def _refuse_running(settings: Config, refused: type[RestoreRefused | MoveRefused]) -> None:
    """Not while a worker of the service is at work on the database."""
    try:
        if not is_current(settings.database_url):
            return
        database = Database.connect(settings.database_url)
        try:
            with database.reading(None) as store:
                alive = is_alive(store, moment(), _NO_GRACE)
        finally:
            database.dispose()
    except DatabaseUnavailable:
        return  # what there is not cannot be at work; whatever else is wrong is said by what comes next
    if alive:
        raise refused("The service is at work on this database: stop it first (a killed worker counts for a minute).")


def _shown(rows: Mapping[str, int], logs: Mapping[str, Any]) -> dict[str, Any]:
    return {"rows": dict(rows), "logs": dict(logs)}


def _logs(logs: Mapping[str, Any]) -> str:
    entries = sum(int(log["size"]) for log in logs.values())
    return f"{entries:,} entries in {len(logs)} {'log' if len(logs) == 1 else 'logs'}"
