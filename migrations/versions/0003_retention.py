"""What lies beside an entry of the log and may be destroyed under a schedule; the key in force of each log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make the table, under the same row security as the others; what runs already does not know it."""
    op.create_table(
        "log_detail",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("detail", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "seq"], ["log_entry.county", "log_entry.seq"], name=op.f("fk_log_detail_county_seq")
        ),
        sa.PrimaryKeyConstraint("county", "seq", name=op.f("pk_log_detail")),
    )
    op.add_column("log_head", sa.Column("verifying_key", sa.LargeBinary(), nullable=True))
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE log_detail ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE log_detail FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY one_county ON log_detail USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")
