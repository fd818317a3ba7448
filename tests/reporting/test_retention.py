"""Keeping and destroying: nothing without a schedule, nothing in use, nothing on hold, nothing before its day."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reporting.errors import RecordNotFound, RetentionRefused
from reporting.intake.amend import void
from reporting.retention import (
    Destroyed,
    Keeper,
    Schedule,
    adopt,
    destroy_records,
    holds,
    place_hold,
    plan_destruction,
    ranges_of,
    release,
    schedules,
    years_before,
)
from reporting.store.engine import Database
from reporting.store.facts import insert_events
from reporting.store.log import detail_of, raw_of
from reporting.store.signing import Signer
from reporting.store.verify import VerifyResult, verify
from tests.reporting.counties import csv_of, the_system
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system
from tests.reporting.store.builders import ON_POSTGRESQL
from tests.services.databases import DatabaseUrls

SERIES = "service_reports"
CASE = Schedule(series=SERIES, years=7, authority="Ozaukee County Code 7.03, series 14")
OLD = datetime(2019, 6, 3, 15, tzinfo=UTC)
BEFORE = datetime(2019, 6, 1, 15, tzinfo=UTC)
TODAY = datetime(2026, 7, 13, 15, tzinfo=UTC)
NOTICE = date(2026, 5, 14)  # 60 days before


@pytest.fixture
def desk(database: DatabaseUrls, tmp_path: Path) -> Iterator[Desk]:
    opened = Database.connect(database.app_url)
    found = Desk(database=opened, signer=Signer.load(tmp_path / "keys" / "signing.key"))
    found.stock()
    found.stock_file(csv_of(a_system("SP-1"), a_system("SP-2")), BEFORE)
    yield found
    opened.dispose()


@pytest.fixture
def owner(database: DatabaseUrls) -> Iterator[Database]:
    found = Database.connect(database.owner_url)
    yield found
    found.dispose()


def keeper(desk: Desk, now: datetime = TODAY) -> Keeper:
    return Keeper(by="records officer", now=now, time_zone="America/Chicago", signer=desk.signer)


def old_report(desk: Desk, ref: str, day: str = "2019-06-02", permit: str = "SP-1", now: datetime = OLD) -> str:
    answer = desk.row(a_report(ref, permit, service_date=day), now=now)
    assert answer.outcome == "accepted", answer.errors
    return str(answer.report_id)


def put_in_force(desk: Desk, schedule: Schedule = CASE) -> None:
    with desk.database.transaction(desk.county) as store:
        adopt(store, keeper(desk), schedule)


def due(desk: Desk, now: datetime = TODAY) -> list[str]:
    """The ids of the reports that a destruction would take."""
    with desk.database.reading(desk.county) as store:
        plan = plan_destruction(store, keeper(desk, now), SERIES)
    return [str(one.content["id"]) for one in plan.entries if one.type == "report"]


def destroy(desk: Desk, owner: Database, notice: date | None = NOTICE, now: datetime = TODAY) -> Destroyed:
    with owner.transaction(desk.county) as store:
        return destroy_records(store, keeper(desk, now), SERIES, notice)


def check(desk: Desk) -> VerifyResult:
    with desk.database.reading(desk.county) as store:
        return verify(store, [desk.signer.verifying_key])


def entry_of(desk: Desk, report: str) -> int:
    return int(next(row["seq"] for row in desk.rows("event") if row["id"] == report))


def test_what_is_past_its_time_goes_and_the_record_still_verifies(desk: Desk, owner: Database) -> None:
    first = old_report(desk, "T-1")
    last = old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    put_in_force(desk)
    seq = entry_of(desk, first)
    assert due(desk) == [first]  # the last of its kind on a tank is what its dates hang on
    done = destroy(desk, owner)
    assert [str(one.content["id"]) for one in done.plan.entries if one.type == "report"] == [first]
    assert done.plan.kept["in use"] == 2  # the last report, and its submission
    with desk.database.reading(desk.county) as store:
        assert raw_of(store, seq) is None
        assert detail_of(store, seq) == {}
        assert [row["id"] for row in the_system(store, "SP-1").events if row["submission"]] == [last]
    answers = {row["report_id"]: row["cells"] for row in desk.rows("outcome")}
    assert (answers[first], bool(answers[last])) == ({}, True)
    assert check(desk).problems == ()
    [entry] = [row for row in desk.rows("log_entry", "type", "entry") if row["type"] == "destruction"]
    for word in (CASE.authority, NOTICE.isoformat(), "records officer"):
        assert word in bytes(entry["entry"]).decode()


@pytest.mark.parametrize(("now", "gone"), [(datetime(2026, 6, 2, 15, tzinfo=UTC), 0), (TODAY, 1)])
def test_seven_years_must_have_passed(desk: Desk, now: datetime, gone: int) -> None:
    old_report(desk, "T-1")  # received 2019-06-03
    old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    put_in_force(desk)
    assert len(due(desk, now)) == gone


def test_the_years_of_a_report_begin_with_its_service_and_of_a_void_with_the_void(desk: Desk) -> None:
    first, later = old_report(desk, "T-1"), old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    with desk.database.transaction(desk.county) as store:
        void(store, STAFF, first, "never happened", NOW - timedelta(days=400), desk.signer)
    put_in_force(desk)
    assert due(desk) == []
    assert due(desk, TODAY + timedelta(days=8 * 365)) == [first]
    assert later


def test_nothing_is_destroyed_without_a_schedule(desk: Desk, owner: Database) -> None:
    old_report(desk, "T-1")
    old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    with pytest.raises(RetentionRefused, match="no schedule"):
        destroy(desk, owner)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"years": 6}, r"19\.21\(5\)\(c\)"),
        ({"years": 0, "approval": "PRB 1"}, "years"),
        ({"years": 101}, "years"),
        ({"authority": " "}, "authority"),
        ({"series": "minutes"}, "series"),
    ],
)
def test_a_schedule_that_the_law_does_not_allow(desk: Desk, change: dict[str, Any], words: str) -> None:
    with pytest.raises(RetentionRefused, match=words):
        put_in_force(desk, Schedule(**{"series": SERIES, "years": 7, "authority": "x", **change}))
    assert desk.rows("fact") == []


def test_a_shorter_time_needs_the_boards_approval_and_a_new_schedule_replaces_the_old(desk: Desk) -> None:
    put_in_force(desk)
    put_in_force(desk, Schedule(series=SERIES, years=3, authority="x", approval="PRB resolution 2025-4"))
    with desk.database.reading(desk.county) as store:
        assert {name: one.years for name, one in schedules(store).items()} == {SERIES: 3}


@pytest.mark.parametrize(
    ("notice", "words"), [(None, "notice-date"), (NOTICE + timedelta(days=1), "60 days of notice end on 2026-07-14")]
)
def test_notice_to_the_historical_society_comes_first(
    desk: Desk, owner: Database, notice: date | None, words: str
) -> None:
    old_report(desk, "T-1")
    old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    put_in_force(desk)
    with pytest.raises(RetentionRefused, match=words):
        destroy(desk, owner, notice)
    assert desk.count("log_raw") > 0
    waived = Schedule(**{**CASE.as_json(), "notice_waived": "WHS letter of 2024-02-01"})
    put_in_force(desk, waived)
    assert len(destroy(desk, owner, None).plan.entries) > 0


def test_what_is_on_hold_stays_until_the_hold_is_released(desk: Desk, owner: Database) -> None:
    for permit in ("SP-1", "SP-2"):
        old_report(desk, f"T-1{permit}", permit=permit)
        old_report(desk, f"T-2{permit}", "2019-06-20", permit, OLD + timedelta(days=30))
    put_in_force(desk)
    both = due(desk)
    with desk.database.transaction(desk.county) as store:
        system = the_system(store, "SP-1").system_id
        order = place_hold(store, keeper(desk), "open_records", "request of A. Reader", [system])
        assert [one.reason for one in holds(store)] == ["request of A. Reader"]
    assert len(both) == 2
    assert due(desk) == both[1:]
    with desk.database.transaction(desk.county) as store:
        everything = place_hold(store, keeper(desk), "litigation", "Doe v. Roe")
    assert due(desk) == []
    with pytest.raises(RetentionRefused, match="Nothing"):
        destroy(desk, owner)
    with desk.database.transaction(desk.county) as store:
        for one in (order, everything):
            release(store, keeper(desk), one.id, "settled")
        with pytest.raises(RecordNotFound):
            release(store, keeper(desk), order.id, "again")
    assert due(desk) == both
    assert check(desk).problems == ()


@pytest.mark.parametrize(("kind", "reason"), [("whim", "x"), ("audit", ""), ("audit", "x" * 2_001)])
def test_a_hold_says_why(desk: Desk, kind: str, reason: str) -> None:
    with pytest.raises(RetentionRefused), desk.database.transaction(desk.county) as store:
        place_hold(store, keeper(desk), kind, reason)


@ON_POSTGRESQL
def test_the_services_own_role_destroys_nothing(desk: Desk) -> None:
    old_report(desk, "T-1")
    old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    put_in_force(desk)
    with pytest.raises(Exception, match="permission denied"):
        destroy(desk, desk.database)
    assert check(desk).problems == ()


def test_rows_that_outlive_their_entry_are_named(desk: Desk, owner: Database) -> None:
    first = old_report(desk, "T-1")
    old_report(desk, "T-2", "2019-06-20", now=OLD + timedelta(days=30))
    put_in_force(desk)
    row = next(row for row in desk.rows("event") if row["id"] == first)
    seq = entry_of(desk, first)
    destroy(desk, owner)
    with desk.database.transaction(desk.county) as store:
        insert_events(store, [row])
    assert [(p.seq, "destroyed" in p.message) for p in check(desk).problems] == [(seq, True)]


@pytest.mark.parametrize(
    ("day", "years", "expected"),
    [
        (date(2026, 7, 13), 7, date(2019, 7, 13)),
        (date(2028, 2, 29), 7, date(2021, 2, 28)),
        (date(2028, 2, 29), 8, date(2020, 2, 29)),
    ],
)
def test_years_are_counted_by_the_calendar(day: date, years: int, expected: date) -> None:
    assert years_before(day, years) == expected


def test_numbers_in_a_row_are_named_as_ranges() -> None:
    assert ranges_of([1, 2, 3, 7, 9, 10]) == [[1, 3], [7, 7], [9, 10]]
    assert ranges_of([]) == []
