"""`pumper webhooks`: programs of a county or a business that are told, over HTTPS, of what happens."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from notifications.webhooks import (
    HookOrder,
    HookRefused,
    IssuedHook,
    add_hook,
    enable_hook,
    queue_test,
    remove_hook,
    rotate_secret,
)
from notifications.webhooks_addresses import read_allowed
from notifications.webhooks_delivery import HookCounts, forget_old_deliveries, send_hooks, send_one
from notifications.webhooks_door import Door
from notifications.webhooks_kinds import KINDS
from notifications.webhooks_queue import queue_hooks
from notifications.worker import Turn
from reporting.access.entries import log_of
from reporting.access.secret import Secret
from reporting.cli.common import opened
from reporting.cli.keys import BY, business_of
from reporting.cli.words import JSON, moment, print_json
from reporting.config import Config
from reporting.store.engine import Database
from reporting.store.webhooks import ACTIVE, get_webhook, list_webhooks
from schemas.loader import shipped_slugs


def door_of(config: Config) -> Door:
    """The door through which this service calls receivers."""
    return Door(allow=read_allowed(config.webhook_allow))


def tell_hooks(config: Config, database: Database, turn: Turn) -> HookCounts:
    """The worker's turn: queue what has happened in every county, and send what is due."""
    for slug in shipped_slugs():
        if turn.stopping():
            break
        queue_hooks(database, slug, turn.now)
    return send_hooks(database, shipped_slugs(), door_of(config), Secret.of(config), moment, stopping=turn.stopping)


def forget_hooks(database: Database, turn: Turn) -> None:
    """The worker's daily turn: drop what is too old from the logs of deliveries."""
    forget_old_deliveries(database, shipped_slugs(), turn.now)


@click.group()
def webhooks() -> None:
    """Programs that are told of what happens, over HTTPS (Standard Webhooks 1.0)."""


@webhooks.command("list")
@JSON
def list_all(as_json: bool) -> None:
    """Every webhook, without its secrets; one that was disabled says why."""
    with opened() as (_, database), database.reading(None) as store:
        rows = list_webhooks(store)
    if as_json:
        print_json([{k: v for k, v in row.items() if k not in ("secret", "former_secret")} for row in rows])
        return
    for row in rows:
        whose = row["county"] or row["contractor_id"]
        kinds = ", ".join(row["kinds"]) or "all kinds"
        state = row["state"] if row["state"] == ACTIVE else f"{row['state']}: {row['ended_because']}"
        failing = f"  {row['failures']} failures: {row['last_error']}" if row["failures"] else ""
        click.echo(f"{row['id']}  {whose:<32} {row['url']}  [{kinds}]  {state}{failing}")


@webhooks.command("add")
@click.argument("url", metavar="URL")
@click.option("--county", help="The county whose program it is.")
@click.option("--license", "license_number", help="A licence of the business whose program it is.")
@click.option("--kind", "kinds", multiple=True, help="A kind of event; several times for several (default: all).")
@click.option("--label", default="", help="The program's name.")
@JSON
def add(
    url: str, county: str | None, license_number: str | None, kinds: tuple[str, ...], label: str, as_json: bool
) -> None:
    """Have a program told, at URL. Its secret is shown this once."""
    if (county is None) == (license_number is None):
        raise click.UsageError("give --county or --license: whose program it is")
    if county is not None and county not in shipped_slugs():
        raise click.UsageError(f"there is no program {county!r}; there are: {', '.join(shipped_slugs())}")
    with opened() as (config, database), database.transaction(log_of(county)) as store:
        business = business_of(store, license_number) if license_number else None
        order = HookOrder(url=url, county=county, contractor_id=business, kinds=kinds, label=label)
        try:
            allow = read_allowed(config.webhook_allow)
            made = add_hook(store, order, Secret.of(config), allow, BY, moment())
        except HookRefused as refused:
            raise click.UsageError(refused.detail) from refused
    _show(made, as_json)


@webhooks.command("remove")
@click.argument("webhook", metavar="ID")
def remove(webhook: str) -> None:
    """End a webhook for good; what waits for it is not sent."""
    with opened() as (_, database):
        row = _found(database, webhook)
        with database.transaction(log_of(row["county"])) as store:
            remove_hook(store, row, BY, moment())
    click.echo(f"Webhook {webhook} is removed.")


@webhooks.command("rotate")
@click.argument("webhook", metavar="ID")
@JSON
def rotate(webhook: str, as_json: bool) -> None:
    """Give a webhook a new secret; the one before signs beside it for seven days."""
    with opened() as (config, database):
        row = _found(database, webhook)
        with database.transaction(log_of(row["county"])) as store:
            made = rotate_secret(store, row, Secret.of(config), BY, moment())
    _show(made, as_json)


@webhooks.command("enable")
@click.argument("webhook", metavar="ID")
def enable(webhook: str) -> None:
    """Call a webhook again after it was disabled."""
    with opened() as (_, database):
        row = _found(database, webhook)
        with database.transaction(log_of(row["county"])) as store:
            enable_hook(store, row, BY, moment())
    click.echo(f"Webhook {webhook} is called again, from now on.")


@webhooks.command("test")
@click.argument("webhook", metavar="ID")
def test(webhook: str) -> None:
    """Send a message that tells nothing, at once, and say what came of it."""
    with opened() as (config, database):
        row = _found(database, webhook)
        county = row["county"] or shipped_slugs()[0]
        with database.transaction(county) as store:
            delivery = queue_test(store, row, moment())
        answer = send_one(database, county, delivery, door_of(config), Secret.of(config), moment)
    if answer is None:
        click.echo("It was not sent: the webhook is disabled, rests after a failure, or is being called.", err=True)
        sys.exit(1)
    if not answer.ok:
        click.echo(f"Not taken: {answer.problem}", err=True)
        sys.exit(1)
    click.echo(f"Taken, with {answer.status}: {delivery}.")


@webhooks.command("kinds")
def kinds() -> None:
    """The kinds of event, and who may have them."""
    for kind in KINDS:
        click.echo(f"{kind.name:<20} {kind.says}{'' if kind.for_business else ' Counties only.'}")


def _found(database: Database, webhook: str) -> Mapping[str, Any]:
    with database.reading(None) as store:
        row = get_webhook(store, webhook)
    if row is None:
        raise click.UsageError(f"there is no webhook {webhook}; `pumper webhooks list` shows them")
    return row


def _show(made: IssuedHook, as_json: bool) -> None:
    if as_json:
        print_json({"id": made.id, "secret": made.secret})
        return
    click.echo(f"{made.secret}\n\nThis is the only time it is shown. The webhook's id: {made.id}")
