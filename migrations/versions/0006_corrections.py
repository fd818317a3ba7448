"""Corrected versions are found by what they were counted by; places are indexed as far as the log has been read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"
INDEXES = (("ix_event_former_identity", "identity", "ended_seq"), ("ix_event_supersedes", "supersedes", "supersedes"))


def upgrade() -> None:
    """Indexes, and one row a county; what runs already does not know them."""
    for name, column, given in INDEXES:
        where = sa.text(f"{given} IS NOT NULL")
        op.create_index(name, "event", ["county", column], sqlite_where=where, postgresql_where=where)
    for table in ("system_version", "owner_version"):
        op.create_index(f"ix_{table}_county_seq", table, ["county", "seq"])
    op.create_table(
        "gram_head",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("county", name=op.f("pk_gram_head")),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE gram_head ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE gram_head FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY one_county ON gram_head USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")
