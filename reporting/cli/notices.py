"""`pumper notices`: what each kind says, and which were made, sent or not sent."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import click

from notifications.attachments import attachments_of
from notifications.kinds import KINDS, basis_of
from notifications.outbox import MessageState, find_message, list_messages
from notifications.records import Channel, Notice, NoticeKind
from notifications.render import render
from notifications.samples import NoSample, sample_notices
from reporting.cli.common import opened
from reporting.cli.words import COUNTY, JSON, county_argument, day_option, moment, print_json
from reporting.config import read
from reporting.status import find_systems
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs
from schemas.program import Program


def _known_county(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    return value if value is None else county_argument(context, parameter, value)


_KIND: Final = click.Choice([str(kind) for kind in NoticeKind])
_COUNTY: Final = click.option("--county", callback=_known_county, help="Whose rules and office.")
_AS_HTML: Final = click.option("--html/--text", "as_html", default=False, help="The HTML, or the plain text (default).")


@click.group()
def notices() -> None:
    """What people are told: each kind as it reads, and the notices made so far."""


@notices.command()
@_COUNTY
@JSON
def kinds(county: str | None, as_json: bool) -> None:
    """Every kind of notice: who gets it, whether it is one of law, and what asks for it (in a county)."""
    programs = [shipped_program(slug) for slug in ([county] if county else shipped_slugs())]
    rows = [{"kind": str(kind), **_kind_json(kind, programs)} for kind in NoticeKind]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        law = "of law" if row["legal"] else "optional"
        post = ", by post too" if row["letter"] else ""
        click.echo(f"{row['kind']:<20} {law:<9} to {', '.join(row['audience'])}{post}: {row['title']}")
        for slug, basis in row["basis"].items():
            click.echo(f"{'':<31}{slug}: {basis or 'no such rule'}")


def _kind_json(kind: NoticeKind, programs: Sequence[Program]) -> dict[str, Any]:
    one = KINDS[kind]
    told = {"title": one.title, "audience": list(one.audience), "legal": one.legal, "letter": one.letter}
    days = {program.slug: local_date(moment(), program.timezone) for program in programs}
    return {**told, "basis": {program.slug: basis_of(kind, program, days[program.slug]) for program in programs}}


@notices.command()
@click.argument("kind", type=_KIND)
@_COUNTY
@click.option("--as-of", "as_of", callback=day_option, help="The day on which it is written (default: today).")
@click.option("--files", "with_files", is_flag=True, help="Print the attached files, too.")
@_AS_HTML
def preview(kind: str, county: str | None, as_of: dt.date | None, with_files: bool, as_html: bool) -> None:
    """How a kind of notice reads, from invented facts, one for each audience.

    Without a county, by the rules of the first one that has such a rule.
    """
    config, problems = read(), []
    for slug in [county] if county else shipped_slugs():
        program = shipped_program(slug)
        today = as_of or local_date(moment(), program.timezone)
        try:
            found = sample_notices(NoticeKind(kind), program, today, config.base_url, config.map_url)
        except NoSample as error:
            problems.append(str(error))
            continue
        for notice in found:
            _show_sample(notice, today, as_html=as_html, with_files=with_files)
        return
    raise click.UsageError(" ".join(problems))


def _show_sample(notice: Notice, today: dt.date, *, as_html: bool, with_files: bool) -> None:
    written = render(notice.kind, notice.context, today)
    if as_html:
        click.echo(written.html)
    else:
        recipient = notice.recipient.replace("\n", ", ")
        click.echo(f"By {notice.channel} to: {recipient}\nSubject: {written.subject}\n\n{written.text}")
    for one in attachments_of(notice.kind, notice.context) if with_files else ():
        click.echo(f"--- {one.name} ({one.media})\n{one.data.decode('utf-8-sig')}")


@notices.command("list")
@COUNTY
@click.option("--state", "states", multiple=True, help="queued, sent, failed, uncertain, …; may be repeated.")
@click.option("--kind", "kinds", multiple=True, type=_KIND, help="Only this kind; may be repeated.")
@click.option("--channel", type=click.Choice([str(one) for one in Channel]), help="Mails or letters.")
@click.option("--permit", help="Only of the system with this permit (digests, of many systems, are left out).")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="The newest so many.")
@JSON
def list_notices(
    county: str,
    states: tuple[str, ...],
    kinds: tuple[str, ...],
    channel: str | None,
    permit: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """The county's notices, newest first: to whom, when, and what came of each."""
    wanted = states or [str(state) for state in MessageState]
    narrowed: dict[str, Any] = {"kinds": kinds, "channel": Channel(channel) if channel else None}
    with opened() as (_, database), database.reading(county) as store:
        systems: Sequence[str | None] = find_systems(store, permit=permit) if permit else [None]
        rows = [row for system in systems for row in list_messages(store, wanted, limit, system=system, **narrowed)]
    if as_json:
        print_json([_row_json(row) for row in rows])
        return
    for row in rows:
        recipient = row["recipient"].replace("\n", ", ")
        trouble = f" ({row['last_error']})" if row["last_error"] else ""
        click.echo(
            f"{row['id']}  {_when(row)}  {row['state']:<9} {row['channel']:<6} {row['kind']:<20} {recipient}{trouble}"
        )
    click.echo(f"{len(rows)} in all")


def _when(row: Mapping[str, Any]) -> str:
    at: dt.datetime = row["sent_at"] or row["created_at"]
    return at.strftime("%Y-%m-%d %H:%M")


def _row_json(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("id", "kind", "channel", "recipient", "state", "system", "attempts", "message_id", "last_error")
    days = {name: row[name].isoformat() if row[name] else None for name in ("created_at", "not_before", "sent_at")}
    return {**{name: row[name] for name in names}, **days, "proof": row["content"].get("proof")}


@notices.command()
@COUNTY
@click.argument("message")
@_AS_HTML
@JSON
def show(county: str, message: str, as_html: bool, as_json: bool) -> None:
    """One notice with its text, and whether that is the text that was sent (by its SHA-256)."""
    with opened() as (_, database), database.reading(county) as store:
        row = find_message(store, message)
    if row is None:
        click.echo(f"There is no notice {message!r} in this county.", err=True)
        sys.exit(1)
    proof = row["content"].get("proof") or {}
    zone = str(row["content"].get("timezone") or shipped_program(county).timezone)
    at = dt.datetime.fromisoformat(proof["dated_at"]) if proof else row["sent_at"] or moment()
    written = render(row["kind"], row["content"], local_date(at, zone))
    same = sha256(f"{written.subject}\n\n{written.text}".encode()).hexdigest() == proof.get("text_sha256")
    if as_json:
        print_json({**_row_json(row), "subject": written.subject, "text": written.text, "same_as_sent": same})
    elif as_html:
        click.echo(written.html)
    else:
        click.echo(json.dumps(_row_json(row), ensure_ascii=False, indent=2))
        click.echo(f"\nSubject: {written.subject}\n\n{written.text}")
        if proof:
            click.echo("This is the text that was sent." if same else "The text that was sent was another one.")
