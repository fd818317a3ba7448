"""`pumper windows`: the days in which a district's contractor pumps its service areas."""

from __future__ import annotations

import datetime as dt
import sys

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json
from reporting.errors import RecordNotFound
from reporting.histories import county_program
from reporting.owners import NotTold, Teller
from reporting.store.engine import Store
from reporting.store.signing import Signer
from reporting.windows import call_off_window, list_windows, set_window
from schemas.calendar import local_date
from schemas.loader import shipped_program


@click.group()
def windows() -> None:
    """The windows in which service areas are pumped: their owners are told by letter before."""


def _teller(store: Store, county: str, signer: Signer) -> Teller:
    now = moment()
    program = county_program(store, county, on=local_date(now, shipped_program(county).timezone))
    return Teller(program=program, by="command line", now=now, signer=signer)


@windows.command("set")
@COUNTY
@click.option("--from", "first", required=True, callback=day_option, help="The first day.")
@click.option("--to", "last", callback=day_option, help="The last day (default: as long as the ordinance makes it).")
@click.option("--area", type=click.IntRange(1, 9_999), help="The service area (default: whose turn that year is).")
@JSON
def set_(county: str, first: dt.date, last: dt.date | None, area: int | None, as_json: bool) -> None:
    """Set a window; it is kept in the record, and its notices follow with the next scans."""
    values = {"from": first.isoformat(), "to": last.isoformat() if last else "", "area": str(area) if area else ""}
    with opened() as (config, database), database.transaction(county) as store:
        told = set_window(store, _teller(store, county, signer_of(config)), {k: v for k, v in values.items() if v})
    if isinstance(told, NotTold):
        raise click.UsageError(" ".join(issue.message for issue in told.issues))
    if as_json:
        print_json({"id": told.id, "receipt": told.receipt.to_json()})
    else:
        click.echo(f"{told.id}: kept in the record as entry {told.receipt.seq}")


@windows.command("list")
@COUNTY
@JSON
def list_(county: str, as_json: bool) -> None:
    """The windows set and not called off, in order of their first day."""
    with opened() as (_, database), database.reading(county) as store:
        rows = list_windows(store)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        until = f" to {row['to']}" if row.get("to") else ""
        area = f"area {row['area']}" if row.get("area") else "the area whose turn it is"
        click.echo(f"{row['id']}  from {row['from']}{until}, {area}")
    click.echo(f"{len(rows)} in all")


@windows.command("call-off")
@COUNTY
@click.argument("window")
def call_off(county: str, window: str) -> None:
    """Take a window back; that it was set stays in the record."""
    try:
        with opened() as (config, database), database.transaction(county) as store:
            told = call_off_window(store, _teller(store, county, signer_of(config)), window)
    except RecordNotFound:
        click.echo(f"There is no window {window!r} in this county.", err=True)
        sys.exit(1)
    click.echo(f"{window}: called off, entry {told.receipt.seq}")
