"""Invitations to a role in a county or a business: by mail, for seven days, accepted once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import and_, select, update

from reporting import tables
from reporting.ids import new_id
from reporting.store.engine import Store
from reporting.store.persons import Place
from reporting.store.roles import MemberRole
from reporting.store.rows import insert_rows
from reporting.store.signin import hash_secret, new_secret

INVITATION_LIFE: Final = timedelta(days=7)
_table: Final = tables.invitation


def create_invitation(
    store: Store, email: str, place: Place, role: MemberRole, by: str, now: datetime
) -> tuple[str, str]:
    """Invite an address: the invitation's id and its secret. An open one of the same address and role is withdrawn."""
    again = and_(
        _table.c.holder == place.holder, _table.c.email == email.lower(), _table.c.role == role.value, _open(now)
    )
    store.connection.execute(update(_table).where(again).values(revoked_at=now))
    secret, invitation = new_secret(), new_id("inv", now)
    row = {
        "id": invitation,
        "secret_sha256": hash_secret(secret),
        "email": email.lower(),
        "role": role.value,
        "holder": place.holder,
        "county": place.county,
        "contractor_id": place.contractor_id,
        "invited_by": by,
        "created_at": now,
        "expires_at": now + INVITATION_LIFE,
    }
    insert_rows(store, _table, [row])
    return invitation, secret


def find_invitation(store: Store, secret: str, now: datetime) -> Mapping[str, Any] | None:
    """The open invitation of a secret; `None` for one that is unknown, accepted, withdrawn or too old, all alike."""
    query = select(*_shown()).where(_table.c.secret_sha256 == hash_secret(secret), _open(now))
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def accept_invitation(store: Store, invitation: str, person: str, now: datetime) -> bool:
    """Use an invitation up; of several who try at once, one gets `True`."""
    mine = and_(_table.c.id == invitation, _open(now))
    return store.connection.execute(update(_table).where(mine).values(accepted_at=now, person=person)).rowcount == 1


def revoke_invitation(store: Store, invitation: str, place: Place, now: datetime) -> bool:
    """Withdraw an open invitation of a place; `False` when there is none such."""
    mine = and_(_table.c.id == invitation, _table.c.holder == place.holder, _open(now))
    return store.connection.execute(update(_table).where(mine).values(revoked_at=now)).rowcount == 1


def list_invitations(store: Store, place: Place) -> list[dict[str, Any]]:
    """Every invitation of a place, the newest first, without its secret."""
    query = select(*_shown()).where(_table.c.holder == place.holder)
    ordered = query.order_by(_table.c.created_at.desc(), _table.c.id)
    return [dict(row) for row in store.connection.execute(ordered).mappings()]


def _open(now: datetime) -> Any:
    return and_(_table.c.accepted_at.is_(None), _table.c.revoked_at.is_(None), _table.c.expires_at > now)


def _shown() -> list[Any]:
    return [column for column in _table.c if column.name != "secret_sha256"]
