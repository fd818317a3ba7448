"""`pumper submission undo` and `pumper headings`: taking back a whole file, and what a business's own headings mean."""

from __future__ import annotations

import sys

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.imports import BY_COMMAND_LINE, SMALL_FILE
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.histories import county_program
from reporting.intake.credentials import Sender
from reporting.intake.learned import headings_of, learn_headings
from reporting.intake.undo import undo
from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.people import find_credentials
from reporting.sweep import assess_now
from schemas.calendar import local_date


@click.group()
def submission() -> None:
    """Files of reports that were sent."""


@submission.command("undo")
@COUNTY
@click.argument("submission_id", metavar="ID")
@click.option("--reason", required=True, help="Why; it is kept in the record.")
@JSON
def undo_submission(county: str, submission_id: str, reason: str, as_json: bool) -> None:
    """Take back every report of a submission that stands; the file can then be sent anew."""
    with opened() as (settings, database):
        now = moment()
        with database.transaction(county) as store:
            undone = undo(store, Sender(name=BY_COMMAND_LINE), submission_id, reason, now, signer_of(settings))
            if len(undone.systems) <= SMALL_FILE:
                program = county_program(store, county, on=now.date())
                assess_now(store, program, undone.systems, local_date(now, program.timezone), now)
    if as_json:
        print_json({"county": county, **undone.as_json()})
        return
    click.echo(f"{undone.voided} reports of {len(undone.systems)} systems taken back")
    if undone.repeats:
        click.echo(f"  {undone.repeats} rows of other files were answered as duplicates of them: send those again")


@click.group()
def headings() -> None:
    """What the headings of a business's own files mean."""


LICENSE = click.option("--license", "number", required=True, help="A licence number of the business.")


@headings.command("set")
@COUNTY
@LICENSE
@click.argument("pairs", metavar="HEADING=FIELD…", nargs=-1, required=True)
def set_headings(county: str, number: str, pairs: tuple[str, ...]) -> None:
    """Teach what headings mean, such as "Amt=gallons_pumped"; "Truck=" is a column that means no field."""
    told: dict[str, str | None] = {}
    for pair in pairs:
        heading, equals, name = pair.rpartition("=")
        if not equals or not heading.strip():
            raise click.UsageError(f"{pair!r}: write HEADING=FIELD")
        told[heading] = name.strip() or None
    with opened() as (_, database), database.transaction(county) as store:
        business = _business(store, number)
        issues = learn_headings(store, business, told, BY_COMMAND_LINE, moment())
        kept = headings_of(store, business)
    for issue in issues:
        click.echo(f"{issue.field or 'headings'}: {issue.message}", err=True)
    if issues:
        sys.exit(2)
    click.echo(f"{len(told)} headings taught; the business has {len(kept)}")


@headings.command("list")
@COUNTY
@LICENSE
@JSON
def list_headings(county: str, number: str, as_json: bool) -> None:
    """What a business's headings mean in a county."""
    with opened() as (_, database), database.reading(county) as store:
        business = _business(store, number)
        kept = headings_of(store, business)
    if as_json:
        print_json({"county": county, "contractor_id": business, "headings": kept})
        return
    for heading, name in kept.items():
        click.echo(f"{heading} = {name or '(no field)'}")


def _business(store: Store, number: str) -> str:
    """The business that holds a licence; wrong usage when it is not on file, or two hold it."""
    found = {r["contractor_id"] for rows in find_credentials(store, [normalize_license(number)]).values() for r in rows}
    if len(found) != 1:
        said = "is not in the list of contractors" if not found else "is held by two businesses"
        raise click.UsageError(f"the licence {number!r} {said}")
    return str(found.pop())
