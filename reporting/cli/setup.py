"""Bringing the database up to date and loading the programs, for `init` and the demonstration."""

from __future__ import annotations

import datetime as dt
import hashlib

from reporting.cli.common import signer_of
from reporting.config import Config
from reporting.store.counties import program_text, save_counties, save_program_text
from reporting.store.derived import mark_all_dirty
from reporting.store.engine import Database, Store
from reporting.store.migrate import upgrade
from schemas.loader import BASELINE, shipped_program, shipped_slugs, shipped_text


def prepare(config: Config, now: dt.datetime) -> None:
    """Bring the database up to date and load the program files; the key that signs receipts is made with it."""
    signer_of(config)
    upgrade(config.migration_database_url)
    database = Database.connect(config.database_url)
    try:
        with database.transaction(None) as store:
            save_counties(store, {slug: shipped_program(slug).name for slug in shipped_slugs()})
        for slug in shipped_slugs():
            with database.transaction(slug) as store:
                _load_program(store, slug, now)
    finally:
        database.dispose()


def _load_program(store: Store, slug: str, now: dt.datetime) -> None:
    """Keep the program's text; under a new text, or a new baseline, every system is judged again."""
    text = (shipped_text(BASELINE) + b"\n" + shipped_text(slug)).decode("utf-8")
    if program_text(store, slug, hashlib.sha256(text.encode()).hexdigest()) is None:
        save_program_text(store, slug, text, now)
        mark_all_dirty(store)
