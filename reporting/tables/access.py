"""People and how they sign in. Looked up before any county is known, so of none, but for groups and owners' codes."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint, text

from reporting.tables.columns import (
    count,
    day,
    global_table,
    ident,
    instant,
    number,
    octets,
    of_system,
    tenant_table,
    words,
)

person = global_table(
    "person",
    ident("id", key=True),
    words("name", null=False),
    ident("email", null=True),  # in lower case
    ident("signs_in"),  # `mail`: by link or password; `oidc`: by a county's own provider, which vouches for the address
    instant("created_at"),
    instant("ended_at", null=True),
    Index(
        "uq_person_email",
        "email",
        unique=True,
        sqlite_where=text("signs_in = 'mail' AND ended_at IS NULL"),
        postgresql_where=text("signs_in = 'mail' AND ended_at IS NULL"),
    ),
)

membership = global_table(
    "membership",
    ident("id", key=True),
    ident("person"),
    ident("role"),
    ident("holder"),  # the county's slug or the business's id
    ident("county", null=True),
    ident("contractor_id", null=True),
    ident("via"),  # `invitation`, `command`, `oidc`
    ident("given_by"),
    instant("started_at"),
    instant("ended_at", null=True),
    ForeignKeyConstraint(["person"], ["person.id"]),
    ForeignKeyConstraint(["contractor_id"], ["contractor.id"]),
    Index(
        "uq_membership_current_role",
        "person",
        "holder",
        "role",
        unique=True,
        sqlite_where=text("ended_at IS NULL"),
        postgresql_where=text("ended_at IS NULL"),
    ),
    Index("ix_membership_holder", "holder"),
)

person_identity = global_table(
    "person_identity",
    ident("county", key=True),
    ident("issuer", key=True),
    ident("subject", key=True),
    ident("person"),
    ForeignKeyConstraint(["person"], ["person.id"]),
)

invitation = global_table(
    "invitation",
    ident("id", key=True),
    octets("secret_sha256"),
    ident("email"),
    ident("role"),
    ident("holder"),  # the county's slug or the business's id
    ident("county", null=True),
    ident("contractor_id", null=True),
    ident("invited_by"),
    instant("created_at"),
    instant("expires_at"),
    instant("accepted_at", null=True),
    instant("revoked_at", null=True),
    ident("person", null=True),
    UniqueConstraint("secret_sha256"),
    ForeignKeyConstraint(["contractor_id"], ["contractor.id"]),
    ForeignKeyConstraint(["person"], ["person.id"]),
    Index("ix_invitation_holder", "holder"),
)

signin_token = global_table(
    "signin_token",
    ident("id", key=True),
    octets("secret_sha256"),
    ident("person", null=True),  # none: the address is nobody's, and no mail went out
    instant("created_at"),
    instant("expires_at"),
    instant("used_at", null=True),
    UniqueConstraint("secret_sha256"),
    ForeignKeyConstraint(["person"], ["person.id"]),
)

session = global_table(
    "session",
    ident("id", key=True),
    octets("secret_sha256"),
    ident("person", null=True),  # none: an owner, let in for one system
    ident("county", null=True),
    ident("contractor_id", null=True),
    ident("system", null=True),
    ident("method"),
    instant("created_at"),
    instant("seen_at"),
    instant("expires_at"),
    instant("ended_at", null=True),
    UniqueConstraint("secret_sha256"),
    ForeignKeyConstraint(["person"], ["person.id"]),
    ForeignKeyConstraint(["contractor_id"], ["contractor.id"]),
    Index("ix_session_person", "person"),
)

password = global_table(
    "password",
    ident("person", key=True),
    ident("method"),
    octets("salt"),
    octets("hash"),
    instant("changed_at"),
    ForeignKeyConstraint(["person"], ["person.id"]),
)

totp = global_table(
    "totp",
    ident("person", key=True),
    octets("sealed"),
    instant("set_at"),
    number("last_step"),
    ForeignKeyConstraint(["person"], ["person.id"]),
)

recovery_code = global_table(
    "recovery_code",
    ident("person", key=True),
    ident("code_sha256", key=True),
    instant("used_at", null=True),
    ForeignKeyConstraint(["person"], ["person.id"]),
)

attempt = global_table(
    "attempt",
    ident("kind", key=True),
    ident("subject", key=True),
    number("slot", key=True),
    count("tries"),
    day("on", null=False),
    Index("ix_attempt_on", "on"),
)

signin_failure = global_table(
    "signin_failure",
    ident("log", key=True),
    instant("hour", key=True),
    ident("method", key=True),
    ident("person", key=True),  # "" for nobody that we know
    count("tries"),
)

oidc_group_role = tenant_table("oidc_group_role", ident("issuer", key=True), ident("group", key=True), ident("role"))

owner_code = tenant_table(
    "owner_code",
    ident("system", key=True),
    ident("mark"),  # of the code, with the service's secret: it cannot be found from this by trying
    ident("made_by"),
    instant("made_at"),
    instant("expires_at"),
    instant("used_at", null=True),
    count("tries"),
    of_system(),
)
