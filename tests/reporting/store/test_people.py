"""Businesses, licences, counties, and the texts of programs."""

from datetime import date, timedelta
from typing import Any

from reporting.store import counties, people
from reporting.store.engine import Database, Store
from tests.reporting.store.builders import NOON


def a_contractor(contractor_id: str, name: str, **columns: Any) -> dict[str, Any]:
    return {"id": contractor_id, "business_name": name, "created_at": NOON, **columns}


def a_license(norm: str, contractor_id: str, **columns: Any) -> dict[str, Any]:
    return {
        "license_norm": norm,
        "license_number": norm,
        "kind": "septage_operator",
        "contractor_id": contractor_id,
        **columns,
    }


def fill(store: Store) -> None:
    people.upsert_contractors(
        store, [a_contractor("c1", "Honey Wagons", email="a@example.org"), a_contractor("c2", "Élan")]
    )
    people.upsert_credentials(
        store,
        [
            a_license("412", "c1", expires_on=date(2027, 1, 31), counties=["portage"]),
            a_license("412", "c1", kind="pow_maintainer"),
            a_license("9", "c1"),
            a_license("77", "c2"),
        ],
    )


def test_businesses_are_added_or_changed_by_id(opened: Database) -> None:
    with opened.transaction(None) as store:
        fill(store)
        people.upsert_contractors(store, [a_contractor("c1", "Honey & Sons", created_at=NOON + timedelta(days=9))])
        found = people.get_contractor(store, "c1")
        assert people.get_contractor(store, "no") is None
        assert [row["id"] for row in people.list_contractors(store, None, 1)] == ["c1"]
        assert [row["id"] for row in people.list_contractors(store, "c1", 9)] == ["c2"]
    assert found is not None
    assert (found["business_name"], found["email"], found["created_at"]) == ("Honey & Sons", None, NOON)


def test_businesses_are_found_by_name(opened: Database) -> None:
    with opened.transaction(None) as store:
        fill(store)
        found = people.find_contractors_by_name(store, ["honey WAGONS", "nobody"])
    assert {name: [row["id"] for row in rows] for name, rows in found.items()} == {"honey wagons": ["c1"]}


def test_licences_are_added_or_changed_by_number_and_kind(opened: Database) -> None:
    with opened.transaction(None) as store:
        fill(store)
        people.upsert_credentials(store, [a_license("9", "c2", license_number="00009")])
        found = people.find_credentials(store, ["412", "9", "no"])
        assert [(row["license_norm"], row["kind"]) for row in people.licences_of(store, "c1")] == [
            ("412", "pow_maintainer"),
            ("412", "septage_operator"),
        ]
    assert sorted(found) == ["412", "9"]
    assert [(row["kind"], row["counties"], row["expires_on"], row["email"]) for row in found["412"]] == [
        ("pow_maintainer", [], None, "a@example.org"),
        ("septage_operator", ["portage"], date(2027, 1, 31), "a@example.org"),
    ]
    assert [(row["license_number"], row["business_name"]) for row in found["9"]] == [("00009", "Élan")]


def test_counties_and_the_texts_of_their_programs(opened: Database) -> None:
    with opened.transaction(None) as store:
        counties.save_counties(store, {"portage": "Portage", "door": "Door"})
        counties.save_counties(store, {"portage": "Portage County"})
        assert list(counties.list_counties(store).items()) == [("door", "Door"), ("portage", "Portage County")]
        first = counties.save_program_text(store, "portage", "lead = 30  # é", NOON)
        assert counties.save_program_text(store, "portage", "lead = 30  # é", NOON + timedelta(days=1)) == first
        second = counties.save_program_text(store, "portage", "lead = 31", NOON)
        assert counties.program_text(store, "portage", first) == "lead = 30  # é"
        assert counties.program_text(store, "portage", second) == "lead = 31"
        assert counties.program_text(store, "door", first) is None
