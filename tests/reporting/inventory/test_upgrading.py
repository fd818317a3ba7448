"""Reports of systems that were not in the inventory, and the import that brings them."""

from dataclasses import replace
from datetime import date

from reporting.status import system_status
from reporting.store.reviews import ReviewFilter, page_reviews
from reporting.store.submissions import outcomes_of
from schemas.loader import shipped_program
from tests.reporting.counties import csv_of, the_system
from tests.reporting.intake.sending import NOW, Desk, a_report, a_system


def reviews_of(desk: Desk) -> list[tuple[str, str, str | None]]:
    with desk.database.reading(desk.county) as store:
        rows = page_reviews(store, ReviewFilter(), None, 50).rows
    return [(row["reason"], row["state"], row["resolved_by"]) for row in rows]


def test_an_import_decides_what_waited_for_it_and_the_answers_stay(desk: Desk) -> None:
    answer = desk.take(a_report("T-1", "SP-7"), a_report("T-2", "SP-7", service_date="2026-07-07"))
    assert [row.outcome for row in answer.outcomes] == ["queued_for_review"] * 2
    assert reviews_of(desk) == [("not_in_inventory", "open", None)] * 2
    desk.stock_file(csv_of(a_system("SP-7")), now=NOW)
    assert reviews_of(desk) == [("not_in_inventory", "matched", "inventory import")] * 2
    with desk.database.reading("ozaukee") as store:
        assert [row["outcome"] for row in outcomes_of(store, answer.id)] == ["queued_for_review"] * 2
        stored = the_system(store, "SP-7")
        day = date(2026, 7, 13)
        duties = system_status(store, shipped_program("ozaukee"), stored.system_id, today=day).answer["obligations"]
    assert [event["service_date"] for event in stored.events] == [date(2026, 7, 6), date(2026, 7, 7)]
    assert [duty["due_on"] for duty in duties if duty["kind"] == "pump_or_inspect"] == ["2029-07-07"]
    desk.stock_file(csv_of(a_system("SP-7", capacity_gallons="1200")), now=NOW)  # and no second time


def test_a_report_that_is_not_certainly_of_one_tank_goes_on_waiting(desk: Desk) -> None:
    desk.take(a_report("T-1", "SP-7"), a_report("T-2", "SP-8"))
    two = [a_system("SP-7", component_ref=ref) for ref in "AB"]
    desk.stock_file(csv_of(*two, a_system("SP-8", component="holding")), now=NOW)
    assert reviews_of(desk) == [("not_in_inventory", "open", None)] * 2


def test_a_provisional_system_without_a_permit_is_the_one_of_its_parcel_and_address(desk: Desk) -> None:
    desk = replace(desk, county="portage")
    desk.take(a_report("T-1", "", parcel_number="08-7", site_address="N5 Cty K"))
    desk.stock_file(csv_of(a_system("SP-7", parcel_number="08 7", site_address="N5 County Road K")), now=NOW)
    assert reviews_of(desk) == [("not_in_inventory", "matched", "inventory import")]
    with desk.database.reading("portage") as store:
        assert len(the_system(store, "SP-7").events) == 1
