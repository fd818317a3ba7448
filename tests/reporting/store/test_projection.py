"""The tables against the log: a county's whole life is found again in it, and whatever differs is named."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from reporting.cases.steps import open_case, step_case
from reporting.intake.amend import amend, void
from reporting.intake.learned import learn_headings
from reporting.intake.undo import undo
from reporting.inventory.merging import Merger, merge_systems
from reporting.inventory.unmerging import undo_merge
from reporting.owners import Teller, designate, file_contract, set_setting, tell_notice
from reporting.repudiations import repudiate
from reporting.retention import Keeper, Schedule, adopt, place_hold, release
from reporting.reviews.decisions import Verdict
from reporting.store import log
from reporting.store.engine import Database
from reporting.store.log import NewEntry
from reporting.store.problems import Problem
from reporting.store.projection import compare
from reporting.store.signing import Signer
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, STAFF, STOCKED, Desk, a_report, a_system
from tests.reporting.reviews.clerk import Clerk
from tests.reporting.tampering import Hands, tampered
from tests.services.databases import DatabaseUrls

LATER = NOW + timedelta(days=2)
NOWHERE = {"parcel_number": "99-9", "site_address": "9 Nowhere Ln"}
Tamper = Callable[[Hands], object]


def live(desk: Desk) -> None:
    """Everything that can come into a county's tables."""
    clerk = Clerk(desk=desk)
    desk.stock(
        a_system("SP-1", designated_license_number="00412", last_pumped_on="2023-05-01", owner_email="l@lor.example"),
        a_system(
            "SP-2",
            designated_license_number="00412",
            contract_from="2026-01-01",
            exemption_kind="vacant",
            exemption_granted_on="2025-01-01",
        ),
        a_system("SP-3"),
        a_system("SP-4"),
    )
    desk.stock_file(csv_of(a_system("SP-3", owner_name="Sold To")), STOCKED + timedelta(days=9))
    known = [a_report("T-1"), a_report("T-2", "SP-2")]
    unknown = [a_report("T-3", "XX-1", **NOWHERE), a_report("T-4", "SP-9", **NOWHERE)]
    sent = desk.take(*known, *unknown, sender=desk.business())
    first, second = (str(row.report_id) for row in sent.outcomes[:2])
    with desk.database.transaction(desk.county) as store:
        program = shipped_program(desk.county)
        amended = amend(store, program, STAFF, first, {"gallons_pumped": 900}, "mistyped", LATER, desk.signer)
        void(store, STAFF, second, "never happened", LATER, desk.signer)
    clerk.resolve("SP-3")
    clerk.resolve(verdict=Verdict.VOIDED)
    clerk.send(a_report("T-5", "XX-2", site_address="12 Elsewhere Rd", parcel_number="77-7"))
    clerk.resolve(verdict=Verdict.NEW_SYSTEM, component="septic")
    moved = clerk.move(str(amended.report_id), "SP-2")
    back = clerk.send_back(next(iter(moved.reports.values())))
    assert back.reviews
    whole = desk.take(a_report("T-7", service_date="2026-07-08"), a_report("T-8", "XX-3", parcel_number="66-6"))
    with desk.database.transaction(desk.county) as store:
        undo(store, STAFF, whole.id, "the wrong file", LATER, desk.signer)
    _tell(desk, clerk)


def _tell(desk: Desk, clerk: Clerk) -> None:
    """What owners and staff say, and the county's own affairs."""
    teller = Teller(program=shipped_program(desk.county), by="clerk", now=LATER, signer=desk.signer)
    keeper = Keeper(by="clerk", now=LATER, time_zone="America/Chicago", signer=desk.signer)
    place = {"permit_number": "SP-1"}
    one, other = clerk.system("SP-1"), clerk.system("SP-4")
    last = str(clerk.send(a_report("T-9", "SP-3", service_date="2026-07-09")).report_id)
    with desk.database.transaction(desk.county) as store:
        tell_notice(store, teller, {**place, "on": "2026-07-12", "kind": "full"})
        designate(store, teller, {**place, "license_number": "00518"})
        file_contract(store, teller, {**place, "license_number": "00412", "from": "2026-08-01"})
        case = open_case(store, teller, {**place, "kind": "order", "opened_on": "2026-07-01"})
        step_case(store, teller, one, str(getattr(case, "id", "")), {"closed_on": "2026-07-12"})
        set_setting(store, teller, "lead_days", 30, date(2026, 8, 1))
        learn_headings(store, str(desk.business().contractor_id), {"Truck": None}, "clerk", LATER)
        repudiate(store, STAFF, last, "not our truck", LATER, desk.signer, license_number="00412")
        adopt(store, keeper, Schedule(series="cases", years=7, authority="ordinance 1"))
        held = place_hold(store, keeper, "litigation", "Doe v. Roe")
        release(store, keeper, held.id, "settled")
        merger = Merger(by="clerk", now=LATER, today=date(2026, 7, 15), reason="entered twice", signer=desk.signer)
        merge_systems(store, one, other, merger)
        undo_merge(store, other, merger)


@pytest.fixture
def desk(database: DatabaseUrls, tmp_path: Path) -> Iterator[Desk]:
    opened = Database.connect(database.app_url)
    yield Desk(database=opened, signer=Signer.load(tmp_path / "keys" / "signing.key"))
    opened.dispose()


@pytest.fixture
def owner(database: DatabaseUrls) -> Iterator[Database]:
    found = Database.connect(database.owner_url)
    yield found
    found.dispose()


def problems(owner: Database, county: str, change: Tamper) -> list[Problem]:
    with tampered(owner, county, change) as store:
        return list(compare(store))


def rows(table: str, what: str = "*", where: str = "true") -> str:
    return f"SELECT {what} FROM {table} WHERE county = :county AND {where}"


CHANGES: dict[str, tuple[str, str, str]] = {
    # name: (table, the row's entry, what is done to it)
    "a report's gallons": ("event", "max(seq)", "UPDATE event SET content = '{}'"),
    "a report's day": ("event", "max(seq)", "UPDATE event SET service_date = '2020-01-01'"),
    "a report's system": ("event", "max(seq)", "UPDATE event SET system = NULL"),
    "a report's receipt": ("event", "max(seq)", "UPDATE event SET first_received_at = '2020-01-01 00:00:00.000000'"),
    "an amended report stands again": ("event", "min(ended_seq)", "UPDATE event SET ended_seq = NULL, identity = id"),
    "a report is gone": ("event", "max(seq)", "DELETE FROM event"),
    "an owner": ("owner_version", "max(seq)", "UPDATE owner_version SET name = 'Somebody Else'"),
    "an address": ("system_version", "max(seq)", "UPDATE system_version SET site_address = 'Elsewhere'"),
    "a sale is undone": ("owner_version", "min(ended_seq)", "DELETE FROM owner_version"),
    "a tank": ("component_version", "max(seq)", "UPDATE component_version SET content = '{\"capacity_gallons\": 1}'"),
    "a contract": ("contract", "max(seq)", "UPDATE contract SET to_on = '2099-12-31'"),
    "a designation": ("designation", "max(seq)", "UPDATE designation SET license_number = '1'"),
    "a setting": ("fact", "max(seq)", "UPDATE fact SET valid_from = '1990-01-01'"),
    "a case ends earlier": ("fact", "min(ended_seq)", "UPDATE fact SET ended_seq = ended_seq - 1"),
    "a decision": ("review", "max(resolved_seq)", "UPDATE review SET resolved_by = 'nobody'"),
    "a decision's system": ("review", "max(resolved_seq)", "UPDATE review SET system = 'elsewhere'"),
    "a review opens again": ("review", "max(resolved_seq)", "UPDATE review SET state='open', resolved_seq=NULL"),
    "an open review is closed by no entry": ("review", "max(created_seq)", "UPDATE review SET state = 'matched'"),
    "a review's reason": ("review", "max(created_seq)", "UPDATE review SET reason = 'other'"),
}


def test_a_countys_whole_life_is_found_again_and_whatever_differs_is_named(desk: Desk, owner: Database) -> None:
    live(desk)
    with desk.database.reading(desk.county) as store:
        result = verify(store, [desk.signer.verifying_key])
        assert result.problems == ()
        assert [table for table, _which, _change in CHANGES.values() if not desk.count(table)] == []
    for name, (table, which, change) in CHANGES.items():
        _, column = which[:-1].split("(")
        with owner.transaction(desk.county) as store:
            hands = Hands(store=store)
            open_only = "resolved_seq IS NULL" if which == "max(created_seq)" else "true"
            seq = hands.one(rows(table, which, open_only))
        statement = f"{change} WHERE county = :county AND {column} = :seq"
        found = problems(owner, desk.county, lambda hands, s=statement, n=seq: hands.run(s, seq=n))
        assert seq in {one.seq for one in found}, name
        assert all(table in one.message for one in found), name
    with desk.database.reading(desk.county) as store:
        assert verify(store).ok  # all of it was taken back


def test_a_row_that_no_entry_made_is_named(desk: Desk, owner: Database) -> None:
    desk.stock(a_system("SP-1"))
    seq = desk.rows("owner_version")[0]["seq"]
    copied = "county, system, {seq}, NULL, valid_from, name, email, content"
    add = "INSERT INTO owner_version SELECT {} FROM owner_version WHERE county = :county"
    beyond = problems(owner, desk.county, lambda hands: hands.run(add.format(copied.format(seq=999))))
    assert [(one.seq, "no such entry" in one.message) for one in beyond] == [(999, True)]
    with desk.database.transaction(desk.county) as store:
        note = log.append(store, [NewEntry(type="note", content={})], NOW)[0].seq
    inside = problems(owner, desk.county, lambda hands: hands.run(add.format(copied.format(seq=note))))
    assert [(one.seq, "does not say" in one.message) for one in inside] == [(note, True)]
    assert seq < note


def test_another_countys_tables_are_not_looked_at(desk: Desk, owner: Database) -> None:
    desk.stock(a_system("SP-1"))
    with tampered(owner, desk.county, lambda hands: hands.run("UPDATE owner_version SET name = 'x'")) as store:
        assert [one.code for one in compare(store)] == ["projection"]
        assert [one.code for one in verify(store).problems] == ["projection"]
        assert verify(store, rows=False).ok
    with owner.reading("portage") as store:
        assert list(compare(store)) == []


def test_a_detail_is_part_of_its_entry(desk: Desk, owner: Database) -> None:
    desk.stock(a_system("SP-1"))
    for change in ("UPDATE log_detail SET salt = :junk", "UPDATE log_detail SET detail = :junk"):
        with tampered(owner, desk.county, lambda hands, c=change: hands.run(c, junk=b"{}")) as store:
            result = verify(store, rows=False)
        assert [(one.code, one.seq) for one in result.problems] == [("detail", 1)]
    with tampered(owner, desk.county, lambda hands: hands.run("DELETE FROM log_detail")) as store:
        result = verify(store)
    assert ("detail", 1) in {(one.code, one.seq) for one in result.problems}


def test_an_entry_holds_no_persons_data(desk: Desk) -> None:
    live(desk)
    with desk.database.reading(desk.county) as store:
        size = log.head(store).size
        entries = b"".join(log.entries_of(store, range(1, size + 1)).values()).decode()
        details = "".join(str(log.detail_of(store, seq)) for seq in range(1, size + 1))
    for word in (
        "Laverne",
        "Sold To",
        "lor.example",
        "County Road K",
        "mistyped",
        "Doe v. Roe",
        "not our truck",
    ):
        assert word not in entries, word
        assert word in details, word
