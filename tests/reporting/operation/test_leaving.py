"""The export of everything of one county: whole, of that county alone, without what lets anybody in, checkable."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reporting import export_verifier, tables
from reporting.store.engine import Database
from reporting.store.export import export_log, new_bundle
from reporting.store.leaving import export_tables, parts
from reporting.store.leaving_words import LEFT_OUT, MEANING
from reporting.store.log import signed_head
from reporting.store.signing import Signer, checkpoint_note
from tests.reporting.store.builders import NOON
from tests.reporting.store.test_twins import COUNTIES, fill
from tests.services.databases import DatabaseUrls


@pytest.fixture
def twins(database: DatabaseUrls, tmp_path: Path) -> Iterator[Database]:
    found = Database.connect(database.app_url)
    signer = Signer.load(tmp_path / "signing.key")
    for county in COUNTIES:
        fill(found, county, signer)
    yield found
    found.dispose()


def exported(database: Database, county: str, target: Path) -> str:
    """The signed head that covers it, as a note."""
    with database.reading(county) as store, new_bundle(target) as bundle:
        head = signed_head(store, 2)
        assert head is not None
        export_tables(store, bundle)
        export_log(store, bundle, head, NOON)
    return checkpoint_note(head)


def test_it_is_whole_and_of_one_county(twins: Database, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    note = exported(twins, "portage", folder)
    found = export_verifier.verify_export(folder, [("kept", note)])
    assert found.problems == []
    for path in folder.rglob("*"):
        if path.suffix in (".jsonl", ".csv") and path.is_file():
            text = path.read_bytes()
            assert b"ozaukee" not in text, path
            assert b"winnebago" not in text, path
    with twins.reading("portage") as store:
        for part in parts():
            rows = list(part.rows(store))
            name = part.table.name
            lines = (folder / "tables" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
            with (folder / "tables" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
                cells = list(csv.DictReader(file))
            assert len(rows) == len(lines) == len(cells), name
            if rows:
                assert list(json.loads(lines[0])) == list(cells[0]) == [column.name for column in part.columns]
    assert len((folder / "tables" / "event.jsonl").read_text().splitlines()) > 3
    # One byte of a table, and the check finds it.
    table = folder / "tables" / "event.csv"
    table.write_bytes(table.read_bytes().replace(b"portage", b"portagE", 1))
    assert [words for _c, _s, words in export_verifier.verify_export(folder, []).problems] == [
        "The file tables/event.csv was changed."
    ]


def test_a_zip_is_checked_too(twins: Database, tmp_path: Path) -> None:
    note = exported(twins, "portage", tmp_path / "export.zip")
    assert export_verifier.verify_export(tmp_path / "export.zip", [("kept", note)]).problems == []


def test_every_table_of_a_county_is_in_it_or_is_said_to_be_left_out() -> None:
    names = {part.table.name for part in parts()}
    assert {table.name for table in tables.tenant_tables()} - names == set(LEFT_OUT)
    assert {name for name in names if not MEANING.get(name)} == set()
    assert set(MEANING) == names


def test_nothing_in_it_lets_anybody_in() -> None:
    columns = {f"{part.table.name}.{column.name}" for part in parts() for column in part.columns}
    assert not [name for name in columns if "secret" in name or "token" in name or name.startswith("password")]
    assert not {part.table.name for part in parts()} & {"session", "signin_token", "password", "totp", "recovery_code"}
