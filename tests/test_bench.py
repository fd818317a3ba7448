"""README's table of speed is what `make bench` measured and kept; each step of the bench is there to be called."""

import importlib

import pytest

from bench.measuring import Figure, in_turn, percentile, table, told
from bench.run import PAGE, STEPS, read, written


def test_the_table_is_of_the_figures_kept() -> None:
    kept = read()
    assert set(kept) == set(STEPS)
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, [figure for name in STEPS for figure in kept[name]]) == page, "run make bench"


def test_whether_an_aim_is_reached_is_said_of_every_figure_that_has_one() -> None:
    figures = [figure for those in read().values() for figure in those]
    assert [figure.step for figure in figures if (figure.held is None) == bool(figure.aim)] == []


@pytest.mark.parametrize("name", STEPS)
def test_a_step_can_be_called(name: str) -> None:
    assert callable(importlib.import_module(f"bench.steps.{name}").measured)


def test_ours_and_the_baseline_are_done_in_turn() -> None:
    done: list[str] = []
    in_turn(lambda: done.append("ours"), lambda: done.append("baseline"), times=3)
    assert done == ["baseline", "ours"] * 3


def test_a_figure_is_told_with_its_ratio_and_its_aim() -> None:
    one = Figure(step="a", database="sqlite", ours=0.5, unit="s", baseline=0.01, against="b", aim="≤ 4 ×", held=False)
    assert table([one]).splitlines()[-1] == "| a | sqlite | 500 ms | b: 10 ms | 50 × | ≤ 4 × | no |"
    assert (told(0.0000005, "s"), told(1234.5, "calls/s")) == ("0.5 µs", "1,234 calls/s")
    assert percentile([3, 1, 2], 0.99) == 3


def test_a_page_without_a_place_for_the_table_is_found_out() -> None:
    with pytest.raises(ValueError, match="no place"):
        written("# A page\n", [])
