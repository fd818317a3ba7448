"""The first tables, with what protects them: triggers on the log, row security per county."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Written out here, not imported: a migration stays as it was when the tables go on changing.
IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
CONTENT = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
VERBATIM = sa.JSON(none_as_null=True)
INSTANT = sa.DateTime(timezone=True)

ADD_ONLY = ("log_entry", "checkpoint")
TENANT = (
    "checkpoint",
    "component_version",
    "contract",
    "designation",
    "domain_event",
    "event",
    "fact",
    "finding",
    "gram",
    "identifier",
    "log_entry",
    "log_head",
    "log_raw",
    "message",
    "obligation",
    "outcome",
    "owner_version",
    "review",
    "standing",
    "submission",
    "system",
    "system_version",
)


def upgrade() -> None:
    """Make every table, then protect them."""
    _people()
    _log()
    _intake()
    _facts()
    _matching()
    _derived()
    _out()
    if op.get_bind().dialect.name == "postgresql":
        _protect_postgresql()
    else:
        _protect_sqlite()


def _people() -> None:
    op.create_table(
        "contractor",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("business_name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contractor")),
    )
    op.create_table(
        "county",
        sa.Column("slug", IDENTIFIER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_county")),
    )
    op.create_table(
        "job_run",
        sa.Column("job", IDENTIFIER, nullable=False),
        sa.Column("slot", IDENTIFIER, nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("finished_at", INSTANT, nullable=True),
        sa.Column("by", IDENTIFIER, nullable=False),
        sa.PrimaryKeyConstraint("job", "slot", name=op.f("pk_job_run")),
    )
    op.create_table(
        "lease",
        sa.Column("name", IDENTIFIER, nullable=False),
        sa.Column("owner", IDENTIFIER, nullable=False),
        sa.Column("until", INSTANT, nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
    )
    op.create_table(
        "program_text",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("sha256", IDENTIFIER, nullable=False),
        sa.Column("toml", sa.Text(), nullable=False),
        sa.Column("loaded_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("county", "sha256", name=op.f("pk_program_text")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("secret_sha256", sa.LargeBinary(), nullable=False),
        sa.Column("role", IDENTIFIER, nullable=False),
        sa.Column("county", IDENTIFIER, nullable=True),
        sa.Column("contractor_id", IDENTIFIER, nullable=True),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=True),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(["contractor_id"], ["contractor.id"], name=op.f("fk_api_key_contractor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
    )
    op.create_table(
        "credential",
        sa.Column("license_norm", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("license_number", IDENTIFIER, nullable=False),
        sa.Column("contractor_id", IDENTIFIER, nullable=False),
        sa.Column("expires_on", sa.Date(), nullable=True),
        sa.Column("counties", CONTENT, nullable=False),
        sa.ForeignKeyConstraint(["contractor_id"], ["contractor.id"], name=op.f("fk_credential_contractor_id")),
        sa.PrimaryKeyConstraint("license_norm", "kind", name=op.f("pk_credential")),
    )
    op.create_index("ix_credential_contractor_id", "credential", ["contractor_id"])


def _log() -> None:
    op.create_table(
        "checkpoint",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", IDENTIFIER, nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.Column("signed_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("county", "size", name=op.f("pk_checkpoint")),
    )
    op.create_table(
        "log_entry",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("type", IDENTIFIER, nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("entry", sa.LargeBinary(), nullable=False),
        sa.Column("leaf", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("county", "seq", name=op.f("pk_log_entry")),
    )
    op.create_index("ix_log_entry_county_recorded_at_seq", "log_entry", ["county", "recorded_at", "seq"])
    op.create_table(
        "log_head",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("frontier", sa.LargeBinary(), nullable=False),
        sa.Column("last_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("county", name=op.f("pk_log_head")),
    )
    op.create_table(
        "log_raw",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "seq"], ["log_entry.county", "log_entry.seq"], name=op.f("fk_log_raw_county_seq")
        ),
        sa.PrimaryKeyConstraint("county", "seq", name=op.f("pk_log_raw")),
    )


def _intake() -> None:
    op.create_table(
        "idempotency",
        sa.Column("principal", IDENTIFIER, nullable=False),
        sa.Column("route", IDENTIFIER, nullable=False),
        sa.Column("key", IDENTIFIER, nullable=False),
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("body_sha256", IDENTIFIER, nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", VERBATIM, nullable=True),
        sa.Column("headers", VERBATIM, nullable=True),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("principal", "route", "key", name=op.f("pk_idempotency")),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    op.create_table(
        "submission",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("contractor_id", IDENTIFIER, nullable=True),
        sa.Column("principal", IDENTIFIER, nullable=False),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("file_name", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("file_sha256", IDENTIFIER, nullable=False),
        sa.Column("dry_run", sa.Boolean(), nullable=False),
        sa.Column("atomic", sa.Boolean(), nullable=False),
        sa.Column("historical", sa.Boolean(), nullable=False),
        sa.Column("status", IDENTIFIER, nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.Integer(), nullable=False),
        sa.Column("duplicate", sa.Integer(), nullable=False),
        sa.Column("rejected", sa.Integer(), nullable=False),
        sa.Column("queued_for_review", sa.Integer(), nullable=False),
        sa.Column("columns", VERBATIM, nullable=False),
        sa.Column("next_row", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_submission")),
    )
    op.create_index("ix_submission_county_status", "submission", ["county", "status"])
    op.create_table(
        "outcome",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("submission", IDENTIFIER, nullable=False),
        sa.Column("row", sa.BigInteger(), nullable=False),
        sa.Column("outcome", IDENTIFIER, nullable=False),
        sa.Column("report_id", IDENTIFIER, nullable=True),
        sa.Column("duplicate_of", IDENTIFIER, nullable=True),
        sa.Column("permit_number", sa.Text(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("receipt", VERBATIM, nullable=True),
        sa.Column("findings", VERBATIM, nullable=False),
        sa.Column("errors", VERBATIM, nullable=False),
        sa.Column("warnings", VERBATIM, nullable=False),
        sa.Column("cells", VERBATIM, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "submission"], ["submission.county", "submission.id"], name=op.f("fk_outcome_county_submission")
        ),
        sa.PrimaryKeyConstraint("county", "submission", "row", name=op.f("pk_outcome")),
    )
    op.create_index("ix_outcome_county_report_id", "outcome", ["county", "report_id"])


def _facts() -> None:
    op.create_table(
        "fact",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("valid_from", sa.Date(), nullable=True),
        sa.Column("valid_to", sa.Date(), nullable=True),
        sa.Column("content", CONTENT, nullable=False),
        sa.PrimaryKeyConstraint("county", "kind", "system", "seq", name=op.f("pk_fact")),
    )
    op.create_index("ix_fact_county_id", "fact", ["county", "id"])
    op.create_index("ix_fact_county_system", "fact", ["county", "system"])
    op.create_table(
        "system",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("created_seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_system")),
    )
    op.create_table(
        "component_version",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("component", IDENTIFIER, nullable=False),
        sa.Column("component_ref", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("content", CONTENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_component_version_county_system")
        ),
        sa.PrimaryKeyConstraint(
            "county", "system", "component", "component_ref", "seq", name=op.f("pk_component_version")
        ),
    )
    op.create_index("ix_component_version_county_ended_seq", "component_version", ["county", "ended_seq"])
    op.create_table(
        "contract",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("license_number", IDENTIFIER, nullable=False),
        sa.Column("license_norm", IDENTIFIER, nullable=False),
        sa.Column("from_on", sa.Date(), nullable=True),
        sa.Column("to_on", sa.Date(), nullable=True),
        sa.Column("filed_on", sa.Date(), nullable=True),
        sa.Column("kind", IDENTIFIER, nullable=True),
        sa.Column("content", CONTENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_contract_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", "seq", name=op.f("pk_contract")),
    )
    op.create_index("ix_contract_county_ended_seq", "contract", ["county", "ended_seq"])
    op.create_table(
        "designation",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("license_number", IDENTIFIER, nullable=False),
        sa.Column("license_norm", IDENTIFIER, nullable=False),
        sa.Column("valid_from", sa.Date(), nullable=True),
        sa.Column("valid_to", sa.Date(), nullable=True),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_designation_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", "seq", name=op.f("pk_designation")),
    )
    op.create_index("ix_designation_county_ended_seq", "designation", ["county", "ended_seq"])
    op.create_index("ix_designation_county_license_norm", "designation", ["county", "license_norm"])
    op.create_table(
        "event",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("system", IDENTIFIER, nullable=True),
        sa.Column("component", IDENTIFIER, nullable=False),
        sa.Column("component_ref", IDENTIFIER, nullable=False),
        sa.Column("event_type", IDENTIFIER, nullable=False),
        sa.Column("service_date", sa.Date(), nullable=False),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("first_received_at", INSTANT, nullable=False),
        sa.Column("contractor_id", IDENTIFIER, nullable=True),
        sa.Column("license_number", IDENTIFIER, nullable=True),
        sa.Column("license_norm", IDENTIFIER, nullable=True),
        sa.Column("report_ref", IDENTIFIER, nullable=True),
        sa.Column("identity", IDENTIFIER, nullable=False),
        sa.Column("content_sha", IDENTIFIER, nullable=False),
        sa.Column("visit", IDENTIFIER, nullable=True),
        sa.Column("submission", IDENTIFIER, nullable=True),
        sa.Column("row", sa.BigInteger(), nullable=True),
        sa.Column("supersedes", IDENTIFIER, nullable=True),
        sa.Column("possible_duplicate_of", IDENTIFIER, nullable=True),
        sa.Column("historical", sa.Boolean(), nullable=False),
        sa.Column("content", CONTENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_event_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_event")),
    )
    op.create_index("ix_event_county_contractor_id", "event", ["county", "contractor_id"])
    op.create_index("ix_event_county_seq", "event", ["county", "seq"])
    op.create_index("ix_event_county_submission", "event", ["county", "submission"])
    op.create_index("ix_event_county_system_service_date", "event", ["county", "system", "service_date"])
    op.create_index(
        "uq_event_current_identity",
        "event",
        ["county", "identity"],
        unique=True,
        sqlite_where=sa.text("ended_seq IS NULL"),
        postgresql_where=sa.text("ended_seq IS NULL"),
    )
    op.create_table(
        "owner_version",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("valid_from", sa.Date(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("content", CONTENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_owner_version_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", "seq", name=op.f("pk_owner_version")),
    )
    op.create_index("ix_owner_version_county_ended_seq", "owner_version", ["county", "ended_seq"])
    op.create_table(
        "system_version",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ended_seq", sa.BigInteger(), nullable=True),
        sa.Column("permit_number", IDENTIFIER, nullable=True),
        sa.Column("parcel_number", IDENTIFIER, nullable=True),
        sa.Column("site_address", sa.Text(), nullable=True),
        sa.Column("municipality", IDENTIFIER, nullable=True),
        sa.Column("status", IDENTIFIER, nullable=False),
        sa.Column("content", CONTENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_system_version_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", "seq", name=op.f("pk_system_version")),
    )
    op.create_index("ix_system_version_county_ended_seq", "system_version", ["county", "ended_seq"])
    op.create_index(
        "ix_system_version_current_parcel",
        "system_version",
        ["county", "parcel_number"],
        sqlite_where=sa.text("ended_seq IS NULL"),
        postgresql_where=sa.text("ended_seq IS NULL"),
    )
    op.create_index(
        "ix_system_version_current_permit",
        "system_version",
        ["county", "permit_number"],
        sqlite_where=sa.text("ended_seq IS NULL"),
        postgresql_where=sa.text("ended_seq IS NULL"),
    )


def _matching() -> None:
    op.create_table(
        "review",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("event", IDENTIFIER, nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("reason", IDENTIFIER, nullable=False),
        sa.Column("candidates", CONTENT, nullable=False),
        sa.Column("created_seq", sa.BigInteger(), nullable=False),
        sa.Column("resolved_seq", sa.BigInteger(), nullable=True),
        sa.Column("resolved_by", IDENTIFIER, nullable=True),
        sa.Column("system", IDENTIFIER, nullable=True),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_review")),
    )
    op.create_index("ix_review_county_event", "review", ["county", "event"])
    op.create_index("ix_review_county_state", "review", ["county", "state"])
    op.create_table(
        "gram",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("gram", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_gram_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "gram", "system", name=op.f("pk_gram")),
    )
    op.create_index("ix_gram_county_system", "gram", ["county", "system"])
    op.create_table(
        "identifier",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("norm", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("component", IDENTIFIER, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_identifier_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "kind", "norm", "system", "component", name=op.f("pk_identifier")),
    )
    op.create_index("ix_identifier_county_system", "identifier", ["county", "system"])


def _derived() -> None:
    op.create_table(
        "finding",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("rule", IDENTIFIER, nullable=False),
        sa.Column("cause", IDENTIFIER, nullable=False),
        sa.Column("event", IDENTIFIER, nullable=True),
        sa.Column("component", IDENTIFIER, nullable=True),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("last_day", sa.Date(), nullable=True),
        sa.Column("cite", sa.Text(), nullable=False),
        sa.Column("because", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_finding_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", "kind", "rule", "cause", name=op.f("pk_finding")),
    )
    op.create_index("ix_finding_county_event", "finding", ["county", "event"])
    op.create_table(
        "obligation",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("component", IDENTIFIER, nullable=False),
        sa.Column("component_ref", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("rule", IDENTIFIER, nullable=False),
        sa.Column("cycle", IDENTIFIER, nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("last_day", sa.Date(), nullable=True),
        sa.Column("duty_of", IDENTIFIER, nullable=False),
        sa.Column("cite", sa.Text(), nullable=False),
        sa.Column("because", sa.Text(), nullable=True),
        sa.Column("event", IDENTIFIER, nullable=True),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_obligation_county_system")
        ),
        sa.PrimaryKeyConstraint(
            "county", "system", "component", "component_ref", "kind", "rule", "cycle", name=op.f("pk_obligation")
        ),
    )
    op.create_index("ix_obligation_county_kind", "obligation", ["county", "kind"])
    op.create_index("ix_obligation_county_state_due_on", "obligation", ["county", "state", "due_on"])
    op.create_table(
        "standing",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("dirty", sa.Boolean(), nullable=False),
        sa.Column("next_change_on", sa.Date(), nullable=True),
        sa.Column("assessed_on", sa.Date(), nullable=True),
        sa.Column("assessed_seq", sa.BigInteger(), nullable=True),
        sa.Column("program_sha", IDENTIFIER, nullable=True),
        sa.Column("needs_service", sa.Boolean(), nullable=True),
        sa.Column("needs_service_on", sa.Date(), nullable=True),
        sa.Column("needs_service_because", sa.Text(), nullable=True),
        sa.Column("full_on", sa.Date(), nullable=True),
        sa.Column("contractor", IDENTIFIER, nullable=True),
        sa.Column("municipality", IDENTIFIER, nullable=True),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_standing_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", name=op.f("pk_standing")),
    )
    op.create_index("ix_standing_county_dirty", "standing", ["county", "dirty"])
    op.create_index("ix_standing_county_next_change_on", "standing", ["county", "next_change_on"])
    op.create_index("ix_standing_county_state", "standing", ["county", "state"])


def _out() -> None:
    op.create_table(
        "domain_event",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("cause_key", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=True),
        sa.Column("occurred_at", INSTANT, nullable=False),
        sa.Column("content", CONTENT, nullable=False),
        sa.Column("handled_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_domain_event")),
        sa.UniqueConstraint("county", "cause_key", name=op.f("uq_domain_event_county_cause_key")),
    )
    op.create_index("ix_domain_event_county_handled_at", "domain_event", ["county", "handled_at"])
    op.create_table(
        "message",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("dedupe_key", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("content", CONTENT, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("not_before", INSTANT, nullable=False),
        sa.Column("lease_until", INSTANT, nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("message_id", IDENTIFIER, nullable=False),
        sa.Column("sent_at", INSTANT, nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("county", "dedupe_key", name=op.f("pk_message")),
        sa.UniqueConstraint("id", name=op.f("uq_message_id")),
    )
    op.create_index("ix_message_county_state_not_before", "message", ["county", "state", "not_before"])


def _protect_sqlite() -> None:
    for table in ADD_ONLY:
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} can only be added to'); END"
            )


def _protect_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% can only be added to', TG_TABLE_NAME "
        "USING ERRCODE = 'insufficient_privilege'; END $$"
    )
    for table in ADD_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    for table in TENANT:
        # Once a transaction has set it, the setting of the next one is an empty string, not null.
        _secure(table, "county = nullif(current_setting('app.county', true), '')")
    # An answer kept outside of any county is seen only by a transaction of none.
    _secure("idempotency", "county = coalesce(current_setting('app.county', true), '')")


def _secure(table: str, condition: str) -> None:
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY one_county ON {table} USING ({condition}) WITH CHECK ({condition})")
