"""Webhooks: subscriptions of counties and businesses, and the queue of what is sent to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
CONTENT = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
VERBATIM = sa.JSON(none_as_null=True)
INSTANT = sa.DateTime(timezone=True)
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make both tables, the queue under the same row security as the others, and note per event what was told on."""
    _webhook()
    _delivery()
    op.add_column("domain_event", sa.Column("hooked_at", INSTANT, nullable=True))
    op.create_index("ix_domain_event_county_hooked_at", "domain_event", ["county", "hooked_at"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE webhook_delivery FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY one_county ON webhook_delivery USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")


def _ident(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, IDENTIFIER, nullable=null)


def _instant(name: str, *, null: bool = False) -> sa.Column[sa.DateTime]:
    return sa.Column(name, INSTANT, nullable=null)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _webhook() -> None:
    op.create_table(
        "webhook",
        _ident("id"),
        _ident("county", null=True),
        _ident("contractor_id", null=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("kinds", CONTENT, nullable=False),
        _ident("state"),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("former_secret", sa.LargeBinary(), nullable=True),
        _instant("former_ends_at", null=True),
        _instant("created_at"),
        _ident("created_by"),
        _instant("ended_at", null=True),
        sa.Column("ended_because", sa.Text(), nullable=True),
        _count("failures"),
        *(_instant(name, null=True) for name in ("failing_since", "rest_until", "busy_until", "last_sent_at")),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["contractor_id"], ["contractor.id"], name=op.f("fk_webhook_contractor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_index("ix_webhook_county", "webhook", ["county"])
    op.create_index("ix_webhook_contractor_id", "webhook", ["contractor_id"])


def _delivery() -> None:
    op.create_table(
        "webhook_delivery",
        *(_ident(name) for name in ("county", "id", "webhook", "source", "kind", "state")),
        sa.Column("content", VERBATIM, nullable=False),
        _instant("created_at"),
        _instant("not_before"),
        _instant("lease_until", null=True),
        _count("fence"),
        _count("attempts"),
        _instant("tried_at", null=True),
        _instant("sent_at", null=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["webhook"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook")),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("county", "webhook", "source", name=op.f("uq_webhook_delivery_county_webhook_source")),
    )
    op.create_index(
        "ix_webhook_delivery_county_state_not_before", "webhook_delivery", ["county", "state", "not_before"]
    )
    op.create_index(
        "ix_webhook_delivery_county_webhook_created_at", "webhook_delivery", ["county", "webhook", "created_at"]
    )
