"""Forecast and balance beyond the worked cases (section 7): ranges, seasons, standstill, slow losses."""

import datetime as dt
from typing import Any

import pytest

from reporting.scenario import evaluate

FIRST = dt.date(2025, 1, 6)


def visits(*steps: tuple[int, int | None, int], **more: Any) -> list[dict[str, Any]]:
    """Pumpings: days after the first, reading (None: not read), gallons."""
    events = []
    for n, (days, reading, gallons) in enumerate(steps, 1):
        day = FIRST + dt.timedelta(days=days)
        events.append({
            "id": f"E{n}", "event_type": "pumping", "service_date": str(day), "received_on": f"{day}T18:00:00-06:00",
            "component": "holding", "credential_kind": "septage_operator", "license_number": "1",
            "gallons_pumped": gallons, "meter_reading": reading, **more,
        })  # fmt: skip
    return events


def judged(events: list[dict[str, Any]], as_of: dt.date | None = None, **more: Any) -> dict[str, Any]:
    system = {"kind": "holding", "capacity_gallons": 2000, "installed_on": "2019-01-01", **more.pop("system", {})}
    system |= {"meter": {"unit": "gal", "digits": 6, "serial": "A1"}}
    last = dt.date.fromisoformat(events[-1]["service_date"])
    raw = {"county": "portage", "as_of": str(as_of or last), "system": system, "events": events, **more}
    return evaluate(raw)


def kinds(answer: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for f in answer["findings"]:
        if f["rule"] == "S12":
            found.setdefault(f["kind"], []).append(f["event"])
    return found


def day(days: int) -> str:
    return str(FIRST + dt.timedelta(days=days))


def test_the_range_spans_the_highest_and_lowest_use_and_a_fifth_at_least() -> None:
    same = judged(visits((0, 0, 1), (20, 1200, 1200), (40, 2400, 1200)))["forecast"]  # 60 a day, 1,800 are 30 days
    assert (same["full_on"], same["earliest_on"], same["latest_on"]) == (day(70), day(65), day(78))
    apart = judged(visits((0, 0, 1), (20, 600, 600), (40, 2400, 1800)))["forecast"]  # 30, then 90
    assert (apart["full_on"], apart["earliest_on"], apart["latest_on"]) == (day(70), day(60), day(100))


@pytest.mark.parametrize(("cautious", "needs"), [(True, True), (False, False)])
def test_where_use_has_risen_the_lead_days_count_from_the_last_intervals_date(cautious: bool, needs: bool) -> None:
    """30 a day, then 90: by the average full on day 70, by the last interval on day 60; seven days before that."""
    events = visits((0, 0, 1), (20, 600, 600), (40, 2400, 1800))
    for days, value in ((52, False), (53, needs)):
        answer = judged(events, FIRST + dt.timedelta(days=days), settings={"forecast_cautious": cautious})
        assert answer["needs_service"]["value"] is value, days
        [duty] = [o for o in answer["obligations"] if o["kind"] == "service_holding"]
        assert duty["state"] == ("due_soon" if value else "upcoming")
        assert duty["due_on"] == day(70)
    falling = visits((0, 0, 1), (20, 1800, 1800), (40, 2400, 600))
    assert judged(falling, FIRST + dt.timedelta(days=62))["needs_service"]["value"] is False
    assert judged(falling, FIRST + dt.timedelta(days=63))["needs_service"]["value"] is True


def test_the_same_weeks_of_the_year_before_turn_the_use() -> None:
    """A house that uses 90 a day from July to December and 30 else, pumped every 20 days, judged on 2026-06-30."""
    steps, reading = [(0, 0, 1)], 0
    for n in range(1, 28):
        days = (FIRST + dt.timedelta(days=d) for d in range(n * 20 - 19, n * 20 + 1))
        used = sum(90 if each.month >= 7 else 30 for each in days)
        reading += used
        steps.append((n * 20, reading, used))
    assert judged(visits(*steps))["forecast"]["gallons_per_day"] == 60  # three times as much a year ago: twice at most
    assert judged(visits(*steps[18:]))["forecast"]["gallons_per_day"] == 30  # the year before was not read
    assert judged(visits(*steps))["forecast"]["full_on"] == "2026-07-30"  # 1,800 at 60


def test_a_meter_that_stands_still_is_named_and_the_forecast_goes_by_what_was_pumped() -> None:
    answer = judged(visits((0, 0, 1), (20, 1200, 1200), (40, 1200, 1300)))
    assert kinds(answer) == {"infiltration": ["E3"], "meter_stuck": ["E3"]}
    assert answer["forecast"]["gallons_per_day"] == 62.5
    moving = judged(visits((0, 0, 1), (20, 1200, 1200), (40, 1201, 1300)))
    assert "meter_stuck" not in kinds(moving)


def test_an_interval_with_more_pumped_than_a_quarter_over_counts_with_what_was_pumped() -> None:
    within = judged(visits((0, 0, 1), (20, 1200, 1500)))  # 1.25 is within
    assert (within["forecast"]["gallons_per_day"], kinds(within)) == (60, {})
    over = judged(visits((0, 0, 1), (20, 1200, 1501)))
    assert (over["forecast"]["gallons_per_day"], kinds(over)) == (75.05, {"infiltration": ["E2"]})


@pytest.mark.parametrize(
    ("pumped", "found"),
    [
        ((1080, 1080, 1080), {}),  # 0.9 of what was metered, the bound
        ((1080, 1080, 1079), {"balance_trend": ["E4"]}),
        ((1320, 1320, 1320), {}),  # 1.1
        ((1320, 1320, 1321), {"balance_trend": ["E4"]}),
        ((960, 960, 1200), {"balance_trend": ["E4"]}),
        ((890, 960, 960), {"unaccounted_water": ["E2"]}),  # named by itself, 0.74, and not again
    ],
)
def test_a_slow_loss_is_found_over_three_intervals(pumped: tuple[int, int, int], found: dict[str, list[str]]) -> None:
    steps = [(20 * n, 1200 * n, gallons) for n, gallons in enumerate(pumped, 1)]
    assert kinds(judged(visits((0, 0, 1), *steps))) == found


@pytest.mark.parametrize(("gallons", "found"), [(1054, False), (1052, True)])
def test_two_intervals_alone_have_to_lie_off_by_more(gallons: int, found: bool) -> None:
    """1 - 0.1 × √(3/2) = 0.8775 of 2,400."""
    events = visits((0, 0, 1), (20, 1200, gallons), (40, 2400, 2106 - 1054 + (gallons - 1054) + 1))
    assert ("balance_trend" in kinds(judged(events))) is found


def test_how_many_intervals_and_the_bounds_are_the_countys() -> None:
    events = visits((0, 0, 1), *((20 * n, 1200 * n, 1000) for n in range(1, 4)))
    assert "balance_trend" in kinds(judged(events))
    assert "balance_trend" not in kinds(judged(events, settings={"balance_trend_low": 0.8}))
    assert "balance_trend" not in kinds(judged(events, settings={"balance_trend_intervals": 1}))


def test_a_reading_that_is_missing_sums_the_loads_on_both_sides_of_it() -> None:
    """The interval itself is not judged (section 7); the trend and the use go by both together."""
    missing = judged(visits((0, 0, 1), (20, 1200, 960), (40, None, 960), (60, 3600, 960)))
    assert kinds(missing) == {"balance_trend": ["E4"]}
    estimated = visits((0, 0, 1), (20, 1200, 1200), (40, 2400, 1200), (60, 3600, 1200))
    estimated[2] |= {"meter_estimated": True, "meter_reading": 5}
    answer = judged(estimated)
    assert kinds(answer) == {}
    assert answer["forecast"]["gallons_per_day"] == 60


def test_a_load_of_unknown_gallons_leaves_the_trend_alone() -> None:
    events = visits((0, 0, 1), (20, 1200, 1200), (40, 2400, 960), (60, 3600, 960))
    assert kinds(judged(events)) == {"balance_trend": ["E4"]}
    events[2]["gallons_pumped"] = None
    assert kinds(judged(events)) == {}  # 1.0 and 0.8, two intervals
