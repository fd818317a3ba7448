"""Facts told by owners and staff: kept with a receipt, in the record, and counted; or refused with every reason."""

import json
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import pytest

from reporting.cases.steps import open_case, step_case
from reporting.errors import RecordNotFound
from reporting.histories import county_program, designated_license
from reporting.owners import (
    NotTold,
    Teller,
    Told,
    designate,
    file_contract,
    file_statement,
    set_setting,
    tell_notice,
)
from reporting.status import system_status
from reporting.store.derived import standings_of
from reporting.store.engine import Database, Store
from reporting.store.facts import load_history
from reporting.store.log import entries_of, raw_of, seq_at
from reporting.store.signing import Signer
from reporting.sweep import sweep
from schemas.loader import shipped_program
from tests.reporting.counties import NOW, TODAY, a_row, load, the_system

COUNTY = "ozaukee"


@pytest.fixture
def teller(tmp_path: Path) -> Teller:
    signer = Signer.load(tmp_path / "signing.key")
    return Teller(program=shipped_program(COUNTY), by="clerk", now=NOW, signer=signer)


@pytest.fixture
def filled(kept: Database) -> Database:
    load(kept, a_row("SP-1"), a_row("SP-2", parcel_number="08-SP-1"), now=NOW - timedelta(days=1))
    return kept


def told(answer: Told | NotTold) -> Told:
    assert isinstance(answer, Told), answer
    return answer


def wrong(answer: Told | NotTold) -> set[tuple[str | None, str]]:
    assert isinstance(answer, NotTold)
    assert all(issue.message for issue in answer.issues)
    return {(issue.field, str(issue.code)) for issue in answer.issues}


def entry_of(store: Store, answer: Told) -> Mapping[str, object]:
    value: Mapping[str, object] = json.loads(entries_of(store, [answer.receipt.seq])[answer.receipt.seq])
    return value


def test_a_notice_is_kept_in_the_record_and_marks_its_system(filled: Database, teller: Teller) -> None:
    values = {"permit_number": "sp 1", "on": "2026-07-12", "kind": "serviced", "license_number": "00412"}
    sweep(filled, COUNTY, TODAY, NOW)
    with filled.transaction(COUNTY) as store:
        assert standings_of(store, [the_system(store).system_id])[the_system(store).system_id]["dirty"] is False
        answer = told(tell_notice(store, teller, values))
    with filled.reading(COUNTY) as store:
        stored = the_system(store)
        [fact] = stored.facts["owner_notice"]
        assert fact["content"] == {"on": "2026-07-12", "kind": "serviced", "license_number": "00412"}
        assert (fact["id"], fact["valid_from"], fact["seq"]) == (answer.id, date(2026, 7, 12), answer.receipt.seq)
        assert answer.system == stored.system_id
        assert standings_of(store, [answer.system])[answer.system]["dirty"] is True
        entry = entry_of(store, answer)
        assert (entry["type"], entry["content"]["by"]) == ("owner_notice", "clerk")  # type: ignore[index]
        assert json.loads(raw_of(store, answer.receipt.seq) or b"") == values
    assert teller.signer.verifying_key.signed(answer.receipt.head)


def test_all_that_is_wrong_is_said_at_once(filled: Database, teller: Teller) -> None:
    with filled.transaction(COUNTY) as store:
        size = seq_at(store, NOW)
        assert wrong(tell_notice(store, teller, {"on": "2026-07-14", "kind": "empty", "colour": "red"})) == {
            ("on", "in_future"), ("kind", "not_a_choice"), ("colour", "unknown_field"), ("permit_number", "no_place"),
        }  # fmt: skip
        assert wrong(tell_notice(store, teller, {"permit_number": 7, "on": 5, "kind": []})) >= {
            ("on", "bad_value"), ("kind", "bad_value"),
        }  # fmt: skip
        assert wrong(designate(store, teller, {"permit_number": "SP-1"})) == {("license_number", "required")}
        assert wrong(designate(store, teller, {"permit_number": "SP-1", "license_number": "none"})) == {
            ("license_number", "license")
        }
        dates = {"permit_number": "SP-1", "license_number": "1", "from": "2026-02-01", "to": "2026-01-31"}
        assert wrong(file_contract(store, teller, dates)) == {("to", "inconsistent")}
        assert wrong(file_statement(store, teller, {"permit_number": "SP-1", "period": "26"})) == {
            ("period", "bad_value")
        }
        assert seq_at(store, NOW) == size


@pytest.mark.parametrize("day", ["2026-13-01", "20260101", "1/2/2026", "0001-01-01", "9999-12-31", "2026-01-01T00:00"])
def test_days_are_read_strictly(filled: Database, teller: Teller, day: str) -> None:
    with filled.transaction(COUNTY) as store:
        values = {"permit_number": "SP-1", "kind": "order", "opened_on": day}
        assert ("opened_on", "bad_value") in wrong(open_case(store, teller, values))


def test_the_place_must_be_certain(filled: Database, teller: Teller) -> None:
    notice = {"on": "2026-07-12", "kind": "full"}
    with filled.transaction(COUNTY) as store:
        assert wrong(tell_notice(store, teller, {"parcel_number": "08-SP-1", **notice})) == {
            ("parcel_number", "no_place")
        }
        assert wrong(tell_notice(store, teller, {"permit_number": "SP-7", **notice})) == {("permit_number", "no_place")}
        assert wrong(tell_notice(store, teller, {"system": "sys_none", **notice})) == {("system", "no_place")}
        both = {"parcel_number": "08-SP-1", "permit_number": "SP-2", **notice}
        assert told(tell_notice(store, teller, both)).system == the_system(store, "SP-2").system_id
        by_id = {"system": the_system(store, "SP-2").system_id, **notice}
        assert told(tell_notice(store, teller, by_id)).system == by_id["system"]


def test_a_designation_holds_from_its_day_until_the_next(filled: Database, teller: Teller) -> None:
    with filled.transaction(COUNTY) as store:
        for number, day in (("00412", "2025-01-01"), ("00555", "2026-07-01")):
            told(designate(store, teller, {"permit_number": "SP-1", "license_number": number, "valid_from": day}))
        stored = the_system(store)
    days = (date(2024, 12, 31), date(2025, 1, 1), date(2026, 6, 30), date(2026, 7, 1))
    assert [designated_license(stored, day) for day in days] == [None, "00412", "00412", "00555"]


def test_a_contract_is_filed_with_its_days(filled: Database, teller: Teller) -> None:
    values = {"permit_number": "SP-1", "license_number": "00412", "from": "2026-01-01", "to": "2026-12-31"}
    with filled.transaction(COUNTY) as store:
        told(file_contract(store, teller, values))
        [row] = the_system(store).contracts
    kept = {name: row[name] for name in ("license_norm", "from_on", "to_on", "filed_on", "kind")}
    assert kept == {
        "license_norm": "00412",
        "from_on": date(2026, 1, 1),
        "to_on": date(2026, 12, 31),
        "filed_on": TODAY,
        "kind": None,
    }


def test_a_statements_words_stay_out_of_the_entry(filled: Database, teller: Teller) -> None:
    values = {"permit_number": "SP-1", "period": "2026-H1", "reason": "Laverne Lor was in hospital"}
    with filled.transaction(COUNTY) as store:
        answer = told(file_statement(store, teller, values))
        assert "Laverne" not in entries_of(store, [answer.receipt.seq])[answer.receipt.seq].decode()
        [fact] = the_system(store).facts["statement"]
    assert fact["content"] == {
        "period": "2026-H1",
        "received_on": TODAY.isoformat(),
        "reason": "Laverne Lor was in hospital",
        "kind": "no_service",
    }


def test_a_case_goes_through_its_steps_and_stays_known(filled: Database, teller: Teller) -> None:
    with filled.transaction(COUNTY) as store:
        opened = told(open_case(store, teller, {"permit_number": "SP-1", "kind": "order", "due_on": "2026-07-01"}))
        before = opened.receipt.seq
        later = Teller(program=teller.program, by="clerk", now=NOW + timedelta(hours=1), signer=teller.signer)
        stepped = told(step_case(store, later, opened.system, opened.id, {"closed_on": "2026-07-13"}))
        assert stepped.id == opened.id
        [fact] = the_system(store).facts["case"]
        assert fact["content"] == {
            "kind": "order", "opened_on": "2026-07-13", "due_on": "2026-07-01", "closed_on": "2026-07-13",
        }  # fmt: skip
        [old] = load_history(store, [opened.system], before)[opened.system].facts["case"]
        assert "closed_on" not in old["content"]
        with pytest.raises(RecordNotFound):
            step_case(store, later, opened.system, "case_none", {"closed_on": "2026-07-13"})
        assert wrong(step_case(store, later, opened.system, opened.id, {})) == {(None, "required")}
        assert wrong(step_case(store, later, opened.system, opened.id, {"kind": "hold"})) >= {("kind", "unknown_field")}


def test_a_setting_holds_from_its_day(filled: Database, teller: Teller) -> None:
    sweep(filled, COUNTY, TODAY, NOW)
    name, value = next((n, s.value) for n, s in teller.program.settings.items() if type(s.value) is int)
    with filled.transaction(COUNTY) as store:
        told(set_setting(store, teller, name, value + 1, date(2026, 7, 20)))
        usual, own = (county_program(store, COUNTY, on=day).setting(name) for day in (TODAY, date(2026, 7, 20)))
        assert (usual, own) == (value, value + 1)
        systems = [the_system(store, permit).system_id for permit in ("SP-1", "SP-2")]
        assert all(row["dirty"] for row in standings_of(store, systems).values())
        assert wrong(set_setting(store, teller, name, "many", TODAY)) == {(name, "bad_value")}
        assert wrong(set_setting(store, teller, "colour", 1, TODAY)) == {("colour", "bad_value")}


def test_an_open_order_past_its_day_is_a_violation(filled: Database, teller: Teller) -> None:
    values = {"permit_number": "SP-1", "kind": "order", "opened_on": "2026-06-01", "due_on": "2026-07-01"}
    with filled.transaction(COUNTY) as store:
        system = told(open_case(store, teller, values)).system
        answer = system_status(store, teller.program, system, today=TODAY).answer
        assert answer["standing"] == "violation"
        told(step_case(store, teller, system, f"case_{seq_at(store, NOW)}", {"closed_on": "2026-07-13"}))
        assert system_status(store, teller.program, system, today=TODAY).answer["standing"] != "violation"
