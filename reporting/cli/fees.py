"""`pumper fees`: what a county charges, what was paid, the roll of a year."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from reporting.api.sheets import csv_bytes
from reporting.cli.common import opened, signer_of
from reporting.cli.words import COUNTY, JSON, moment, print_json, read_file
from reporting.domain.ledger import dollars
from reporting.errors import RecordNotFound
from reporting.fees.bills import (
    BILL_COLUMNS,
    FEE_COLUMNS,
    all_bills,
    bills_xlsx,
    charge_pages,
    in_dollars,
    statement,
)
from reporting.fees.charging import Charged, charge_by_staff
from reporting.fees.paying import Paid, pay, refund, waive
from reporting.fees.payment_files import pay_file
from reporting.fees.rolls import run_roll
from reporting.histories import county_program
from reporting.intake.sheet import FileRefused, Limits
from reporting.owners import NotTold, Teller, Values
from reporting.status import find_systems
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.store.fees import ChargeFilter, totals
from schemas.calendar import local_date
from schemas.loader import shipped_program

_YEAR = click.argument("year", type=click.IntRange(1900, 2199))
_PERMIT = click.option("--permit", help="The system's permit number.")
_PARCEL = click.option("--parcel", help="The system's parcel number.")
_AMOUNT = click.option("--amount", help="In dollars and cents: 40.00.")
_ON = click.option("--on", help="The day (YYYY-MM-DD); by default today.")


@click.group()
def fees() -> None:
    """Fees: charged, paid, waived; the roll of a year and the tax bill."""


@contextmanager
def _telling(county: str) -> Iterator[tuple[Store, Teller]]:
    """A transaction of the county's in which the command line tells something."""
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    with opened() as (config, database), database.transaction(county) as store:
        program = county_program(store, county, on=today)
        yield store, Teller(program=program, by="command line", now=now, signer=signer_of(config))


@fees.command("roll")
@COUNTY
@_YEAR
@click.option("--dry-run", is_flag=True, help="Say what would be charged and keep nothing.")
@JSON
def roll_(county: str, year: int, dry_run: bool, as_json: bool) -> None:
    """Charge every system the fee of YEAR, once; say which are free and why. Again it adds nothing."""
    with _telling(county) as (store, teller):
        roll = run_roll(store, teller, year, dry_run=dry_run)
    if isinstance(roll, NotTold):
        raise click.UsageError(roll.issues[0].message)
    sums = roll.totals()
    if as_json:
        print_json({"county": county, "year": year, "dry_run": dry_run, "totals": sums,
                    "lines": [line.as_json() for line in roll.lines]})  # fmt: skip
        return
    verb = "would be charged" if dry_run else "charged"
    click.echo(f"{sums['charged']} {verb}: ${dollars(sums['charged_cents'])}")
    click.echo(f"{sums['already_charged']} charged before: ${dollars(sums['already_charged_cents'])}")
    for reason, count in sums["free_because"].items():
        click.echo(f"{count} free: {reason}")
    click.echo(f"{sums['systems']} systems in all")


@fees.command("bill")
@COUNTY
@_YEAR
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="A .csv or .xlsx file.")
def bill(county: str, year: int, out: Path) -> None:
    """Write the roll of YEAR for the tax bill: parcel, owner, legal description, charged, paid, left, section."""
    if out.suffix not in (".csv", ".xlsx"):
        raise click.UsageError("Name the file with .csv or .xlsx at its end.")
    with opened() as (_, database), database.reading(county) as store:
        today = local_date(moment(), shipped_program(county).timezone)
        rows = list(all_bills(store, county_program(store, county, on=today), year, today))
    title = f"fee-roll-{county}-{year}"
    data = bills_xlsx(title, rows) if out.suffix == ".xlsx" else csv_bytes(BILL_COLUMNS, in_dollars(rows))
    out.write_bytes(data)
    click.echo(f"{out}: {len(rows)} lines, ${dollars(sum(row['left'] or 0 for row in rows))} left to pay")


@fees.command("list")
@COUNTY
@click.option("--year", type=click.IntRange(1900, 2199), help="Only the charges of this year.")
@click.option("--unpaid", is_flag=True, help="Only those of which something is left to pay.")
@click.option("--csv", "as_csv", is_flag=True, help="As a CSV file on standard output.")
@JSON
def list_(county: str, year: int | None, unpaid: bool, as_csv: bool, as_json: bool) -> None:
    """The charges with what was paid and is left of each."""
    with opened() as (_, database), database.reading(county) as store:
        rows = list(charge_pages(store, ChargeFilter(year=year, unpaid=unpaid or None)))
        sums = totals(store, year)
    if as_csv:
        sys.stdout.buffer.write(csv_bytes(FEE_COLUMNS, in_dollars(rows)))
    elif as_json:
        print_json({"county": county, "fees": rows, "totals": sums})
    else:
        for row in rows:
            place = row["permit_number"] or row["parcel_number"] or row["system"]
            left = f"${dollars(row['left'])} left of ${dollars(row['charged'])}"
            click.echo(f"{row['charge']}  {place}  {row['what']} {row['period']}: {left}  {row['cite'] or ''}".rstrip())
        click.echo(f"{sums['charges']} charges, ${dollars(sums['left'])} left to pay")


@fees.command("statement")
@COUNTY
@_PERMIT
@_PARCEL
@JSON
def statement_(county: str, permit: str | None, parcel: str | None, as_json: bool) -> None:
    """A system's account: each entry in order of its day, and what is left."""
    with opened() as (_, database), database.reading(county) as store:
        found = find_systems(store, permit=permit, parcel=parcel) if permit or parcel else []
        if len(found) != 1:
            raise click.UsageError(f"{len(found)} systems have this: give the permit or parcel number of one.")
        told = statement(load_history(store, found)[found[0]])
    if as_json:
        print_json({"county": county, **told})
        return
    for entry in told["entries"]:
        click.echo(f"{entry['on']}  {entry['kind']:<8} ${dollars(entry['cents']):>9}  {entry['charge']}")
    click.echo(f"left to pay: ${dollars(told['total']['left'])}")


@fees.command("charge")
@COUNTY
@_PERMIT
@_PARCEL
@click.option("--rule", help="The rule whose fee it is.")
@click.option("--what", help="What else it is for, such as a permit.")
@click.option("--cause", help="Which one: its number or its day.")
@click.option("--cents", help="The amount in cents, where no rule sets it.")
@_ON
@click.option("--after-the-fact", is_flag=True, help="A permit asked for after the work was done.")
@JSON
def charge_(county: str, as_json: bool, after_the_fact: bool, **given: str | None) -> None:
    """Charge a fee, once for each system, fee and cause."""
    values: dict[str, object] = {**_values(given), **({"after_the_fact": True} if after_the_fact else {})}
    with _telling(county) as (store, teller):
        made = charge_by_staff(store, teller, values)
    if isinstance(made, NotTold):
        raise click.UsageError(" ".join(issue.message for issue in made.issues))
    if as_json:
        print_json({"id": made.id, "system": made.system, "cents": made.cents, "new": made.is_new})
    else:
        click.echo(f"{made.id}: ${dollars(made.cents)} {_when(made)}")


@fees.command("pay")
@COUNTY
@_PERMIT
@_PARCEL
@click.option("--charge", help="The charge's id; or a permit or parcel with --fee.")
@click.option("--fee", help="The fee by a name (annual) or its rule.")
@click.option("--year", help="The year of a yearly fee.")
@_AMOUNT
@click.option("--reference", help="The number of the receipt or check.")
@_ON
@click.option("--file", "path", help="A CSV, XLSX or JSON file of payments in place of one (- is standard input).")
@JSON
def pay_(county: str, path: str | None, as_json: bool, **given: str | None) -> None:
    """Enter a payment, or a file of them. The same reference for the same charge again is a duplicate."""
    values = _values(given)
    if path is None:
        _entered(county, as_json, lambda store, teller: pay(store, teller, values))
        return
    if values:
        raise click.UsageError("Give a file, or one payment, and not both.")
    data = read_file(path)
    try:
        with _telling(county) as (store, teller):
            answer = pay_file(store, teller, data, file_name=path, content_type=None, limits=Limits())
    except FileRefused as refusal:
        raise click.UsageError(refusal.detail) from refusal
    told = answer.as_json()
    if as_json:
        print_json(told)
    else:
        for issue in answer.errors:
            click.echo(f"row {issue.row}: {issue.field or ''}: {issue.message}")
        click.echo(f"{told['accepted']} taken (${told['dollars']}), {told['duplicates']} duplicates, "
                   f"{told['rejected']} rejected")  # fmt: skip
    if told["rejected"]:
        sys.exit(1)


def _relief(name: str, how: Callable[[Store, Teller, str, Values], Paid | NotTold], tells: str) -> None:
    """A command that lets money go: both take the same options."""

    @fees.command(name, help=tells)
    @COUNTY
    @click.argument("charge")
    @_AMOUNT
    @click.option("--reason", required=True, help="Why.")
    @click.option("--authority", required=True, help="Who decided it, by what.")
    @_ON
    @JSON
    def command(county: str, charge: str, as_json: bool, **given: str | None) -> None:
        values = _values(given)
        _entered(county, as_json, lambda store, teller: how(store, teller, charge, values))


_relief("waive", waive, "Let what is left of a charge go, or part of it.")
_relief("refund", refund, "Give back what was paid of a charge, or part of it; also a payment entered by mistake.")


def _entered(county: str, as_json: bool, enter: Callable[[Store, Teller], Paid | NotTold]) -> None:
    """Enter one payment, waiver or refund, and say how its charge stands."""
    try:
        with _telling(county) as (store, teller):
            done = enter(store, teller)
    except RecordNotFound:
        click.echo("There is no such charge in this county.", err=True)
        sys.exit(1)
    if isinstance(done, NotTold):
        raise click.UsageError(" ".join(issue.message for issue in done.issues))
    if as_json:
        left = done.account.left
        print_json({"id": done.id, "charge": done.charge, "duplicate": done.duplicate, "left": left})
    else:
        said = "entered before; nothing was added" if done.duplicate else "kept"
        click.echo(f"{done.id}: {said}; ${dollars(done.account.left)} left to pay of {done.charge}")


def _values(given: dict[str, str | None]) -> dict[str, object]:
    names = {"permit": "permit_number", "parcel": "parcel_number"}
    return {names.get(name, name): value for name, value in given.items() if value is not None}


def _when(made: Charged) -> str:
    due = f", due {made.due_on}" if made.due_on else ""
    return f"charged{due}" if made.is_new else f"was charged before{due}"
