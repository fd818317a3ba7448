"""What a person decided holds the next time for the same numbers of the same business, and for nothing else."""

from datetime import timedelta
from typing import Any

import pytest

from reporting.errors import RecordNotFound
from reporting.inventory.merging import Merger, merge_systems
from reporting.inventory.unmerging import undo_merge
from tests.reporting.intake.sending import NOW, STAFF, a_report
from tests.reporting.reviews.clerk import Clerk

WRONG = {"permit_number": "SP-9187", "parcel_number": "08-WRONG", "site_address": "9 Nowhere Lane"}


@pytest.fixture
def decided(clerk: Clerk) -> Clerk:
    """One report with wrong numbers was matched with SP-1987."""
    clerk.send(a_report("T-1", **WRONG))
    assert clerk.resolve("SP-1987").remembered
    return clerk


@pytest.mark.parametrize(
    ("fields", "goes_there"),
    [
        ({}, True),
        ({"permit_number": "sp 9187"}, True),
        ({"license_number": "PM-2207", "credential_kind": "powts_maintainer"}, True),  # the same business
        ({"permit_number": "SP-9188"}, False),
        ({"parcel_number": ""}, False),
        ({"site_address": "10 Nowhere Lane"}, False),
        ({"permit_number": "1.9E+18"}, False),
    ],
)
def test_the_same_numbers_of_the_same_business(decided: Clerk, fields: dict[str, Any], goes_there: bool) -> None:
    row = decided.send(a_report("T-2", **{**WRONG, "service_date": "2026-07-03", **fields}))
    if goes_there:
        assert (row.outcome, row.matched_by, row.review) == ("accepted", "remembered", None)
        assert row.system == decided.system("SP-1987")
        assert row.as_json()["matched_by"] == "remembered"
        assert [w["code"] for w in row.warnings][-1] == "matched_by"
    else:
        assert (row.outcome, row.matched_by) == ("queued_for_review", None)


def test_another_business_is_asked_for_itself(decided: Clerk) -> None:
    desk = decided.desk
    other = desk.row(a_report("T-2", license_number="00518", service_date="2026-06-29", **WRONG))
    assert other.outcome == "queued_for_review"
    entered = desk.row(a_report("T-3", service_date="2026-07-02", **WRONG), sender=STAFF)  # a clerk, for the business
    assert entered.matched_by == "remembered"


def test_what_the_inventory_says_goes_before(decided: Clerk) -> None:
    exact = decided.send(a_report("T-2", "SP-2044"))
    assert (exact.outcome, exact.matched_by, exact.system) == ("accepted", None, decided.system("SP-2044"))


def test_it_can_be_forgotten_and_not_twice(decided: Clerk) -> None:
    review = decided.desk.rows("review")[0]["id"]
    decided.forget(review)
    assert decided.send(a_report("T-2", service_date="2026-07-03", **WRONG)).outcome == "queued_for_review"
    with pytest.raises(RecordNotFound):
        decided.forget(review)
    with pytest.raises(RecordNotFound):
        decided.forget("rev_none")


def test_a_match_for_once_is_not_kept(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", **WRONG))
    assert clerk.resolve("SP-1987", keep_in_mind=False).remembered is False
    assert clerk.send(a_report("T-2", service_date="2026-07-03", **WRONG)).outcome == "queued_for_review"


def test_permit_and_parcel_that_disagree_are_decided_once(clerk: Clerk) -> None:
    both = {"permit_number": "SP-1987", "parcel_number": "08-SP-2044"}
    assert clerk.send(a_report("T-1", **both)).review == "permit_and_parcel_disagree"
    clerk.resolve("SP-2044")
    second = clerk.send(a_report("T-2", service_date="2026-07-03", **both))
    assert (second.matched_by, second.system) == ("remembered", clerk.system("SP-2044"))


def test_a_parcel_with_two_systems_is_asked_for_each_time(clerk: Clerk) -> None:
    both = {"permit_number": "SP-7777", "parcel_number": "08-TWO"}
    clerk.send(a_report("T-1", **both))
    clerk.resolve("SP-4")
    # The permit tells: it is a number of its own, however wrong.
    assert clerk.send(a_report("T-2", service_date="2026-07-03", **both)).system == clerk.system("SP-4")
    other = clerk.send(a_report("T-3", **{**both, "permit_number": "SP-7778"}))
    assert other.review == "permit_unknown_parcel_known"


def test_nothing_leads_to_a_system_that_was_removed(decided: Clerk) -> None:
    gone = {"permit_number": "SP-1987", "component": "septic", "status": "removed"}
    data = (",".join(gone) + "\r\n" + ",".join(gone.values()) + "\r\n").encode()
    decided.desk.stock_file(data, now=NOW + timedelta(days=2))
    row = decided.send(a_report("T-2", service_date="2026-07-03", **WRONG), now=NOW + timedelta(days=3))
    assert (row.outcome, row.matched_by) == ("queued_for_review", None)


def test_it_follows_a_record_that_is_merged_into_another_and_comes_back_with_it(decided: Clerk) -> None:
    database, merger = decided.desk.database, Merger(
        by="clerk", now=NOW, today=NOW.date(), reason="one tank", signer=decided.desk.signer
    )  # fmt: skip
    kept, other = decided.system("SP-2044"), decided.system("SP-1987")
    with database.transaction("ozaukee") as store:
        merge_systems(store, kept, other, merger)
    row = decided.send(a_report("T-2", **WRONG, service_date="2026-07-03"))
    assert (row.matched_by, row.system) == ("remembered", kept)
    with database.transaction("ozaukee") as store:
        undo_merge(store, other, merger)
    row = decided.send(a_report("T-3", **WRONG, service_date="2026-07-04"))
    assert (row.matched_by, row.system) == ("remembered", other)
