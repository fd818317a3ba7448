"""API keys: shown once, told from mistyped ones, ended at once."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from reporting import tables
from reporting.errors import KeyNotAllowed
from reporting.store import keys, people
from reporting.store.engine import Database, Store
from reporting.store.keys import Principal, Role, create_key, find_key
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
            expected = Principal(key_id=key_id, role=role, county=county, contractor_id=contractor)
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
