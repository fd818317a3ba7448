"""Charges, payments, waivers and rolls in the record of a county, on both databases: each once, and verified."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from reporting.errors import RecordNotFound
from reporting.fees.bills import charge_pages, statement
from reporting.fees.charging import Charged, charge, charge_by_staff
from reporting.fees.paying import Paid, pay, refund, waive
from reporting.fees.payment_files import pay_file
from reporting.fees.rolls import Roll, run_roll
from reporting.histories import county_program
from reporting.intake.sheet import Limits
from reporting.owners import NotTold, Teller, Told, set_setting
from reporting.status import system_status
from reporting.store.derived import dirty_systems, replace_assessment
from reporting.store.engine import Database, Store
from reporting.store.fees import ChargeFilter, money_by_id, totals
from reporting.store.log import detail_of, entries_of, raw_of
from reporting.store.signing import Signer
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.reporting.counties import NOW, TODAY, a_row, csv_of, load, the_system

LAKE, OZAUKEE, WINNEBAGO, PORTAGE = "lake-beulah", "ozaukee", "winnebago", "portage"


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer.load(tmp_path / "signing.key")


def teller(signer: Signer, county: str = LAKE, **settings: Any) -> Teller:
    program = shipped_program(county)
    return Teller(program=program.with_settings(settings), by="clerk", now=NOW, signer=signer)


def fill(database: Database, county: str, *rows: Mapping[str, Any]) -> None:
    load(database, *rows, county=county, now=NOW - timedelta(days=1))


def made(answer: Charged | NotTold) -> Charged:
    assert isinstance(answer, Charged), answer
    return answer


def entered(answer: Paid | NotTold) -> Paid:
    assert isinstance(answer, Paid), answer
    return answer


def wrong(answer: object) -> tuple[str | None, str]:
    assert isinstance(answer, NotTold), answer
    return answer.issues[0].field, answer.issues[0].message


def due(store: Store, county: str, permit: str) -> list[tuple[str, float]]:
    """What the status says is due: the period and the dollars."""
    program = county_program(store, county, on=TODAY)
    answer = system_status(store, program, the_system(store, permit).system_id, today=TODAY)
    return [(f["period"], float(f["amount"])) for f in answer.answer["findings"] if f["kind"] == "fee_due"]


def test_a_roll_its_payments_and_what_is_left(kept: Database, signer: Signer) -> None:
    clerk = teller(signer)
    free = {"exemption_kind": "vacant", "exemption_granted_on": "2024-01-01"}
    rows = [a_row("A1", parcel_number="P-1"), a_row("A2", parcel_number="p 1"), a_row("A3"), a_row("A4", **free)]
    fill(kept, LAKE, *rows)
    with kept.transaction(LAKE) as store:
        dry = run_roll(store, clerk, 2026, dry_run=True)
        assert due(store, LAKE, "A3") == []  # of what nobody keeps here nothing is known
        roll = run_roll(store, clerk, 2026)
    assert isinstance(dry, Roll)
    assert isinstance(roll, Roll)
    assert dry.totals() == roll.totals()
    assert (roll.totals()["charged"], roll.totals()["charged_cents"]) == (2, 8000)  # 5.02 is of the property: P-1 once
    assert roll.totals()["free_because"] == {
        "certificate (vacant) of 2024-01-01: no fee (7.01 b)": 1,
        "the property is charged with another system of its parcel (5.02, 5.04)": 1,
    }
    with kept.transaction(LAKE) as store:
        again = run_roll(store, clerk, 2026)
        assert isinstance(again, Roll)
        assert (again.totals()["charged"], again.totals()["already_charged"]) == (0, 2)
        assert [due(store, LAKE, permit) for permit in ("A1", "A2", "A3")] == [[("2026", 40.0)], [], [("2026", 40.0)]]
        # the parcel's other permit finds the charge of the property
        values = {"permit_number": "A2", "fee": "annual", "amount": "25.00", "reference": "check 7"}
        first = entered(pay(store, clerk, values))
        assert (first.account.left, first.duplicate) == (1500, False)
        assert due(store, LAKE, "A1") == [("2026", 15.0)]
        same = entered(pay(store, clerk, {**values, "reference": "CHECK  7"}))
        assert (same.id, same.account.left, same.duplicate) == (first.id, 1500, True)
        assert wrong(pay(store, clerk, {**values, "amount": "25.01"}))[0] == "reference"
    with kept.transaction(LAKE) as store:
        assert (
            wrong(waive(store, clerk, first.charge, {"cents": 1501, "reason": "x", "authority": "Board"}))[0] == "cents"
        )
        assert wrong(waive(store, clerk, first.charge, {"cents": 1500, "reason": "x"}))[0] == "authority"
        told = entered(waive(store, clerk, first.charge, {"reason": "flooded", "authority": "Board, 2026-4"}))
        assert told.account.left == 0
        assert due(store, LAKE, "A1") == []
        assert (
            wrong(refund(store, clerk, first.charge, {"cents": 2501, "reason": "x", "authority": "Board"}))[0]
            == "cents"
        )
        entered(refund(store, clerk, first.charge, {"cents": 100, "reason": "x", "authority": "Board"}))
        assert due(store, LAKE, "A1") == [("2026", 1.0)]
        with pytest.raises(RecordNotFound):
            waive(store, clerk, "charge_none", {"reason": "x", "authority": "Board"})
    with kept.reading(LAKE) as store:
        sums = totals(store, 2026)
        assert sums == {"charges": 2, "charged": 8000, "paid": 2500, "refunded": 100, "waived": 1500, "left": 4100}
        rows_ = list(charge_pages(store, ChargeFilter(unpaid=True)))
        assert sum(row["left"] for row in rows_) == 4100
        account = statement(the_system(store, "A1"))
        assert [entry["kind"] for entry in account["entries"]] == ["charge", "payment", "refund", "waiver"]
        assert account["total"]["left"] == 100
        assert account["entries"][3]["reason"] == "flooded"
        assert verify(store).ok
        # what people write stands beside the log's entry and not in it
        assert told.told is not None
        entry = json.loads(entries_of(store, [told.told.receipt.seq])[told.told.receipt.seq])
        assert "flooded" not in str(entry)
        assert entry["content"]["cents"] == 1500
        assert "flooded" in str(detail_of(store, told.told.receipt.seq))


def test_what_lets_money_go_is_counted_and_is_of_a_charge(kept: Database, signer: Signer) -> None:
    clerk = teller(signer)
    fill(kept, LAKE, a_row("A1"))
    why = {"reason": "flooded", "authority": "Board"}
    with kept.transaction(LAKE) as store:
        assert isinstance(run_roll(store, clerk, 2026), Roll)
        system = the_system(store, "A1").system_id
        replace_assessment(store, system, {"state": "compliant"}, [], [])
        assert dirty_systems(store, 10) == []
        values = {"permit_number": "A1", "fee": "annual", "amount": "30.00", "reference": "check 7", "on": "2026-07-01"}
        paid = entered(pay(store, clerk, values))
        assert dirty_systems(store, 10) == [system]
        payment = money_by_id(store, [paid.id])[paid.id]
        assert (payment["valid_from"], payment["content"]["on"]) == (date(2026, 7, 1), "2026-07-01")
    with kept.transaction(LAKE) as store:
        twice = [entered(waive(store, clerk, paid.charge, {**why, "cents": cents})) for cents in (400, 600)]
        assert [one.account.left for one in twice] == [600, 0]
        assert len({one.id for one in twice}) == 2
        assert entered(refund(store, clerk, paid.charge, {**why, "cents": 1000})).account.left == 1000
        # 30 came in and 10 went back: 20 may, and not a cent more
        assert wrong(refund(store, clerk, paid.charge, {**why, "cents": 2001}))[0] == "cents"
        last = entered(refund(store, clerk, paid.charge, why))
        assert (last.account.left, last.account.refunded) == (3000, 3000)
        for let_go in (waive, refund):
            with pytest.raises(RecordNotFound):
                let_go(store, clerk, paid.id, why)
    with kept.reading(LAKE) as store:
        assert last.told is not None
        assert json.loads(raw_of(store, last.told.receipt.seq) or b"") == why
        assert verify(store).ok


def test_two_callers_at_once_charge_once(kept: Database, signer: Signer) -> None:
    fill(kept, OZAUKEE, a_row("SP-1"), a_row("SP-2", component="holding"))
    with kept.reading(OZAUKEE) as store:
        system = the_system(store, "SP-1").system_id
    together = Barrier(4)

    def call(number: int) -> tuple[int, bool]:
        together.wait()
        with kept.transaction(OZAUKEE) as store:
            if number % 2:
                roll = run_roll(store, teller(signer, OZAUKEE), 2026)
                assert isinstance(roll, Roll)
                return roll.totals()["charged"], False
            one = made(charge(store, teller(signer, OZAUKEE), system=system, rule="OZ13"))
            return 0, one.is_new

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(call, range(4)))
    assert sum(count + new for count, new in found) == 2
    with kept.transaction(OZAUKEE) as store:
        later = run_roll(store, teller(signer, OZAUKEE), 2027)
        assert isinstance(later, Roll)
        assert (later.totals()["charged"], later.totals()["already_charged"]) == (0, 2)  # OZ13: once and never again
        assert (totals(store)["charges"], totals(store)["charged"]) == (2, 4500 + 9000)
        assert verify(store).ok


def test_what_staff_charges(kept: Database, signer: Signer) -> None:
    for county, number in ((WINNEBAGO, "W-1"), (PORTAGE, "PT-1"), (OZAUKEE, "SP-1")):
        fill(kept, county, a_row(number))
    permit: dict[str, object] = {"permit_number": "W-1", "what": "sanitary permit", "cause": "2026-114", "cents": 40000}
    with kept.transaction(WINNEBAGO) as store:
        clerk = teller(signer, WINNEBAGO)
        usual = made(charge_by_staff(store, clerk, permit))
        assert (usual.cents, usual.is_new) == (40000, True)
        assert not made(charge_by_staff(store, clerk, permit)).is_new
        # WI19: doubled under either text; the day before the amendment its citation is the old one.
        late = {**permit, "cause": "2026-115", "after_the_fact": True}
        assert made(charge_by_staff(store, clerk, {**late, "on": "2026-06-30"})).cents == 80000
        assert made(charge_by_staff(store, clerk, {**late, "cause": "2026-116", "on": "2026-07-01"})).cents == 80000
        cites = {row["period"]: (row["cite"], row["usual_cents"]) for row in charge_pages(store, ChargeFilter())}
        assert cites == {
            "2026-114": (None, None), "2026-115": ("16.12(1)(b) (2019)", 40000), "2026-116": ("16.09(2)", 40000),
        }  # fmt: skip
        assert wrong(charge_by_staff(store, clerk, {**permit, "cause": ""}))[0] == "cause"
        assert wrong(charge_by_staff(store, clerk, {**permit, "rule": "WI18"}))[0] == "rule"
        assert wrong(charge_by_staff(store, clerk, {**permit, "cents": "4.00"}))[0] == "cents"
        assert (
            wrong(charge_by_staff(store, clerk, {"permit_number": "W-1", "rule": "WI18", "cents": 501}))[0] == "cents"
        )
        assert (
            made(charge_by_staff(store, clerk, {"permit_number": "W-1", "rule": "WI18", "year": "2025"})).cents == 500
        )
    with kept.transaction(PORTAGE) as store:
        clerk = teller(signer, PORTAGE)
        assert wrong(charge_by_staff(store, clerk, {**permit, "permit_number": "PT-1", "after_the_fact": True}))[0] == (
            "after_the_fact"
        )
        asked = {"permit_number": "PT-1", "rule": "PO18", "cause": "inspection of 2026-07-01"}
        assert wrong(charge_by_staff(store, clerk, asked))[0] == "cents"
        # PO18: notice on Wednesday, July 1; ten business days are July 2, 3, 6-10, 13, 14, 15.
        told = made(charge_by_staff(store, clerk, {**asked, "cents": 7500, "on": "2026-07-01"}))
        assert told.due_on == date(2026, 7, 15)
        assert wrong(run_roll(store, clerk, 2026))[0] == "year"
    with kept.transaction(OZAUKEE) as store:
        clerk = teller(signer, OZAUKEE)
        assert wrong(charge_by_staff(store, clerk, {"permit_number": "SP-1", "rule": "OZ1"}))[0] == "rule"
        gone = {"permit_number": "SP-1", "rule": "OZ22", "cause": "2026-07-01"}
        assert made(charge_by_staff(store, clerk, gone)).cents == 10000
        # OZ23: an appeal costs $125; whatever rule has the appeal sets it.
        [appeal] = [p.id for p in clerk.program.at(TODAY).provisions if getattr(p.act, "fee_cents", None)]
        assert made(charge_by_staff(store, clerk, {**gone, "rule": appeal, "cause": "case 7"})).cents == 12500
        assert verify(store).ok


def test_the_yearly_fee_changes_once_in_a_calendar_year(kept: Database, signer: Signer) -> None:
    with kept.transaction(LAKE) as store:
        clerk = teller(signer)

        def change(cents: int, day: date) -> Told | NotTold:
            return set_setting(store, clerk, "annual_fee_cents", cents, day)

        assert isinstance(change(4000, date(2026, 1, 1)), Told)  # the same amount is no change
        assert isinstance(change(4500, date(2026, 2, 1)), Told)
        field, message = wrong(change(5000, date(2026, 12, 31)))
        assert field == "annual_fee_cents"
        assert "changed from 2026-02-01 on" in message
        assert "5.02" in message
        assert isinstance(change(4500, date(2026, 12, 31)), Told)
        assert isinstance(change(5000, date(2027, 1, 1)), Told)
        assert isinstance(set_setting(store, clerk, "lead_days", 30, TODAY), Told)
        assert isinstance(set_setting(store, clerk, "lead_days", 40, TODAY), Told)


def test_payments_from_a_file_and_ahead_of_their_charge(kept: Database, signer: Signer) -> None:
    fill(kept, LAKE, a_row("A1"), a_row("A2"))
    rows = [
        {"permit_number": "A1", "fee": "annual", "amount": "40.00", "reference": "r1", "date": "7/1/2026"},
        {"permit_number": "A1", "fee": "annual", "amount": "40.00", "reference": "r1", "date": "7/1/2026"},
        {"permit_number": "A9", "fee": "annual", "amount": "40.00", "reference": "r2", "date": "7/1/2026"},
        {"permit_number": "A2", "fee": "appeal", "amount": "40.00", "reference": "r3", "date": "7/1/2026"},
        {"permit_number": "A2", "fee": "LB6", "amount": "forty", "reference": "r4", "date": "7/14/2026"},
        {"permit_number": "A2", "fee": "lb6", "amount": "12.34", "reference": "", "date": "7/1/2026"},
    ]
    with kept.transaction(LAKE) as store:
        clerk = teller(signer)

        def send() -> list[tuple[int, str, list[str]]]:
            limits = Limits()
            found = pay_file(store, clerk, csv_of(*rows), file_name=None, content_type="text/csv", limits=limits)
            return [(row.row, row.outcome, sorted(e.field or "" for e in row.errors)) for row in found.rows]

        rejected = [
            (4, "rejected", ["permit_number"]), (5, "rejected", ["fee"]), (6, "rejected", ["amount", "on"]),
            (7, "rejected", ["reference"]),
        ]  # fmt: skip
        assert send() == [(2, "accepted", []), (3, "duplicate", []), *rejected]
        assert send() == [(2, "duplicate", []), (3, "duplicate", []), *rejected]
        assert due(store, LAKE, "A1") == []
        assert statement(the_system(store, "A1"))["paid_ahead"] == 4000
        run_roll(store, clerk, 2026)
        account = statement(the_system(store, "A1"))
        assert (account["paid_ahead"], account["total"]["left"]) == (0, 0)
        assert due(store, LAKE, "A2") == [("2026", 40.0)]
        ahead: dict[str, object] = {"permit_number": "A2", "fee": "annual", "cents": 1, "reference": "x"}
        assert wrong(pay(store, clerk, {**ahead, "year": 2028}))[0] == "year"
        run_roll(store, clerk, 2025)
        field, message = wrong(
            pay(store, clerk, {"permit_number": "A2", "fee": "annual", "cents": 1, "reference": "x"})
        )
        assert field == "year"
        assert "2025, 2026" in message
        assert verify(store).ok
