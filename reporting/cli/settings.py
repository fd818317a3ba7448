"""`pumper settings`: a county's own values of its program's settings."""

from __future__ import annotations

import datetime as dt
import json

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json
from reporting.histories import county_program
from reporting.owners import NotTold, Teller, set_setting
from reporting.settings import list_settings
from schemas.calendar import local_date
from schemas.loader import shipped_program


@click.group()
def settings() -> None:
    """What a county has set: dated, kept in the record, with what held before."""


@settings.command("list")
@COUNTY
@JSON
def list_(county: str, as_json: bool) -> None:
    """Every setting: its value today, what it means, what the county has set."""
    program = shipped_program(county)
    today = local_date(moment(), program.timezone)
    with opened() as (_, database), database.reading(county) as store:
        rows = list_settings(store, program, today)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(f"{row['name']} = {_shown(row['value'])}{'  (the county’s own)' if row['own'] else ''}")
        click.echo(f"    {row['meaning']}")
        for one in row["own"]:
            said = f"from {one['valid_from']}: {_shown(one['value'])} in place of {_shown(one['before'])}"
            click.echo(f"    {said}; entered {one['entered_at']} by {one['by']}")


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


@settings.command("set")
@COUNTY
@click.argument("name")
@click.argument("value")
@click.option("--from", "first", callback=day_option, help="The day from which it holds (default: today).")
@JSON
def set_(county: str, name: str, value: str, first: dt.date | None, as_json: bool) -> None:
    """Set one setting. VALUE is a number, true or false, a JSON list, or a text such as an address or YYYY-MM-DD."""
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    with opened() as (config, database), database.transaction(county) as store:
        program = county_program(store, county, on=today)
        teller = Teller(program=program, by="command line", now=now, signer=signer_of(config))
        told = set_setting(store, teller, name, _read(value), first or today)
    if isinstance(told, NotTold):
        raise click.UsageError(" ".join(issue.message for issue in told.issues))
    if as_json:
        print_json({"name": name, "receipt": told.receipt.to_json()})
    else:
        click.echo(f"{name} is set from {first or today}; entry {told.receipt.seq} of the record")


def _read(text: str) -> object:
    """A number, a truth value or a list as JSON; everything else is a text (`\\n` in it is a line end)."""
    try:
        found = json.loads(text)
    except ValueError:
        return text.replace("\\n", "\n")
    return found if isinstance(found, int | float | bool | list) else text
