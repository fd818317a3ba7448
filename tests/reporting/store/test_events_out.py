"""Domain events: each cause once, handled once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from reporting.store import events_out
from reporting.store.engine import Database
from tests.reporting.store.builders import NOON


def an_event_out(event_id: str, cause: str, **columns: Any) -> dict[str, Any]:
    return {
        "id": event_id,
        "kind": "late_report",
        "cause_key": cause,
        "occurred_at": NOON,
        "content": {"n": 1},
        **columns,
    }


def test_a_cause_is_recorded_once(opened: Database) -> None:
    with opened.transaction("portage") as store:
        first = events_out.record_domain_events(
            store, [an_event_out("1", "a"), an_event_out("2", "b"), an_event_out("3", "a")]
        )
        again = events_out.record_domain_events(store, [an_event_out("4", "b"), an_event_out("5", "c")])
        assert events_out.record_domain_events(store, []) == []
    assert [row["id"] for row in first] == ["1", "2"]
    assert [(row["id"], row["content"], row["county"]) for row in again] == [("5", {"n": 1}, "portage")]
    with opened.transaction("ozaukee") as store:
        assert [row["id"] for row in events_out.record_domain_events(store, [an_event_out("1", "a")])] == ["1"]


def test_of_two_scans_at_once_each_cause_is_recorded_by_one(opened: Database) -> None:
    def scan(name: str) -> list[str]:
        found = []
        for start in range(0, 40, 10):
            rows = [an_event_out(f"{name}{n}", f"cause {n}") for n in range(start, start + 10)]
            with opened.transaction("portage") as store:
                found += [row["cause_key"] for row in events_out.record_domain_events(store, rows)]
        return found

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(scan, ["x", "y"]))
    assert sorted([*both[0], *both[1]]) == sorted(f"cause {n}" for n in range(40))


def test_events_wait_oldest_first_until_handled(opened: Database) -> None:
    with opened.transaction("portage") as store:
        rows = [
            an_event_out(name, name, occurred_at=NOON - timedelta(hours=age))
            for name, age in (("a", 1), ("b", 3), ("c", 2))
        ]
        events_out.record_domain_events(store, rows)
        assert [row["id"] for row in events_out.pending_domain_events(store, 2)] == ["b", "c"]
        assert events_out.mark_handled(store, ["b", "no"], NOON) == 1
        assert events_out.mark_handled(store, ["b", "a"], NOON) == 1
        assert [row["id"] for row in events_out.pending_domain_events(store, 9)] == ["c"]
