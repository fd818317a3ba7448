"""What commands share that tell a county something: a teller, options, and what was kept or why nothing was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.words import day_option, moment, print_json
from reporting.errors import RecordNotFound
from reporting.histories import county_program
from reporting.owners import NotTold, Teller, Told
from reporting.store.engine import Store
from schemas.calendar import local_date
from schemas.loader import shipped_program

Tell = Callable[[Store, Teller, Mapping[str, object]], Told | NotTold]
PERMIT = click.option("--permit", "permit_number", help="The permit number of the system.")


def day_text(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A day as a text, YYYY-MM-DD."""
    found = day_option(context, parameter, value)
    return found.isoformat() if found else None


def tell(county: str, how: Tell, values: Mapping[str, Any], as_json: bool) -> Told:
    """Keep what the options say, and print what was kept; what is wrong with them is wrong usage."""
    now = moment()
    given = {name: value for name, value in values.items() if value not in (None, "")}
    with opened() as (config, database), database.transaction(county) as store:
        program = county_program(store, county, on=local_date(now, shipped_program(county).timezone))
        teller = Teller(program=program, by="command line", now=now, signer=signer_of(config))
        try:
            told = how(store, teller, given)
        except RecordNotFound:
            raise click.UsageError("There is nothing of this id in this county.") from None
    if isinstance(told, NotTold):
        raise click.UsageError(" ".join(issue.message for issue in told.issues))
    if as_json:
        print_json({"id": told.id, "receipt": told.receipt.to_json(), **told.more})
    else:
        click.echo(f"{told.id}: kept in the record as entry {told.receipt.seq}")
    return told
