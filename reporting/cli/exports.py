"""What the record gives out again, on the command line: `record`, `summary`, `service-log`, `meters`, `periods`."""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from reporting.api.sheets import csv_bytes
from reporting.cli.common import opened
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json
from reporting.domain.periods import PeriodState
from reporting.exports import meters as meter_export
from reporting.exports import periods as period_export
from reporting.exports import service_log as log_export
from reporting.exports import service_record, year
from reporting.histories import county_program, read_domain
from reporting.intake.words import normalize_license
from reporting.licences import load_licences
from reporting.status import find_systems
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.people import find_credentials
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs

PLACE = (
    click.option("--permit", help="Sanitary permit number."),
    click.option("--parcel", help="Tax parcel number."),
    click.option("--address", help="Address as in the inventory."),
)
CSV = click.option("--csv", "as_csv", is_flag=True, help="Print a CSV file.")


def _placed(command: Any) -> Any:
    for option in reversed(PLACE):
        command = option(command)
    return command


def _today(county: str) -> dt.date:
    return local_date(moment(), shipped_program(county).timezone)


def _one_system(store: Store, permit: str | None, parcel: str | None, address: str | None) -> StoredHistory:
    """The one system that is meant; else wrong usage."""
    if not (permit or parcel or address):
        raise click.UsageError("say which system: --permit, --parcel or --address")
    found = find_systems(store, permit=permit, parcel=parcel, address=address)
    if len(found) != 1:
        many = f"{len(found)} systems have this: give the permit number of the one that is meant"
        raise click.UsageError(many if found else "no system of this county has this")
    return load_history(store, found)[found[0]]


def _print_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    sys.stdout.buffer.write(csv_bytes(columns, rows))
    sys.stdout.buffer.flush()


@click.command()
@COUNTY
@_placed
@click.option("--from", "first", callback=day_option, help="The first day (default: all before).")
@click.option("--to", "last", callback=day_option, help="The last day (default: all after).")
@click.option("--pdf", "pdf", type=click.Path(dir_okay=False, path_type=Path), help="Write a PDF to this file.")
@CSV
@JSON
def record(
    county: str,
    permit: str | None,
    parcel: str | None,
    address: str | None,
    first: dt.date | None,
    last: dt.date | None,
    pdf: Path | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """The permanent service record of a system (SPS 383.255(3)): every service, corrections included."""
    today = _today(county)
    with opened() as (_, database), database.reading(county) as store:
        program = county_program(store, county, on=today)
        found = service_record.service_record(_one_system(store, permit, parcel, address), program, first, last)
    if pdf is not None:
        from notifications.records_pdf import record_pdf

        pdf.write_bytes(record_pdf(found, program, today))
        click.echo(f"{len(found['services'])} services written to {pdf}", err=True)
    if as_json:
        print_json(found)
    elif as_csv:
        _print_csv(service_record.COLUMNS, found["services"])
    elif pdf is None:
        for row in found["services"]:
            gallons = f"{row['gallons_pumped']:,} gallons" if row["gallons_pumped"] else ""
            tank = (row["component"] or "").replace("_", " ")
            kind = row["event_type"].replace("_", " ")
            click.echo(f"{row['service_date']}  {kind:<24} {tank:<14} {gallons:<16} {row['source']}")
        click.echo(f"{len(found['services'])} services on record")


@click.command()
@COUNTY
@click.option("--year", "asked", type=click.IntRange(1900, 2199), help="The calendar year (default: the last one).")
@CSV
@JSON
def summary(county: str, asked: int | None, as_csv: bool, as_json: bool) -> None:
    """The yearly summary of a county's program for the state (SPS 383.255(2)(b)6)."""
    today = _today(county)
    wanted = asked or today.year - 1
    if wanted > today.year:
        raise click.UsageError(f"the year {wanted} has not begun")
    with opened() as (_, database), database.reading(county) as store:
        found = year.yearly_summary(store, county_program(store, county, on=today), wanted, today)
    if as_json:
        print_json(found)
    elif as_csv:
        _print_csv(year.COLUMNS, year.summary_rows(found))
    else:
        click.echo(f"{found['governmental_unit']}, {wanted} (through {found['through']}; {found['cite']})")
        for row in year.summary_rows(found):
            gallons = f"{row['gallons']:,} gallons" if row.get("gallons") else ""
            click.echo(
                f"{row['section']:<14} {row['item']:<24} {row.get('detail') or '':<16} {row['count']:>8} {gallons}"
            )


@click.command("service-log")
@click.option("--license", "number", required=True, help="A licence number of the business, in any spelling.")
@click.option("--from", "first", callback=day_option, help="The first day (default: five years ago).")
@click.option("--to", "last", callback=day_option, help="The last day (default: today).")
@JSON
def service_log(number: str, first: dt.date | None, last: dt.date | None, as_json: bool) -> None:
    """A hauler's service log over all counties, in the form of NR 113.11(3)(c), as CSV."""
    rows: list[dict[str, Any]] = []
    with opened() as (_, database):
        with database.reading(None) as store:
            held = find_credentials(store, [normalize_license(number)]).get(normalize_license(number), [])
        if not held:
            raise click.UsageError(f"no licence {number!r} is on file: `pumper contractors import` brings them in")
        for county in shipped_slugs():
            today = _today(county)
            start = first or log_export.years_before(today, log_export.YEARS_KEPT)
            with database.reading(county) as store:
                for business in sorted({str(row["contractor_id"]) for row in held}):
                    rows += log_export.service_log(store, shipped_program(county), business, start, last or today)
    rows.sort(key=lambda row: (row["service_date"], row["county"], row["report_id"]))
    if as_json:
        print_json(rows)
    else:
        _print_csv(log_export.COLUMNS, rows)


@click.command()
@COUNTY
@_placed
@click.option("--as-of", "as_of", callback=day_option, help="The day judged (default: today).")
@CSV
@JSON
def meters(
    county: str,
    permit: str | None,
    parcel: str | None,
    address: str | None,
    as_of: dt.date | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Water meters of a system's holding tanks: interval, metered, pumped, ratio, finding; the forecast."""
    day = as_of or _today(county)
    with opened() as (_, database), database.reading(county) as store:
        stored = _one_system(store, permit, parcel, address)
        program = county_program(store, county, on=day)
        licences = load_licences(store, program, [stored])
        tanks = meter_export.meter_tables(*read_domain(stored, licences, as_of=day), program, day)
    if as_json:
        print_json({"county": county, "system": stored.system_id, "tanks": tanks})
    elif as_csv:
        _print_csv(meter_export.COLUMNS, (row for tank in tanks for row in tank["intervals"]))
    else:
        for tank in tanks:
            _show_tank(tank)
        if not tanks:
            click.echo("This system has no holding tank in use.")


def _show_tank(tank: Mapping[str, Any]) -> None:
    name = f"Holding tank {tank['component_ref'] or ''}".rstrip()
    click.echo(f"{name}, {tank['capacity_gallons'] or 'unknown'} gallons")
    click.echo(f"  {'from':<12}{'to':<12}{'metered':>9}{'pumped':>9}{'ratio':>7}  finding")
    for row in tank["intervals"]:
        metered = "-" if row["metered_gallons"] is None else f"{row['metered_gallons']:,.0f}"
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        said = row["finding"] or (row["because"] if row["metered_gallons"] is None else "")
        click.echo(f"  {row['from']:<12}{row['to']:<12}{metered:>9}{row['pumped_gallons']:>9,}{ratio:>7}  {said or ''}")
    ahead = tank["forecast"]
    if ahead["full_on"]:
        between = f" (between {ahead['earliest_on']} and {ahead['latest_on'] or 'later than can be told'})"
        click.echo(f"  service level on {ahead['full_on']}{between} at {ahead['gallons_per_day']} gallons a day")


@click.command()
@COUNTY
@click.option("--period", "name", help="Such as 2026 or 2026-H1 (default: the last of last year).")
@click.option("--state", "states", multiple=True, type=click.Choice([s.value for s in PeriodState]), help="Only these.")
@CSV
@JSON
def periods(county: str, name: str | None, states: tuple[str, ...], as_csv: bool, as_json: bool) -> None:
    """Who reported for a half-year or a year, and who did not."""
    today = _today(county)
    if name is not None and not re.fullmatch(period_export.PERIOD, name):
        raise click.UsageError("give a year, or a half of one: --period 2026 or --period 2026-H1")
    with opened() as (_, database), database.reading(county) as store:
        program = county_program(store, county, on=today)
        known = period_export.periods_asked(program, int(name[:4]) if name else today.year - 1)
        if not known or (name is not None and name not in known):
            raise click.UsageError(f"this county asks for no such report; there are: {', '.join(known) or 'none'}")
        asked = name or known[-1]
        rows = list(period_export.all_periods(store, program, asked, today, states))
    if as_json:
        print_json({"county": county, "period": asked, "periods": rows})
    elif as_csv:
        _print_csv(period_export.COLUMNS, rows)
    else:
        for row in rows:
            place = f"{row['permit_number'] or row['parcel_number'] or '-'}, {row['site_address'] or '-'}"
            click.echo(f"{row['state']:<12} {row['services']:>3} services  {place}  [{row['rule']}, {row['cite']}]")
        click.echo(f"{asked}: {len(rows)} tanks")
