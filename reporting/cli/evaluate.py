"""`pumper evaluate`: scenarios to answers; no database, no setup."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import click

from reporting.cli.words import moment, print_json, read_file
from reporting.scenario import ScenarioError
from reporting.scenario import evaluate as evaluate_scenario
from reporting.worked import ExamplesError, read_examples, scenario_of


@click.command()
@click.argument("file", metavar="FILE|-")
@click.option("--all", "show_met", is_flag=True, help="Show obligations that have been met, too.")
def evaluate(file: str, show_met: bool) -> None:
    """Judge one scenario, or a JSON list of them; a list is answered by a list. Needs no database.

    A .toml file holds worked examples, as `pumper programs try` reads them: their answers are a list.
    """
    scenarios = _worked(file) if file.endswith(".toml") else _scenarios(file)
    today = moment().date()
    if isinstance(scenarios, list):
        print_json([_answer(s, f"scenario {n}: ", show_met, today) for n, s in enumerate(scenarios, 1)])
    else:
        print_json(_answer(scenarios, "", show_met, today))


def _scenarios(file: str) -> Any:
    try:
        return json.loads(read_file(file))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{file} is no JSON: {error}") from None


def _worked(file: str) -> list[dict[str, Any]]:
    try:
        county, cases = read_examples(read_file(file), file)
    except ExamplesError as error:
        raise click.UsageError(str(error)) from None
    return [scenario_of(county, case) for _, case in cases]


def _answer(scenario: object, where: str, show_met: bool, today: dt.date) -> dict[str, object]:
    try:
        return evaluate_scenario(scenario, show_met=show_met, today=today)
    except ScenarioError as error:
        raise click.UsageError(f"{where}{error}") from None
