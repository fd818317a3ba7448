"""Everything of one county in open formats, for a county that leaves the service or looks into its own records.

Each table as JSON lines (exact) and as CSV (for a spreadsheet), beside the log, what lies beside its entries and its
signed heads as `reporting.store.export` writes them: one bundle, checked by one command.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, LargeBinary, Select, Table, or_, select

from reporting import tables
from reporting.spreadsheets import BOM, csv_lines
from reporting.store.encoding import encode_json, instant_text
from reporting.store.engine import Store
from reporting.store.export import Bundle
from reporting.store.leaving_words import LEFT_OUT, MEANING
from reporting.store.verify import take_time

README: Final = "tables/README.md"
_PAGE: Final = 2_000
_SECRET: Final = frozenset({"secret_sha256", "secret", "former_secret", "totp", "code_sha256"})


@dataclass(frozen=True, kw_only=True)
class Part:
    """One table of an export: which of its rows, and of which columns."""

    table: Table
    where: Callable[[str], ColumnElement[bool]]

    @property
    def columns(self) -> list[Column[Any]]:
        """Its columns but for those that would let somebody in."""
        return [column for column in self.table.columns if column.name not in _SECRET]

    def rows(self, store: Store) -> Iterator[Mapping[str, Any]]:
        """Its rows in the order of their key."""
        query: Select[Any] = select(*self.columns).where(self.where(store.tenant)).order_by(*self.table.primary_key)
        for row in store.connection.execute(query, execution_options={"yield_per": _PAGE}).mappings():
            yield dict(row)


def parts() -> list[Part]:
    """Every table that has something of a county's, parents before children."""
    shared: dict[str, Callable[[str], ColumnElement[bool]]] = {
        "county": lambda county: tables.county.c.slug == county,
        "program_text": lambda county: tables.program_text.c.county == county,
        "contractor": lambda county: tables.contractor.c.id.in_(_businesses(county)),
        "credential": lambda county: tables.credential.c.contractor_id.in_(_businesses(county)),
        "membership": lambda county: tables.membership.c.county == county,
        "person": lambda county: tables.person.c.id.in_(
            select(tables.membership.c.person).where(tables.membership.c.county == county)
        ),
        "api_key": lambda county: tables.api_key.c.county == county,
        "webhook": lambda county: tables.webhook.c.county == county,
    }
    own = {table.name: _own(table) for table in tables.tenant_tables() if table.name not in LEFT_OUT}
    wanted = {**shared, **own}
    return [Part(table=t, where=wanted[t.name]) for t in tables.metadata.sorted_tables if t.name in wanted]


def export_tables(store: Store, bundle: Bundle) -> dict[str, int]:
    """Write the county's tables into a bundle, each twice, and what their columns are; gives rows by table. Streams."""
    take_time(store)
    counts = {}
    for part in parts():
        with bundle.file(f"tables/{part.table.name}.jsonl") as file:
            counts[part.table.name] = 0
            for row in part.rows(store):
                file.write(encode_json({name: _exact(value) for name, value in row.items()}).encode() + b"\n")
                counts[part.table.name] += 1
        with bundle.file(f"tables/{part.table.name}.csv") as file:
            file.write(BOM + csv_lines([[column.name for column in part.columns]]))
            rows = part.rows(store)
            while some := list(islice(rows, _PAGE)):
                file.write(csv_lines([_plain(value) for value in row.values()] for row in some))
    bundle.write(README, describe(store.tenant, counts).encode())
    return counts


def describe(county: str, counts: Mapping[str, int]) -> str:
    """What each table and each of its columns is, for whoever reads the files elsewhere."""
    lines = [
        f"# The tables of {county}",
        "",
        "Each table is there twice: `NAME.jsonl`, an object a line, exact; `NAME.csv`, for a spreadsheet (UTF-8,",
        "RFC 4180), with an apostrophe before a text that would be taken for a formula, and JSON where a value has",
        "parts. Days are YYYY-MM-DD; instants are in UTC; bytes are base64. A row with `seq` and `ended_seq` holds",
        "from the entry `seq` of the log (`../entries.jsonl`) until the entry `ended_seq`, or still when it is empty.",
        "",
        "Left out: " + "; ".join(f"`{name}` ({why})" for name, why in LEFT_OUT.items()) + ".",
    ]
    for part in parts():
        lines += [
            "",
            f"## {part.table.name}: {counts[part.table.name]:,} rows",
            "",
            MEANING.get(part.table.name, ""),
            "",
        ]
        lines += ["| column | what |", "|---|---|", *(f"| `{c.name}` | {_kind(c)} |" for c in part.columns)]
    return "\n".join(lines) + "\n"


def _own(table: Table) -> Callable[[str], ColumnElement[bool]]:
    return lambda county: table.c.county == county


def _businesses(county: str) -> Select[tuple[str]]:
    """The businesses that the county has to do with: their reports, and whose licence a system or contract names."""
    event, credential = tables.event, tables.credential
    named = [select(t.c.license_norm).where(t.c.county == county) for t in (tables.designation, tables.contract)]
    reporting = select(event.c.contractor_id).where(event.c.county == county, event.c.contractor_id.is_not(None))
    holding = select(credential.c.contractor_id).where(or_(*(credential.c.license_norm.in_(one) for one in named)))
    return select(tables.contractor.c.id).where(
        or_(tables.contractor.c.id.in_(reporting), tables.contractor.c.id.in_(holding))
    )


def _kind(column: Column[Any]) -> str:
    python = "bytes" if isinstance(column.type, LargeBinary) else type(column.type).__name__.lower()
    kinds = {
        "text": "text", "bytes": "bytes, base64", "biginteger": "a whole number", "integer": "a whole number",
        "boolean": "yes or no", "date": "a day", "utcdatetime": "an instant", "json": "JSON",
    }  # fmt: skip
    marks = ["part of the key"] if column.primary_key else []
    marks += [f"refers to `{key.target_fullname}`" for key in sorted(column.foreign_keys, key=str)]
    return "; ".join([kinds[python], *marks, *(["may be empty"] if column.nullable else [])])


def _exact(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return instant_text(value)
    return value.isoformat() if isinstance(value, date) else value


def _plain(value: object) -> object:
    """A value as one cell."""
    exact = _exact(value)
    return json.dumps(exact, ensure_ascii=False) if isinstance(exact, dict | list | bool) else exact
