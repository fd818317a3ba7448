"""Moving to another database and back, what stops it, and that the former one is not served from."""

from pathlib import Path

import pytest
from sqlalchemy import text

from reporting.cli.common import opened, refuse_moved
from reporting.errors import ConfigurationError, MoveRefused
from reporting.operation import moving
from reporting.operation.moving import is_same, move
from reporting.store.copying import moved_to, of_county, unmark_moved
from reporting.store.verify import verify
from tests.reporting.api.world import HOME, World, a_report, serve_world
from tests.reporting.operation.conftest import Empty
from tests.reporting.operation.test_backups import COUNTIES, everything
from tests.services.databases import DatabaseUrls

OTHER = {"sqlite": "postgresql", "postgresql": "sqlite"}


@pytest.mark.needs_postgres
def test_there_and_back_everything_is_the_same(
    office: World, database: DatabaseUrls, empty: Empty, tmp_path: Path
) -> None:
    before = everything(office.config.database_url)
    there = empty(OTHER[database.kind])  # type: ignore[arg-type]
    moved = move(office.database, there.owner_url, [office.signer.verifying_key])
    after = everything(there.app_url)
    assert after == before
    assert moved.logs == {county: at.size for county, at in before["logs"].items()}
    with pytest.raises(ConfigurationError, match="was moved to"):
        refuse_moved(office.database)
    # The service goes on there: the log grows from where it was, the same call again is answered as before.
    served = serve_world(there, tmp_path, office.keys)
    assert served.post(f"/v1/{HOME}/reports", a_report(report_ref="T-8")).status_code == 201
    with served.database.reading(HOME) as store:
        found = verify(store, [office.signer.verifying_key])
    assert (found.problems, found.size) == ((), before["logs"][HOME].size + 2)
    back = empty(database.kind)
    grown = everything(there.app_url)
    move(served.database, back.owner_url, [office.signer.verifying_key])
    assert everything(back.app_url) == grown
    served.database.dispose()


def nothing_is_there(urls: DatabaseUrls, office: World) -> bool:
    found = everything(urls.app_url)
    refuse_moved(office.database)
    return not any(found["counts"].values()) and not any(rows for c in COUNTIES for rows in found[c].values())


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)])
def test_whatever_goes_wrong_nothing_is_moved(
    on_sqlite: World, empty: Empty, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Cut short at the end of the copying, and with a log that does not hold there."""
    office, urls = on_sqlite, empty(kind)  # type: ignore[arg-type]
    keys = [office.signer.verifying_key]

    def break_off(*_of: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(moving, "check_logs", break_off)
        with pytest.raises(KeyboardInterrupt):
            move(office.database, urls.owner_url, keys)
    assert nothing_is_there(urls, office)

    kept = moving.copy_rows

    def lose_one(*of: object) -> dict[str, int]:
        copied = kept(*of)  # type: ignore[arg-type]
        store = of_county(of[1], HOME)  # type: ignore[arg-type]
        store.connection.execute(text(f"UPDATE event SET license_norm = '1' WHERE county = '{HOME}'"))
        return copied

    with monkeypatch.context() as patch:
        patch.setattr(moving, "copy_rows", lose_one)
        with pytest.raises(MoveRefused, match="Nothing was moved"):
            move(office.database, urls.owner_url, keys)
    assert nothing_is_there(urls, office)
    move(office.database, urls.owner_url, keys)  # and then it goes through
    with pytest.raises(MoveRefused, match="has rows"):
        move(office.database, urls.owner_url, keys)
    with pytest.raises(ConfigurationError, match="was moved to"):
        refuse_moved(office.database)
    with office.database.transaction(None) as store:
        assert str(moved_to(store)).startswith(f"{kind}://")
        assert "***" in str(moved_to(store)) or kind == "sqlite"
        unmark_moved(store)
    with opened(office.config) as (_settings, database), database.reading(None) as store:
        assert moved_to(store) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("sqlite:///a.db", "sqlite:///a.db", True),
        ("sqlite:///a.db", "sqlite:///b.db", False),
        ("postgresql://me@h/a", "postgresql+psycopg://you:x@h/a", True),
        ("postgresql://me@h/a", "postgresql://me@h/b", False),
        ("postgresql://me@h/a", "postgresql://me@h2/a", False),
        ("postgresql://me@h:1/a", "postgresql://me@h:2/a", False),
    ],
)
def test_the_same_database_is_known(one: str, other: str, same: bool) -> None:
    assert is_same(one, other) is same
