"""People who are signed in, for the API's tests: of every role at home and away, of two businesses, and an owner."""

from __future__ import annotations

from reporting.access.passwords import hash_password
from reporting.access.secret import Secret
from reporting.access.totp import code_at, step_at
from reporting.store.factors import Factors, set_factors
from reporting.store.persons import Place, SignsIn, Via, create_person, give_role
from reporting.store.roles import COUNTY_ROLES, MemberRole
from reporting.store.sessions import Method, start_owner_session, start_session
from tests.reporting.api.world import AWAY, HOME, World
from tests.reporting.counties import the_system

PASSWORD = "heron under the old bridge"
TOTP = b"12345678901234567890"
PLACES = {
    **{str(role): (Place(county=HOME), role) for role in COUNTY_ROLES},
    "away manager": (Place(county=AWAY), MemberRole.MANAGER),
    "technician": (Place(contractor_id="con_mine"), MemberRole.TECHNICIAN),
    "office": (Place(contractor_id="con_mine"), MemberRole.OFFICE),
    "other office": (Place(contractor_id="con_others"), MemberRole.OFFICE),
}
"""Who there is, where and as what; `owner` comes besides."""


def address_of(name: str) -> str:
    return f"{name.replace(' ', '-')}@people.example"


def add_person(world: World, name: str, *places: tuple[Place, MemberRole]) -> str:
    """Somebody who signs in by mail, with roles."""
    with world.database.transaction(None) as store:
        person = create_person(store, name.title(), address_of(name), SignsIn.MAIL, world.clock())
        for place, role in places:
            give_role(store, person, place, role, Via.COMMAND, "test", world.clock())
    return person


def sign_in_everybody(world: World) -> None:
    """A session for each; `world.call` knows them by name, `world.ids` has the persons."""
    for name, (place, role) in PLACES.items():
        world.ids[name] = add_person(world, name, (place, role))
        with world.database.transaction(None) as store:
            world.sessions[name] = start_session(store, world.ids[name], place, Method.PASSWORD, world.clock())[1]
    with world.database.transaction(HOME) as store:
        system = the_system(store, "SP-1").system_id
        world.sessions["owner"] = start_owner_session(store, HOME, system, world.clock())[1]
    world.ids["system"] = system


def give_factors(world: World, person: str, password: str = PASSWORD) -> None:
    """A password and a second factor, as accepting an invitation sets them."""
    secret = Secret.of(world.config)
    method, salt, hashed = hash_password(password)
    sealed = secret.seal(f"totp of {person}", TOTP)
    with world.database.transaction(None) as store:
        factors = Factors(method=method, salt=salt, hash=hashed, sealed=sealed, last_step=0)
        set_factors(store, person, factors, [], world.clock())


def code_now(world: World, steps: int = 0) -> str:
    """What the authenticator app shows now, or some half minutes later."""
    return code_at(TOTP, step_at(world.clock()) + steps)
