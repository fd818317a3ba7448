"""Systems that a report in doubt might be of: found, ranked, and never a reason to credit one by themselves."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event as sqlalchemy_event

from reporting import tables
from reporting.intake.candidates import PROBED, find_candidates, index_places, pieces_of, variants
from reporting.intake.identifiers import excel_damage, normalize_identifier
from reporting.intake.likeness import Candidate, Named, address_likeness, is_one_edit, owner_likeness, weigh
from reporting.inventory.indexing import index_all
from reporting.store import log
from reporting.store.engine import Database
from reporting.store.facts import end_versions, insert_system_versions
from reporting.store.log import NewEntry
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, Desk, a_report, a_system, as_json

NORM = st.text("ABC019-", min_size=4, max_size=9).map(normalize_identifier).filter(lambda norm: len(norm) > 3)


@given(NORM)
def test_variants_are_just_what_is_one_edit_away(norm: str) -> None:
    made = list(variants(norm))
    assert len(set(made)) == len(made)
    assert all(is_one_edit(norm, one) and normalize_identifier(one) == one for one in made)


@given(NORM, NORM)
def test_nothing_one_edit_away_is_left_out(a: str, b: str) -> None:
    assert (b in set(variants(a))) == is_one_edit(a, b)


def test_short_numbers_and_long_texts_have_no_neighbours() -> None:
    assert list(variants("123")) == list(variants("A" * 41)) == list(variants("")) == []
    assert len(list(variants("SP-1987"))) > 400


@pytest.mark.parametrize(
    ("a", "b", "least", "most"),
    [
        ("N5555 COUNTY ROAD K", "N5555 COUNTY ROAD K", 1, 1),
        ("N5555 COUNTY ROAD K", "N5555 COUNTY ROAD K SAUKVILLE", 0.85, 1),
        ("N5555 COUNTY ROAD K", "N5555 COUNTY ROAD KW", 0, 0.4),
        ("N5555 COUNTY ROAD K", "N5556 COUNTY ROAD K", 0.85, 0.95),
        ("N5555 COUNTY ROAD K", "W123N4567 COUNTY ROAD K", 0, 0.3),
        ("123 LAKESHORE DRIVE", "123 LAKESHOR DRIVE", 0.85, 0.99),
        ("123 MAIN STREET UNIT 4", "123 MAIN STREET UNIT 5", 0, 0.4),
        ("123 MAIN STREET", "123 OAK LANE", 0, 0.6),
        ("123 MAIN STREET", "", 0, 0),
    ],
)
def test_addresses_are_as_alike_as_their_places(a: str, b: str, least: float, most: float) -> None:
    assert least <= address_likeness(a, b) <= most
    assert address_likeness(a, b) == address_likeness(b, a)


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("Laverne & Pa Lor", "LOR, LAVERNE AND PA", True),
        ("Lor Family Trust", "The Lor Family", True),
        ("Laverne Lor", "Dale Krueger", False),
        ("", "Dale Krueger", False),
    ],
)
def test_owners_are_alike_in_any_order(a: str, b: str, alike: bool) -> None:
    assert (owner_likeness(a, b) >= 0.85) is alike


ON_FILE = {
    "permit_number": "SP-1987", "parcel_number": "08-058-02", "site_address": "N5555 County Road K",
    "owner_name": "Laverne Lor",
}  # fmt: skip


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"permit_number": "SP-1987"}, {"permit_number": "SP-1978"}),
        ({"permit_number": "SP-1978"}, {"permit_number": "SP-7777"}),
        ({"permit_number": "SP-1978", "site_address": "n5555 cth k"}, {"permit_number": "SP-1978"}),
        ({"permit_number": "SP-1987"}, {"permit_number": "SP-1987", "parcel_number": "99-1"}),
        ({"parcel_number": "08-058-02"}, {"parcel_number": "08-058-02", "permit_number": "SP-7777"}),
        ({"site_address": "n5555 cth k", "owner_name": "lor, laverne"}, {"site_address": "n5555 cth k"}),
    ],
)
def test_evidence_raises_the_score_and_contradiction_lowers_it(better: dict[str, Any], worse: dict[str, Any]) -> None:
    high, low = (weigh(Named(**said), "s", ON_FILE).score for said in (better, worse))
    assert 0 <= low < high < 1


def test_what_excel_left_is_weighed_as_what_it_may_have_been() -> None:
    damage = excel_damage("1.9E+18")
    assert damage is not None
    named = Named(permit_number="1.9E+18", damage={"permit_number": damage})
    found = weigh(named, "s", {"permit_number": "1900000000000000123"})
    assert found == Candidate(
        system="s", score=0.85, why="a spreadsheet may have made 1.9E+18 of the permit 1900000000000000123"
    )


@pytest.fixture
def ozaukee(desk: Desk) -> Desk:
    desk.stock(
        a_system("SP-1987", site_address="N5555 County Road K", owner_name="Laverne Lor"),
        a_system("SP-2044", site_address="123 W Main St #4", owner_name="Dale Krueger"),
        a_system("SP-3001", site_address="N5555 State Road 60", owner_name="Ann Ott"),
        a_system("SP-9001", site_address="77 Bay Rd", owner_name="Ann Ott", status="removed"),
    )
    return desk


def found(desk: Desk, **said: str) -> list[tuple[str, float]]:
    with desk.database.reading(desk.county) as store:
        candidates = find_candidates(store, {1: Named(**said)})[1]
    permits = {s["system"]: s["permit_number"] for s in desk.rows("system_version")}
    return [(permits[c.system], c.score) for c in candidates]


@pytest.mark.parametrize(
    ("said", "permits"),
    [
        ({"permit_number": "SP-1978"}, ["SP-1987"]),
        ({"permit_number": "SP1987"}, ["SP-1987"]),
        ({"parcel_number": "08-SP-2O44"}, ["SP-2044"]),
        ({"permit_number": "SP-7777"}, []),
        ({"site_address": "N5555 CTH K", "owner_name": "lor"}, ["SP-1987"]),
        ({"site_address": "N5555 STH 60"}, ["SP-3001"]),
        ({"site_address": "123 west main street unit 4"}, ["SP-2044"]),
        ({"site_address": "123 west main street unit 5", "owner_name": "Dale Krueger"}, []),
        ({"permit_number": "SP-9002"}, []),  # its neighbour was removed
        ({}, []),
    ],
)
def test_candidates_by_number_then_by_place(ozaukee: Desk, said: dict[str, str], permits: list[str]) -> None:
    assert [permit for permit, _ in found(ozaukee, **said)] == permits


WRONG_HOUSE = {"site_address": "N5556 County Road K", "owner_name": "Laverne Lor"}


def index(desk: Desk, limit: int = 5_000) -> int:
    with desk.database.transaction("ozaukee") as store:
        return index_places(store, limit)


def test_a_wrong_house_number_is_found_by_pieces_once_places_are_indexed(ozaukee: Desk) -> None:
    assert found(ozaukee, **WRONG_HOUSE) == []
    assert index(ozaukee) >= 4
    assert [permit for permit, _ in found(ozaukee, **WRONG_HOUSE)] == ["SP-1987"]
    assert index(ozaukee) == 0  # nothing is new
    assert [permit for permit, _ in found(ozaukee, **WRONG_HOUSE)] == ["SP-1987"]


def test_places_are_indexed_in_parts_until_none_is_left(ozaukee: Desk) -> None:
    parts = 0
    while index(ozaukee, limit=1):
        parts += 1
    assert parts >= 4
    assert [permit for permit, _ in found(ozaukee, **WRONG_HOUSE)] == ["SP-1987"]


def test_a_place_that_changes_is_found_where_it_is_now(ozaukee: Desk) -> None:
    index_all(ozaukee.database, "ozaukee")
    [row] = [s for s in ozaukee.rows("system_version") if s["permit_number"] == "SP-1987" and s["ended_seq"] is None]
    with ozaukee.database.transaction("ozaukee") as store:
        [entry] = log.append(store, [NewEntry(type="inventory", content={})], NOW)
        end_versions(store, tables.system_version, [{"system": row["system"]}], entry.seq)
        moved = {**row, "seq": entry.seq, "site_address": "W9000 Elm Hollow Lane"}
        insert_system_versions(store, [moved])
    assert index_all(ozaukee.database, "ozaukee") == 1
    there = {"site_address": "W9001 Elm Hollow Lane", "owner_name": "Laverne Lor"}
    assert [permit for permit, _ in found(ozaukee, **there)] == ["SP-1987"]
    assert found(ozaukee, **WRONG_HOUSE) == []


def test_pieces_leave_out_what_every_place_has() -> None:
    assert pieces_of("N5555 County Road K", "Laverne & Pa Lor LLC") == {"#N5555", "K", "RO:K", "@LAVE", "@LOR"}
    assert pieces_of("", "") == frozenset()


def test_many_reports_in_doubt_cost_a_bounded_number_of_questions(ozaukee: Desk) -> None:
    asked: list[str] = []
    sqlalchemy_event.listen(ozaukee.database.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    def questions(count: int) -> int:
        named = {n: Named(permit_number=f"QX-{n}", site_address=f"{n} Elm St") for n in range(count)}
        asked.clear()
        with ozaukee.database.reading("ozaukee") as store:
            assert len(find_candidates(store, named)) == count
        return len(asked)

    assert questions(3_000) <= questions(PROBED) <= questions(1) + 2 * PROBED


NUMBERS = [
    "1900000000000000123",
    "1934567890123456789",
    "2100000000000000000",
    "0412",
    "00412",
    "5120",
    "12-3",
    "7-4",
    "SP-1987",
    "08-058-02-001",
]


@pytest.fixture
def spoilt(kept: Database, tmp_path: Any) -> Desk:
    from reporting.store.signing import Signer

    desk = Desk(database=kept, signer=Signer.load(tmp_path / "signing.key"), county="portage")
    desk.stock()
    rows = [a_system(n, parcel_number=f"99-{i}", site_address=f"{i} Elm St") for i, n in enumerate(NUMBERS)]
    desk.stock_file(csv_of(*rows))
    return desk


@pytest.mark.parametrize(
    ("permit", "outcome", "review"),
    [
        ("2.1E+18", "accepted", None),
        ("1.9E+18", "queued_for_review", "several_systems"),  # two could be it
        ("1.93E+18", "accepted", None),
        ("1.9345678901234600000", "queued_for_review", None),  # no number that Excel shows
        ("1934567890123450000", "accepted", None),  # cut to 15 digits
        (412, "queued_for_review", "several_systems"),  # 0412 or 00412
        (5120, "accepted", None),
        ("412.0", "queued_for_review", "several_systems"),
        ("3-Dec", "accepted", None),
        ("4-Jul", "accepted", None),
        ("4-Aug", "queued_for_review", None),
        ("5.5E+18", "queued_for_review", "not_in_inventory"),
    ],
)
def test_excel_damage_counts_where_the_whole_inventory_leaves_one(
    spoilt: Desk, permit: object, outcome: str, review: str | None
) -> None:
    fields = {"permit_number": permit, "parcel_number": "", "site_address": "1 Other Rd"}
    answer = spoilt.send(as_json(a_report("T-1", **fields)), name="r.json")
    row = answer.outcomes[0]  # type: ignore[union-attr]
    assert row.outcome == outcome, row
    if review:
        assert row.review == review
    if str(permit) != "1.9345678901234600000":
        assert any(str(w["code"]).startswith("excel_") for w in row.warnings) or permit == 5120


def test_a_number_that_holds_little_does_not_go_against_the_address(spoilt: Desk) -> None:
    elsewhere = {"permit_number": "2.1E+18", "parcel_number": "", "site_address": "5 Elm St"}
    row = spoilt.row(a_report("T-1", **elsewhere))
    assert row.review == "permit_and_parcel_disagree"
    assert spoilt.events()[0]["system"] is None
    here = {**elsewhere, "site_address": "2 Elm St"}
    assert spoilt.row(a_report("T-2", **here)).outcome == "accepted"


PLACES = [
    {"permit_number": "SP-1987", "parcel_number": "08-11", "site_address": "1 Elm St"},
    {"permit_number": "SP-1978", "parcel_number": "08-12", "site_address": "2 Elm St"},
    {"permit_number": "SP-2000", "parcel_number": "08-TWO", "site_address": "3 Elm St"},
    {"permit_number": "SP-2001", "parcel_number": "08-TWO", "site_address": "3 Elm St"},
    {"permit_number": "0412", "parcel_number": "08-13", "site_address": "4 Elm St"},
]
TYPED = st.one_of(
    st.sampled_from([place[name] for place in PLACES for name in ("permit_number", "parcel_number")]),
    st.sampled_from(
        ["", "SP-198", "SP-19877", "SP-1979", "SP1987", "8-11", "08-1", "412.0", "1.9E+18", "3-Dec", "XX-1"]
    ),
    NORM,
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(TYPED, TYPED, st.sampled_from(["", "1 Elm St", "3 Elm St", "9 Oak Ln"])), max_size=12))
def test_no_report_is_credited_unless_permit_or_parcel_says_so(desk: Desk, rows: list[tuple[str, str, str]]) -> None:
    """A system is credited by its exact permit, by a parcel that it alone has, or by what only it can have been."""
    portage = Desk(database=desk.database, signer=desk.signer, county="portage")
    if not portage.rows("system"):
        portage.stock(*(a_system(**place) for place in PLACES))
    sent = [
        a_report("", permit_number=permit, parcel_number=parcel, site_address=address, gallons_pumped=str(1000 + n))
        for n, (permit, parcel, address) in enumerate(rows)
    ]
    if not sent:
        return
    answer = portage.take(*sent, dry_run=True)
    permits = [normalize_identifier(place["permit_number"]) for place in PLACES]
    parcels = [normalize_identifier(place["parcel_number"]) for place in PLACES]
    for (permit, parcel, _), outcome in zip(rows, answer.outcomes, strict=True):
        if outcome.outcome != "accepted":
            continue
        number, lot = normalize_identifier(permit), normalize_identifier(parcel)
        by_permit = number in permits or permit == "412.0"
        by_parcel = not permit and parcels.count(lot) == 1
        assert by_permit or by_parcel, (permit, parcel)
        if by_permit and number in permits and lot in parcels:
            assert parcels[permits.index(number)] == lot
