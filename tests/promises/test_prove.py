"""The runner itself: what it calls held, failed and inconclusive, and that one promise's figures leave the others'."""

from pathlib import Path

import pytest

from tests.promises import page
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.prove import main, prove
from tests.promises.results import Result, load, merge


def outcome(*failures: str, hits: int = 5) -> Run:
    return lambda arena, size: Outcome(figures={"things": 3}, windows={"deaths": hits}, failures=failures)


def breaking(arena: Arena, size: Size) -> Outcome:
    raise ZeroDivisionError("on the way")


FOUND = outcome("found")


def a_proof(run: Run, control: Run = FOUND) -> Proof:
    return Proof(promise="P99", says="It holds.", run=run, controls={"broken": control}, least={"deaths": (2, 5)})


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    def none() -> object:
        raise AssertionError

    return Arena(kind="sqlite", folder=tmp_path, new_database=none)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "control", "verdict"),
    [
        (outcome(), outcome("found"), "held"),
        (outcome("lost one"), outcome("found"), "failed"),
        (breaking, outcome("found"), "failed"),
        (outcome(hits=4), outcome("found"), "inconclusive"),
        (outcome(), outcome(), "control not found out: broken"),
        (outcome(), breaking, "control not found out: broken"),
    ],
)
def test_verdicts(arena: Arena, run: Run, control: Run, verdict: str) -> None:
    said: list[str] = []
    result = prove(a_proof(run, control), arena, Size.FULL, said.append)
    assert (result.verdict, result.held) == (verdict, verdict == "held")
    assert said


def test_each_size_has_its_own_least(arena: Arena) -> None:
    assert prove(a_proof(outcome(hits=2)), arena, Size.SMOKE, print).held
    assert not prove(a_proof(outcome(hits=1)), arena, Size.SMOKE, print).held


def test_a_command_that_is_not_there_is_a_failure(arena: Arena) -> None:
    proof = Proof(promise="P99", says="x", run=outcome(), controls={}, needs=("no-such-command",))
    assert prove(proof, arena, Size.FULL, print).failures == ("this machine has no no-such-command",)


def a_result(promise: str, kind: str, things: int) -> Result:
    return Result(
        promise=promise, says="It | holds.", kind=kind, figures={"things": things}, windows={}, on="2026-07-13",
        controls={"broken": "found | it"}, commit="abc",
    )  # fmt: skip


def test_results_merge_in_the_promises_order(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "promises.json"
    for result in (a_result("P10", "postgresql", 1), a_result("P4", "sqlite", 2), a_result("P10", "sqlite", 3)):
        merge(path, result)
    merged = merge(path, a_result("P10", "postgresql", 1_234_567))
    assert merged == load(path)
    assert [(r.promise, r.kind, r.figures["things"]) for r in merged] == [
        ("P4", "sqlite", 2), ("P10", "sqlite", 3), ("P10", "postgresql", 1_234_567),
    ]  # fmt: skip


def test_the_page_names_everything_and_breaks_no_table() -> None:
    text = page.page([a_result("P4", "sqlite", 2), a_result("P10", "sqlite", 1_234_567)])
    rows = [line for line in text.splitlines() if line.startswith("| P")]
    assert [len(row.replace("\\|", "").split("|")) for row in rows] == [9, 9]
    assert "things: 1,234,567" in rows[1]
    assert "found \\| it" in text
    assert "cores" in text


def test_a_promise_without_a_proof_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["P999"]) == 2
    assert "P10" in capsys.readouterr().out
