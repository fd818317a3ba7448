"""Which system, which tank, whose licence: what is certain comes in, what is not goes to a person."""

from typing import Any

import pytest

from schemas.loader import shipped_program
from tests.reporting.intake.sending import Desk, a_report, a_system, as_json, codes, outcomes


@pytest.fixture
def ozaukee(desk: Desk) -> Desk:
    desk.stock(
        a_system("SP-1"),
        a_system("SP-2", component="holding", component_ref="A"),
        a_system("SP-2", component="holding", component_ref="B"),
        a_system("SP-3", component="holding"),
        a_system("SP-3", component="septic"),
        a_system("SP-4", parcel_number="08-TWO"),
        a_system("SP-5", parcel_number="08-TWO"),
        a_system("0412", parcel_number="08-412"),
        a_system("SP-7", status="abandoned"),
        a_system("12-3", parcel_number="08-DEC"),
        a_system("SP-8", parcel_number=""),
    )
    return desk


def permit_of(desk: Desk, system: str | None) -> str | None:
    return next((s["permit_number"] for s in desk.rows("system_version") if s["system"] == system), None)


@pytest.mark.parametrize(
    ("fields", "permit", "review"),
    [
        ({}, "SP-1", None),
        ({"parcel_number": ""}, "SP-1", None),
        ({"permit_number": "", "site_address": ""}, None, None),  # Ozaukee asks for both
        ({"permit_number": "sp/1", "parcel_number": "08 SP 1"}, "SP-1", None),
        ({"parcel_number": "8SP1"}, "SP-1", None),  # the permit tells; zeros and dashes are lost easily
        ({"parcel_number": "08-SP-3"}, None, "permit_and_parcel_disagree"),
        ({"parcel_number": "08-99999"}, None, "permit_and_parcel_disagree"),
        ({"permit_number": "SP-99"}, None, "permit_unknown_parcel_known"),
        ({"permit_number": "SP-99", "parcel_number": ""}, None, "only_the_address_fits"),
        ({"permit_number": "SP-8", "parcel_number": "08-ANY"}, "SP-8", None),  # no parcel on file
        ({"permit_number": "SP-4", "parcel_number": "08-TWO"}, "SP-4", None),
        ({"permit_number": "SP-6", "parcel_number": "08-TWO"}, None, "permit_unknown_parcel_known"),
    ],
)
def test_the_place(ozaukee: Desk, fields: dict[str, Any], permit: str | None, review: str | None) -> None:
    row = ozaukee.row(a_report("T-1", **fields))
    stored = ozaukee.events()
    if permit is None and review is None:
        assert {field for field, _ in codes(row)} == {"permit_number", "site_address"}
        return
    assert (row.outcome, row.review) == ("queued_for_review" if review else "accepted", review)
    assert permit_of(ozaukee, stored[0]["system"]) == permit
    assert len(ozaukee.rows("review")) == (1 if review else 0)


def test_a_parcel_with_two_systems_is_never_guessed(desk: Desk) -> None:
    portage = Desk(database=desk.database, signer=desk.signer, county="portage")
    portage.stock(a_system("SP-4", parcel_number="08-TWO"), a_system("SP-5", parcel_number="08-TWO"), a_system("SP-1"))
    two, one = portage.take(
        a_report("T-1", permit_number="", parcel_number="08 TWO"),
        a_report("T-2", permit_number="", parcel_number="08-SP-1"),
    ).outcomes
    assert (two.outcome, two.review) == ("queued_for_review", "several_systems")
    assert (one.outcome, one.review) == ("accepted", None)
    (review,) = portage.rows("review")
    best = review["candidates"][:2]
    assert sorted(permit_of(portage, c["system"]) or "" for c in best) == ["SP-4", "SP-5"]
    assert best[0]["score"] == best[1]["score"]


@pytest.mark.parametrize(
    ("permit", "component", "ref", "credited"),
    [
        ("SP-1", "", "", ("septic", "")),
        ("SP-1", "septic", "my own name", ("septic", "")),
        ("SP-1", "holding", "", None),
        ("SP-1", "pump_chamber", "", ("pump_chamber", "")),
        ("SP-1", "privy", "", None),
        ("SP-1", "dispersal", "", ("dispersal", "")),
        ("SP-2", "holding", "a", ("holding", "A")),
        ("SP-2", "holding", "B.", ("holding", "B")),
        ("SP-2", "holding", "", None),
        ("SP-2", "", "", None),
        ("SP-2", "holding", "C", None),
        ("SP-2", "dispersal", "", None),  # a holding tank has none
        ("SP-3", "holding", "", ("holding", "")),
        ("SP-3", "septic", "", ("septic", "")),
        ("SP-3", "", "", None),  # two sorts of main tank
    ],
)
def test_the_tank(ozaukee: Desk, permit: str, component: str, ref: str, credited: tuple[str, str] | None) -> None:
    row = ozaukee.row(a_report("T-1", permit, component=component, component_ref=ref, meter_reading="12"))
    (event,) = ozaukee.events()
    if credited is None:
        assert (row.outcome, row.review, event["system"]) == ("queued_for_review", "which_tank", None)
        (review,) = ozaukee.rows("review")
        assert permit_of(ozaukee, review["candidates"][0]["system"]) == permit
    else:
        assert (row.outcome, row.review) == ("accepted", None)
        assert (event["component"], event["component_ref"]) == credited
        assert event["content"].get("component_ref", "") == ref


def test_a_place_outside_the_inventory_is_opened_once(ozaukee: Desk) -> None:
    rows = [
        a_report("T-1", "XX-1"),
        a_report("T-2", "XX-1", site_address="N1 Other Rd", service_date="2026-07-05"),
        a_report("T-3", "XX-1", parcel_number="", service_date="2026-07-04"),
    ]
    first = ozaukee.take(*rows)
    later = ozaukee.take(a_report("T-4", "xx 1", service_date="2026-07-03"))
    assert {o.review for o in (*first.outcomes, *later.outcomes)} == {"not_in_inventory"}
    assert len({e["system"] for e in ozaukee.events()}) == 1
    (system,) = [s for s in ozaukee.rows("system_version") if s["status"] == "provisional"]
    assert (system["permit_number"], system["parcel_number"]) == ("XX-1", "08-XX-1")
    assert len(ozaukee.rows("review")) == 4
    assert {r["system"] for r in ozaukee.rows("review")} == {system["system"]}


@pytest.mark.parametrize("chunk", [1, 2, 5_000])
def test_two_unknown_permits_on_one_parcel_are_two_systems(
    ozaukee: Desk, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reporting.intake.accept.CHUNK", chunk)
    shared = {"parcel_number": "99-SHARED", "site_address": "1 Shared Rd"}
    rows = [a_report("T-1", "YY-1", **shared), a_report("T-2", "YY-2", **shared), a_report("T-3", "YY-1", **shared)]
    ozaukee.take(*rows)
    ozaukee.take(a_report("T-4", "YY-2", **shared))
    by_ref = {e["report_ref"]: e["system"] for e in ozaukee.events()}
    assert by_ref["T-1"] == by_ref["T-3"] != by_ref["T-2"] == by_ref["T-4"]


def test_a_permit_joins_the_unknown_place_that_had_none(desk: Desk) -> None:
    portage = Desk(database=desk.database, signer=desk.signer, county="portage")
    portage.stock(a_system("SP-1"))
    here = {"parcel_number": "99-1", "site_address": "1 Lake Rd"}
    bare, named = a_report("T-1", permit_number="", **here), a_report("T-2", "YY-1", **here)
    portage.take(bare)
    portage.take(named, a_report("T-3", "YY-2", **here), a_report("T-4", "YY-1", parcel_number="99-9"))
    by_ref = {e["report_ref"]: e["system"] for e in portage.events()}
    assert by_ref["T-1"] == by_ref["T-2"] == by_ref["T-4"] != by_ref["T-3"]
    row = portage.row(a_report("T-5", permit_number="", **here))
    assert (row.outcome, row.review) == ("queued_for_review", "several_systems")


def test_what_excel_did_is_undone_where_the_inventory_is_certain(ozaukee: Desk) -> None:
    zeros, day, parcel, lost = (
        a_report("T-1", "0412", permit_number=412, parcel_number="08-412"),
        a_report("T-2", "12-3", permit_number="3-Dec", parcel_number="08-DEC"),
        a_report("T-3", "SP-1", parcel_number="1.9E+18"),
        a_report("T-4", "SP-1", permit_number="1.9E+18", parcel_number="", site_address="257 County Road K"),
    )
    answer = ozaukee.send(as_json(zeros, day, parcel, lost), name="r.json")
    first, second, third, fourth = answer.outcomes  # type: ignore[union-attr]
    assert (first.outcome, second.outcome) == ("accepted", "accepted")
    assert [first.warnings[0]["code"], second.warnings[0]["code"]] == ["excel_zeros", "excel_date"]
    assert (third.outcome, third.review) == ("queued_for_review", "permit_and_parcel_disagree")
    assert fourth.outcome == "queued_for_review"
    assert all(s["permit_number"] != "1.9E+18" or s["status"] == "provisional" for s in ozaukee.rows("system_version"))


def test_a_number_that_excel_spoilt_names_no_place_by_itself(desk: Desk) -> None:
    portage = Desk(database=desk.database, signer=desk.signer, county="portage")
    portage.stock(a_system("SP-1"))
    row = portage.row(a_report("T-1", permit_number="", parcel_number="1.9E+18", site_address=""))
    assert codes(row) == [("parcel_number", "no_place")]
    assert "format the column as Text" in row.errors[0].message


def test_what_hangs_on_the_system_is_asked_where_it_is_known(desk: Desk) -> None:
    portage = Desk(database=desk.database, signer=desk.signer, county="portage")
    portage.stock(a_system("SP-1", component="holding", flags="meter_ordered"), a_system("SP-2", component="holding"))
    answer = portage.take(
        a_report("T-1", "SP-1", component="holding"),
        a_report("T-2", "SP-2", component="holding"),
        a_report("T-3", "SP-9", component="holding"),
        a_report("T-4", "SP-1", component=""),
    )
    assert outcomes(answer) == ["rejected", "accepted", "queued_for_review", "rejected"]
    assert codes(answer.outcomes[0]) == codes(answer.outcomes[3]) == [("meter_reading", "required")]
    assert answer.outcomes[0].errors[0].cite == "7.9.35(3)"


def test_a_business_reports_under_its_own_licences(ozaukee: Desk) -> None:
    own = ozaukee.business("00412")
    rows = [
        a_report("T-1"),
        a_report("T-2", license_number="00518"),
        a_report("T-3", license_number="99999", gallons_pumped="3"),
        a_report("T-4", inspector_name="I", inspector_license_number="00518", inspector_signature="I"),
    ]
    answer = ozaukee.take(*rows, sender=own)
    assert outcomes(answer) == ["accepted", "rejected", "accepted", "accepted"]
    assert codes(answer.outcomes[1]) == [("license_number", "license_not_yours")]
    assert [w["code"] for w in answer.outcomes[2].warnings] == ["license_unknown"]
    assert {e["contractor_id"] for e in ozaukee.events()} == {own.contractor_id}
    assert ozaukee.row(a_report("T-5", license_number="00518")).outcome == "accepted"


@pytest.mark.parametrize(
    ("fields", "kinds"),
    [
        ({"license_number": "PM-2207", "credential_kind": ""}, ["not_qualified"]),
        ({"license_number": "00518", "credential_kind": ""}, ["not_qualified", "credential_expired"]),
        ({"license_number": "00518", "service_date": "2026-06-30", "credential_kind": ""}, ["late_report"]),
        ({"permit_number": "SP-3", "parcel_number": "08-SP-3", "component": "holding", "tampering": "yes",
          "meter_reading": "1"}, ["tampering"]),
        ({"permit_number": "QQ-1", "parcel_number": "", "service_date": "2026-06-01"}, ["late_report"]),
    ],
)  # fmt: skip
def test_the_findings_of_a_report_by_itself(ozaukee: Desk, fields: dict[str, Any], kinds: list[str]) -> None:
    row = ozaukee.row(a_report("T-1", **fields))
    assert [f["kind"] for f in row.findings] == kinds, row
    assert {f["event"] for f in row.findings} == {row.report_id}


def test_every_error_says_where_what_and_by_which_section(ozaukee: Desk) -> None:
    asked = {p.id for text in shipped_program("ozaukee").texts for p in text.provisions}
    assert {"OZ11", "S8"} <= asked
    empty = dict.fromkeys(a_report(), "") | {"report_ref": "T-1", "event_type": "pumping", "notes": "x"}
    row = ozaukee.take(a_report("T-0"), empty).outcomes[1]
    assert row.outcome == "rejected"
    for issue in row.errors:
        assert issue.row == 3
        assert issue.field
        assert issue.pointer == f"/1/{issue.field}"
        assert issue.message.startswith(("Give", "Say"))
        assert issue.cite
