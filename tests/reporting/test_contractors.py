"""Contractors from a file: upsert by licence, several licences to a business."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reporting.contractors import import_contractors
from reporting.intake.sheet import FileRefused
from reporting.inventory.answers import InventoryAnswer
from reporting.store.engine import Database
from reporting.store.people import find_credentials, list_contractors
from tests.reporting.counties import NOW, csv_of

COUNTIES = ("ozaukee", "portage", "winnebago", "lake-beulah")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "contractors.csv"


def load(kept: Database, *rows: Mapping[str, Any], dry_run: bool = False) -> InventoryAnswer:
    with kept.transaction(None) as store:
        return import_contractors(store, csv_of(*rows), counties=COUNTIES, now=NOW, dry_run=dry_run)


def a_licence(number: str = "00412", **columns: Any) -> dict[str, Any]:
    return {
        "license_number": number,
        "credential_kind": "septage_operator",
        "business_name": "Kettle Septic",
        "email": "office@example.org",
        "expires_on": "2027-09-30",
        "counties": "ozaukee;lake-beulah",
        **columns,
    }


def test_the_shipped_file_comes_in_once(kept: Database) -> None:
    with kept.transaction(None) as store:
        first = import_contractors(store, EXAMPLE.read_bytes(), counties=COUNTIES, now=NOW)
        again = import_contractors(store, EXAMPLE.read_bytes(), counties=COUNTIES, now=NOW)
        businesses = list_contractors(store, None, 100)
    assert (first.rows, first.added, first.rejected) == (25, 25, 0)
    assert (again.added, again.changed, again.untouched) == (0, 0, 25)
    assert len(businesses) == 12


def test_a_licence_is_one_however_it_is_written(kept: Database) -> None:
    load(kept, a_licence("PM-2207"), a_licence("00413"))
    answer = load(kept, a_licence("pm 2207", expires_on="9/30/2029"))
    assert (answer.added, answer.changed) == (0, 1)
    assert ("expires_on", date(2027, 9, 30), date(2029, 9, 30)) in {
        (d.field, d.before, d.after) for d in answer.differences
    }
    with kept.reading(None) as store:
        [credential] = find_credentials(store, ["PM2207"])["PM2207"]
        assert len(list_contractors(store, None, 100)) == 1
    assert (credential["expires_on"], credential["counties"]) == (date(2029, 9, 30), ["lake-beulah", "ozaukee"])


def test_one_number_may_be_two_credentials(kept: Database) -> None:
    load(kept, a_licence(), a_licence(credential_kind="Maintainer"))
    with kept.reading(None) as store:
        kinds = [row["kind"] for row in find_credentials(store, ["00412"])["00412"]]
    assert kinds == ["powts_maintainer", "septage_operator"]


def test_a_business_takes_another_name_or_a_licence_another_business(kept: Database) -> None:
    load(kept, a_licence("1"), a_licence("2"))
    load(kept, a_licence("1", business_name="Kettle LLC"), a_licence("2", business_name="Kettle LLC"))
    with kept.reading(None) as store:
        assert [row["business_name"] for row in list_contractors(store, None, 100)] == ["Kettle LLC"]
    load(kept, a_licence("2", business_name="Other Pumping"))
    with kept.reading(None) as store:
        found = find_credentials(store, ["1", "2"])
    assert [found[number][0]["business_name"] for number in ("1", "2")] == ["Kettle LLC", "Other Pumping"]


def test_wrong_rows_say_where_and_do_not_stop_the_others(kept: Database) -> None:
    answer = load(
        kept,
        a_licence("1"),
        a_licence("2", credential_kind="astronaut"),
        a_licence("3", counties="ozaukee; mars"),
        a_licence("4", business_name=""),
        a_licence("1"),
        a_licence("no number"),
    )
    assert (answer.rows, answer.added, answer.rejected) == (6, 1, 5)
    assert [(e.row, e.field, e.code) for e in answer.errors] == [
        (3, "credential_kind", "choice"),
        (4, "counties", "unknown_county"),
        (5, "business_name", "required"),
        (6, "license_number", "inconsistent"),
        (7, "license_number", "license"),
    ]


def test_a_dry_run_writes_nothing_and_missing_columns_are_named(kept: Database) -> None:
    assert load(kept, a_licence(), dry_run=True).added == 1
    with kept.reading(None) as store:
        assert list_contractors(store, None, 100) == []
    with pytest.raises(FileRefused, match="credential_kind, business_name"):
        load(kept, {"license_number": "1", "email": "a@example.org"})
