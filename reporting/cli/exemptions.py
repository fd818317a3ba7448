"""`pumper exemptions`: certificates of exemption at a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from reporting.cli.common import opened
from reporting.cli.telling import PERMIT, day_text, tell
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.histories import county_program
from reporting.owners import Told
from reporting.service_year.applications import (
    apply_for_exemption,
    complete_application,
    grant_exemption,
    refuse_exemption,
)
from reporting.service_year.exemptions import GROUNDS, STATES, end_exemption, list_exemptions, report_change
from schemas.calendar import local_date
from schemas.loader import shipped_program

ONE = click.argument("exemption")
Command = Callable[..., None]


def papers(command: Command) -> Command:
    """The options of what an application shows."""
    for option in (
        click.option("--paid/--not-paid", default=None, help="Whether the certificate's fee came."),
        click.option("--affidavit-on", callback=day_text, help="When the sworn affidavit was signed."),
        click.option("--people", type=int, help="How many people use it."),
        click.option("--days-a-year", type=int, help="For how many days a year it is used."),
        click.option("--serviced-on", callback=day_text, help="Last inspected or pumped, as the affidavit has it."),
        click.option("--verified-on", callback=day_text, help="When the contractor verified it."),
        click.option("--verified-by", help="The contractor's license."),
    ):
        command = option(command)
    return command


@click.group()
def exemptions() -> None:
    """Certificates of exemption: applied for, granted, refused, changed, ended. Staff decides each."""


@exemptions.command("list")
@COUNTY
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="Only those that stand so.")
@JSON
def list_all(county: str, states: tuple[str, ...], as_json: bool) -> None:
    """Certificates with state and last day, and applications with what they lack."""
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        rows = list_exemptions(store, county_program(store, county, on=today), today, (), states)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        until = f" until {row['last_day']}" if row["last_day"] else ""
        end = "; its end is proposed" if row.get("end_proposed") else ""
        who = f"permit {row['permit_number'] or 'not on file'}"
        click.echo(f"{row['id']}  {who}, {row['kind']}: {row['state']}{until}{end} ({row['rule']}, {row['cite']})")
    click.echo(f"{len(rows)} in all")


@exemptions.command("apply")
@COUNTY
@PERMIT
@click.option("--kind", required=True, help="Which certificate, as the county's program has it.")
@click.option("--received-on", callback=day_text, help="The day on which it came in (default: today).")
@papers
@JSON
def apply(county: str, as_json: bool, **values: Any) -> None:
    """File an application; what it does not show yet is said."""
    _say_unmet(tell(county, apply_for_exemption, values, as_json), as_json)


@exemptions.command("papers")
@COUNTY
@ONE
@papers
@JSON
def complete(county: str, exemption: str, as_json: bool, **values: Any) -> None:
    """What came later for an application."""
    told = tell(county, lambda s, who, given: complete_application(s, who, exemption, given), values, as_json)
    _say_unmet(told, as_json)


@exemptions.command("grant")
@COUNTY
@ONE
@click.option("--granted-on", callback=day_text, help="From which day it holds (default: today).")
@click.option("--reference", help="Of the fee's payment, such as a check's number.")
@JSON
def grant(county: str, exemption: str, as_json: bool, **values: Any) -> None:
    """Grant what was applied for; refused while a condition is not met."""
    tell(county, lambda store, teller, given: grant_exemption(store, teller, exemption, given), values, as_json)


@exemptions.command("refuse")
@COUNTY
@ONE
@click.option("--reason", required=True, help="Why; the owner is told.")
@JSON
def refuse(county: str, exemption: str, as_json: bool, **values: Any) -> None:
    """Refuse an application."""
    tell(county, lambda store, teller, given: refuse_exemption(store, teller, exemption, given), values, as_json)


@exemptions.command("end")
@COUNTY
@ONE
@click.option("--ground", required=True, type=click.Choice(GROUNDS), help="On which ground.")
@click.option("--notified-on", callback=day_text, help="The day of the written notice (default: today).")
@click.option("--ends-on", callback=day_text, help="Its last day (default: the first that may be).")
@click.option("--reason", required=True, help="Why; the owner is told.")
@JSON
def end(county: str, exemption: str, as_json: bool, **values: Any) -> None:
    """End a certificate before its term."""
    tell(county, lambda store, teller, given: end_exemption(store, teller, exemption, given), values, as_json)


@exemptions.command("change")
@COUNTY
@ONE
@click.option("--note", required=True, help="What has changed.")
@click.option("--met/--not-met", "conditions_met", required=True, help="Whether its conditions are still met.")
@click.option("--reported-on", callback=day_text, help="The day of the report (default: today).")
@click.option("--since", callback=day_text, help="Since when.")
@JSON
def change(county: str, exemption: str, as_json: bool, **values: Any) -> None:
    """Note a change that the holder of a certificate reports."""
    tell(county, lambda store, teller, given: report_change(store, teller, exemption, given), values, as_json)


def _say_unmet(told: Told, as_json: bool) -> None:
    unmet = told.more.get("unmet")
    for one in unmet if isinstance(unmet, list) and not as_json else ():
        click.echo(f"  not met: {one['message']} ({one['cite']})")
