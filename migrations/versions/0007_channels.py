"""Letters wait beside mails; a system's notices can be listed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Two columns with an index each; what is queued already is mail."""
    op.add_column("message", sa.Column("channel", IDENTIFIER, nullable=False, server_default="mail"))
    op.add_column("message", sa.Column("system", IDENTIFIER, nullable=True))
    op.create_index(
        "ix_message_county_channel_state_not_before", "message", ["county", "channel", "state", "not_before"]
    )
    op.create_index("ix_message_county_system", "message", ["county", "system"])
    op.drop_index("ix_message_county_state_not_before", table_name="message")
