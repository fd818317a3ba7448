"""Two records of one system: merged with everything that hangs on them, and brought back as they were."""

import json
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from reporting.errors import DecisionRefused, ReasonMissing, RecordNotFound
from reporting.histories import county_program
from reporting.inventory.merging import Merged, Merger, merge_systems, merged_into, record_named
from reporting.inventory.unmerging import undo_merge
from reporting.status import find_systems, system_status
from reporting.store import log
from reporting.store.facts import StoredHistory, load_history
from reporting.store.reviews import ReviewFilter, page_reviews
from reporting.store.verify import verify
from reporting.sweep import assess_now, sweep
from tests.reporting.counties import a_fact, csv_of, inspected, load
from tests.reporting.intake.sending import NOW, STOCKED, Desk, a_report, a_system

TODAY = date(2026, 7, 13)
LATER = NOW + timedelta(days=1)


def ids(desk: Desk, *permits: str) -> list[str]:
    with desk.database.reading("ozaukee") as store:
        return [record_named(store, permit) for permit in permits]


def a_merger(desk: Desk, now: datetime = NOW, reason: str = "one tank, entered twice") -> Merger:
    return Merger(by="clerk", now=now, today=TODAY, reason=reason, signer=desk.signer)


def merge(desk: Desk, kept: str, other: str, **how: Any) -> Merged:
    with desk.database.transaction("ozaukee") as store:
        done = merge_systems(store, kept, other, a_merger(desk, **how))
        assess_now(store, county_program(store, "ozaukee", on=TODAY), [kept, other], TODAY, NOW)
    return done


def undo(desk: Desk, other: str) -> Merged:
    with desk.database.transaction("ozaukee") as store:
        return undo_merge(store, other, a_merger(desk, LATER, "they were two after all"))


def seen(desk: Desk, *systems: str, at_seq: int | None = None) -> list[StoredHistory]:
    with desk.database.reading("ozaukee") as store:
        found = load_history(store, systems, at_seq)
    return [found[system] for system in systems]


def due(desk: Desk, system: str) -> dict[str, str]:
    with desk.database.reading("ozaukee") as store:
        program = county_program(store, "ozaukee", on=TODAY)
        answer = system_status(store, program, system, today=TODAY).answer
    return {duty["kind"]: duty["due_on"] for duty in answer["obligations"]}


@pytest.fixture
def doubled(desk: Desk) -> Desk:
    """One tank twice: SP-1 with the contract, SP-2 with the reports, a dispersal cell, a case and another parcel."""
    desk.stock_file(
        csv_of(
            a_system("SP-1", last_pumped_on="2023-05-01", designated_license_number="00412", owner_name=""),
            a_system(
                "SP-2", parcel_number="08-OTHER", component_ref="north", designated_license_number="00518",
                contract_from="2025-01-01", contract_to="2027-12-31", latitude="43.5",
            ),
            inspected("SP-2", parcel_number="08-OTHER", site_address="N258 County Road K"),
        )
    )  # fmt: skip
    desk.take(a_report("T-1", "SP-2", parcel_number="08-OTHER", service_date="2026-07-06"))
    with desk.database.transaction("ozaukee") as store:
        case = {"kind": "order", "opened_on": "2026-06-01", "due_on": "2026-12-01"}
        a_fact(store, "case", case, system=record_named(store, "SP-2"))
    return desk


def test_everything_goes_over_and_the_dates_follow(doubled: Desk) -> None:
    kept, other = ids(doubled, "SP-1", "SP-2")
    assert due(doubled, kept)["pump_or_inspect"] == "2026-05-01"
    [before] = [event["id"] for event in doubled.events()]
    done = merge(doubled, kept, other)
    assert due(doubled, kept) == {
        "pump_or_inspect": "2029-07-06", "inspect_dispersal": "2029-06-01", "correction": "2026-12-01",
    }  # fmt: skip
    one, gone = seen(doubled, kept, other)
    assert (set(done.reports) - {before}, done.moved) == (
        set(done.reports) - {before}, {"component": 1, "contract": 1, "fact": 1},
    )  # fmt: skip
    assert [(c["component"], c["component_ref"]) for c in one.components] == [("dispersal", ""), ("septic", "")]
    assert [e["component_ref"] for e in one.events] == ["", "", ""]
    assert [d["license_norm"] for d in one.designations] == ["00412"]  # the kept record's own goes before
    assert [c["to_on"] for c in one.contracts] == [date(2027, 12, 31)]
    assert one.system is not None
    assert one.owner is not None
    assert (one.system["permit_number"], one.system["content"]["latitude"]) == ("SP-1", "43.5")
    assert one.owner["name"] == "Laverne Lor"
    assert (gone.events, gone.contracts, gone.designations) == ([], [], [])
    assert merged_into(gone) == kept
    assert due(doubled, other) == {}


def test_all_its_names_find_the_kept_record(doubled: Desk) -> None:
    kept, other = ids(doubled, "SP-1", "SP-2")
    merge(doubled, kept, other)
    with doubled.database.reading("ozaukee") as store:
        assert find_systems(store, permit="sp 2") == [kept]
        assert find_systems(store, parcel="08-OTHER") == [kept]
    row = doubled.row(a_report("T-2", "SP-2", parcel_number="08-OTHER", service_date="2026-07-09"))
    assert row.outcome == "accepted"
    assert due(doubled, kept)["pump_or_inspect"] == "2029-07-09"
    # The same report once more is the same report still, though its version is another.
    assert doubled.row(a_report("T-1", "SP-2", parcel_number="08-OTHER")).outcome == "duplicate"


def test_the_list_that_still_has_both_changes_nothing_and_says_so(doubled: Desk) -> None:
    kept, other = ids(doubled, "SP-1", "SP-2")
    merge(doubled, kept, other)
    answer = load(doubled.database, a_system("SP-2", parcel_number="08-OTHER", capacity_gallons="5"), now=LATER)
    assert [(o.outcome, o.name, o.id) for o in answer.outcomes] == [("untouched", "SP-2", kept)]
    assert [(issue.code, "SP-1" in issue.message) for issue in answer.warnings] == [("merged", True)]


def test_what_was_known_before_stays_answerable_and_the_record_holds(doubled: Desk) -> None:
    kept, other = ids(doubled, "SP-1", "SP-2")
    with doubled.database.reading("ozaukee") as store:
        size = log.head(store).size
    before = seen(doubled, kept, other, at_seq=size)
    done = merge(doubled, kept, other)
    assert seen(doubled, kept, other, at_seq=size) != seen(doubled, kept, other)
    then = seen(doubled, kept, other, at_seq=size)
    for one, again in zip(before, then, strict=True):
        assert [row["id"] for row in one.events] == [row["id"] for row in again.events]
        assert (one.system or {})["status"] == (again.system or {})["status"]
        assert [row["seq"] for row in one.contracts] == [row["seq"] for row in again.contracts]
    with doubled.database.reading("ozaukee") as store:
        assert verify(store).problems == ()
        entry = json.loads(log.entries_of(store, [done.receipt.seq])[done.receipt.seq])
        words = log.detail_of(store, done.receipt.seq)["words"]
    assert (entry["type"], words["reason"]) == ("merge", "one tank, entered twice")
    assert "twice" not in json.dumps(entry)


def test_a_merge_is_undone(doubled: Desk) -> None:
    kept, other = ids(doubled, "SP-1", "SP-2")
    before, dates = seen(doubled, kept, other), [due(doubled, kept), due(doubled, other)]
    merge(doubled, kept, other)
    doubled.row(a_report("T-2", "SP-1", service_date="2024-07-09"))
    undo(doubled, other)
    after = seen(doubled, kept, other)
    for one, again in zip(before, after, strict=True):
        assert (one.system or {})["content"] == (again.system or {})["content"]
        assert (one.owner or {}).get("name") == (again.owner or {}).get("name")
        assert [_part(c) for c in one.components] == [_part(c) for c in again.components]
        assert [d["license_norm"] for d in one.designations] == [d["license_norm"] for d in again.designations]
        assert [c["to_on"] for c in one.contracts] == [c["to_on"] for c in again.contracts]
        assert one.facts.keys() == again.facts.keys()
    assert [len(stored.events) for stored in after] == [2, 2]  # what was told of the kept record since stays with it
    assert due(doubled, other) == dates[1]
    with doubled.database.reading("ozaukee") as store:
        assert (find_systems(store, permit="SP-2"), find_systems(store, parcel="08-OTHER")) == ([other], [other])
        assert verify(store).problems == ()
    merge(doubled, kept, other)  # and again, if they were one after all
    assert due(doubled, kept)["pump_or_inspect"] == "2029-07-06"


def _part(row: Any) -> tuple[Any, ...]:
    return row["component"], row["component_ref"], row["content"]


def test_a_report_that_waits_for_its_tank_waits_on(desk: Desk) -> None:
    desk.row(a_report("T-1", "SP-2"))
    desk.stock_file(csv_of(a_system("SP-1"), *(a_system("SP-2", component_ref=ref) for ref in "AB")), now=NOW)
    kept, other = ids(desk, "SP-1", "SP-2")
    done = merge(desk, kept, other)
    with desk.database.reading("ozaukee") as store:
        rows = page_reviews(store, ReviewFilter(), None, 9).rows
    assert [(row["reason"], row["state"]) for row in rows] == [
        ("not_in_inventory", "moved"), ("not_in_inventory", "open"),
    ]  # fmt: skip
    assert (rows[1]["event"], rows[1]["system"]) == (next(iter(done.reports.values())), kept)


def test_records_without_a_permit_are_merged_and_not_opened_anew_by_the_list(desk: Desk) -> None:
    rows = [a_system("", parcel_number=f"08-{n}", site_address="N5 County Road K") for n in (1, 2)]
    desk.stock_file(csv_of(*rows))
    with desk.database.reading("ozaukee") as store:
        kept, other = (find_systems(store, parcel=f"08-{n}")[0] for n in (1, 2))
    merge(desk, kept, other)
    desk.stock_file(csv_of(*rows), now=LATER)
    assert desk.count("system") == 2
    with desk.database.reading("ozaukee") as store:
        assert find_systems(store, address="N5 Cty Rd K") == [kept]


def test_what_cannot_be_merged_is_said(desk: Desk) -> None:
    desk.stock_file(csv_of(*(a_system(f"SP-{n}") for n in (1, 2, 3))))
    desk.row(a_report("T-1", "SP-9"))
    one, two, three, doubtful = ids(desk, "SP-1", "SP-2", "SP-3", "SP-9")
    with pytest.raises(ReasonMissing):
        merge(desk, one, two, reason=" ")
    with pytest.raises(DecisionRefused, match="this is one"):
        merge(desk, one, one)
    with pytest.raises(DecisionRefused, match="reviews"):
        merge(desk, one, doubtful)
    with pytest.raises(RecordNotFound):
        merge(desk, one, "sys_none")
    with pytest.raises(DecisionRefused, match="was not merged"):
        undo(desk, two)
    merge(desk, one, two)
    with pytest.raises(DecisionRefused, match=f"merged into {one}"):
        merge(desk, three, two)
    merge(desk, three, one)
    with pytest.raises(DecisionRefused, match=f"merged into {three} since"):
        undo(desk, two)
    with desk.database.reading("ozaukee") as store:
        assert record_named(store, "SP-2") == three
        assert record_named(store, two) == two


def test_nobody_is_told_again_of_a_late_report_that_went_over(doubled: Desk) -> None:
    doubled.row(a_report("T-3", "SP-2", parcel_number="08-OTHER", service_date="2026-06-20"))
    assert sweep(doubled.database, "ozaukee", TODAY, NOW).events["late_report"] == 1
    kept, other = ids(doubled, "SP-1", "SP-2")
    merge(doubled, kept, other)
    assert sweep(doubled.database, "ozaukee", TODAY + timedelta(days=1), LATER).events == {}
    assert STOCKED < NOW
