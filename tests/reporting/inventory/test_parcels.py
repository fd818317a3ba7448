"""Parcels that are split and numbered anew, permits that come later, and the state's own columns."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from reporting.status import find_systems
from reporting.store.engine import Database
from tests.reporting.counties import a_row, csv_of, load, the_system
from tests.reporting.intake.sending import Desk
from tests.reporting.intake.sending import a_report as sent_report


def found(kept: Database, **place: str) -> list[str]:
    with kept.reading("ozaukee") as store:
        return find_systems(store, **place)


def ids(kept: Database, *permits: str) -> list[str]:
    with kept.reading("ozaukee") as store:
        return [the_system(store, permit).system_id for permit in permits]


def test_an_old_parcel_number_finds_the_system_until_another_one_has_it(kept: Database) -> None:
    load(kept, a_row("SP-1", parcel_number="08-OLD"))
    load(kept, a_row("SP-1", parcel_number="08-NEW"))
    [one] = ids(kept, "SP-1")
    assert (found(kept, parcel="08-OLD"), found(kept, parcel="08-NEW")) == ([one], [one])
    load(kept, a_row("SP-2", parcel_number="08-OLD"))
    [two] = ids(kept, "SP-2")
    assert (found(kept, parcel="08 old"), found(kept, parcel="08-NEW")) == ([two], [one])


def test_in_one_file_the_order_of_the_rows_does_not_matter(kept: Database) -> None:
    for number, first in enumerate(("heir", "holder")):
        old, new = f"08-{number}", f"09-{number}"
        holder, heir = f"A-{number}", f"B-{number}"
        load(kept, a_row(holder, parcel_number=old))
        rows = {"holder": a_row(holder, parcel_number=new), "heir": a_row(heir, parcel_number=old)}
        load(kept, *sorted(rows.values(), key=lambda row: row is not rows[first]))
        assert found(kept, parcel=old) == ids(kept, heir)
        assert found(kept, parcel=new) == ids(kept, holder)


def test_a_parcel_that_two_systems_share_goes_on_finding_the_one_that_stays(kept: Database) -> None:
    load(kept, a_row("SP-1", parcel_number="08-1"), a_row("SP-2", parcel_number="08-1"))
    load(kept, a_row("SP-1", parcel_number="08-2"))
    assert found(kept, parcel="08-1") == ids(kept, "SP-2")
    load(kept, a_row("SP-1", parcel_number="08-1"))  # and back
    assert found(kept, parcel="08-1") == sorted(ids(kept, "SP-1", "SP-2"))
    load(kept, a_row("SP-3", parcel_number="08-2"))
    assert found(kept, parcel="08-2") == ids(kept, "SP-3")


def test_a_report_by_the_old_number_is_credited_and_never_to_two(desk: Desk) -> None:
    desk = replace(desk, county="portage")
    desk.stock_file(csv_of(a_row("SP-1", parcel_number="08-OLD")))
    desk.stock_file(csv_of(a_row("SP-1", parcel_number="08-NEW")))
    place = {"permit_number": "", "parcel_number": "08-OLD", "site_address": "N9 Unknown Road"}
    assert desk.row(sent_report("T-1", **place)).outcome == "accepted"
    desk.stock_file(csv_of(a_row("SP-2", parcel_number="08-OLD")))
    assert desk.row(sent_report("T-2", **place, service_date="2026-07-07")).outcome == "accepted"
    with desk.database.reading("portage") as store:
        counts = [len(the_system(store, permit).events) for permit in ("SP-1", "SP-2")]
    assert counts == [1, 1]


def test_a_system_that_had_no_permit_has_one_now(kept: Database) -> None:
    here = {"parcel_number": "08-7", "site_address": "N5555 Cty Rd K"}
    load(kept, a_row("", **here, last_pumped_on="2025-05-01"))
    answer = load(kept, a_row("SP-9", parcel_number="08 7", site_address="N5555 County Road K"))
    assert (answer.added, answer.changed) == (0, 1)
    with kept.reading("ozaukee") as store:
        assert len(the_system(store, "SP-9").events) == 1


@pytest.mark.parametrize(
    "rows",
    [
        [{"permit_number": "SP-8"}, {"permit_number": "SP-9"}],  # which of the two?
        [{"permit_number": "SP-9", "component": "holding"}],  # another tank altogether
        [{"permit_number": "SP-9", "site_address": "N1 Elsewhere Road"}],
    ],
)
def test_a_permit_is_not_guessed(kept: Database, rows: list[Mapping[str, Any]]) -> None:
    here = a_row("", parcel_number="08-7", site_address="N5555 Cty Rd K")
    load(kept, here)
    assert load(kept, *({**here, **row} for row in rows)).added == len(rows)


def test_the_statewide_parcel_columns_need_no_mapping(kept: Database) -> None:
    row = {
        "Permit": "SP-1", "Component": "Septic", "STATEID": "089-1", "PARCELID": "08-1", "TAXPARCELID": "08-1-0",
        "OWNERNME1": "LOR LAVERNE", "OWNERNME2": "LOR ANN", "SITEADRESS": "N5555 COUNTY RD K",
        "PLACENAME": "TOWN OF SAUKVILLE", "PSTLADRESS": "PO BOX 1, SAUKVILLE WI 53080", "ZIPCODE": "53080",
        "LATITUDE": "43.5", "LONGITUDE": "-87.9", "CNTASSDVALUE": "250000",
    }  # fmt: skip
    answer = load(kept, row)
    assert (answer.added, answer.columns["unknown"]) == (1, ["STATEID", "TAXPARCELID", "CNTASSDVALUE"])
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    assert stored.system is not None
    assert stored.owner is not None
    assert [stored.system[name] for name in ("parcel_number", "site_address", "municipality")] == [
        "08-1", "N5555 COUNTY RD K", "TOWN OF SAUKVILLE",
    ]  # fmt: skip
    assert stored.system["content"] == {
        "status": "active", "postcode": "53080", "latitude": "43.5", "longitude": "-87.9",
    }  # fmt: skip
    assert (stored.owner["name"], stored.owner["content"]) == (
        "LOR LAVERNE & LOR ANN", {"mailing_address": "PO BOX 1, SAUKVILLE WI 53080"},
    )  # fmt: skip
    assert load(kept, row).untouched == 1
