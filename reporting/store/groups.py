"""Which groups of a county's own provider make somebody what: data of the county."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import delete, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.roles import MemberRole
from reporting.store.rows import tenant_rows, upsert_rows

_table: Final = tables.oidc_group_role


def map_group(store: Store, issuer: str, group: str, role: MemberRole) -> None:
    """Let a group mean a role in the store's county, from the members' next sign-in on."""
    upsert_rows(store, _table, tenant_rows(store, [{"issuer": issuer, "group": group, "role": role.value}]))


def unmap_group(store: Store, issuer: str, group: str) -> bool:
    """Let a group mean nothing any more; `False` when it meant nothing before."""
    mine = (_table.c.county == store.tenant, _table.c.issuer == issuer, _table.c.group == group)
    return store.connection.execute(delete(_table).where(*mine)).rowcount == 1


def list_groups(store: Store) -> list[dict[str, Any]]:
    """The county's groups and what they mean."""
    query = select(_table).where(_table.c.county == store.tenant).order_by(_table.c.issuer, _table.c.group)
    return [dict(row) for row in store.connection.execute(query).mappings()]


def roles_of_groups(store: Store, issuer: str, groups: Iterable[str]) -> tuple[MemberRole, ...]:
    """What somebody in these groups is in the store's county."""
    named = set(groups)
    found = {row["role"] for row in list_groups(store) if row["issuer"] == issuer and row["group"] in named}
    return tuple(sorted(MemberRole(role) for role in found))
