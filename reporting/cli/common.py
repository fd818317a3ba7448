"""What the commands that work on the database share."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from reporting.config import Config, read
from reporting.errors import ConfigurationError
from reporting.store.engine import Database
from reporting.store.migrate import is_current
from reporting.store.signing import Signer


@contextmanager
def opened(config: Config | None = None) -> Iterator[tuple[Config, Database]]:
    """The configured database, up to date; says how to make it when it is not."""
    settings = config or read()
    log_to_stderr(settings.log_level)
    if not is_current(settings.database_url):
        raise ConfigurationError("The database is not set up or not up to date: run `pumper init`.")
    database = Database.connect(settings.database_url)
    try:
        yield settings, database
    finally:
        database.dispose()


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
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )
