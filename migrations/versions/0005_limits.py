"""Limits on calls: how much of each is taken in a window of time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table; what runs already does not know it. It holds no county's data, so no row security."""
    op.create_table(
        "rate_allowance",
        sa.Column("bucket", IDENTIFIER, nullable=False),
        sa.Column("window_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("bucket", "window_at", name=op.f("pk_rate_allowance")),
    )
    op.create_index("ix_rate_allowance_window_at", "rate_allowance", ["window_at"])
