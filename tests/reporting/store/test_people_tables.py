"""People, roles, factors and links as the store keeps them: what must not be twice is not, also at once."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from alembic import command
from sqlalchemy import text

from reporting.errors import PumperError
from reporting.store import factors, invitations, migrate, persons, signin
from reporting.store.engine import Database
from reporting.store.keys import get_key
from reporting.store.persons import Place, SignsIn, Via
from reporting.store.roles import SCOPES_OF, MemberRole, Scope, scopes_of
from tests.reporting.store.builders import NOON
from tests.services.postgres import PostgresServer

HERE, THERE = Place(county="portage"), Place(county="ozaukee")
MINUTE = timedelta(minutes=1)


def at_once(count: int, action: Callable[[], Any]) -> list[Any]:
    """What several calls at the same time came to."""
    barrier, found = Barrier(count), []

    def run() -> None:
        barrier.wait(20)
        try:
            found.append(action())
        except PumperError as error:
            found.append(error)

    threads = [Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def test_an_address_is_one_person_also_at_once(opened: Database) -> None:
    def create() -> str:
        with opened.transaction(None) as store:
            return persons.create_person(store, "Lena", "Lena@People.example", SignsIn.MAIL, NOON)

    made = at_once(4, create)
    assert (len(made), len(set(made))) == (4, 1)
    with opened.transaction(None) as store:
        found = persons.find_by_mail(store, "LENA@people.EXAMPLE")
        assert found is not None
        assert (found["id"], found["email"]) == (made[0], "lena@people.example")
        told = persons.create_person(store, "Other", "lena@people.example", SignsIn.OIDC, NOON)
        assert told != made[0]  # what a provider says is nobody's account here
        assert persons.find_by_mail(store, "lena@people.example") == found


def test_a_role_is_held_once_ends_and_comes_again(opened: Database) -> None:
    with opened.transaction(None) as store:
        person = persons.create_person(store, "Lena", "a@b.example", SignsIn.MAIL, NOON)
        for place in (HERE, THERE):
            assert persons.give_role(store, person, place, MemberRole.CLERK, Via.COMMAND, "x", NOON)
        assert not persons.give_role(store, person, HERE, MemberRole.CLERK, Via.OIDC, "x", NOON)
        assert not persons.take_role(store, person, HERE, MemberRole.CLERK, NOON, Via.OIDC)
        assert not persons.take_role(store, person, HERE, MemberRole.VIEWER, NOON)
        assert persons.take_role(store, person, HERE, MemberRole.CLERK, NOON + MINUTE)
        assert persons.current_roles(store, person, HERE) == ()
        assert persons.places_of(store, person) == [THERE]
        assert not persons.has_member(store, HERE, [MemberRole.CLERK])
        assert persons.has_member(store, THERE, [MemberRole.CLERK])
        assert persons.give_role(store, person, HERE, MemberRole.CLERK, Via.COMMAND, "x", NOON + 2 * MINUTE)
        history = persons.list_members(store, HERE, ended=True)
    assert [row["ended_at"] for row in history] == [NOON + MINUTE, None]


@pytest.mark.parametrize("place", [Place(), Place(county="portage", contractor_id="c")])
def test_a_place_is_one_of_two(place: Place) -> None:
    with pytest.raises(ValueError, match="one county or in one business"):
        assert place.holder


def test_several_roles_may_what_each_may() -> None:
    both = scopes_of([MemberRole.REVIEWER, MemberRole.ENFORCEMENT])
    assert both == SCOPES_OF[MemberRole.REVIEWER] | SCOPES_OF[MemberRole.ENFORCEMENT]
    assert scopes_of([]) == frozenset()
    assert Scope.FEED_READ not in frozenset().union(*SCOPES_OF.values())


def with_factors(opened: Database) -> str:
    with opened.transaction(None) as store:
        person = persons.create_person(store, "Lena", "a@b.example", SignsIn.MAIL, NOON)
        kept = factors.Factors(method="m", salt=b"s", hash=b"h", sealed=b"t", last_step=100)
        factors.set_factors(store, person, kept, ["one", "two"], NOON)
        assert factors.factors_of(store, person) == kept
    return person


def test_a_step_is_used_by_one_of_many(opened: Database) -> None:
    person = with_factors(opened)

    def use() -> bool:
        with opened.transaction(None) as store:
            return factors.use_step(store, person, 101)

    assert sorted(at_once(4, use)) == [False, False, False, True]
    with opened.transaction(None) as store:
        assert not factors.use_step(store, person, 100)
        assert factors.use_step(store, person, 102)
        assert not factors.use_step(store, "per_none", 103)


def test_a_recovery_code_is_used_once_and_gone_with_new_factors(opened: Database) -> None:
    person = with_factors(opened)
    with opened.transaction(None) as store:
        assert factors.use_recovery_code(store, person, "one", NOON)
        assert not factors.use_recovery_code(store, person, "one", NOON)
        assert not factors.use_recovery_code(store, "per_none", "two", NOON)
        kept = factors.Factors(method="m", salt=b"s", hash=b"h", sealed=b"t", last_step=0)
        factors.set_factors(store, person, kept, ["three"], NOON)
        assert not factors.use_recovery_code(store, person, "two", NOON)
        assert factors.use_recovery_code(store, person, "three", NOON)


def test_a_link_for_nobody_is_good_for_nothing(opened: Database) -> None:
    with opened.transaction(None) as store:
        secret = signin.create_signin_token(store, None, NOON)
        assert signin.person_of_token(store, secret, NOON) is None
        assert not signin.use_signin_token(store, secret, NOON)


def test_tries_are_counted_in_windows_and_taken_back(opened: Database) -> None:
    with opened.transaction(None) as store:
        counted = [signin.count_attempt(store, "k", "x", NOON, 15 * MINUTE) for _ in range(3)]
        assert counted == [1, 2, 3]
        assert signin.count_attempt(store, "k", "y", NOON, 15 * MINUTE) == 1
        assert signin.count_attempt(store, "other", "x", NOON, 15 * MINUTE) == 1
        signin.uncount_attempt(store, "k", "x", NOON, 15 * MINUTE)
        assert signin.count_attempt(store, "k", "x", NOON + 15 * MINUTE - timedelta.resolution, 15 * MINUTE) == 3
        assert signin.count_attempt(store, "k", "x", NOON + 15 * MINUTE, 15 * MINUTE) == 1


def test_tries_at_once_are_all_counted(opened: Database) -> None:
    def count() -> int:
        with opened.transaction(None) as store:
            return signin.count_attempt(store, "k", "x", NOON, 15 * MINUTE)

    assert sorted(at_once(6, count)) == [1, 2, 3, 4, 5, 6]


def test_what_is_over_is_forgotten_and_nothing_else(opened: Database) -> None:
    with opened.transaction(None) as store:
        signin.create_signin_token(store, None, NOON)
        signin.count_attempt(store, "k", "x", NOON, 15 * MINUTE)
        assert signin.forget_signins(store, NOON + timedelta(days=1)) == 0
        assert signin.forget_signins(store, NOON + timedelta(days=1, minutes=16)) == 1
        assert signin.forget_signins(store, NOON + timedelta(days=3)) == 1


def test_an_invitation_is_found_by_its_secret_while_it_is_open(opened: Database) -> None:
    life = invitations.INVITATION_LIFE
    with opened.transaction(None) as store:
        key, secret = invitations.create_invitation(store, "A@b.example", HERE, MemberRole.CLERK, "x", NOON)
        found = invitations.find_invitation(store, secret, NOON + life - timedelta.resolution)
        assert found is not None
        assert (found["id"], found["email"]) == (key, "a@b.example")
        assert "secret_sha256" not in found
        assert invitations.find_invitation(store, secret, NOON + life) is None
        assert not invitations.revoke_invitation(store, key, THERE, NOON)
        assert invitations.revoke_invitation(store, key, HERE, NOON)
        assert invitations.find_invitation(store, secret, NOON) is None


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The owner's address of a database in which there is nothing."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'made.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    made = server.new_database()
    yield made.owner_url
    server.drop(made.name)


def test_a_key_from_before_ends_400_days_after_it_was_made(empty: str) -> None:
    with migrate._connection(empty) as connection:
        command.upgrade(migrate._alembic(connection), "0003")
        insert = (
            "INSERT INTO api_key (id, secret_sha256, role, label, created_at, expires_at)"
            " VALUES (:id, :secret, 'admin', '', :made, :ends)"
        )
        made = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
        sqlite = connection.dialect.name == "sqlite"
        at = [one.replace(tzinfo=None).isoformat(" ") if sqlite else one for one in (made, made + timedelta(days=9))]
        for key, ends in (("endless", None), ("short", at[1])):
            connection.execute(text(insert), {"id": key, "secret": b"x", "made": at[0], "ends": ends})
    migrate.upgrade(empty)
    database = Database.connect(empty)
    with database.reading(None) as store:
        endless, short = get_key(store, "endless"), get_key(store, "short")
    database.dispose()
    assert endless is not None
    assert short is not None
    assert (endless["expires_at"], endless["kind"]) == (made + timedelta(days=400), "api")
    assert short["expires_at"] == made + timedelta(days=9)
