"""What a report is matched by, and the reports that wait for a person to decide."""

from __future__ import annotations

from sqlalchemy import Index

from reporting.tables.columns import ident, json_value, number, of_system, tenant_table

identifier = tenant_table(
    "identifier",
    ident("kind", key=True),
    ident("norm", key=True),
    ident("system", key=True),
    ident("component", key=True),
    of_system(),
    Index("ix_identifier_county_system", "county", "system"),
)

gram = tenant_table(
    "gram",
    ident("gram", key=True),
    ident("system", key=True),
    of_system(),
    Index("ix_gram_county_system", "county", "system"),
)

gram_head = tenant_table("gram_head", number("seq"))  # the entry of the log up to which `gram` knows the places

review = tenant_table(
    "review",
    ident("id", key=True),
    ident("event"),
    ident("state"),
    ident("reason"),
    json_value("candidates"),
    number("created_seq"),
    number("resolved_seq", null=True),
    ident("resolved_by", null=True),
    ident("system", null=True),
    Index("ix_review_county_state", "county", "state"),
    Index("ix_review_county_event", "county", "event"),
)
