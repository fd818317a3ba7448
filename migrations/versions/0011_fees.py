"""What is charged, paid, waived or given back stands once under its id, whoever enters it twice."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

MONEY = sa.text("kind IN ('fee_charge', 'payment', 'fee_waiver', 'fee_refund') AND ended_seq IS NULL")


def upgrade() -> None:
    """One index; what runs already writes no such facts."""
    op.create_index(
        "uq_fact_current_money", "fact", ["county", "id"], unique=True, sqlite_where=MONEY, postgresql_where=MONEY
    )
