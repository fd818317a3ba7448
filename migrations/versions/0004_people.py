"""People: who they are, what they may do where, how they sign in; keys get scopes, a kind and an end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

IDENTIFIER = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
CONTENT = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
INSTANT = sa.DateTime(timezone=True)
ONE_COUNTY = "county = nullif(current_setting('app.county', true), '')"
KEYS_LIVE = timedelta(days=400)


def upgrade() -> None:
    """Make the tables; a key that never ended gets the end that a new one has."""
    _keys()
    _people()
    _invitations()
    _factors()
    _attempts()
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE oidc_group_role ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE oidc_group_role FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY one_county ON oidc_group_role USING ({ONE_COUNTY}) WITH CHECK ({ONE_COUNTY})")


def _ident(name: str, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, IDENTIFIER, nullable=null)


def _instant(name: str, null: bool = False) -> sa.Column[sa.DateTime]:
    return sa.Column(name, INSTANT, nullable=null)


def _octets(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def _refers(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=op.f(f"fk_{table}_{column}"))


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=op.f(f"pk_{table}"))


def _keys() -> None:
    # What runs already writes keys without these columns.
    op.add_column("api_key", sa.Column("kind", IDENTIFIER, nullable=False, server_default="api"))
    op.add_column("api_key", sa.Column("scopes", CONTENT, nullable=True))
    op.add_column("api_key", sa.Column("last_used_on", sa.Date(), nullable=True))
    op.add_column("api_key", sa.Column("created_by", IDENTIFIER, nullable=True))
    op.add_column("api_key", sa.Column("revoked_by", IDENTIFIER, nullable=True))
    op.create_index("ix_api_key_contractor_id", "api_key", ["contractor_id"])
    op.create_index("ix_api_key_county", "api_key", ["county"])
    table = sa.table("api_key", sa.column("id"), sa.column("created_at", INSTANT), sa.column("expires_at", INSTANT))
    endless = sa.select(table.c.id, table.c.created_at).where(table.c.expires_at.is_(None))
    for key, created_at in op.get_bind().execute(endless).all():
        ended = sa.update(table).where(table.c.id == key).values(expires_at=created_at + KEYS_LIVE)
        op.get_bind().execute(ended)


def _people() -> None:
    living = "signs_in = 'mail' AND ended_at IS NULL"
    op.create_table(
        "person",
        _ident("id"),
        sa.Column("name", sa.Text(), nullable=False),
        _ident("email", null=True),
        _ident("signs_in"),
        _instant("created_at"),
        _instant("ended_at", null=True),
        _key("person", "id"),
    )
    _unique_index("uq_person_email", "person", ["email"], living)
    op.create_table(
        "membership",
        _ident("id"),
        _ident("person"),
        _ident("role"),
        _ident("holder"),
        _ident("county", null=True),
        _ident("contractor_id", null=True),
        _ident("via"),
        _ident("given_by"),
        _instant("started_at"),
        _instant("ended_at", null=True),
        _refers("membership", "person", "person"),
        _refers("membership", "contractor_id", "contractor"),
        _key("membership", "id"),
    )
    _unique_index("uq_membership_current_role", "membership", ["person", "holder", "role"], "ended_at IS NULL")
    op.create_index("ix_membership_holder", "membership", ["holder"])
    op.create_table(
        "person_identity",
        _ident("county"),
        _ident("issuer"),
        _ident("subject"),
        _ident("person"),
        _refers("person_identity", "person", "person"),
        _key("person_identity", "county", "issuer", "subject"),
    )
    op.create_table(
        "oidc_group_role",
        _ident("county"),
        _ident("issuer"),
        _ident("group"),
        _ident("role"),
        _key("oidc_group_role", "county", "issuer", "group"),
    )


def _unique_index(name: str, table: str, columns: list[str], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=True, sqlite_where=condition, postgresql_where=condition)


def _invitations() -> None:
    op.create_table(
        "invitation",
        _ident("id"),
        _octets("secret_sha256"),
        _ident("email"),
        _ident("role"),
        _ident("holder"),
        _ident("county", null=True),
        _ident("contractor_id", null=True),
        _ident("invited_by"),
        _instant("created_at"),
        _instant("expires_at"),
        _instant("accepted_at", null=True),
        _instant("revoked_at", null=True),
        _ident("person", null=True),
        _refers("invitation", "contractor_id", "contractor"),
        _refers("invitation", "person", "person"),
        _key("invitation", "id"),
        sa.UniqueConstraint("secret_sha256", name=op.f("uq_invitation_secret_sha256")),
    )
    op.create_index("ix_invitation_holder", "invitation", ["holder"])
    op.create_table(
        "signin_token",
        _ident("id"),
        _octets("secret_sha256"),
        _ident("person", null=True),
        _instant("created_at"),
        _instant("expires_at"),
        _instant("used_at", null=True),
        _refers("signin_token", "person", "person"),
        _key("signin_token", "id"),
        sa.UniqueConstraint("secret_sha256", name=op.f("uq_signin_token_secret_sha256")),
    )
    op.create_table(
        "session",
        _ident("id"),
        _octets("secret_sha256"),
        *(_ident(name, null=True) for name in ("person", "county", "contractor_id", "system")),
        _ident("method"),
        *(_instant(name) for name in ("created_at", "seen_at", "expires_at")),
        _instant("ended_at", null=True),
        _refers("session", "person", "person"),
        _refers("session", "contractor_id", "contractor"),
        _key("session", "id"),
        sa.UniqueConstraint("secret_sha256", name=op.f("uq_session_secret_sha256")),
    )
    op.create_index("ix_session_person", "session", ["person"])


def _factors() -> None:
    own: Callable[[str], sa.ForeignKeyConstraint] = lambda table: _refers(table, "person", "person")  # noqa: E731
    op.create_table(
        "password",
        _ident("person"),
        _ident("method"),
        _octets("salt"),
        _octets("hash"),
        _instant("changed_at"),
        own("password"),
        _key("password", "person"),
    )
    op.create_table(
        "totp",
        _ident("person"),
        _octets("sealed"),
        _instant("set_at"),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        own("totp"),
        _key("totp", "person"),
    )
    op.create_table(
        "recovery_code",
        _ident("person"),
        _ident("code_sha256"),
        _instant("used_at", null=True),
        own("recovery_code"),
        _key("recovery_code", "person", "code_sha256"),
    )


def _attempts() -> None:
    op.create_table(
        "attempt",
        _ident("kind"),
        _ident("subject"),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("on", sa.Date(), nullable=False),
        _key("attempt", "kind", "subject", "slot"),
    )
    op.create_index("ix_attempt_on", "attempt", ["on"])
    op.create_table(
        "signin_failure",
        _ident("log"),
        _instant("hour"),
        _ident("method"),
        _ident("person"),
        sa.Column("tries", sa.Integer(), nullable=False),
        _key("signin_failure", "log", "hour", "method", "person"),
    )
