"""People and their roles in counties and businesses. A role that has ended stays on file with its days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import select, update

from reporting import tables
from reporting.ids import new_id
from reporting.store.engine import Store
from reporting.store.roles import MemberRole
from reporting.store.rows import insert_new_rows

_person: Final = tables.person
_membership: Final = tables.membership


class SignsIn(StrEnum):
    """Who vouches for a person's address: a mail that arrived, or a county's own provider."""

    MAIL = "mail"
    OIDC = "oidc"


class Via(StrEnum):
    """How a role came about; those of `OIDC` follow the provider's groups at each sign-in."""

    INVITATION = "invitation"
    COMMAND = "command"
    OIDC = "oidc"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a role holds: in a county or in a business, one of the two."""

    county: str | None = None
    contractor_id: str | None = None

    @property
    def holder(self) -> str:
        """The county's slug or the business's id. Raises `ValueError` for neither and for both."""
        found = [one for one in (self.county, self.contractor_id) if one]
        if len(found) != 1:
            raise ValueError("a role is in one county or in one business")
        return found[0]


def create_person(store: Store, name: str, email: str | None, signs_in: SignsIn, now: datetime) -> str:
    """Add a person; gives the id. The address is kept in lower case. One that signs in by mail there already is given.

    A person's name stays as it was first told.
    """
    person = new_id("per", now)
    row = {"id": person, "name": name, "email": email.lower() if email else None, "signs_in": signs_in.value}
    insert_new_rows(store, _person, [{**row, "created_at": now, "ended_at": None}])
    if signs_in is SignsIn.MAIL and email and (found := find_by_mail(store, email)):
        return str(found["id"])
    return person


def get_person(store: Store, person: str) -> dict[str, Any] | None:
    """A person, or `None`."""
    row = store.connection.execute(select(_person).where(_person.c.id == person)).mappings().first()
    return dict(row) if row else None


def find_by_mail(store: Store, email: str) -> dict[str, Any] | None:
    """The person who signs in by mail under this address, in any case of letters; `None` for nobody."""
    mine = (_person.c.email == email.lower(), _person.c.signs_in == SignsIn.MAIL.value, _person.c.ended_at.is_(None))
    row = store.connection.execute(select(_person).where(*mine)).mappings().first()
    return dict(row) if row else None


def find_by_identity(store: Store, county: str, issuer: str, subject: str) -> str | None:
    """Whom a county's provider means by a subject."""
    table = tables.person_identity
    mine = (table.c.county == county, table.c.issuer == issuer, table.c.subject == subject)
    return store.connection.execute(select(table.c.person).where(*mine)).scalar()


def keep_identity(store: Store, county: str, issuer: str, subject: str, person: str) -> str:
    """Remember whom the provider means; gives the person that it means, who may be known from another call by now."""
    row = {"county": county, "issuer": issuer, "subject": subject, "person": person}
    insert_new_rows(store, tables.person_identity, [row])
    found = find_by_identity(store, county, issuer, subject)
    return found or person


def update_person(store: Store, person: str, name: str, email: str | None) -> None:
    """Bring name and address up to date, as the provider tells them."""
    values = {"name": name, "email": email.lower() if email else None}
    store.connection.execute(update(_person).where(_person.c.id == person).values(values))


def give_role(store: Store, person: str, place: Place, role: MemberRole, via: Via, by: str, now: datetime) -> bool:
    """Give a person a role from now on; `False` when the person has it already."""
    row = {
        "id": new_id("mem", now),
        "person": person,
        "role": role.value,
        "holder": place.holder,
        "county": place.county,
        "contractor_id": place.contractor_id,
        "via": via.value,
        "given_by": by,
        "started_at": now,
        "ended_at": None,
    }
    before = current_roles(store, person, place)
    if role in before:
        return False
    insert_new_rows(store, _membership, [row])
    return True


def take_role(store: Store, person: str, place: Place, role: MemberRole, now: datetime, via: Via | None = None) -> bool:
    """End a role; `False` when the person has none such (`via`: that came about so)."""
    mine = (*_current(place), _membership.c.person == person, _membership.c.role == role.value)
    how = () if via is None else (_membership.c.via == via.value,)
    statement = update(_membership).where(*mine, *how).values(ended_at=now)
    return store.connection.execute(statement).rowcount > 0


def current_roles(store: Store, person: str, place: Place) -> tuple[MemberRole, ...]:
    """What a person is in a place now."""
    query = select(_membership.c.role).where(*_current(place), _membership.c.person == person)
    return tuple(sorted(MemberRole(role) for role in store.connection.execute(query).scalars()))


def places_of(store: Store, person: str) -> list[Place]:
    """Where a person has a role now."""
    columns = (_membership.c.county, _membership.c.contractor_id)
    query = select(*columns).where(_membership.c.person == person, _membership.c.ended_at.is_(None)).distinct()
    return sorted(
        (Place(county=county, contractor_id=business) for county, business in store.connection.execute(query).all()),
        key=lambda place: place.holder,
    )


def list_members(store: Store, place: Place, *, ended: bool = False) -> list[dict[str, Any]]:
    """Who has which role in a place, with name and address; with `ended` also those who had one."""
    query = (
        select(_membership, _person.c.name, _person.c.email, _person.c.signs_in)
        .join(_person, _person.c.id == _membership.c.person)
        .where(_membership.c.holder == place.holder)
        .order_by(_person.c.name, _membership.c.person, _membership.c.started_at)
    )
    if not ended:
        query = query.where(_membership.c.ended_at.is_(None))
    return [dict(row) for row in store.connection.execute(query).mappings()]


def has_member(store: Store, place: Place, roles: Sequence[MemberRole]) -> bool:
    """Whether anybody has one of these roles in a place now."""
    query = select(_membership.c.id).where(*_current(place), _membership.c.role.in_([role.value for role in roles]))
    return store.connection.execute(query.limit(1)).first() is not None


def _current(place: Place) -> tuple[Any, ...]:
    return (_membership.c.holder == place.holder, _membership.c.ended_at.is_(None))
