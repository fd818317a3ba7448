"""Tables that belong to no county: counties, businesses, keys, programs, jobs."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, Index

from reporting.tables.columns import IDENTIFIER, day, global_table, ident, instant, json_value, number, octets, words

county = global_table("county", ident("slug", key=True), words("name", null=False))

contractor = global_table(
    "contractor",
    ident("id", key=True),
    words("business_name", null=False),
    words("email"),
    words("phone"),
    words("address"),
    instant("created_at"),
)

credential = global_table(
    "credential",
    ident("license_norm", key=True),
    ident("kind", key=True),
    ident("license_number"),
    ident("contractor_id"),
    day("expires_on"),
    json_value("counties"),
    ForeignKeyConstraint(["contractor_id"], ["contractor.id"]),
    Index("ix_credential_contractor_id", "contractor_id"),
)

api_key = global_table(
    "api_key",
    ident("id", key=True),
    octets("secret_sha256"),
    ident("role"),
    ident("county", null=True),
    ident("contractor_id", null=True),
    words("label", null=False),
    instant("created_at"),
    instant("expires_at", null=True),
    instant("revoked_at", null=True),
    Column("kind", IDENTIFIER, nullable=False, default="api", server_default="api"),
    json_value("scopes", null=True),  # none: those of its role
    day("last_used_on"),
    ident("created_by", null=True),
    ident("revoked_by", null=True),
    ForeignKeyConstraint(["contractor_id"], ["contractor.id"]),
    Index("ix_api_key_contractor_id", "contractor_id"),
    Index("ix_api_key_county", "county"),
)

program_text = global_table(
    "program_text",
    ident("county", key=True),
    ident("sha256", key=True),
    words("toml", null=False),
    instant("loaded_at"),
)

job_run = global_table(
    "job_run",
    ident("job", key=True),
    ident("slot", key=True),
    instant("started_at"),
    instant("finished_at", null=True),
    ident("by"),
)

lease = global_table("lease", ident("name", key=True), ident("owner"), instant("until"), number("fence"))
