"""What happens to a system over the years, told by inventory files: sold, out of use, in use again, a new meter."""

from datetime import date, timedelta
from typing import Any

from reporting.histories import county_program, read_domain, scenario_of
from reporting.status import system_status
from reporting.store import log
from reporting.store.engine import Database, Store
from reporting.store.events_out import pending_domain_events
from reporting.store.facts import StoredHistory, load_history
from reporting.sweep import sweep
from tests.reporting.counties import NOW, TODAY, a_fact, a_report, a_row, inspected, load, the_system

LATER = NOW + timedelta(days=30)
THEN = date(2026, 8, 12)


def system_of(kept: Database, permit: str = "SP-1") -> StoredHistory:
    with kept.reading("ozaukee") as store:
        return the_system(store, permit)


def duties_of(store: Store, system: str, as_of: date) -> list[tuple[Any, ...]]:
    answer = system_status(store, county_program(store, "ozaukee", on=as_of), system, as_of=as_of, today=THEN).answer
    return [(duty["kind"], duty["due_on"], duty["state"]) for duty in answer["obligations"]]


def test_a_sale_keeps_history_and_duties(kept: Database) -> None:
    rows = (a_row(last_pumped_on="2022-01-01"), inspected())
    load(kept, *rows)
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2022, 6, 1), historical=True)
        a_fact(store, "case", {"kind": "order", "opened_on": "2026-07-01", "due_on": "2027-01-01"}, system=system)
        before = (log.head(store).size, duties_of(store, system, THEN))
    sweep(kept, "ozaukee", TODAY, NOW)
    sold = {"owner_name": "New Owner", "owner_since": "2026-07-20"}
    answer = load(kept, *({**row, **sold} for row in rows), now=LATER)
    assert {(d.field, d.before, d.after) for d in answer.differences} == {
        ("name", "Laverne Lor", "New Owner"), ("owner_since", None, "2026-07-20"),
    }  # fmt: skip
    with kept.reading("ozaukee") as store:
        now, then = the_system(store), load_history(store, [system], before[0])[system]
        assert duties_of(store, system, THEN) == before[1]
        told = {row["cause_key"] for row in pending_domain_events(store, 100)}
    assert now.owner is not None
    assert then.owner is not None
    assert (now.owner["name"], now.owner["valid_from"]) == ("New Owner", date(2026, 7, 20))
    assert (then.owner["name"], then.owner["valid_from"]) == ("Laverne Lor", None)
    assert [event["id"] for event in now.events if not event["content"].get("baseline")] == ["rep_1"]
    assert len(now.facts["case"]) == 1
    assert sweep(kept, "ozaukee", THEN, LATER).events == {}  # what the owner before was told of is not told again
    assert sorted(key.split(":")[0] for key in told) == ["case", "delinquent", "due"]


def test_another_telephone_is_no_sale(kept: Database) -> None:
    load(kept, a_row(owner_since="2020-01-01"))
    load(kept, a_row(owner_name="LAVERNE  LOR", owner_phone="262-555-0101"), now=LATER)
    owner = system_of(kept).owner
    assert owner is not None
    assert (owner["name"], owner["valid_from"]) == ("LAVERNE LOR", date(2020, 1, 1))


def test_out_of_use_since_the_day_the_file_names(kept: Database) -> None:
    rows = (a_row(last_pumped_on="2020-01-01"), inspected())
    load(kept, *rows)
    gone = {"status": "abandoned", "status_since": "2026-07-20"}
    load(kept, *({**row, **gone} for row in rows), now=LATER)
    stored = system_of(kept)
    assert stored.system is not None
    assert (stored.system["status"], stored.system["content"]["status_since"]) == ("abandoned", "2026-07-20")
    with kept.reading("ozaukee") as store:
        assert [d[0] for d in duties_of(store, stored.system_id, date(2026, 7, 19))] == [
            "pump_or_inspect",
            "inspect_dispersal",
        ]
        assert duties_of(store, stored.system_id, date(2026, 7, 20)) == []
    # The same list next year, still without a day of its own, changes nothing.
    assert load(kept, *({**row, "status": "abandoned"} for row in rows), now=LATER + timedelta(days=365)).untouched == 1


def test_one_tank_of_two_is_taken_out(kept: Database) -> None:
    tanks = [a_row(component="holding", component_ref=ref, last_pumped_on="2026-07-01") for ref in "AB"]
    load(kept, *tanks)
    load(kept, tanks[0], {**tanks[1], "status": "removed"}, now=LATER)
    stored = system_of(kept)
    assert stored.system is not None
    assert stored.system["content"] == {"status": "active"}
    assert [c["content"].get("status_since") for c in stored.components] == [None, "2026-08-12"]
    assert [c.status for c in read_domain(stored)[0].components] == ["active", "removed"]
    assert [c.status for c in read_domain(stored, as_of=TODAY)[0].components] == ["active", "active"]


def test_in_use_again_after_the_inventory_or_a_report_had_ended_it(kept: Database) -> None:
    rows = (a_row(last_pumped_on="2025-01-01"), inspected())
    load(kept, *rows)
    load(kept, *({**row, "status": "abandoned"} for row in rows))
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2026, 7, 10), event_type="abandonment", content={})
        assert duties_of(store, system, THEN) == []
    load(kept, *({**row, "status": "active"} for row in rows), now=LATER)
    stored = system_of(kept)
    assert stored.system is not None
    assert stored.system["content"]["status_since"] == "2026-08-12"
    with kept.reading("ozaukee") as store:
        assert [d[:2] for d in duties_of(store, system, THEN)] == [
            ("pump_or_inspect", "2028-01-01"), ("inspect_dispersal", "2029-06-01"),
        ]  # fmt: skip
    with kept.transaction("ozaukee") as store:
        a_report(store, system, "rep_2", THEN, event_type="abandonment", content={})
        assert duties_of(store, system, THEN) == []
    assert load(kept, *({**row, "status": "active"} for row in rows), now=LATER).untouched == 1


def test_another_serial_is_another_meter_and_earlier_readings_stay_with_the_one_before(kept: Database) -> None:
    meter = {"meter_unit": "gal", "meter_digits": "6"}
    tank = a_row(component="holding", **meter, meter_serial="A1")
    load(kept, tank)
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        for number, (day, reading) in enumerate(((date(2026, 5, 1), "900100"), (date(2026, 6, 1), "901100"))):
            content = {"gallons_pumped": 1000, "meter_reading": reading}
            a_report(store, system, f"rep_{number}", day, component="holding", content=content)
        content = {"gallons_pumped": 1000, "meter_reading": "12"}
        a_report(store, system, "rep_9", date(2026, 7, 1), component="holding", content=content)
        assert "meter_reading_decreased" in findings_of(store, system)
    load(kept, {**tank, "meter_serial": "B2", "meter_since": "2026-06-15", "meter_unit": "ft3"}, now=LATER)
    with kept.reading("ozaukee") as store:
        scenario = scenario_of(the_system(store), "ozaukee")
        assert "meter_reading_decreased" not in findings_of(store, system)
    told = [(e["service_date"], e.get("meter_serial"), e.get("meter_unit")) for e in scenario["events"]]
    assert told == [("2026-05-01", "A1", "gal"), ("2026-06-01", "A1", "gal"), ("2026-07-01", None, None)]
    [holding] = scenario["system"]["components"]
    assert holding["meter"] == {"unit": "ft3", "digits": 6, "serial": "B2"}
    assert "meters_before" not in holding


def findings_of(store: Store, system: str) -> set[str]:
    program = county_program(store, "ozaukee", on=THEN)
    answer = system_status(store, program, system, as_of=THEN, today=THEN).answer
    return {finding["kind"] for finding in answer["findings"]}


def test_the_last_day_of_a_contract_is_corrected_and_another_contract_is_added(kept: Database) -> None:
    row = a_row(designated_license_number="00412", contract_from="2025-01-01", contract_to="2027-12-31")
    load(kept, row)
    answer = load(kept, {**row, "contract_to": "2026-12-31"})
    [difference] = answer.differences
    assert (difference.field, difference.before["to_on"], difference.after["to_on"]) == (
        "contract", "2027-12-31", "2026-12-31",
    )  # fmt: skip
    assert load(kept, {**row, "contract_to": "2026-12-31"}).untouched == 1
    load(kept, {**row, "contract_from": "2027-01-01"})
    assert [(c["from_on"], c["to_on"]) for c in system_of(kept).contracts] == [
        (date(2025, 1, 1), date(2026, 12, 31)), (date(2027, 1, 1), date(2027, 12, 31)),
    ]  # fmt: skip
