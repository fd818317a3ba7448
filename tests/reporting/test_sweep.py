"""The sweep: who is judged when, what is kept of it, and each cause told once, however often it runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from reporting.histories import county_program
from reporting.store import derived
from reporting.store.engine import Database, Store
from reporting.store.events_out import pending_domain_events
from reporting.sweep import SweepCounts, assess_now, sweep
from tests.reporting.counties import NOW, TODAY, a_fact, a_report, a_row, inspected, load, the_system
from tests.reporting.store.builders import ON_POSTGRESQL

DAY = timedelta(days=1)


OWNERS = ("owner_reminder", "delinquent_owner")
"""What owners are told of the same duties: see `test_causes`."""


def run(kept: Database, today: date = TODAY, county: str = "ozaukee", limit: int | None = None) -> SweepCounts:
    counts = sweep(kept, county, today, datetime(today.year, today.month, today.day, 15, tzinfo=UTC), limit)
    return replace(counts, events={kind: n for kind, n in counts.events.items() if kind not in OWNERS})


def events_of(kept: Database, county: str = "ozaukee") -> Sequence[Mapping[str, Any]]:
    with kept.reading(county) as store:
        rows = (row for row in pending_domain_events(store, 2_000) if row["kind"] not in OWNERS)
        return sorted(rows, key=lambda row: str(row["cause_key"]))


def standing_of(kept: Database, permit: str = "SP-1", county: str = "ozaukee") -> Mapping[str, Any]:
    with kept.reading(county) as store:
        system = the_system(store, permit).system_id
        return derived.standings_of(store, [system])[system]


def test_what_is_found_is_kept_and_nobody_looks_again_before_it_changes(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2024-09-01", designated_license_number="00412"), inspected(), a_row("SP-2"))
    counts = run(kept)
    assert (counts.assessed, counts.postponed, counts.standings) == (2, 0, {"compliant": 1, "unknown": 1})
    assert counts.events == {}
    kept_row = standing_of(kept)
    assert (kept_row["state"], kept_row["dirty"], kept_row["assessed_on"]) == ("compliant", False, TODAY)
    assert (kept_row["contractor"], kept_row["municipality"]) == ("00412", "Town of Saukville")
    due_soon_on = date(2027, 9, 1) - 60 * DAY
    assert kept_row["next_change_on"] == due_soon_on
    assert run(kept, due_soon_on - DAY).assessed == 0
    later = run(kept, due_soon_on)
    assert (later.assessed, later.standings, later.events) == (1, {"due_soon": 1}, {"service_due": 1})
    with kept.reading("ozaukee") as store:
        duty, _dispersal = derived.obligations_of(store, [kept_row["system"]])[kept_row["system"]]
    assert (duty["kind"], duty["state"], duty["due_on"], duty["component"], duty["rule"]) == (
        "pump_or_inspect", "due_soon", date(2027, 9, 1), "septic", "OZ1",
    )  # fmt: skip


def test_a_due_service_is_told_once_and_names_all_that_a_notice_needs(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2023-07-01", designated_license_number="00412"))
    first = run(kept)
    assert first.events == {"service_due": 1}
    assert run(kept, date(2026, 9, 1)).events == {}
    with kept.transaction("ozaukee") as store:
        derived.mark_all_dirty(store)
    assert run(kept, date(2026, 9, 2)).events == {}
    [event] = events_of(kept)
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    baseline = stored.events[0]["id"]
    assert event["cause_key"] == f"due:{stored.system_id}:septic::pump_or_inspect:OZ1:event:{baseline}"
    content = {k: event["content"][k] for k in ("permit_number", "component", "rule", "due_on", "last_day", "duty_of")}
    assert content == {
        "permit_number": "SP-1", "component": "septic", "rule": "OZ1", "due_on": "2026-07-01",
        "last_day": "2026-07-01", "duty_of": "owner",
    }  # fmt: skip
    assert event["content"]["contractor_license"] == "00412"
    assert "pumped 2023-07-01" in event["content"]["because"]


def test_a_new_service_opens_a_new_cycle_that_is_told_again(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01"))
    run(kept)
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_1", TODAY, historical=True)
        derived.mark_dirty(store, [system])
    assert run(kept).events == {}
    assert run(kept, date(2029, 7, 14)).events == {"service_due": 1}


def test_twice_and_side_by_side_leave_the_same_rows_and_no_second_event(kept: Database) -> None:
    load(kept, *(a_row(f"SP-{n}", last_pumped_on=f"20{10 + n % 16}-0{1 + n % 9}-01") for n in range(450)))
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(lambda _: run(kept), range(3)))
    with kept.reading("ozaukee") as store:
        before = derived.obligations_of(store, derived.due_systems(store, date(9999, 1, 1), 1_000))
    events = events_of(kept)
    assert sum(one.assessed for one in counts) >= 450
    assert sum(sum(one.events.values()) for one in counts) == len(events) > 100
    assert max(Counter(row["cause_key"] for row in events).values()) == 1
    with kept.transaction("ozaukee") as store:
        derived.mark_all_dirty(store)
    assert run(kept).events == {}
    with kept.reading("ozaukee") as store:
        assert derived.obligations_of(store, derived.due_systems(store, date(9999, 1, 1), 1_000)) == before


def test_a_system_that_cannot_be_judged_is_put_off_and_the_others_are_judged(kept: Database) -> None:
    load(kept, a_row("SP-1", last_pumped_on="2020-01-01"), a_row("SP-2", last_pumped_on="2020-01-01"))
    with kept.transaction("ozaukee") as store:
        system = the_system(store, "SP-1").system_id
        a_fact(store, "case", {"kind": "order", "notified_on": "no day"}, system=system)
    counts = run(kept)
    assert (counts.assessed, counts.postponed) == (1, 1)
    put_off = standing_of(kept, "SP-1")
    assert (put_off["dirty"], put_off["next_change_on"], put_off["state"]) == (False, TODAY + DAY, "unknown")
    assert standing_of(kept, "SP-2")["state"] == "overdue"
    again = run(kept)
    assert (again.assessed, again.postponed) == (0, 0)
    assert run(kept, TODAY + DAY).postponed == 1


def test_a_limit_leaves_the_rest_for_the_next_time(kept: Database) -> None:
    load(kept, *(a_row(f"SP-{n}") for n in range(5)))
    assert [run(kept, limit=3).assessed, run(kept, limit=3).assessed, run(kept, limit=3).assessed] == [3, 2, 0]


def test_out_of_use_and_exempt_systems_ask_for_nothing(kept: Database) -> None:
    load(kept, a_row("SP-1", last_pumped_on="2010-01-01", status="abandoned"))
    load(
        kept,
        a_row("LB-1", last_pumped_on="2010-01-01", exemption_kind="vacant", exemption_granted_on="2025-01-01"),
        county="lake-beulah",
    )
    assert (run(kept).standings, run(kept).events) == ({"inactive": 1}, {})
    exempt = run(kept, county="lake-beulah")
    assert (exempt.standings, exempt.events) == ({"exempt": 1}, {})


def test_a_full_holding_tank_needs_service_once_a_notice(kept: Database) -> None:
    load(kept, a_row(component="holding", designated_license_number="00412", last_pumped_on="2026-01-01"))
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_fact(store, "owner_notice", {"on": "2026-07-10", "kind": "alarm"}, system=system)
        derived.mark_dirty(store, [system])
    assert run(kept).events["needs_service"] == 1
    run(kept, TODAY + DAY)
    [event] = [row for row in events_of(kept) if row["kind"] == "needs_service"]
    assert event["cause_key"] == f"needs:{system}:holding::notice:2026-07-10"
    assert standing_of(kept)["needs_service"] is True


def test_the_years_end_is_due_and_needs_service(kept: Database) -> None:
    row = a_row(component="holding", use="seasonal", last_pumped_on="2025-06-01", installed_on="2010-01-01")
    load(kept, row, county="winnebago")
    assert run(kept, date(2026, 11, 15), "winnebago").events == {}
    assert run(kept, date(2026, 11, 16), "winnebago").events == {"needs_service": 1, "service_due": 1}
    due = next(row for row in events_of(kept, "winnebago") if row["kind"] == "service_due")
    assert (due["content"]["obligation"], due["content"]["due_on"]) == ("service_holding", "2026-12-31")


def test_a_late_report_is_told_once_by_its_first_version(kept: Database) -> None:
    load(kept, a_row())
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_old", date(2026, 6, 1), historical=True)
        a_report(store, system, "rep_1", date(2026, 6, 30), license_number="00412", contractor_id="con_1")
        a_report(store, system, "rep_2", date(2026, 7, 10))
        derived.mark_dirty(store, [system])
    assert run(kept).events == {"late_report": 1}
    [event] = [row for row in events_of(kept) if row["kind"] == "late_report"]
    assert event["cause_key"] == "late:rep_1:OZ5"
    said = {k: event["content"][k] for k in ("event", "received_on", "last_day", "contractor_id", "component", "rule")}
    assert said == {
        "event": "rep_1", "received_on": "2026-07-13", "last_day": "2026-07-10", "contractor_id": "con_1",
        "component": "septic", "rule": "OZ5",
    }  # fmt: skip
    with kept.transaction("ozaukee") as store:  # corrected twice: still the same late report
        for number, before in (("rep_3", "rep_1"), ("rep_4", "rep_3")):
            seq = a_report(store, system, number, date(2026, 6, 29), supersedes=before)
            end(store, before, seq)
        derived.mark_dirty(store, [system])
    assert run(kept).events == {}


def end(store: Any, event: str, seq: int) -> None:
    from reporting import tables
    from reporting.store.facts import end_versions

    assert end_versions(store, tables.event, [{"id": event}], seq) == 1


def test_a_missing_report_is_asked_for_twice(kept: Database) -> None:
    load(kept, a_row(component="holding", last_pumped_on="2026-01-01"))
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_fact(store, "owner_notice", {"on": "2026-06-15", "kind": "serviced"}, system=system)
        derived.mark_dirty(store, [system])
    told = []
    for day in range(60):
        events = run(kept, date(2026, 6, 15) + day * DAY).events
        told += [date(2026, 6, 15) + day * DAY] * events.get("missing_report", 0)
    rows = [row for row in events_of(kept) if row["kind"] == "missing_report"]
    assert [row["cause_key"] for row in rows] == [f"missing:{system}:holding::notice:2026-06-15:{n}" for n in (1, 2)]
    last_day = date.fromisoformat(rows[0]["content"]["last_day"])
    assert told == [last_day + DAY, last_day + 15 * DAY]


def test_before_the_county_goes_live_nothing_is_told_and_then_everything_that_still_holds(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01"))
    with kept.transaction("ozaukee") as store:
        a_fact(store, "setting", {"value": "2026-08-01"}, id="live_from")
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2026, 6, 1), event_type="maintenance")
    assert run(kept).events == {}
    assert standing_of(kept)["next_change_on"] == date(2026, 8, 1)
    assert run(kept, date(2026, 7, 31)).assessed == 0
    assert run(kept, date(2026, 8, 1)).events == {"service_due": 1}


LIVE = date(2026, 8, 1)


def going_live(store: Store, on: date = LIVE) -> None:
    a_fact(store, "setting", {"value": on.isoformat()}, id="live_from")


@pytest.mark.parametrize(
    ("received", "told"),
    [
        (datetime(2026, 8, 1, 4, 59, tzinfo=UTC), 0),  # 31 July, 23:59 in Wisconsin
        (datetime(2026, 8, 1, 5, 0, tzinfo=UTC), 1),  # 1 August, 0:00
    ],
)
def test_a_report_is_told_late_only_if_it_came_in_on_the_day_or_later(
    kept: Database, received: datetime, told: int
) -> None:
    load(kept, a_row(last_pumped_on="2026-01-01"), inspected())
    with kept.transaction("ozaukee") as store:
        going_live(store)
        a_report(store, the_system(store).system_id, "rep_1", date(2026, 6, 1), at=received)
    assert run(kept, LIVE - DAY).events == {}
    assert run(kept, LIVE).events.get("late_report", 0) == told
    assert run(kept, LIVE + DAY).events == {}


def test_the_backlog_that_comes_in_as_historical_is_judged_for_duties_and_never_told_late(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01"), inspected())
    with kept.transaction("ozaukee") as store:
        going_live(store, TODAY)
        a_report(store, the_system(store).system_id, "rep_1", date(2024, 1, 1), historical=True)
    assert run(kept).events == {}
    with kept.reading("ozaukee") as store:
        system = the_system(store).system_id
        due = [o["due_on"] for o in derived.obligations_of(store, [system])[system]]
        assert derived.findings_of(store, [system])[system] == []
    assert date(2027, 1, 1) in due


@pytest.mark.parametrize(("days_after", "told"), [(1, 0), (0, 2)])
def test_a_report_that_was_missing_before_is_not_asked_for(kept: Database, days_after: int, told: int) -> None:
    last_day = date(2026, 7, 31)  # ten days after the owner told of the service
    live = last_day + days_after * DAY
    load(kept, a_row(component="holding", last_pumped_on="2026-01-01"))
    with kept.transaction("ozaukee") as store:
        going_live(store, live)
        notice = {"on": "2026-07-21", "kind": "serviced"}
        a_fact(store, "owner_notice", notice, system=the_system(store).system_id)
    found = [run(kept, date(2026, 7, 21) + n * DAY).events.get("missing_report", 0) for n in range(40)]
    [duty] = [o for o in duties(kept, "ozaukee") if o["kind"] == "missing_report"]
    assert (duty["last_day"], duty["state"]) == (last_day, "overdue")  # it is missing all the same
    assert sum(found) == told  # the first time and the second


def duties(kept: Database, county: str) -> Sequence[Mapping[str, Any]]:
    with kept.reading(county) as store:
        system = the_system(store).system_id
        return derived.obligations_of(store, [system])[system]


def test_service_that_has_long_been_due_is_told_on_the_day(kept: Database) -> None:
    rows = (a_row(f"SP-{n}", last_pumped_on="2020-01-01") for n in range(3))
    load(kept, *rows, a_row("SP-9", component="holding", last_pumped_on="2026-06-01"))
    with kept.transaction("ozaukee") as store:
        going_live(store)
    assert run(kept, LIVE - DAY).events == {}
    assert run(kept, LIVE).events == {"service_due": 3}
    assert run(kept, LIVE + DAY).events == {}


def test_a_day_set_later_on_takes_nothing_back_and_tells_nothing_twice(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01"), a_row("SP-2", last_pumped_on="2023-10-20"), inspected("SP-2"))
    assert run(kept).events == {"service_due": 1}
    with kept.transaction("ozaukee") as store:
        going_live(store, date(2026, 9, 15))
        derived.mark_all_dirty(store)
    assert run(kept, date(2026, 9, 14)).events == {}
    assert run(kept, date(2026, 9, 15)).events == {"service_due": 1}  # SP-2, due soon since August


@ON_POSTGRESQL
def test_sweeps_side_by_side_share_the_work(kept: Database) -> None:
    load(kept, *(a_row(f"SP-{n}", last_pumped_on="2020-01-01") for n in range(450)))
    with kept.transaction("ozaukee") as store:
        held = derived.claim_due_systems(store, TODAY, 200)
        beside = run(kept)  # what is held is passed over, not waited for
        assert len(set(held)) == 200
        assert (beside.assessed, beside.events) == (250, {"service_due": 250})
    assert run(kept).assessed == 200
    with kept.transaction("ozaukee") as store:
        derived.mark_all_dirty(store)
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(lambda _: run(kept), range(3)))
    assert sum(one.assessed for one in counts) == 450


def test_a_setting_that_holds_from_a_day_is_looked_at_that_day(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2023-10-01"), inspected())
    with kept.transaction("ozaukee") as store:
        a_fact(store, "setting", {"value": 90}, id="lead_days", valid_from=date(2026, 7, 20))
    assert run(kept).standings == {"compliant": 1}
    assert run(kept, date(2026, 7, 20)).standings == {"due_soon": 1}


def test_one_system_is_judged_in_the_transaction_of_its_report(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01"), inspected())
    run(kept)
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2026, 7, 10))
        judged = assess_now(store, county_program(store, "ozaukee", on=TODAY), [system], TODAY, NOW)
    assert judged.assessments[system].standing == "compliant"
    assert standing_of(kept)["state"] == "compliant"
    assert run(kept).assessed == 0
