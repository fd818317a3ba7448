"""What was pumped against what was metered, and how long a holding tank goes without: both sides of each limit."""

from typing import Any

import pytest

from reporting.scenario import evaluate
from tests.reporting.domain.test_forecast import judged, visits
from tests.reporting.domain.test_intervals import program


def said(answer: dict[str, Any], kind: str) -> list[str]:
    return [f["because"] for f in answer["findings"] if f["kind"] == kind]


def test_two_intervals_are_summed_where_three_together_are_in_balance() -> None:
    """3,500 of 3,600 are 0.97; the last two, 2,100 of 2,400, lie below 1 - 0.1 × √(3/2) = 0.8775."""
    slow = visits((0, 0, 1), (20, 1200, 1400), (40, 2400, 1050), (60, 3600, 1050))
    [because] = said(judged(slow), "balance_trend")
    assert because.startswith("2100 gallons pumped, 2400 metered in the last 2 intervals together")
    assert because.endswith("a slow loss is suspected")


@pytest.mark.parametrize(("gallons", "found"), [(1080, False), (1079, True)])
def test_a_county_may_sum_two_intervals(gallons: int, found: bool) -> None:
    events = visits((0, 0, 1), (20, 1200, 1080), (40, 2400, gallons))
    answer = judged(events, settings={"balance_trend_intervals": 2})
    assert bool(said(answer, "balance_trend")) is found  # 0.9 of 2,400 are 2,160


@pytest.mark.parametrize("gallons", [1, 960])
def test_a_meter_that_stands_is_named_with_what_was_pumped(gallons: int) -> None:
    [because] = said(judged(visits((0, 500, 1), (20, 500, gallons))), "meter_stuck")
    assert because.startswith(f"{gallons} gallons pumped, and the meter stands as it stood")


def test_loads_on_both_sides_of_a_missing_reading_are_summed_and_no_more() -> None:
    answer = judged(visits((0, 500, 7), (20, None, 960), (40, 500, 450)))
    [because] = said(answer, "meter_stuck")
    assert because.startswith("1410 gallons pumped")


@pytest.mark.parametrize(("days", "found"), [(0, False), (1, True)])
def test_use_above_a_limit_is_told_by_the_day(days: int, found: bool) -> None:
    limit = program('{ effect = "flow_limit", gallons_per_day = 10, components = ["holding"] }')
    events = visits((0, 0, 900), (days, 900, 900))
    scenario = {"county": "elsewhere", "as_of": "2025-03-01", "system": {"kind": "holding"}, "events": events}
    answer: Any = evaluate(scenario, program=limit)
    assert bool(said(answer, "flow_over_limit")) is found


SEASON = {"kind": "holding", "use": "seasonal", "season_from": "05-01", "season_to": "10-31"}


@pytest.mark.parametrize(("more", "found"), [([], False), (["2026-07-31"], True)])
def test_oz10_an_interval_without_an_occupied_day_is_no_usual_one(more: list[str], found: bool) -> None:
    """Three intervals make a usual one; the one in winter has none of the season's days. Then 61 are more than 45."""
    days = ["2025-11-15", "2026-01-15", "2026-06-01", "2026-07-01", *more]
    events = [{"id": f"E{n}", "event_type": "pumping", "service_date": day} for n, day in enumerate(days)]
    answer: Any = evaluate({"county": "ozaukee", "as_of": "2026-09-30", "system": SEASON, "events": events})
    assert "ignored" not in answer
    assert bool(said(answer, "pumping_gap")) is found


@pytest.mark.parametrize(("ref", "tanks"), [("", ["A", "B"]), ("A", ["A"]), ("B", ["B"]), ("C", [])])
def test_an_alarm_is_of_the_tank_that_it_names_and_else_of_every_one(ref: str, tanks: list[str]) -> None:
    system = {"kind": "holding", "components": [{"kind": "holding", "ref": "A"}, {"kind": "holding", "ref": "B"}]}
    told = {"on": "2026-06-01", "kind": "alarm", **({"component_ref": ref} if ref else {})}
    scenario = {"county": "ozaukee", "as_of": "2026-06-02", "system": system, "events": [], "owner_notices": [told]}
    answer: Any = evaluate(scenario)
    assert "ignored" not in answer
    served = [o for o in answer["obligations"] if o["kind"] == "service_holding"]
    assert sorted(o["component_ref"] for o in served) == tanks
