"""Letters: print runs, what each letter said, and that no letter is in two live runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
CONTENT = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
VERBATIM = sa.JSON(none_as_null=True)
INSTANT = sa.DateTime(timezone=True)
LIVE = sa.text("cancelled_at IS NULL")
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"


def upgrade() -> None:
    """Make both tables, under the same row security as the others; what runs already does not know them."""
    _print_run()
    _letter()
    if op.get_bind().dialect.name == "postgresql":
        for name in ("print_run", "letter"):
            op.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY one_county ON {name} USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")


def _print_run() -> None:
    op.create_table(
        "print_run",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("state", IDENTIFIER, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("created_by", IDENTIFIER, nullable=False),
        sa.Column("printed_on", sa.Date(), nullable=False),
        sa.Column("letters", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("pdf_sha256", IDENTIFIER, nullable=False),
        sa.Column("typesetter", IDENTIFIER, nullable=False),
        sa.Column("content", CONTENT, nullable=False),
        sa.Column("mailed_on", sa.Date(), nullable=True),
        sa.Column("mail_class", IDENTIFIER, nullable=True),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.Column("ended_by", IDENTIFIER, nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("county", "id", name=op.f("pk_print_run")),
    )
    op.create_index("ix_print_run_county_created_at", "print_run", ["county", "created_at"])


def _letter() -> None:
    op.create_table(
        "letter",
        sa.Column("county", IDENTIFIER, nullable=False),
        sa.Column("run", IDENTIFIER, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("message", IDENTIFIER, nullable=False),
        sa.Column("message_id", IDENTIFIER, nullable=False),
        sa.Column("kind", IDENTIFIER, nullable=False),
        sa.Column("system", IDENTIFIER, nullable=True),
        sa.Column("postcode", IDENTIFIER, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("text_sha256", IDENTIFIER, nullable=False),
        sa.Column("first_page", sa.Integer(), nullable=False),
        sa.Column("last_page", sa.Integer(), nullable=False),
        sa.Column("content", VERBATIM, nullable=False),
        sa.Column("cancelled_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["county", "message"], ["message.county", "message.dedupe_key"], name=op.f("fk_letter_county_message")
        ),
        sa.ForeignKeyConstraint(
            ["county", "run"], ["print_run.county", "print_run.id"], name=op.f("fk_letter_county_run")
        ),
        sa.PrimaryKeyConstraint("county", "run", "position", name=op.f("pk_letter")),
        sa.UniqueConstraint("county", "run", "message", name=op.f("uq_letter_county_run_message")),
    )
    op.create_index(
        "uq_letter_live_message", "letter", ["county", "message"],
        unique=True, sqlite_where=LIVE, postgresql_where=LIVE,
    )  # fmt: skip
    op.create_index("ix_letter_county_system", "letter", ["county", "system"])
