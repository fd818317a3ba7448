"""Every worked scenario of `tests/cases` holds."""

from collections.abc import Mapping
from typing import Any

import pytest

from schemas.loader import shipped_slugs
from tests.reporting.domain.cases import load_cases, scenario_of, shortfalls
from tests.reporting.domain.programs import EXAMPLES, PROGRAMS, evaluate

CASES = [*load_cases(), *load_cases(EXAMPLES / "worked")]


@pytest.mark.parametrize(("county", "case"), [pytest.param(c, case, id=f"{c}: {name}") for c, name, case in CASES])
def test_case(county: str, case: Mapping[str, Any]) -> None:
    answer = evaluate(scenario_of(county, case))
    assert "ignored" not in answer
    missing = shortfalls(case, answer)
    assert not missing, f"{missing}\n{answer}"


def test_every_program_has_its_cases_and_no_two_share_a_name() -> None:
    assert {county for county, _, _ in CASES} == set(PROGRAMS) > set(shipped_slugs())
    names = [(county, name) for county, name, _ in CASES]
    assert len(names) == len(set(names))
    assert len(names) >= 120


def test_a_wrong_expectation_is_noticed() -> None:
    county, _, case = CASES[0]
    wrong = {**case, "expect": {**case["expect"], "standing": "inactive", "no_findings": [], "none": []}}
    assert shortfalls(wrong, evaluate(scenario_of(county, wrong)))
