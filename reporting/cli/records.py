"""The record for those outside of the service: `checkpoint`, `export --log`, `signing rotate`, `repudiate`."""

from __future__ import annotations

from pathlib import Path

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.imports import BY_COMMAND_LINE
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.config import Config
from reporting.intake.credentials import Sender
from reporting.repudiations import repudiate as repudiate_report
from reporting.store.engine import Database
from reporting.store.export import export_log, new_bundle
from reporting.store.leaving import export_tables
from reporting.store.log import SERVICE_LOG, head
from reporting.store.log import checkpoint as sign_head
from reporting.store.rotation import hand_over
from reporting.store.signing import SignedHead, Signer, add_key, checkpoint_note, set_former_aside
from schemas.loader import shipped_slugs


def _logs() -> tuple[str, ...]:
    return (*shipped_slugs(), SERVICE_LOG)


def _log_argument(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in _logs():
        raise click.BadParameter(f"there is no log {value!r}; there are: {', '.join(_logs())}")
    return value


@click.command()
@click.argument("county", required=False, callback=_log_argument)
@JSON
def checkpoint(county: str | None, as_json: bool) -> None:
    """The signed head of each log as it stands (C2SP tlog-checkpoint), signed now where it has grown.

    Keep it where the people who run the service cannot change it: `pumper verify --against FILE` takes it.
    """
    with opened() as (settings, database):
        signer = signer_of(settings)
        made = [signed for slug in ([county] if county else _logs()) if (signed := _sign(database, slug, signer))]
    if as_json:
        print_json([_shown(one) for one in made])
    else:
        click.echo("\n".join(checkpoint_note(one) for one in made), nl=False)
    if county and not made:
        click.echo(f"The log of {county} has no entries yet.", err=True)


def _sign(database: Database, slug: str, signer: Signer) -> SignedHead | None:
    with database.transaction(slug) as store:
        return sign_head(store, signer, moment()) if head(store).size else None


def sign_logs(database: Database, settings: Config) -> None:
    """Sign the head of each log as it stands."""
    signer = signer_of(settings)
    for slug in _logs():
        _sign(database, slug, signer)


def _shown(one: SignedHead) -> dict[str, object]:
    note = {"key_id": one.key_id, "note": checkpoint_note(one), "signed_at": one.signed_at.isoformat()}
    return {"county": one.county, "size": one.size, "root": one.root.hex(), **note}


@click.command()
@click.argument("county", callback=_log_argument)
@click.option(
    "--log",
    "log_target",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE.zip",
    help="Where to write the log, with a program that checks it and needs nothing but Python.",
)
@click.option(
    "--all",
    "whole_target",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE.zip",
    help="The same with every table of the county beside it, as JSON lines and CSV: for leaving the service.",
)
@JSON
def export(county: str, log_target: Path | None, whole_target: Path | None, as_json: bool) -> None:
    """A county's record as files, to check and to keep without the service.

    It holds what people sent and wrote: give it only to whoever may read the county's records.
    """
    target = log_target or whole_target
    if target is None or (log_target and whole_target):
        raise click.UsageError("say what: --log FOLDER|FILE.zip, or --all FOLDER|FILE.zip")
    rows: dict[str, int] = {}
    with opened() as (settings, database):
        signed = _sign(database, county, signer_of(settings))
        if signed is None:
            raise click.UsageError(f"the log of {county} has no entries yet")
        with database.reading(county) as store, new_bundle(target) as bundle:
            if whole_target is not None:
                rows = export_tables(store, bundle)
            export_log(store, bundle, signed, moment())
    if as_json:
        told = {"county": county, "size": signed.size, "root": signed.root.hex(), "path": str(target)}
        print_json({**told, "rows": rows} if whole_target else told)
    else:
        with_rows = f" and {sum(rows.values()):,} rows of {len(rows)} tables" if whole_target else ""
        click.echo(
            f"{county}: {signed.size} entries{with_rows} written to {target}; check them with: pumper verify {target}"
        )


@click.group()
def signing() -> None:
    """The key that signs the logs' heads."""


@signing.command("rotate")
@JSON
def rotate(as_json: bool) -> None:
    """Make a new key and hand every log over to it: an entry that the old key signs. Receipts of before stay good.

    The old key's public half stays in the logs; its file is set aside: keep it apart while a backup of before may have
    to be restored, then destroy it. When this is interrupted, run it again: it goes on where it was. Processes that
    run take up the new key by themselves.
    """
    with opened() as (settings, database):
        signer = signer_of(settings)
        if not signer.former:
            signer = add_key(settings.signing_key_file)
        entries = {}
        for slug in _logs():
            with database.transaction(slug) as store:
                entry = hand_over(store, signer, moment())
                entries[slug] = entry.seq if entry else None
        aside = set_former_aside(signer)
    keys = {slug: signer.verifying_key.key_id(slug) for slug in _logs()}
    if as_json:
        print_json({slug: {"entry": entries[slug], "key_id": keys[slug]} for slug in _logs()})
        return
    for slug in _logs():
        said = f"entry {entries[slug]}" if entries[slug] else "nothing was signed before"
        click.echo(f"{slug}: key {keys[slug]} from now on ({said})")
    click.echo(f"The former key is in {', '.join(map(str, aside))}.")


@click.command()
@COUNTY
@click.argument("report_id", metavar="REPORT")
@click.option("--by", "business", required=True, metavar="LICENSE", help="A licence of the business that denies it.")
@click.option("--reason", required=True, help="What the business says; it is kept in the record.")
@JSON
def repudiate(county: str, report_id: str, business: str, reason: str, as_json: bool) -> None:
    """Enter a business's word that a report in its name is not its own, as the office heard it.

    The report stays on record and goes on counting until the county's staff decides the review that this opens.
    """
    with opened() as (settings, database), database.transaction(county) as store:
        sender = Sender(name=BY_COMMAND_LINE)
        done = repudiate_report(
            store, sender, report_id, reason, moment(), signer_of(settings), license_number=business
        )
    if as_json:
        print_json({"id": report_id, "county": county, "review": done.review, "receipt": done.receipt.to_json()})
    else:
        click.echo(f"Noted in entry {done.receipt.seq}; review {done.review} waits for a decision.")
