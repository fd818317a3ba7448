"""The append-only log of each county (RFC 6962 style) and its signed heads."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index

from reporting.tables.columns import ident, instant, number, octets, tenant_table

log_head = tenant_table(
    "log_head",
    number("size"),
    octets("root"),
    octets("frontier"),  # the roots of the perfect subtrees, widest first, 32 bytes each
    instant("last_at", null=True),
    octets("verifying_key", null=True),  # of the key in force; null until the first signed head
)

log_entry = tenant_table(
    "log_entry",
    number("seq", key=True),
    ident("type"),
    instant("recorded_at"),
    octets("entry"),
    octets("leaf"),
    Index("ix_log_entry_county_recorded_at_seq", "county", "recorded_at", "seq"),
)

log_raw = tenant_table(
    "log_raw",
    number("seq", key=True),
    octets("salt"),
    octets("raw"),
    ForeignKeyConstraint(["county", "seq"], ["log_entry.county", "log_entry.seq"]),
)

log_detail = tenant_table(
    "log_detail",
    number("seq", key=True),
    octets("salt"),
    octets("detail"),  # canonical JSON: what people wrote, and the rows that the entry made, ended or decided
    ForeignKeyConstraint(["county", "seq"], ["log_entry.county", "log_entry.seq"]),
)

checkpoint = tenant_table(
    "checkpoint",
    number("size", key=True),
    octets("root"),
    ident("key_id"),
    octets("signature"),
    instant("signed_at"),
)
