"""Where a database lies: its address, and the room on its disk, where that is known."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from reporting.errors import ConfigurationError


@dataclass(frozen=True, kw_only=True)
class Room:
    """The disk on which the database lies, where that is known: with fewer than `least` bytes free it counts as full.

    PostgreSQL stops altogether when its log cannot grow, and stays down: so a county is told before that.
    """

    folder: Path
    least: int

    def free(self) -> int | None:
        """Bytes free; a folder that cannot be asked says nothing."""
        try:
            return shutil.disk_usage(self.folder).free
        except OSError:
            return None

    def is_low(self) -> bool:
        """Whether nothing more is to be taken."""
        free = self.free()
        return free is not None and free < self.least


def room_of(url: str, folder: Path | None, least: int) -> Room | None:
    """The disk of the database at `url`: SQLite's file tells where, of PostgreSQL somebody must say it."""
    address = database_address(url)
    if address.get_backend_name() == "sqlite":
        folder = Path(address.database).parent if address.database else None
    return Room(folder=folder, least=least) if folder is not None and least else None


def database_address(url: str) -> URL:
    """Parse a `DATABASE_URL` as people write it; raises `ConfigurationError`."""
    try:
        address = make_url(url)
        backend = address.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise ConfigurationError("DATABASE_URL is not the address of a database.") from error
    if backend == "sqlite":
        return address.set(drivername="sqlite+pysqlite")
    if backend in ("postgresql", "postgres"):
        return address.set(drivername="postgresql+psycopg")
    raise ConfigurationError("DATABASE_URL must begin with sqlite:// or postgresql://.")
