"""`pumper programs coverage`: no rule without effect or test; what it names exists; batteries go over every rule."""

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from reporting.cli.coverage import (
    BATTERIES,
    FEATURES,
    WHERE,
    Line,
    coverage,
    find_tests,
    markdown,
    program_effects,
    show_coverage,
)
from reporting.cli.main import COMMANDS
from schemas import acts
from schemas.acts import Feature
from schemas.loader import shipped_program, shipped_slugs
from schemas.words import FEATURES as NAMED
from tests.reporting.api.offline import offline_world
from tests.reporting.domain import test_battery, test_battery_papers
from tests.reporting.domain.programs import PROGRAMS

TESTS = Path(__file__).parents[2]
ALL = [p for slug in shipped_slugs() for p in shipped_program(slug).rules]
TRIED = [rule for program in PROGRAMS.values() for rule in program.rules]


def test_no_rule_is_without_effect_and_test() -> None:
    failing = {line.rule for line in coverage(TESTS) if line.fails}
    assert failing == set()
    assert len(coverage(None)) == 118


def test_the_command_fails_for_a_rule_that_nothing_tests(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    for number, name in enumerate(BATTERIES.values()):
        (tmp_path / f"test_{number}.py").write_text(f"# {name}", "utf-8")
    run = CliRunner().invoke(show_coverage, ["--tests", str(tmp_path)])
    assert run.exit_code == 1
    assert "Neither effect nor test" in run.stderr
    assert "S1" in run.stderr


def test_a_rule_fails_without_a_place_and_without_a_test_and_not_while_it_waits() -> None:
    usual = {"rule": "S1", "cite": "", "title": "", "programs": (), "where": ("x",), "pending": False, "cases": 0}
    assert Line(**usual, tests=()).fails
    assert not Line(**usual, tests=("a.py",)).fails
    assert Line(**{**usual, "where": ()}, tests=("a.py",)).fails
    assert not Line(**{**usual, "where": (), "pending": True}, tests=()).fails


def test_every_effect_has_a_place() -> None:
    tags = {str(one.__struct_config__.tag) for one in acts.AnyAct.__args__} - {"feature", "pending"}
    assert set(WHERE) == tags
    for slug in shipped_slugs():
        assert program_effects(shipped_program(slug)) <= tags | {"feature", "pending"}


def test_every_feature_is_an_address_or_a_command_that_exists(tmp_path: Path) -> None:
    used = {act.feature for rule in ALL for act in rule.acts if isinstance(act, Feature)}
    assert used <= set(FEATURES)
    assert set(FEATURES) <= set(NAMED)
    routes = {
        method + " " + re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
        for rule in offline_world(tmp_path).app.url_map.iter_rules()
        for method in (rule.methods or set())
    }
    for place in FEATURES.values():
        command = place.removeprefix("pumper ").split()
        assert place in routes or (place.startswith("pumper ") and command[0] in COMMANDS), place


@pytest.mark.parametrize("effect", sorted(BATTERIES))
def test_a_battery_is_there(effect: str) -> None:
    path = TESTS / BATTERIES[effect]
    assert path.is_file()
    tree = ast.parse(path.read_text("utf-8"))
    assert any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in tree.body)


@pytest.mark.parametrize("effect", sorted(set(BATTERIES) - {"report_deadline", "required_fields"}))
def test_a_battery_goes_over_every_rule_of_its_effect(effect: str) -> None:
    [kind] = [one for one in acts.AnyAct.__args__ if str(one.__struct_config__.tag) == effect]
    tried = {found.values[1] for found in test_battery_papers.acts(kind)}
    assert tried == {rule.id for rule in TRIED for act in rule.acts if isinstance(act, kind)}


def test_the_battery_of_deadlines_goes_over_every_rule_that_sets_one() -> None:
    tried = {found.values[1] for found in test_battery._deadlines()}
    assert tried == {rule.id for rule in TRIED for act in rule.acts if isinstance(act, acts.ReportDeadline)}


def test_the_battery_of_fields_goes_over_every_component_event_and_text() -> None:
    """`test_a_whole_report_of_every_kind_passes_and_each_missing_field_is_said` takes every text of every program."""
    source = (TESTS / BATTERIES["required_fields"]).read_text("utf-8")
    assert "shipped_slugs()" in source
    assert "EVENT_TYPES" in source
    assert "COMPONENTS" in source


def test_a_test_counts_for_the_rules_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text('"""Rule OZ7, not XOZ8 nor OZ123."""', "utf-8")
    (tmp_path / "one.py").write_text('"""OZ9"""', "utf-8")
    assert find_tests(tmp_path) == {"OZ7": {"test_one.py"}}


def test_the_table_of_the_readme_has_a_line_for_each() -> None:
    lines = list(markdown(coverage(None)))
    assert len(lines) == 2 + 118
    assert all(line.count(" | ") == 3 for line in lines[2:])
