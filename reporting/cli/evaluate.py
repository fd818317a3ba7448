"""`pumper evaluate`: scenarios to answers; no database, no setup."""

from __future__ import annotations

import datetime as dt
import json

import click

from reporting.cli.words import moment, print_json, read_file
from reporting.scenario import ScenarioError
from reporting.scenario import evaluate as evaluate_scenario


@click.command()
@click.argument("file", metavar="FILE|-")
@click.option("--all", "show_met", is_flag=True, help="Show obligations that have been met, too.")
def evaluate(file: str, show_met: bool) -> None:
    """Judge one scenario, or a JSON list of them; a list is answered by a list. Needs no database."""
    try:
        scenarios = json.loads(read_file(file))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{file} is no JSON: {error}") from None
    today = moment().date()
    if isinstance(scenarios, list):
        print_json([_answer(s, f"scenario {n}: ", show_met, today) for n, s in enumerate(scenarios, 1)])
    else:
        print_json(_answer(scenarios, "", show_met, today))


def _answer(scenario: object, where: str, show_met: bool, today: dt.date) -> dict[str, object]:
    try:
        return evaluate_scenario(scenario, show_met=show_met, today=today)
    except ScenarioError as error:
        raise click.UsageError(f"{where}{error}") from None
