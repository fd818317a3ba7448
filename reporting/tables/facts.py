"""Facts about systems, each with what was known when, and the events reported on them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, text

from reporting.tables.columns import (
    day,
    flag,
    ident,
    instant,
    json_value,
    number,
    of_system,
    tenant_table,
    version_table,
    words,
)


def _current_index(name: str, *columns: str, unique: bool = False) -> Index:
    """An index over what is known now: the versions that have not ended."""
    now = text("ended_seq IS NULL")
    return Index(name, "county", *columns, unique=unique, sqlite_where=now, postgresql_where=now)


def _former_index(name: str, column: str) -> Index:
    """An index over the versions that have ended, which are few."""
    ended = text("ended_seq IS NOT NULL")
    return Index(name, "county", column, sqlite_where=ended, postgresql_where=ended)


def _correcting_index(name: str, column: str) -> Index:
    """An index over the versions that stand in the place of another."""
    given = text(f"{column} IS NOT NULL")
    return Index(name, "county", column, sqlite_where=given, postgresql_where=given)


_MONEY: Final = text("kind IN ('fee_charge', 'payment', 'fee_waiver', 'fee_refund') AND ended_seq IS NULL")
"""What is charged, paid, waived or given back: once under its id, whoever enters it twice."""

system = tenant_table("system", ident("id", key=True), number("created_seq"))

system_version = version_table(
    "system_version",
    ident("permit_number", null=True),
    ident("parcel_number", null=True),
    words("site_address"),
    ident("municipality", null=True),
    ident("status"),
    json_value("content"),
    _current_index("ix_system_version_current_permit", "permit_number"),
    _current_index("ix_system_version_current_parcel", "parcel_number"),
    Index("ix_system_version_county_seq", "county", "seq"),
)

component_version = version_table(
    "component_version", json_value("content"), key=("system", "component", "component_ref")
)

owner_version = version_table(
    "owner_version",
    day("valid_from"),
    words("name"),
    words("email"),
    json_value("content"),
    Index("ix_owner_version_county_seq", "county", "seq"),
)

designation = version_table(
    "designation",
    ident("license_number"),
    ident("license_norm"),
    day("valid_from"),
    day("valid_to"),
    Index("ix_designation_county_license_norm", "county", "license_norm"),
)

contract = version_table(
    "contract",
    ident("license_number"),
    ident("license_norm"),
    day("from_on"),
    day("to_on"),
    day("filed_on"),
    ident("kind", null=True),
    json_value("content"),
)

fact = tenant_table(
    "fact",
    ident("kind", key=True),
    ident("system", key=True),  # "" for a fact about the county itself, such as a setting
    number("seq", key=True),
    ident("id"),
    number("ended_seq", null=True),
    day("valid_from"),
    day("valid_to"),
    json_value("content"),
    Index("ix_fact_county_system", "county", "system"),
    Index("ix_fact_county_id", "county", "id"),
    Index("uq_fact_current_money", "county", "id", unique=True, sqlite_where=_MONEY, postgresql_where=_MONEY),
)

event = tenant_table(
    "event",
    ident("id", key=True),
    number("seq"),
    number("ended_seq", null=True),
    ident("system", null=True),  # null while the report waits in review
    ident("component"),
    ident("component_ref"),
    ident("event_type"),
    day("service_date", null=False),
    instant("received_at"),
    instant("first_received_at"),  # of the first version of an amended report
    ident("contractor_id", null=True),
    ident("license_number", null=True),
    ident("license_norm", null=True),
    ident("report_ref", null=True),
    ident("identity"),
    ident("content_sha"),
    ident("visit", null=True),
    ident("submission", null=True),  # null for a baseline event from an inventory
    number("row", null=True),
    ident("supersedes", null=True),
    ident("possible_duplicate_of", null=True),
    flag("historical"),
    json_value("content"),
    of_system(),
    _current_index("uq_event_current_identity", "identity", unique=True),
    _former_index("ix_event_former_identity", "identity"),
    _correcting_index("ix_event_supersedes", "supersedes"),
    Index("ix_event_county_system_service_date", "county", "system", "service_date"),
    Index("ix_event_county_seq", "county", "seq"),
    Index("ix_event_county_contractor_id", "county", "contractor_id"),
    Index("ix_event_county_submission", "county", "submission"),
)
