"""API keys: shown once, told from mistyped ones, ended at once."""

from datetime import datetime, timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import select, update

from reporting import tables
from reporting.errors import KeyNotAllowed, TooManyKeys
from reporting.store import keys, people
from reporting.store.engine import Database, Store
from reporting.store.keys import KEY_LIFE, KeyKind, Principal, Role, create_key, find_feed, find_key
from reporting.store.roles import SCOPES_OF_FEEDS, SCOPES_OF_KEYS, Scope
from tests.reporting.store.builders import NOON

HOUR = timedelta(hours=1)


def a_county_key(store: Store, expires_at: datetime | None = None) -> tuple[str, str]:
    return create_key(store, "county", "portage", None, "clerk", NOON, expires_at)


def test_a_key_names_its_holder(opened: Database) -> None:
    with opened.transaction(None) as store:
        people.upsert_contractors(store, [{"id": "c1", "business_name": "Honey Wagons", "created_at": NOON}])
        made = {
            create_key(store, Role.CONTRACTOR, None, "c1", "truck", NOON): (Role.CONTRACTOR, None, "c1"),
            a_county_key(store): (Role.COUNTY, "portage", None),
            create_key(store, "admin", None, None, "me", NOON): (Role.ADMIN, None, None),
        }
        for (key_id, token), (role, county, contractor) in made.items():
            scopes = SCOPES_OF_KEYS[role]
            expected = Principal(key_id=key_id, role=role, county=county, contractor_id=contractor, scopes=scopes)
            assert find_key(store, token, NOON) == expected


def test_the_secret_is_long_and_not_kept(opened: Database) -> None:
    with opened.transaction(None) as store:
        key_id, token = a_county_key(store)
        row = store.connection.execute(select(tables.api_key)).mappings().one()
    prefix, found_id, secret = token.split("_")
    assert (prefix, found_id, len(secret)) == ("pmp", key_id, 52 + 7)  # 256 bits and the check digits in base 32
    assert secret[:52] not in repr(dict(row))


def test_any_wrong_letter_is_no_key_and_asks_nothing(opened: Database) -> None:
    with opened.transaction(None) as store:
        _, token = a_county_key(store)
    with opened.reading(None) as store:
        for place in range(len(token)):
            other = "b" if token[place] != "b" else "c"
            assert find_key(store, token[:place] + other + token[place + 1 :], NOON) is None
        for wrong in (
            "",
            "pmp__",
            token.upper(),
            token + " ",
            token[:-1],
            "\x00" + token,
            token.replace("pmp", "pmq"),
            "é" * 76,
        ):
            assert find_key(store, wrong, NOON) is None


def test_another_keys_secret_opens_nothing(opened: Database) -> None:
    with opened.transaction(None) as store:
        first, second = a_county_key(store), a_county_key(store)
        mixed = f"pmp_{first[0]}_{second[1].split('_')[2][:52]}"
        assert find_key(store, mixed + keys._check_digits(mixed), NOON) is None
        absent = f"pmp_{'a' * 13}_{second[1].split('_')[2][:52]}"
        assert find_key(store, absent + keys._check_digits(absent), NOON) is None


def test_a_revoked_key_ends_at_once(opened: Database) -> None:
    with opened.transaction(None) as store:
        key_id, token = a_county_key(store)
        other_id, other = a_county_key(store)  # two live keys, for rotation
        assert keys.revoke_key(store, key_id, NOON + HOUR)
        assert not keys.revoke_key(store, key_id, NOON + 2 * HOUR)
        assert not keys.revoke_key(store, "no", NOON)
        assert find_key(store, token, NOON + HOUR) is None
        assert find_key(store, other, NOON + HOUR) is not None
        rows = keys.list_keys(store)
    assert {row["id"]: row["revoked_at"] for row in rows} == {key_id: NOON + HOUR, other_id: None}
    assert all("secret_sha256" not in row for row in rows)


@pytest.mark.parametrize(("after", "works"), [(timedelta(0), True), (HOUR - timedelta.resolution, True), (HOUR, False)])
def test_a_key_expires(opened: Database, after: timedelta, works: bool) -> None:
    with opened.transaction(None) as store:
        _, token = a_county_key(store, NOON + HOUR)
        assert (find_key(store, token, NOON + after) is not None) == works


@pytest.mark.parametrize(
    ("role", "county", "contractor"),
    [
        ("clerk", None, None),
        ("owner", "portage", None),
        ("contractor", None, None),
        ("contractor", "portage", "c1"),
        ("county", None, None),
        ("county", "portage", "c1"),
        ("admin", "portage", None),
        ("admin", None, "c1"),
    ],
)
def test_a_key_for_nobody_in_particular_is_refused(
    opened: Database, role: str, county: str | None, contractor: str | None
) -> None:
    with opened.transaction(None) as store:
        with pytest.raises(KeyNotAllowed):
            create_key(store, role, county, contractor, "x", NOON)
        assert keys.list_keys(store) == []


def test_a_key_that_has_expired_already_is_refused(opened: Database) -> None:
    with opened.transaction(None) as store, pytest.raises(KeyNotAllowed):
        a_county_key(store, NOON)


@pytest.mark.parametrize(("before", "works"), [(timedelta.resolution, True), (timedelta(0), False)])
def test_a_key_without_an_end_of_its_own_lives_400_days(opened: Database, before: timedelta, works: bool) -> None:
    with opened.transaction(None) as store:
        _, token = a_county_key(store)
        assert (find_key(store, token, NOON + KEY_LIFE - before) is not None) == works
    assert timedelta(days=400) == KEY_LIFE


def test_two_live_keys_of_one_name_and_no_third(opened: Database) -> None:
    with opened.transaction(None) as store:
        first, _second = a_county_key(store), a_county_key(store)
        with pytest.raises(TooManyKeys, match="2 live keys"):
            a_county_key(store)
        create_key(store, "county", "portage", None, "the other program", NOON)
        create_key(store, "county", "ozaukee", None, "clerk", NOON)
        assert keys.revoke_key(store, first[0], NOON)
        a_county_key(store)
        with pytest.raises(TooManyKeys):
            a_county_key(store)
    with opened.transaction(None) as store:  # those that have expired leave room too
        create_key(store, "county", "portage", None, "clerk", NOON + KEY_LIFE)


def test_twenty_live_keys_of_a_holder_and_no_more(opened: Database) -> None:
    with opened.transaction(None) as store:
        for number in range(keys.LIVE_IN_ALL):
            create_key(store, "admin", None, None, f"program {number}", NOON)
        with pytest.raises(TooManyKeys):
            create_key(store, "admin", None, None, "one more", NOON)
        a_county_key(store)


def test_two_at_once_do_not_make_a_third(opened: Database) -> None:
    with opened.transaction(None) as store:
        a_county_key(store)
    barrier, made = Barrier(4), []

    def make() -> None:
        barrier.wait(20)
        try:
            with opened.transaction(None) as store:
                made.append(a_county_key(store))
        except TooManyKeys:
            pass

    threads = [Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with opened.reading(None) as store:
        assert (len(made), len(keys.list_keys(store))) == (1, 2)


def test_scopes_are_those_given_and_no_more_than_the_roles(opened: Database) -> None:
    with opened.transaction(None) as store:
        people.upsert_contractors(store, [{"id": "c1", "business_name": "Honey Wagons", "created_at": NOON}])
        _, token = create_key(store, "contractor", None, "c1", "truck", NOON, scopes=[Scope.REPORTS_WRITE])
        found = find_key(store, token, NOON)
        assert found is not None
        assert found.scopes == {Scope.REPORTS_WRITE}
        for scopes in ([Scope.FACTS_WRITE], [Scope.REPORTS_WRITE, Scope.SETTINGS_WRITE], []):
            with pytest.raises(KeyNotAllowed, match="scopes"):
                create_key(store, "contractor", None, "c1", "truck", NOON, scopes=scopes)
        # Written by a newer version, or by hand: what the role does not have, it does not get.
        store.connection.execute(update(tables.api_key).values(scopes=["reports:write", "facts:write", "moon:land"]))
        assert find_key(store, token, NOON) == found


def test_a_feed_token_opens_the_feed_and_nothing_else(opened: Database) -> None:
    with opened.transaction(None) as store:
        people.upsert_contractors(store, [{"id": "c1", "business_name": "Honey Wagons", "created_at": NOON}])
        key_id, feed = create_key(store, "contractor", None, "c1", "phone", NOON, kind=KeyKind.FEED)
        _, api = create_key(store, "contractor", None, "c1", "phone", NOON)
        found = find_feed(store, feed, NOON)
        assert found is not None
        assert (found.key_id, found.contractor_id, found.scopes) == (key_id, "c1", SCOPES_OF_FEEDS)
        assert feed.startswith("pmf_")
        assert find_key(store, feed, NOON) is None
        assert find_feed(store, api, NOON) is None
        disguised = "pmp" + feed[3:-7]
        assert find_key(store, disguised + keys._check_digits(disguised), NOON) is None
        assert keys.revoke_key(store, key_id, NOON)
        assert find_feed(store, feed, NOON) is None
        for role, county, business in (("county", "portage", None), ("admin", None, None)):
            with pytest.raises(KeyNotAllowed):
                create_key(store, role, county, business, "x", NOON, kind=KeyKind.FEED)


def test_the_last_day_of_use_is_written_once(opened: Database) -> None:
    with opened.transaction(None) as store:
        key_id, token = a_county_key(store)
        assert keys.mark_used(store, key_id, NOON.date())
        assert not keys.mark_used(store, key_id, NOON.date())
        assert not keys.mark_used(store, key_id, NOON.date() - timedelta(days=1))
        assert keys.mark_used(store, key_id, NOON.date() + timedelta(days=1))
        found = find_key(store, token, NOON)
        assert found is not None
        assert found.used_on == NOON.date() + timedelta(days=1)


def test_a_list_is_of_one_holder(opened: Database) -> None:
    with opened.transaction(None) as store:
        people.upsert_contractors(store, [{"id": "c1", "business_name": "Honey Wagons", "created_at": NOON}])
        a_county_key(store)
        create_key(store, "county", "ozaukee", None, "x", NOON)
        create_key(store, "contractor", None, "c1", "y", NOON)
        assert [row["county"] for row in keys.list_keys(store, county="portage")] == ["portage"]
        assert [row["label"] for row in keys.list_keys(store, contractor_id="c1")] == ["y"]
        assert len(keys.list_keys(store)) == 3
