"""What is said of values that are hardly meant, and licences that lost their zeros."""

from typing import Any

import pytest

from reporting.contractors import import_contractors
from reporting.intake.answer import RowAnswer
from schemas.issues import WARNING_CODES
from schemas.loader import shipped_slugs
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, Desk, a_report, a_system

ELSEWHERE = {"parcel_number": "99-1", "site_address": "9 Nowhere Ln"}


def said(row: RowAnswer) -> list[str]:
    codes = [str(w["code"]) for w in row.warnings]
    assert set(codes) <= WARNING_CODES.keys()
    return codes


@pytest.mark.parametrize(
    ("fields", "flagged"),
    [
        ({"gallons_pumped": "1500"}, False),
        ({"gallons_pumped": "1501"}, True),
        (
            {"permit_number": "SP-2", "parcel_number": "08-SP-2", "gallons_pumped": "20000"},
            False,
        ),  # its size is unknown
        ({"permit_number": "SP-2", "parcel_number": "08-SP-2", "gallons_pumped": "20001"}, True),
        ({"permit_number": "XX-1", **ELSEWHERE, "gallons_pumped": "20000"}, False),
        ({"permit_number": "XX-1", **ELSEWHERE, "gallons_pumped": "20001"}, True),
        (
            {"permit_number": "SP-3", "parcel_number": "08-SP-3", "component_ref": "small", "gallons_pumped": "700"},
            False,
        ),
        (
            {"permit_number": "SP-3", "parcel_number": "08-SP-3", "component_ref": "small", "gallons_pumped": "900"},
            True,
        ),
        (
            {"permit_number": "SP-3", "parcel_number": "08-SP-3", "component_ref": "large", "gallons_pumped": "900"},
            False,
        ),
    ],
)
def test_more_gallons_than_the_tank_holds_are_flagged_and_taken(
    desk: Desk, fields: dict[str, Any], flagged: bool
) -> None:
    desk.stock(
        a_system("SP-1"), a_system("SP-2", capacity_gallons=""),
        a_system("SP-3", component_ref="small", capacity_gallons="500"),
        a_system("SP-3", component_ref="large", capacity_gallons="1000"),
    )  # fmt: skip
    row = desk.row(a_report(**fields))
    assert row.report_id
    assert ("implausible_gallons" in said(row)) is flagged


def stock_with(desk: Desk, *numbers: str) -> None:
    desk.stock(a_system("SP-1"))
    rows = [
        {"license_number": n, "credential_kind": "powts_maintainer", "business_name": "Kettle Moraine Septic LLC",
         "counties": "ozaukee"} for n in numbers
    ]  # fmt: skip
    with desk.database.transaction(None) as store:
        import_contractors(store, csv_of(*rows), counties=shipped_slugs(), now=NOW)


def test_a_licence_that_lost_its_zeros_is_the_business_s_own(desk: Desk) -> None:
    desk.stock(a_system("SP-1"))
    sender = desk.business()
    row = desk.row(a_report(license_number="412"), sender=sender)
    assert (row.outcome.value, said(row)) == ("accepted", ["license_zeros"])
    [event] = desk.events()
    assert (event["license_norm"], event["contractor_id"]) == ("00412", sender.contractor_id)
    assert event["content"]["license_number"] == "00412"
    assert desk.row(a_report(), sender=sender).outcome.value == "duplicate"  # saved right, it is the same report
    [outcome] = [o for o in desk.rows("outcome") if o["outcome"] == "accepted"]
    assert outcome["cells"]["license_number"] == "412"


def test_of_two_that_it_could_be_none_is_taken(desk: Desk) -> None:
    stock_with(desk, "0412")
    row = desk.row(a_report(license_number="412"), sender=desk.business())
    assert (row.outcome.value, said(row)) == ("accepted", ["license_unknown"])
    assert desk.events()[0]["license_norm"] == "412"


def test_a_number_that_is_on_file_as_it_stands_is_not_changed(desk: Desk) -> None:
    stock_with(desk, "412")
    row = desk.row(a_report(license_number="412", credential_kind=""), sender=desk.business())
    assert said(row) == []
    assert desk.events()[0]["license_norm"] == "412"


def test_another_business_s_zeros_are_not_guessed(desk: Desk) -> None:
    desk.stock(a_system("SP-1"))
    row = desk.row(a_report(license_number="518"), sender=desk.business())
    assert said(row) == ["license_unknown"]
    staff = desk.row(a_report("T-2", license_number="412"))
    assert "license_zeros" not in said(staff)


def test_the_inspector_s_licence_too(desk: Desk) -> None:
    stock_with(desk, "0099")
    row = desk.row(a_report(inspector_name="Lena", inspector_license_number="99"), sender=desk.business())
    assert "license_zeros" in said(row)
    assert desk.events()[0]["content"]["inspector_license_number"] == "0099"
