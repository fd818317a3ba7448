"""`pumper mail`, `pumper bounces`: a county's pauses, its list of addresses that get no mail, mail that came back."""

from __future__ import annotations

import sys
from typing import Final

import click

from notifications.bounces import BounceUnreadable
from notifications.outbox import count_messages, oldest_waiting
from notifications.pauses import PAUSABLE, Hand, find_pause, pause_json, pause_mail, resume_mail
from notifications.returns import ReturnCounts, read_returns
from notifications.suppression import OPTIONAL, Reason, Suppressing, lift_suppression, suppress_address
from reporting.cli.common import opened
from reporting.cli.imports import BY_COMMAND_LINE
from reporting.cli.mail import tenants
from reporting.cli.words import COUNTY, JSON, moment, print_json, read_file
from reporting.errors import RecordNotFound
from reporting.store import mail as controls

_KIND: Final = click.option("--kind", type=click.Choice(PAUSABLE), help="Only this kind (default: all).")
_TO: Final = click.option("--recipient", default="", help="Only this mail address (default: everybody).")
_ADDRESS: Final = click.argument("address")


@click.group()
def mail() -> None:
    """A county's mail: how it stands, pauses, addresses that get none."""


@mail.command()
@COUNTY
@JSON
def status(county: str, as_json: bool) -> None:
    """How many mails are in each state, what is held, and since when the oldest waits."""
    now = moment()
    with opened() as (_, database), database.reading(county) as store:
        counts, held, oldest = count_messages(store), controls.count_held(store), oldest_waiting(store, now)
        pauses = [pause_json(row) for row in controls.list_pauses(store)]
        suppressed = len(controls.list_suppressions(store))
    since = oldest.isoformat() if oldest else None
    if as_json:
        told = {"county": county, "counts": counts, "held": held, "oldest_waiting": since}
        print_json({**told, "pauses": pauses, "suppressed": suppressed})
        return
    click.echo(", ".join(f"{count} {state}" for state, count in counts.items() if count) or "no mail yet")
    for kind, count in held.items():
        click.echo(f"held: {count} {kind.replace('_', ' ')}")
    for pause in pauses:
        click.echo(_pause_line(pause))
    click.echo(f"the oldest that is due waits since {since}" if since else "nothing that is due waits")
    click.echo(f"{suppressed} on the list of addresses: `pumper mail suppressed {county}`")


@mail.command()
@COUNTY
@_KIND
@_TO
@click.option("--reason", required=True, help="Why; it goes into the record.")
def pause(county: str, kind: str | None, recipient: str, reason: str) -> None:
    """Hold all mail of the county, a kind, or what goes to one recipient, until it is resumed."""
    with opened() as (_, database), database.transaction(county) as store:
        made = pause_mail(store, Hand(by=BY_COMMAND_LINE, now=moment()), reason, kind=kind or "", recipient=recipient)
        held = sum(controls.count_held(store).values())
    click.echo(f"paused ({made}); {held} mails are held, and wait until `pumper mail resume {county}`")


@mail.command()
@COUNTY
@_KIND
@_TO
@click.option("--reason", default="", help="Why; it goes into the record.")
def resume(county: str, kind: str | None, recipient: str, reason: str) -> None:
    """End the pause of just this kind and recipient; each mail is judged once more before it goes."""
    with opened() as (_, database), database.transaction(county) as store:
        try:
            found = find_pause(store, kind or "", recipient)
        except RecordNotFound:
            paused = [_pause_line(pause_json(row)) for row in controls.list_pauses(store)]
            raise click.UsageError("; ".join(["No such pause holds now", *paused])) from None
        free = resume_mail(store, Hand(by=BY_COMMAND_LINE, now=moment()), found, reason)
    click.echo(f"resumed ({found}); {free} mails may go")


@mail.command()
@COUNTY
@click.option("--ended", is_flag=True, help="Those that are over, too.")
@JSON
def pauses(county: str, ended: bool, as_json: bool) -> None:
    """The county's pauses."""
    with opened() as (_, database), database.reading(county) as store:
        rows = [pause_json(row) for row in controls.list_pauses(store, ended=ended)]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(_pause_line(row))
    click.echo(f"{len(rows)} in all")


@mail.command()
@COUNTY
@JSON
def suppressed(county: str, as_json: bool) -> None:
    """Addresses that get no mail of the county (bounce, complaint), or no reminders (unsubscribed)."""
    with opened() as (_, database), database.reading(county) as store:
        rows = controls.list_suppressions(store)
    if as_json:
        names = ("address", "reason", "kind", "detail", "message")
        print_json([{**{name: row[name] for name in names}, "since": row["since"].isoformat()} for row in rows])
        return
    for row in rows:
        about = f" from {row['kind'].replace('_', ' ')}" if row["kind"] else ""
        detail = f": {row['detail']}" if row["detail"] else ""
        click.echo(f"{row['address']}  {row['reason']}{about} since {row['since']:%Y-%m-%d %H:%M}{detail}")
    click.echo(f"{len(rows)} in all")


@mail.command()
@COUNTY
@_ADDRESS
@click.option("--reason", required=True, type=click.Choice([str(one) for one in Reason]), help="Why.")
@click.option("--kind", type=click.Choice(sorted(OPTIONAL)), help="Of unsubscribed: only this kind.")
@click.option("--detail", default="", help="What was said, by whom.")
def suppress(county: str, address: str, reason: str, kind: str | None, detail: str) -> None:
    """Put an address on the county's list, as when somebody calls: owners get their notices on paper from then on."""
    one = Suppressing(
        address=address, reason=Reason(reason), by=BY_COMMAND_LINE, now=moment(), detail=detail, kind=kind or ""
    )
    with opened() as (_, database), database.transaction(county) as store:
        new = suppress_address(store, one)
    click.echo(f"{address} is on the list" + ("" if new else ", as it was before"))


@mail.command()
@COUNTY
@_ADDRESS
@click.option("--reason", required=True, help="Why it may get mail again; it goes into the record.")
def unsuppress(county: str, address: str, reason: str) -> None:
    """Take an address from the county's list: it gets mail again."""
    with opened() as (_, database), database.transaction(county) as store:
        try:
            lift_suppression(store, address, BY_COMMAND_LINE, moment(), reason)
        except RecordNotFound:
            raise click.UsageError(f"{address} is not on the list of {county}.") from None
    click.echo(f"{address} gets mail again")


@click.group()
def bounces() -> None:
    """Mail that came back."""


@bounces.command("read")
@click.argument("file", metavar="FILE|-")
@JSON
def read_bounces(file: str, as_json: bool) -> None:
    """Read a mailbox (mbox) or one message; `-`: standard input, as a mail server's pipe gives it.

    What bounced for good is shown as failed and its address gets no more mail; of delays three in a row do the same.
    Each report changes only the message that it names. Reading a file again changes nothing.
    """
    data = read_file(file)
    with opened() as (_, database):
        try:
            found = read_returns(database, tenants(), data, moment())
        except BounceUnreadable as error:
            raise click.UsageError(f"{file}: {error}") from None
    if as_json:
        changed = [vars(one) for one in found.changed]
        refused = [{"number": number, "text": text} for number, text in found.refused]
        print_json({"read": found.read, "counts": dict(found.counts), "changed": changed, "refused": refused})
    else:
        _say(found)
    if found.refused:
        sys.exit(1)


def _say(found: ReturnCounts) -> None:
    for one in found.changed:
        more = ["its address gets no more mail"] * one.suppressed + ["it goes on paper"] * one.on_paper
        click.echo("; ".join([f"{one.county}: {one.message}: {one.text}", *more]))
    for number, text in found.refused:
        click.echo(f"message {number} of the file: {text}")
    counted = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(found.counts.items()))
    click.echo(f"{found.read} read: {counted or 'nothing'}")


def _pause_line(pause: dict[str, object]) -> str:
    what = str(pause["kind"] or "all mail").replace("_", " ")
    to = f" to {pause['recipient']}" if pause["recipient"] else ""
    over = f", ended {pause['ended_at']} by {pause['ended_by']}" if pause["ended_at"] else ""
    return f"{pause['id']}  {what}{to} since {pause['created_at']} by {pause['created_by']}: {pause['reason']}{over}"
