"""`pumper backtest`: how well the forecast and the water balance do on invented tanks. Needs no database."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from reporting.backtest.trying import Figures, try_out
from reporting.cli.words import JSON, county_argument, print_json
from schemas.loader import shipped_program, shipped_slugs

IN_TIME, EARLY, LEAKS = 0.95, 0.25, 1.0
"""What is promised: the share announced before it is full, how early at the median, leaks found within three."""


@click.command()
@click.option("--tanks", type=click.IntRange(6, 6000), default=120, show_default=True, help="How many tanks.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same tanks.")
@click.option(
    "--county", default=shipped_slugs()[0], show_default=True, callback=county_argument, help="Whose settings hold."
)
@JSON
def backtest(tanks: int, seed: int, county: str, as_json: bool) -> None:
    """Try the forecast of full holding tanks and the search for leaks on invented years; exit 1 if it falls short.

    Steady use, summer swing, seasons, guests, leaks of 20 % and meters that stand still, in turn; a truck's gauge errs
    by 2 %, and one reading in ten is missing or estimated.
    """
    found = try_out(shipped_program(county), tanks, seed)
    if as_json:
        print_json({"seed": seed, "county": county, **asdict(found), "holds": holds(found)})
    else:
        for line in words(found):
            click.echo(line)
    if not holds(found):
        click.echo("This falls short of what is promised.", err=True)
        sys.exit(1)


def holds(found: Figures) -> bool:
    """Whether the figures are as promised."""
    early = found.early_at_call <= EARLY
    return found.announced_in_time >= IN_TIME and early and found.leaks_found_within_three >= LEAKS


def words(found: Figures) -> list[str]:
    """The figures in sentences."""
    kinds = ", ".join(f"{kind} {share:.1%}" for kind, share in found.by_kind.items())
    return [
        f"{found.tanks} tanks, {found.cycles} fillings judged",
        f"announced before they were full: {found.announced_in_time:.1%} (promised {IN_TIME:.0%}); {kinds}",
        f"announced too early, at the median: {found.early_at_call:.1%} of capacity below the level of service "
        f"(at most {EARLY:.0%})",
        f"free at the median: {found.unused_at_call:.1%} when announced, "
        f"{found.unused_at_forecast:.1%} on the day foretold",
        f"level reached within the range told: {found.within_range:.1%}",
        f"leaks of 20 %: {found.leaks_found_within_three:.1%} of {found.leaks} found within three pumpings",
        f"meters that stand still: {found.standstills_found_within_two:.1%} of {found.standstills} found within two",
        f"false alarms: {found.false_alarms:.2%} of {found.intervals_without_trouble} intervals without trouble",
    ]
