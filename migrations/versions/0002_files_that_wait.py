"""Long files are kept until they are worked off: the table for their bytes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
VERBATIM = sa.JSON(none_as_null=True)
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make the table, under the same row security as the others; what runs already does not know it."""
    op.create_table(
        "submission_file",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("submission", IDENTIFIER, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("options", VERBATIM, nullable=False),
        sa.ForeignKeyConstraint(
            ["county", "submission"],
            ["submission.county", "submission.id"],
            name=op.f("fk_submission_file_county_submission"),
        ),
        sa.PrimaryKeyConstraint("county", "submission", name=op.f("pk_submission_file")),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE submission_file ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE submission_file FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY one_county ON submission_file USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")
