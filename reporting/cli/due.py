"""`pumper status` and `pumper due`: the county's questions."""

from __future__ import annotations

import csv
import datetime as dt
import sys

import click

from reporting.cli.common import opened
from reporting.cli.words import COUNTY, JSON, day_option, instant_option, moment, print_json
from reporting.histories import county_program
from reporting.status import DUE_COLUMNS, StatusAnswer, find_systems, list_due, status_text, system_status
from reporting.store.engine import Store
from reporting.store.log import seq_at
from schemas.calendar import local_date
from schemas.loader import shipped_program


@click.command()
@COUNTY
@click.option("--permit", help="Sanitary permit number.")
@click.option("--parcel", help="Tax parcel number.")
@click.option("--address", help="Address as in the inventory.")
@click.option("--as-of", "as_of", callback=day_option, help="The day judged (default: today).")
@click.option("--known-at", "known_at", callback=instant_option, help="Judge by what had been recorded then.")
@click.option("--all", "show_met", is_flag=True, help="Show obligations that have been met, too.")
@JSON
def status(
    county: str,
    permit: str | None,
    parcel: str | None,
    address: str | None,
    as_of: dt.date | None,
    known_at: dt.datetime | None,
    show_met: bool,
    as_json: bool,
) -> None:
    """How a system stands: what is due, by when, by which section of law, and why."""
    if not (permit or parcel or address):
        raise click.UsageError("say which system: --permit, --parcel or --address")
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        systems = find_systems(store, permit=permit, parcel=parcel, address=address)
        answers = [_status(store, county, s, as_of, known_at, today, show_met) for s in systems]
    if as_json:
        print_json([a.as_json() for a in answers])
    elif not answers:
        click.echo("There is no such system in the county's inventory.", err=True)
    else:
        click.echo("\n".join(status_text(a) for a in answers))
    if not answers:
        sys.exit(1)


def _status(
    store: Store,
    county: str,
    system: str,
    as_of: dt.date | None,
    known_at: dt.datetime | None,
    today: dt.date,
    show_met: bool,
) -> StatusAnswer:
    at_seq = seq_at(store, known_at) if known_at else None
    program = county_program(store, county, on=as_of or today, at_seq=at_seq)
    return system_status(store, program, system, as_of=as_of, known_at=known_at, today=today, show_met=show_met)


@click.command()
@COUNTY
@click.option("--state", "states", multiple=True, help="overdue, due_soon, upcoming, suspended; may be repeated.")
@click.option("--contractor", "licences", multiple=True, help="Licence of the designated contractor.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV file.")
@JSON
def due(county: str, states: tuple[str, ...], licences: tuple[str, ...], as_csv: bool, as_json: bool) -> None:
    """What is due in a county, soonest first, as the last scan left it."""
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        rows = list(list_due(store, today=today, contractor=licences, state=states or ("due_soon", "overdue")))
    if as_json:
        print_json(rows)
    elif as_csv:
        out = csv.DictWriter(sys.stdout, DUE_COLUMNS, lineterminator="\r\n")
        out.writeheader()
        out.writerows(rows)
    else:
        for row in rows:
            place = f"{row['permit_number'] or row['parcel_number']}, {row['site_address']}"
            late = f"{row['days_late']} days late" if row["days_late"] else str(row["state"]).replace("_", " ")
            click.echo(f"{row['last_day']}  {late:<16} {row['kind']:<16} {place}  [{row['rule']}, {row['cite']}]")
        click.echo(f"{len(rows)} in all")
