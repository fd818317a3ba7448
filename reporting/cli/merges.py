"""`pumper inventory merge` and `unmerge`: two records of one system made one, and brought back."""

from __future__ import annotations

from collections.abc import Callable

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.histories import county_program
from reporting.inventory.merging import Merged, Merger, merge_systems, record_named
from reporting.inventory.unmerging import undo_merge
from reporting.store.engine import Store
from reporting.sweep import assess_now
from schemas.calendar import local_date
from schemas.loader import shipped_program

_BY = "command line"
REASON = click.option("--reason", required=True, help="Why; it is kept in the record.")


@click.command()
@COUNTY
@click.argument("keep", metavar="KEEP")
@click.argument("other", metavar="OTHER")
@REASON
@JSON
def merge(county: str, keep: str, other: str, reason: str, as_json: bool) -> None:
    """Two records of one system: OTHER goes into KEEP, each named by permit number or id. The dates follow."""
    _carry_out(
        county,
        reason,
        as_json,
        lambda store, merger: merge_systems(store, record_named(store, keep), record_named(store, other), merger),
    )


@click.command()
@COUNTY
@click.argument("other", metavar="ID")
@REASON
@JSON
def unmerge(county: str, other: str, reason: str, as_json: bool) -> None:
    """Bring back a record that was merged away, with what had come over from it."""
    _carry_out(county, reason, as_json, lambda store, merger: undo_merge(store, other, merger))


def _carry_out(county: str, reason: str, as_json: bool, change: Callable[[Store, Merger], Merged]) -> None:
    now = moment()
    with opened() as (settings, database), database.transaction(county) as store:
        today = local_date(now, shipped_program(county).timezone)
        done = change(store, Merger(by=_BY, now=now, today=today, reason=reason, signer=signer_of(settings)))
        assess_now(store, county_program(store, county, on=today), [done.kept, done.other], today, now)
    if as_json:
        print_json(done.as_json())
        return
    what = ", ".join(f"{count} {table}s" for table, count in done.moved.items() if count)
    click.echo(f"{len(done.reports)} reports{f', {what}' if what else ''} moved; kept {done.kept}, other {done.other}")
