"""Inventory files that wait for the worker or were imported; codes by which owners get in without e-mail."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INSTANT = sa.DateTime(timezone=True)
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make both tables, under the same row security as the others; what runs already does not know them."""
    op.create_table(
        "inventory_file",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("principal", IDENTIFIER, nullable=False),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.Column("file_name", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("file_sha256", IDENTIFIER, nullable=False),
        sa.Column("plan_sha256", IDENTIFIER, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_inventory_file")),
    )
    op.create_index("ix_inventory_file_county_state", "inventory_file", ["county", "state"])
    op.create_table(
        "owner_code",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=False),
        sa.Column("mark", IDENTIFIER, nullable=False),
        sa.Column("made_by", IDENTIFIER, nullable=False),
        sa.Column("made_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "system"], ["system.county", "system.id"], name=op.f("fk_owner_code_county_system")
        ),
        sa.PrimaryKeyConstraint("county", "system", name=op.f("pk_owner_code")),
    )
    if op.get_bind().dialect.name == "postgresql":
        for name in ("inventory_file", "owner_code"):
            op.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY one_county ON {name} USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")
