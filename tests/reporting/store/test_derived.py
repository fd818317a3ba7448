"""What assessment found: replaced as a whole, looked at again when it is due, listed in pages."""

from datetime import date
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from reporting import tables
from reporting.errors import BadCursor
from reporting.store import derived
from reporting.store.derived import AssessedSystem
from reporting.store.engine import Database, Store
from reporting.store.facts import end_versions, insert_system_versions, insert_systems
from reporting.store.lists import ObligationFilter, SystemFilter, list_obligations, list_systems
from reporting.store.matching import PARCEL, PERMIT, add_identifiers
from tests.reporting.store.builders import a_system, add_systems, an_obligation

JUNE = date(2026, 6, 1)


def a_finding(**columns: Any) -> dict[str, Any]:
    return {"kind": "late_report", "rule": "WI5", "cause": "e1", "event": "e1", "cite": "16.08(1)(g)", **columns}


def assess(store: Store, system: str, *obligations: dict[str, Any], **standing: Any) -> None:
    derived.replace_assessment(store, system, {"state": "compliant", **standing}, obligations, [])


def test_systems_are_dirty_until_assessed(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b", "c")
        derived.mark_dirty(store, ["b", "a", "b"])
        assert derived.dirty_systems(store, 9) == ["a", "b"]
        assert derived.dirty_systems(store, 1) == ["a"]
        assess(store, "a", state="overdue")
        assert derived.dirty_systems(store, 9) == ["b"]
        derived.mark_dirty(store, ["a"])
        found = derived.standings_of(store, ["a", "b", "c"])
    assert {key: (row["state"], row["dirty"]) for key, row in found.items()} == {
        "a": ("overdue", True),
        "b": ("unknown", True),
    }


def test_a_new_program_makes_every_system_of_the_county_dirty(opened: Database) -> None:
    for county in ("portage", "ozaukee"):
        with opened.transaction(county) as store:
            add_systems(store, "a", "b")
            assess(store, "a")
    with opened.transaction("portage") as store:
        assert derived.mark_all_dirty(store) == 1
        assert derived.dirty_systems(store, 9) == ["a"]
    with opened.reading("ozaukee") as store:
        assert derived.dirty_systems(store, 9) == []


def test_the_scan_finds_what_changes_by_itself(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b", "c", "d")
        assess(store, "a", next_change_on=date(2026, 5, 31))
        assess(store, "b", next_change_on=JUNE)
        assess(store, "c", next_change_on=date(2026, 6, 2))
        assess(store, "d", next_change_on=None)
        assert derived.due_systems(store, JUNE, 9) == ["a", "b"]
        derived.mark_dirty(store, ["d"])
        assert derived.due_systems(store, JUNE, 9) == ["a", "b", "d"]
        assert derived.due_systems(store, JUNE, 1, after="a") == ["b"]


def test_an_assessment_takes_the_place_of_the_one_before(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a", "b")
        derived.replace_assessments(
            store,
            [
                AssessedSystem(
                    system=one,
                    standing={"state": "due_soon", "needs_service": True, "contractor": "412"},
                    obligations=[an_obligation(), an_obligation(kind="contract")],
                    findings=[a_finding(), a_finding(cause="e2")],
                )
                for one in ("a", "b")
            ],
        )
        derived.replace_assessment(store, "a", {"state": "compliant"}, [an_obligation(state="met")], [])
        standings = derived.standings_of(store, ["a", "b"])
        obligations = derived.obligations_of(store, ["a", "b", "c"])
        findings = derived.findings_of(store, ["a", "b"])
    assert [(row["state"], row["needs_service"], row["contractor"]) for row in standings.values()] == [
        ("compliant", None, None),
        ("due_soon", True, "412"),
    ]
    assert {key: [(row["kind"], row["state"]) for row in rows] for key, rows in obligations.items()} == {
        "a": [("pump", "met")],
        "b": [("contract", "upcoming"), ("pump", "upcoming")],
        "c": [],
    }
    assert {key: [row["cause"] for row in rows] for key, rows in findings.items()} == {"a": [], "b": ["e1", "e2"]}


def test_one_obligation_of_a_cycle(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, "a")
    with pytest.raises(IntegrityError), opened.transaction("portage") as store:
        assess(store, "a", an_obligation(), an_obligation())


def listed(store: Store, filters: ObligationFilter, limit: int = 3) -> list[tuple[str, str]]:
    """Every obligation, page by page."""
    found, cursor = [], None
    while True:
        page = list_obligations(store, filters, cursor, limit)
        assert len(page.rows) <= limit
        found += [(row["system"], row["kind"]) for row in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            return found


def fill(store: Store) -> None:
    insert_systems(
        store,
        [
            a_system(
                "a",
                permit_number="SP-1",
                parcel_number="01-2",
                site_address="N5555 County Road K",
                municipality="Stockton",
            ),
            a_system(
                "b", permit_number="SP-2", parcel_number="01-3", site_address="12 Oak_St 100%", municipality="Hull"
            ),
            a_system("c", status="abandoned"),
        ],
    )
    add_identifiers(
        store,
        [
            {"kind": PERMIT, "norm": "SP1", "system": "a"},
            {"kind": PARCEL, "norm": "SP1", "system": "b"},
            {"kind": PARCEL, "norm": "012", "system": "a"},
        ],
    )
    assess(
        store,
        "a",
        an_obligation(state="overdue", due_on=JUNE),
        an_obligation(kind="contract", due_on=None, duty_of="contractor"),
        state="overdue",
        contractor="412",
    )
    assess(
        store,
        "b",
        an_obligation(due_on=JUNE),
        an_obligation(kind="correction", due_on=date(2026, 1, 1)),
        contractor="9",
    )


def test_obligations_are_listed_soonest_first_in_pages(opened: Database) -> None:
    with opened.transaction("portage") as store:
        fill(store)
    with opened.reading("portage") as store:
        for limit in (1, 2, 3, 4, 9):
            assert listed(store, ObligationFilter(), limit) == [
                ("b", "correction"), ("a", "pump"), ("b", "pump"), ("a", "contract"),
            ]  # fmt: skip
        row = list_obligations(store, ObligationFilter(state=["overdue"]), None, 1).rows[0]
    assert {name: row[name] for name in ("permit_number", "municipality", "contractor", "due_on", "cite")} == {
        "permit_number": "SP-1",
        "municipality": "Stockton",
        "contractor": "412",
        "due_on": JUNE,
        "cite": "16.08(1)(c)",
    }
    with opened.reading("ozaukee") as store:
        assert listed(store, ObligationFilter()) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (ObligationFilter(state=["overdue", "met"]), ["a pump"]),
        (ObligationFilter(kind=["pump"]), ["a pump", "b pump"]),
        (ObligationFilter(due_before=JUNE), ["b correction"]),
        (ObligationFilter(due_before=date(2026, 6, 2)), ["b correction", "a pump", "b pump"]),
        (ObligationFilter(contractor=["412"]), ["a pump", "a contract"]),
        (ObligationFilter(municipality="Hull"), ["b correction", "b pump"]),
        (ObligationFilter(system="a", duty_of=["contractor"]), ["a contract"]),
        (ObligationFilter(kind=["pump"], contractor=["9"]), ["b pump"]),
    ],
)
def test_obligations_are_filtered(opened: Database, filters: ObligationFilter, expected: list[str]) -> None:
    with opened.transaction("portage") as store:
        fill(store)
        assert [" ".join(pair) for pair in listed(store, filters)] == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (SystemFilter(), ["a", "b", "c"]),
        (SystemFilter(permit="SP1"), ["a"]),
        (SystemFilter(parcel="012"), ["a"]),
        (SystemFilter(q="county road"), ["a"]),
        (SystemFilter(q="sp-"), ["a", "b"]),
        (SystemFilter(q="k_s"), ["b"]),
        (SystemFilter(q="%"), ["b"]),
        (SystemFilter(q="_"), ["b"]),
        (SystemFilter(standing=["overdue"]), ["a"]),
        (SystemFilter(municipality="Hull"), ["b"]),
        (SystemFilter(contractor=["9", "412"]), ["a", "b"]),
        (SystemFilter(status=["abandoned"]), ["c"]),
        (SystemFilter(q="sp-", standing=["compliant"]), ["b"]),
    ],
)
def test_systems_are_filtered(opened: Database, filters: SystemFilter, expected: list[str]) -> None:
    with opened.transaction("portage") as store:
        fill(store)
    with opened.reading("portage") as store:
        first = list_systems(store, filters, None, 1)
        rest = list_systems(store, filters, first.next_cursor, 200).rows if first.next_cursor else []
        assert [row["system"] for row in [*first.rows, *rest]] == expected


def test_a_system_is_listed_with_its_standing(opened: Database) -> None:
    with opened.transaction("portage") as store:
        fill(store)
        rows = list_systems(store, SystemFilter(), None, 9).rows
    assert [(row["standing"], row["status"], row["municipality"]) for row in rows] == [
        ("overdue", "active", "Stockton"),
        ("compliant", "active", "Hull"),
        (None, "abandoned", None),
    ]
    assert not [name for name in rows[0] if name.startswith("page_key")]


def test_only_the_version_known_now_is_listed(opened: Database) -> None:
    with opened.transaction("portage") as store:
        fill(store)
        end_versions(store, tables.system_version, [{"system": "a"}], 5)
        insert_system_versions(
            store, [{"system": "a", "seq": 5, "status": "active", "permit_number": "new", "content": {}}]
        )
        assert [(row["system"], row["permit_number"]) for row in list_systems(store, SystemFilter(), None, 9).rows] == [
            ("a", "new"),
            ("b", "SP-2"),
            ("c", None),
        ]
        rows = list_obligations(store, ObligationFilter(system="a"), None, 9).rows
    assert [(row["kind"], row["permit_number"]) for row in rows] == [("pump", "new"), ("contract", "new")]


def test_a_page_has_its_limits(opened: Database) -> None:
    with opened.transaction("portage") as store:
        add_systems(store, *(f"s{n:03}" for n in range(201)))
        assert len(list_systems(store, SystemFilter(), None, 10_000).rows) == 200
        assert len(list_systems(store, SystemFilter(), None, 0).rows) == 1


@pytest.mark.parametrize(
    "cursor", ["", "x", "é", "W10", "WzFd", "WyJhIiwiYiJd", "eyJhIjoxfQ", "WyJcdTAwMDAiXQ", "WyJcdWQ4MDAiXQ", "bnVsbA"]
)
def test_a_cursor_of_somebodys_own_is_refused(opened: Database, cursor: str) -> None:
    with opened.reading("portage") as store, pytest.raises(BadCursor):
        list_systems(store, SystemFilter(), cursor, 5)
