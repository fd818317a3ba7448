"""Mail controls: pauses, addresses that get no mail, bounces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INSTANT = sa.DateTime(timezone=True)
LIVE = sa.text("ended_at IS NULL")
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make the three tables, under the same row security as the others; what runs already does not know them."""
    _pause()
    _suppression()
    _bounce()
    if op.get_bind().dialect.name == "postgresql":
        for name in ("mail_pause", "mail_suppression", "mail_bounce"):
            op.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY one_county ON {name} USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")


def _pause() -> None:
    op.create_table(
        "mail_pause",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("recipient", IDENTIFIER, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("created_by", IDENTIFIER, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.Column("ended_by", IDENTIFIER, nullable=True),
        sa.Column("end_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_mail_pause")),
    )
    op.create_index(
        "uq_mail_pause_live", "mail_pause", ["county", "kind", "recipient"],
        unique=True, sqlite_where=LIVE, postgresql_where=LIVE,
    )  # fmt: skip


def _suppression() -> None:
    op.create_table(
        "mail_suppression",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("address", IDENTIFIER, nullable=False),
        sa.Column("reason", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("since", INSTANT, nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("message", IDENTIFIER, nullable=True),
        sa.PrimaryKeyConstraint("county", "address", "reason", "kind", name=op.f("pk_mail_suppression")),
    )


def _bounce() -> None:
    op.create_table(
        "mail_bounce",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("message", IDENTIFIER, nullable=False),
        sa.Column("outcome", IDENTIFIER, nullable=False),
        sa.Column("status", IDENTIFIER, nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("noted_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "message"],
            ["message.county", "message.dedupe_key"],
            name=op.f("fk_mail_bounce_county_message"),
        ),
        sa.PrimaryKeyConstraint("county", "message", name=op.f("pk_mail_bounce")),
    )
