"""What the commands that work on the database share."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog

from reporting.config import Config, read
from reporting.errors import ConfigurationError
from reporting.store.copying import moved_to
from reporting.store.engine import Database
from reporting.store.migrate import is_current
from reporting.store.room import room_of
from reporting.store.sandbox import is_sandbox
from reporting.store.signing import Signer


@contextmanager
def opened(config: Config | None = None) -> Iterator[tuple[Config, Database]]:
    """The configured database, up to date; says how to make it when it is not."""
    settings = config or read()
    log_to_stderr(settings.log_level)
    if not is_current(settings.database_url):
        raise ConfigurationError("The database is not set up or not up to date: run `pumper init`.")
    room = room_of(settings.database_url, settings.database_folder, settings.least_free)
    database = Database.connect(settings.database_url, room=room)
    try:
        refuse_moved(database)
        refuse_other_kind(database, sandbox=settings.sandbox)
        yield settings, database
    finally:
        database.dispose()


def refuse_moved(database: Database) -> None:
    """Work on no database whose rows are in another one by now; raises `ConfigurationError`."""
    with database.reading(None) as store:
        where = moved_to(store)
    if where is not None:
        raise ConfigurationError(
            f"The database was moved to {where}: set DATABASE_URL to it (`pumper move --cancel` goes on with this one)."
        )


def refuse_other_kind(database: Database, *, sandbox: bool) -> None:
    """A sandbox works on a sandbox's database, the service on none of those; raises `ConfigurationError`."""
    if is_sandbox(database) == sandbox:
        return
    if sandbox:
        raise ConfigurationError(
            "PUMPER_SANDBOX is on, and the database is no sandbox's: name a database of its own in DATABASE_URL and "
            "run `pumper sandbox reset`."
        )
    raise ConfigurationError("The database is a sandbox's: set PUMPER_SANDBOX=on, or name another one in DATABASE_URL.")


def signer_of(config: Config) -> Signer:
    """The key that signs receipts; made on first use."""
    config.signing_key_file.parent.mkdir(parents=True, exist_ok=True)
    return Signer.load(config.signing_key_file)


def log_to_stderr(level: str) -> None:
    """Log lines are JSON on standard error, in UTC: standard output is for the answer alone."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _where_it_failed,
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )


def _where_it_failed(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Of an exception its kind and its place: its words may name an owner, as a database's own do."""
    if not line.pop("exc_info", None):
        return line
    error = sys.exception()
    frames = traceback.extract_tb(error.__traceback__) if error else []
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-12:]]
    return {**line, "error": type(error).__name__, "where": where}
