"""The `MetaData`, the column types and the small builders that every table is made with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import JSON, TypeDecorator, TypeEngine

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata: Final = MetaData(naming_convention=NAMING)

IDENTIFIER: Final[TypeEngine[str]] = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that is compared and ordered by its bytes, the same on both databases."""
CONTENT: Final[TypeEngine[Any]] = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""A JSON value that may be searched; PostgreSQL does not keep the order of its keys."""
VERBATIM: Final[TypeEngine[Any]] = JSON(none_as_null=True)
"""A JSON value given back with its keys in the order in which they came."""


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware `datetime` in, aware UTC `datetime` out. A naive value is refused with `ValueError`."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn the instant to UTC; SQLite, which knows no zones, stores it without one."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the instant back in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def ident(name: str, *, key: bool = False, null: bool = False) -> Column[str]:
    """A column of identifiers, compared by their bytes."""
    return Column(name, IDENTIFIER, primary_key=key, nullable=null)


def words(name: str, *, null: bool = True) -> Column[str]:
    """A column of text for people."""
    return Column(name, Text, nullable=null)


def instant(name: str, *, key: bool = False, null: bool = False) -> Column[datetime]:
    """A column of instants, in UTC."""
    return Column(name, UtcDateTime, primary_key=key, nullable=null)


def day(name: str, *, null: bool = True) -> Column[Any]:
    """A column of local dates."""
    return Column(name, Date, nullable=null)


def number(name: str, *, key: bool = False, null: bool = False) -> Column[int]:
    """A column of whole numbers that come from the log."""
    # Counters start at 1 and come from the log, never from the database.
    return Column(name, BigInteger, primary_key=key, nullable=null, autoincrement=False)


def count(name: str, start: int = 0) -> Column[int]:
    """A column that counts, from `start`."""
    return Column(name, Integer, nullable=False, default=start)


def flag(name: str) -> Column[bool]:
    """A column of yes or no."""
    return Column(name, Boolean, nullable=False, default=False)


def json_value(name: str, *, null: bool = False, verbatim: bool = False) -> Column[Any]:
    """A column of JSON; `verbatim` keeps the order of keys."""
    return Column(name, VERBATIM if verbatim else CONTENT, nullable=null)


def octets(name: str, *, null: bool = False) -> Column[bytes]:
    """A column of bytes."""
    return Column(name, LargeBinary, nullable=null)


def global_table(name: str, *parts: Any) -> Table:
    """A table that belongs to no county."""
    return Table(name, metadata, *parts, info={"tenant": False})


def tenant_table(name: str, *parts: Any) -> Table:
    """A table of which every row belongs to a county, whose slug comes first in its key."""
    return Table(name, metadata, ident("county", key=True), *parts, info={"tenant": True})


def version_table(name: str, *parts: Any, key: tuple[str, ...] = ("system",)) -> Table:
    """A fact about one system, known from `seq` until `ended_seq`."""
    keys = [ident(column, key=True) for column in key]
    columns = [*keys, number("seq", key=True), number("ended_seq", null=True), *parts]
    return tenant_table(name, *columns, of_system(), Index(f"ix_{name}_county_ended_seq", "county", "ended_seq"))


def of_system() -> ForeignKeyConstraint:
    """The rule that a row's system is there."""
    return ForeignKeyConstraint(["county", "system"], ["system.county", "system.id"])
