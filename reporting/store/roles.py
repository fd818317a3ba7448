"""Who may what, as data: roles of keys and people, the scopes of each, and a caller as the other code sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """In whose name a caller acts: a business, a county, the service's administrator, or an owner for one system."""

    CONTRACTOR = "contractor"
    COUNTY = "county"
    ADMIN = "admin"
    OWNER = "owner"


KEY_ROLES: Final = (Role.CONTRACTOR, Role.COUNTY, Role.ADMIN)
"""The roles that a key may have; an owner has a short session only."""


class MemberRole(StrEnum):
    """What a person is in a county or in a business."""

    VIEWER = "viewer"
    CLERK = "clerk"
    REVIEWER = "reviewer"
    ENFORCEMENT = "enforcement"
    MANAGER = "manager"
    TECHNICIAN = "technician"
    OFFICE = "office"


COUNTY_ROLES: Final = (
    MemberRole.VIEWER,
    MemberRole.CLERK,
    MemberRole.REVIEWER,
    MemberRole.ENFORCEMENT,
    MemberRole.MANAGER,
)
BUSINESS_ROLES: Final = (MemberRole.TECHNICIAN, MemberRole.OFFICE)


class Scope(StrEnum):
    """One thing that a caller may do; a policy line names the one that its endpoint needs."""

    REPORTS_WRITE = "reports:write"
    REPORTS_READ = "reports:read"
    SYSTEMS_READ = "systems:read"
    FACTS_WRITE = "facts:write"
    REVIEWS_READ = "reviews:read"
    REVIEWS_WRITE = "reviews:write"
    CASES_WRITE = "cases:write"
    SETTINGS_WRITE = "settings:write"
    RECORD_READ = "record:read"
    KEYS_MANAGE = "keys:manage"
    PEOPLE_MANAGE = "people:manage"
    FEED_READ = "feed:read"
    OWN_WRITE = "own:write"


_READING: Final = frozenset({Scope.REPORTS_READ, Scope.SYSTEMS_READ, Scope.REVIEWS_READ})
_CLERK: Final = _READING | {Scope.REPORTS_WRITE, Scope.FACTS_WRITE}
_WORKING: Final = frozenset({Scope.REPORTS_WRITE, Scope.REPORTS_READ, Scope.SYSTEMS_READ})
_MANAGING: Final = frozenset({Scope.KEYS_MANAGE, Scope.PEOPLE_MANAGE})
_COUNTY: Final = frozenset(Scope) - {Scope.FEED_READ, Scope.OWN_WRITE}

SCOPES_OF_KEYS: Final[Mapping[Role, frozenset[Scope]]] = {
    Role.CONTRACTOR: _WORKING | {Scope.KEYS_MANAGE},
    Role.COUNTY: _COUNTY,
    Role.ADMIN: _COUNTY,
}
"""What a key of a role may at most, and does unless it was made for less."""

SCOPES_OF: Final[Mapping[MemberRole, frozenset[Scope]]] = {
    MemberRole.VIEWER: _READING,
    MemberRole.CLERK: _CLERK,
    MemberRole.REVIEWER: _CLERK | {Scope.REVIEWS_WRITE},
    MemberRole.ENFORCEMENT: _CLERK | {Scope.CASES_WRITE, Scope.RECORD_READ},
    MemberRole.MANAGER: _COUNTY,
    MemberRole.TECHNICIAN: _WORKING,
    MemberRole.OFFICE: _WORKING | _MANAGING,
}
"""What a person may by each role; with several roles, all of them."""

SCOPES_OF_OWNERS: Final = frozenset({Scope.SYSTEMS_READ, Scope.OWN_WRITE})
"""An owner reads and tells of the one system of the letter; nobody else has the second of these."""
SCOPES_OF_FEEDS: Final = frozenset({Scope.FEED_READ})


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who asks: a contractor's has its business, a county's its county, an owner's county and system, an admin's none.

    key_id: the name under which what the caller does is recorded: a key's id or, in a session, the person's (an
    owner's: the session's). session: the session's public id. scopes: what it may. used_on: the last day of use that is
    kept of a key.
    """

    key_id: str
    role: Role
    county: str | None
    contractor_id: str | None
    scopes: frozenset[Scope] = field(default_factory=frozenset)
    person: str | None = None
    session: str | None = None
    system: str | None = None
    member_roles: tuple[MemberRole, ...] = ()
    used_on: date | None = field(default=None, compare=False)


def scopes_of(roles: Iterable[MemberRole]) -> frozenset[Scope]:
    """What a person with these roles may."""
    return frozenset().union(*(SCOPES_OF[role] for role in roles))
