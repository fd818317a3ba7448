"""Which counties there are, and every text of their programs that was ever loaded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import insert_new_rows, upsert_rows


def save_counties(store: Store, names: Mapping[str, str]) -> None:
    """Add counties (slug → name) or rename them."""
    upsert_rows(store, tables.county, [{"slug": slug, "name": name} for slug, name in names.items()])


def list_counties(store: Store) -> dict[str, str]:
    """Every county: slug → name, by slug."""
    table = tables.county
    return dict(store.connection.execute(select(table.c.slug, table.c.name).order_by(table.c.slug)).all())


def save_program_text(store: Store, county: str, toml: str, now: datetime) -> str:
    """Keep the text of a county's program as loaded; gives its SHA-256 in hex. The same text is kept once."""
    digest = sha256(toml.encode()).hexdigest()
    insert_new_rows(store, tables.program_text, [{"county": county, "sha256": digest, "toml": toml, "loaded_at": now}])
    return digest


def program_text(store: Store, county: str, digest: str) -> str | None:
    """The text with this SHA-256, or `None`."""
    table = tables.program_text
    query = select(table.c.toml).where(table.c.county == county, table.c.sha256 == digest)
    return store.connection.execute(query).scalar()
