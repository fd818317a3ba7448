"""The desk's saved views, and how systems stood month by month."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INSTANT = sa.DateTime(timezone=True)
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make the two tables, under the same row security as the others; what runs already does not know them."""
    op.create_table(
        "saved_view",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("of_list", IDENTIFIER, nullable=False),
        sa.Column("name", IDENTIFIER, nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("saved_at", INSTANT, nullable=False),
        sa.Column("saved_by", IDENTIFIER, nullable=False),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_saved_view")),
        sa.UniqueConstraint("county", "of_list", "name", name=op.f("uq_saved_view_county_of_list_name")),
    )
    op.create_table(
        "standing_month",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("month", IDENTIFIER, nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("systems", sa.Integer(), nullable=False),
        sa.Column("counted_on", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("county", "month", "state", name=op.f("pk_standing_month")),
    )
    if op.get_bind().dialect.name == "postgresql":
        for name in ("saved_view", "standing_month"):
            op.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY one_county ON {name} USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")
