"""Many rows at once: the same outcome for few as for many, on both databases, and on keys that are taken."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Database
from reporting.store.rows import insert_new_rows, insert_rows, tenant_rows, upsert_rows
from tests.reporting.store.builders import a_system
from tests.services.databases import DatabaseUrls

SIZES = (3, 450)
"""Below and above the number from which rows go another way."""


@pytest.fixture
def kept(database: DatabaseUrls) -> Iterator[Database]:
    found = Database.connect(database.app_url)
    yield found
    found.dispose()


def write(kept: Database, how: Any, rows: list[dict[str, Any]], **options: Any) -> None:
    from reporting.store.facts import insert_systems

    with kept.transaction("ozaukee") as store:
        held = {s for (s,) in store.connection.execute(select(tables.system.c.id))}
        insert_systems(store, [a_system(s) for s in dict.fromkeys(r["system"] for r in rows) if s not in held])
        how(store, tables.standing, tenant_rows(store, rows), **options)


def states(kept: Database) -> dict[str, tuple[str, str | None]]:
    with kept.reading("ozaukee") as store:
        rows = store.connection.execute(select(tables.standing)).mappings().all()
    return {row["system"]: (row["state"], row["municipality"]) for row in rows}


def some(count: int, state: str, start: int = 0, **more: Any) -> list[dict[str, Any]]:
    return [{"system": f"s{n}", "state": state, **more} for n in range(start, start + count)]


@pytest.mark.parametrize("count", SIZES)
def test_rows_come_in_with_their_defaults(kept: Database, count: int) -> None:
    write(kept, insert_rows, some(count, "x", municipality='Town of "Hull"\tß\\'))
    assert states(kept) == {f"s{n}": ("x", 'Town of "Hull"\tß\\') for n in range(count)}
    with kept.reading("ozaukee") as store:
        assert not any(store.connection.execute(select(tables.standing.c.dirty)).scalars())


@pytest.mark.parametrize("count", SIZES)
def test_new_rows_leave_the_others_as_they_are(kept: Database, count: int) -> None:
    write(kept, insert_new_rows, some(count, "old"))
    write(kept, insert_new_rows, [*some(count, "new", start=2), *some(1, "again", start=count + 1)])
    found = states(kept)
    assert {found[f"s{n}"][0] for n in range(count)} == {"old"}
    assert [found[f"s{n}"][0] for n in (count, count + 1)] == ["new", "new"]  # of two with one key the first came in


@pytest.mark.parametrize("count", SIZES)
def test_an_upsert_replaces_all_but_what_is_kept_and_the_last_of_a_key_counts(kept: Database, count: int) -> None:
    write(kept, insert_rows, some(count, "old", municipality="Hull"))
    changed = some(count, "new", start=1, municipality="Plover")
    write(kept, upsert_rows, [*changed, {"system": "s1", "state": "last"}], keep=frozenset({"municipality"}))
    found = states(kept)
    assert (found["s0"], found["s1"], found["s2"]) == (("old", "Hull"), ("last", "Hull"), ("new", "Hull"))
    assert found[f"s{count}"] == ("new", "Plover")


@pytest.mark.parametrize("count", SIZES)
def test_a_column_that_is_not_there_is_refused(kept: Database, count: int) -> None:
    with pytest.raises(KeyError, match="colour"):
        write(kept, insert_rows, some(count, "x", colour="red"))
    assert states(kept) == {}
