"""What was handed in, row by row, and the answers kept for a repeated request."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, Table

from reporting.tables.columns import (
    count,
    flag,
    ident,
    instant,
    json_value,
    metadata,
    number,
    octets,
    tenant_table,
    words,
)

submission = tenant_table(
    "submission",
    ident("id", key=True),
    ident("contractor_id", null=True),
    ident("principal"),
    instant("received_at"),
    words("file_name"),
    words("content_type"),
    ident("file_sha256"),
    flag("dry_run"),
    flag("atomic"),
    flag("historical"),
    ident("status"),
    count("rows"),
    count("accepted"),
    count("duplicate"),
    count("rejected"),
    count("queued_for_review"),
    json_value("columns", verbatim=True),
    count("next_row"),
    Index("ix_submission_county_status", "county", "status"),
)

outcome = tenant_table(
    "outcome",
    ident("submission", key=True),
    number("row", key=True),
    ident("outcome"),
    ident("report_id", null=True),
    ident("duplicate_of", null=True),
    words("permit_number"),
    number("seq", null=True),
    json_value("receipt", null=True, verbatim=True),
    json_value("findings", verbatim=True),
    json_value("errors", verbatim=True),
    json_value("warnings", verbatim=True),
    json_value("cells", verbatim=True),  # the row as it came: heading → text, in the file's order
    ForeignKeyConstraint(["county", "submission"], ["submission.county", "submission.id"]),
    Index("ix_outcome_county_report_id", "county", "report_id"),
)

submission_file = tenant_table(
    "submission_file",
    ident("submission", key=True),
    octets("data"),  # a long file, until it has been worked off
    json_value("options", verbatim=True),  # what its rows are read by beside the submission's own columns
    ForeignKeyConstraint(["county", "submission"], ["submission.county", "submission.id"]),
)

inventory_file = tenant_table(
    "inventory_file",
    ident("id", key=True),
    ident("state"),
    ident("principal"),
    instant("received_at"),
    instant("ended_at", null=True),
    words("file_name"),
    words("content_type"),
    ident("file_sha256"),
    ident("plan_sha256"),  # of all that its trial said it would do
    octets("data"),
    count("rows"),
    count("done"),
    json_value("answer", null=True, verbatim=True),  # what became of it; of the rows, those with something to tell
    Index("ix_inventory_file_county_state", "county", "state"),
)

idempotency = Table(
    "idempotency",
    metadata,
    ident("principal", key=True),
    ident("route", key=True),
    ident("key", key=True),
    ident("county"),  # "" for a route outside of any county; not part of the key: the route names the county
    ident("body_sha256"),
    Column("status", Integer, nullable=True),
    json_value("answer", null=True, verbatim=True),
    json_value("headers", null=True, verbatim=True),
    ident("state"),
    instant("created_at"),
    Index("ix_idempotency_created_at", "created_at"),
    info={"tenant": True},
)
