"""`pumper retention`: how long records are kept, what is held, and destroying what is past its time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.imports import BY_COMMAND_LINE
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json
from reporting.errors import RecordNotFound
from reporting.inventory.merging import record_named
from reporting.retention import (
    HOLD_KINDS,
    SERIES,
    HoldOrder,
    Keeper,
    Plan,
    Schedule,
    adopt,
    destroy_records,
    holds,
    place_hold,
    plan_destruction,
    schedules,
)
from reporting.retention import release as release_hold
from reporting.store.engine import Database, Store
from schemas.loader import shipped_program


@click.group()
def retention() -> None:
    """How long a county's records are kept. Without a schedule nothing is ever destroyed."""


@contextmanager
def _writing(county: str, *, as_owner: bool = False) -> Iterator[tuple[Store, Keeper]]:
    with opened() as (settings, database):
        own = Database.connect(settings.migration_database_url) if as_owner else database
        keeper = Keeper(
            by=BY_COMMAND_LINE,
            now=moment(),
            time_zone=shipped_program(county).timezone,
            signer=signer_of(settings),
        )
        try:
            with own.transaction(county) as store:
                yield store, keeper
        finally:
            if as_owner:
                own.dispose()


@retention.command("list")
@COUNTY
@JSON
def list_all(county: str, as_json: bool) -> None:
    """Schedules and holds in force."""
    with opened() as (_, database), database.reading(county) as store:
        found, held = schedules(store), holds(store)
    if as_json:
        print_json({"schedules": [s.as_json() for s in found.values()], "holds": [_shown(one) for one in held]})
        return
    for series, types in SERIES.items():
        schedule = found.get(series)
        said = f"{schedule.years} years, {schedule.authority}" if schedule else "no schedule: kept for good"
        click.echo(f"{series:<16} {said}  ({', '.join(types)})")
    for one in held:
        of = ", ".join(one.systems) or "everything"
        click.echo(f"{one.id:<16} {one.kind}, since {one.since}, of {of}: {one.reason}")


@retention.command("schedule")
@COUNTY
@click.option("--series", type=click.Choice(list(SERIES)), required=True, help="The record series.")
@click.option("--years", type=int, required=True, help="How many years a record is kept.")
@click.option("--authority", required=True, help="The ordinance or adopted schedule, with its number.")
@click.option("--approval", default="", help="The public records board's approval of less than 7 years.")
@click.option("--notice-waived", default="", help="Where the historical society said that no notice is needed.")
@JSON
def schedule_(
    county: str, series: str, years: int, authority: str, approval: str, notice_waived: str, as_json: bool
) -> None:
    """Put a schedule in force, as the county has adopted it (Wis. Stat. § 19.21(5)(c))."""
    told = Schedule(series=series, years=years, authority=authority, approval=approval, notice_waived=notice_waived)
    with _writing(county) as (store, keeper):
        receipt = adopt(store, keeper, told)
    if as_json:
        print_json({**told.as_json(), "receipt": receipt.to_json()})
    else:
        click.echo(f"{series}: {years} years from now on (entry {receipt.seq})")


@retention.command("hold")
@COUNTY
@click.option("--kind", type=click.Choice(list(HOLD_KINDS)), required=True, help="Why: request, action or audit.")
@click.option("--reason", required=True, help="Which one; it is kept in the record.")
@click.option("--system", "systems", multiple=True, help="A system's id or permit number; without one, everything.")
@JSON
def hold_(county: str, kind: str, reason: str, systems: tuple[str, ...], as_json: bool) -> None:
    """Hold records from destruction (Wis. Stat. § 19.35(5)) until the hold is released."""
    with _writing(county) as (store, keeper):
        try:
            named = [record_named(store, name) for name in systems]
        except RecordNotFound as error:
            raise click.UsageError("a system is not in the inventory; nothing was held") from error
        order = place_hold(store, keeper, kind, reason, named)
    if as_json:
        print_json(_shown(order))
    else:
        click.echo(f"{order.id}: {', '.join(order.systems) or 'everything'} is held")


@retention.command("release")
@COUNTY
@click.argument("hold_id", metavar="HOLD")
@click.option("--reason", required=True, help="Why it ends; it is kept in the record.")
@JSON
def release(county: str, hold_id: str, reason: str, as_json: bool) -> None:
    """End a hold."""
    with _writing(county) as (store, keeper):
        try:
            receipt = release_hold(store, keeper, hold_id, reason)
        except RecordNotFound as error:
            raise click.UsageError(f"no hold {hold_id} is in force: see pumper retention list {county}") from error
    if as_json:
        print_json({"id": hold_id, "receipt": receipt.to_json()})
    else:
        click.echo(f"{hold_id} is released (entry {receipt.seq})")


@retention.command("destroy")
@COUNTY
@click.option("--schedule", "series", type=click.Choice(list(SERIES)), required=True, help="Of which series.")
@click.option("--notice-date", callback=day_option, help="Day of the written notice to the historical society.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@JSON
def destroy(county: str, series: str, notice_date: dt.date | None, dry_run: bool, as_json: bool) -> None:
    """Destroy what is past its time, out of use and under no hold. What is gone is gone: try --dry-run first.

    The record keeps an entry that says what went, under which schedule and after which notice, and still verifies.
    On PostgreSQL it works as the role that owns the tables (MIGRATION_DATABASE_URL).
    """
    seq = None
    if dry_run:
        with _writing(county) as (store, keeper):
            plan = plan_destruction(store, keeper, series)
    else:
        with _writing(county, as_owner=True) as (store, keeper):
            done = destroy_records(store, keeper, series, notice_date)
        plan, seq = done.plan, done.receipt.seq
    if as_json:
        print_json({**_planned(plan), "destroyed": not dry_run, "entry": seq})
        return
    verb = "would be" if dry_run else "are"
    click.echo(f"{len(plan.entries)} entries recorded before {plan.before} {verb} destroyed: {plan.schedule.authority}")
    if dry_run:
        for one in plan.entries:
            click.echo(f"  {one.seq}  {one.recorded_at:%Y-%m-%d}  {one.type}  {one.content.get('id') or ''}")
    for why, count in plan.kept.items():
        click.echo(f"{count} past their time stay: {why}")


def _planned(plan: Plan) -> dict[str, Any]:
    entries = [{"seq": e.seq, "type": e.type, "recorded_at": e.recorded_at.isoformat()} for e in plan.entries]
    return {"schedule": plan.schedule.as_json(), "before": plan.before, "entries": entries, "kept": dict(plan.kept)}


def _shown(one: HoldOrder) -> dict[str, Any]:
    return {"id": one.id, "kind": one.kind, "reason": one.reason, "systems": list(one.systems), "since": one.since}
