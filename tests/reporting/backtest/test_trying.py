"""The back-test on invented tanks, small: its figures hold, it can fail, and the same seed gives the same tanks."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from reporting.backtest.houses import DAYS, FIRST, LEAK, Kind, make_houses
from reporting.backtest.trying import figures, live, try_out
from reporting.cli.backtest import EARLY, IN_TIME, backtest, holds
from schemas.loader import shipped_program

TANKS, SEED = 18, 3


def test_the_figures_hold_on_a_small_fleet() -> None:
    found = try_out(shipped_program("ozaukee"), TANKS, SEED)
    assert found.cycles > 200
    assert found.announced_in_time >= IN_TIME
    assert found.early_at_call <= EARLY
    assert (found.leaks, found.leaks_found_within_three) == (3, 1.0)
    assert (found.standstills, found.standstills_found_within_two) == (3, 1.0)
    assert found.false_alarms == 0


def test_it_can_fall_short() -> None:
    """A county that is told only on the day itself, of a tank that is all full: then many are told too late."""
    usual = shipped_program("ozaukee")
    blunt = {"forecast_lead_days": 0, "service_level_fraction": 1.0, "forecast_cautious": False}
    found = try_out(usual.with_settings(blunt), 6, SEED)
    assert found.announced_in_time < IN_TIME
    assert not holds(found)
    deaf = usual.with_settings({"balance_trend_intervals": 1})
    assert try_out(deaf, 6, SEED).leaks_found_within_three == 0


def test_promises_are_held_on_both_sides_of_their_limits() -> None:
    good = replace(figures([]), announced_in_time=IN_TIME, early_at_call=EARLY, leaks_found_within_three=1.0)
    assert holds(good)
    assert not holds(replace(good, announced_in_time=IN_TIME - 0.001))
    assert not holds(replace(good, early_at_call=EARLY + 0.001))
    assert not holds(replace(good, leaks_found_within_three=0.99))


def test_the_same_seed_gives_the_same_houses_and_another_one_others() -> None:
    assert make_houses(6, 1) == make_houses(6, 1)
    assert make_houses(6, 1) != make_houses(6, 2)
    assert [house.kind for house in make_houses(6, 1)] == list(Kind)


@pytest.mark.parametrize("kind", list(Kind))
def test_the_truth_of_a_house_adds_up(kind: Kind) -> None:
    house = next(h for h in make_houses(6, 1) if h.kind is kind)
    assert len(house.used) == len(house.kept) == len(house.shown) == DAYS
    full = house.full_on(FIRST)
    assert full is not None
    assert house.content_after(FIRST, full) >= house.capacity
    assert (house.trouble_on is not None) is (kind in (Kind.LEAK, Kind.STUCK))
    lost = 1 - sum(house.kept) / sum(house.used)
    assert (0 < lost < LEAK) if kind is Kind.LEAK else lost == pytest.approx(0)


def test_a_life_is_lived_to_its_end() -> None:
    house = make_houses(1, SEED)[0]
    life = live(house, shipped_program("ozaukee"), SEED)
    assert len(life.cycles) > 5
    assert all(cycle.full_on > FIRST for cycle in life.cycles)


def test_the_command_prints_the_figures() -> None:
    run = CliRunner().invoke(backtest, ["--tanks", "6", "--seed", "3", "--json"])
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert (told["tanks"], told["seed"], told["holds"]) == (6, 3, True)
    words = CliRunner().invoke(backtest, ["--tanks", "6", "--seed", "3"]).stdout
    assert f"{told['announced_in_time']:.1%}" in words
    assert "leaks of 20 %: 100.0% of 1" in words
