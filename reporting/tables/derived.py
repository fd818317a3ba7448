"""What assessment has found: it may be thrown away and computed again."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index

from reporting.tables.columns import day, flag, ident, number, of_system, tenant_table, words

standing = tenant_table(
    "standing",
    ident("system", key=True),
    ident("state"),
    flag("dirty"),
    day("next_change_on"),
    day("assessed_on"),
    number("assessed_seq", null=True),
    ident("program_sha", null=True),
    Column("needs_service", Boolean, nullable=True),
    day("needs_service_on"),
    words("needs_service_because"),
    day("full_on"),
    ident("contractor", null=True),  # license_norm of the designated contractor
    ident("municipality", null=True),
    of_system(),
    Index("ix_standing_county_next_change_on", "county", "next_change_on"),
    Index("ix_standing_county_dirty", "county", "dirty"),
    Index("ix_standing_county_state", "county", "state"),
)

obligation = tenant_table(
    "obligation",
    *[ident(column, key=True) for column in ("system", "component", "component_ref", "kind", "rule", "cycle")],
    ident("state"),
    day("due_on"),
    day("last_day"),
    ident("duty_of"),
    words("cite", null=False),
    words("because"),
    ident("event", null=True),
    of_system(),
    Index("ix_obligation_county_state_due_on", "county", "state", "due_on"),
    Index("ix_obligation_county_kind", "county", "kind"),
)

finding = tenant_table(
    "finding",
    *[ident(column, key=True) for column in ("system", "kind", "rule", "cause")],
    ident("event", null=True),
    ident("component", null=True),
    day("due_on"),
    day("last_day"),
    words("cite", null=False),
    words("because"),
    of_system(),
    Index("ix_finding_county_event", "county", "event"),
)
