"""`pumper letters`: notices on paper, from the queue to the mail and its proof."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from notifications.letters_correction import correct_run
from notifications.letters_draft import LARGEST_RUN, USUAL_RUN, Maker, address_letters, apart_of
from notifications.letters_mailing import (
    CLASSES,
    FIRST_CLASS,
    LOG_COLUMNS,
    Confirmer,
    confirm_run,
    log_rows,
    proof_pdf,
    proof_rows,
)
from notifications.print_runs import MadeRun, cancel_run, print_run, run_json
from notifications.print_runs import reprint as reprint_run
from reporting.api.sheets import table_bytes
from reporting.cli.common import opened, signer_of
from reporting.cli.imports import BY_COMMAND_LINE
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json
from reporting.histories import county_program
from reporting.store import letters as queue
from reporting.store.engine import Store
from reporting.store.paging import LARGEST_PAGE
from schemas.calendar import local_date
from schemas.loader import shipped_program

RUN = click.argument("run_id", metavar="RUN")
OUT = click.option("--out", "out", type=click.Path(dir_okay=False), help="The file to write.")


@click.group()
def letters() -> None:
    """Notices on paper: list, print, confirm as mailed, prove."""


@letters.command("list")
@COUNTY
@JSON
def list_waiting(county: str, as_json: bool) -> None:
    """Letters that wait, those that cannot be addressed, and print runs not yet confirmed as mailed."""
    with opened() as (_, database), database.reading(county) as store:
        rows = list(_waiting(store))
        addresses = address_letters(store, rows)
        counts = queue.count_letters(store)
        runs = [run_json(run) for run in queue.list_runs(store, (queue.PRINTED,))]
    problems = {row["id"]: str(one.reason) for row in rows if (one := apart_of(row, addresses[row["id"]]))}
    if as_json:
        about = [{**{n: row[n] for n in ("id", "kind", "system")}, "problem": problems.get(row["id"])} for row in rows]
        waiting = [{**one, "recipient": addresses[one["id"]].text} for one in about]
        print_json({"county": county, "counts": counts, "waiting": waiting, "print_runs": runs})
        return
    for row in rows:
        to = ", ".join(addresses[row["id"]].text.split("\n")) or "no address"
        problem = problems.get(row["id"], "").replace("_", " ")
        click.echo(f"{row['id']}  {row['kind']:<20} {to}" + (f"  cannot be addressed: {problem}" if problem else ""))
    click.echo(f"{len(rows)} wait, {len(problems)} of them cannot be addressed")
    if counts.get(queue.FAILED):
        click.echo(f"{counts[queue.FAILED]} cannot be written: `pumper notices list {county} --state failed` says why")
    for run in runs:
        click.echo(f"run {run['id']} of {run['printed_on']}, {run['letters']} letters: not confirmed as mailed")


@letters.command("print")
@COUNTY
@OUT
@click.option("--limit", type=click.IntRange(1, LARGEST_RUN), default=USUAL_RUN, help="Letters of this run at most.")
@JSON
def print_letters(county: str, out: str | None, limit: int, as_json: bool) -> None:
    """Make a print run of what waits: one PDF, in the order of postcodes, for windowed #10 envelopes."""
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    with opened() as (settings, database):
        with database.reading(county) as store:
            program = county_program(store, county, on=today)
        maker = Maker(program=program, by=BY_COMMAND_LINE, today=today, now=now, base_url=settings.base_url)
        made = print_run(database, county, maker, limit)
    path = _write(out or f"letters-{county}-{made.run}.pdf", made.pdf, made.run) if made.run else None
    if as_json:
        print_json({**made.as_json(), "file": path})
        return
    for line in _made(made, county, path):
        click.echo(line)


@letters.command()
@COUNTY
@RUN
@click.option("--out", "out", required=True, type=click.Path(dir_okay=False), help="The file to write.")
def reprint(county: str, run_id: str, out: str) -> None:
    """Write a run's file again from what was kept of it."""
    with opened() as (_, database), database.reading(county) as store:
        pdf, same = reprint_run(store, run_id)
    _write(out, pdf)
    other = "" if same else "; another typesetter made the first one: the letters' texts are the same, the file is not"
    click.echo(f"wrote {out}{other}")


@letters.command()
@COUNTY
@RUN
@click.option("--mailed-on", required=True, callback=day_option, help="The day on which the letters went to the post.")
@click.option("--class", "mail_class", type=click.Choice(CLASSES), default=FIRST_CLASS, help="The class of mail.")
@JSON
def confirm(county: str, run_id: str, mailed_on: dt.date, mail_class: str, as_json: bool) -> None:
    """Confirm that a run was mailed on a day: from it deadlines count, and it goes into the record."""
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    with opened() as (settings, database), database.transaction(county) as store:
        program = county_program(store, county, on=today)
        confirmer = Confirmer(program=program, by=BY_COMMAND_LINE, today=today, now=now, signer=signer_of(settings))
        mailed = confirm_run(store, run_id, mailed_on, confirmer, mail_class)
    if as_json:
        told = {"run": run_id, "mailed_on": mailed_on.isoformat(), "letters": mailed.letters}
        print_json({**told, "systems": mailed.systems, "receipt": mailed.receipt.to_json()})
        return
    words = mail_class.replace("_", " ")
    click.echo(
        f"{mailed.letters} letters mailed on {mailed_on} as {words} mail; entry {mailed.receipt.seq} of the record"
    )
    click.echo(f"the proof: pumper letters proof {county} {run_id} --out proof.pdf")


@letters.command()
@COUNTY
@RUN
@click.option("--mailed-on", callback=day_option, help="The day on which the letters went to the post.")
@click.option("--class", "mail_class", type=click.Choice(CLASSES), help="The class of mail.")
@click.option("--reason", required=True, help="Why it is corrected.")
def correct(county: str, run_id: str, mailed_on: dt.date | None, mail_class: str | None, reason: str) -> None:
    """Correct the day or class with which a run was confirmed as mailed; its deadlines move with it."""
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    with opened() as (settings, database), database.transaction(county) as store:
        program = county_program(store, county, on=today)
        who = Confirmer(program=program, by=BY_COMMAND_LINE, today=today, now=now, signer=signer_of(settings))
        mailed = correct_run(store, run_id, who, reason=reason, mailed_on=mailed_on, mail_class=mail_class)
    click.echo(f"{mailed.letters} letters mailed on {mailed.mailed_on}; entry {mailed.receipt.seq} of the record")


@letters.command()
@COUNTY
@RUN
def cancel(county: str, run_id: str) -> None:
    """Take back a run that was never mailed; its letters wait again."""
    with opened() as (_, database), database.transaction(county) as store:
        count = cancel_run(store, run_id, BY_COMMAND_LINE, moment())
    click.echo(f"cancelled: {count} letters wait again")


@letters.command()
@COUNTY
@RUN
@click.option("--out", "out", required=True, type=click.Path(dir_okay=False), help="A file named .pdf or .csv.")
def proof(county: str, run_id: str, out: str) -> None:
    """The proof of a run's mailing: a certificate to sign (.pdf), or the same as a table (.csv)."""
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        if out.lower().endswith(".csv"):
            data = _table(proof_rows(store, run_id))
        else:
            data = proof_pdf(store, county_program(store, county, on=today), run_id)
    click.echo(f"wrote {_write(out, data)}")


@letters.command("log")
@COUNTY
@click.option("--from", "first", callback=day_option, help="Only what was mailed from this day on.")
@click.option("--to", "last", callback=day_option, help="Only what was mailed up to this day.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV file.")
@JSON
def mailing_log(county: str, first: dt.date | None, last: dt.date | None, as_csv: bool, as_json: bool) -> None:
    """The mailing log: every letter that went out, when, to whom, with its hash."""
    with opened() as (_, database), database.reading(county) as store:
        rows = list(log_rows(queue.mailed_letters(store, first, last)))
    if as_json:
        print_json(rows)
    elif as_csv:
        sys.stdout.buffer.write(_table(rows))
    else:
        for row in rows:
            click.echo(
                f"{row['mailed_on']}  {row['run']} {row['position']:>4}  {row['kind']:<20} {row['address']}  "
                f"{row['text_sha256'][:16]}"
            )
        click.echo(f"{len(rows)} in all")


def _waiting(store: Store) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        page = queue.page_letters(store, (queue.QUEUED,), cursor, LARGEST_PAGE)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return


def _made(made: MadeRun, county: str, path: str | None) -> Iterator[str]:
    """What printing came to, in lines."""
    if path:
        yield f"run {made.run}: {made.letters} letters on {made.pages} pages, in {path}"
        yield f"  SHA-256 {made.pdf_sha256}"
        yield "  print on both sides; fold at the marks, the address outside; #10 envelopes with a window"
        yield f"  then: pumper letters confirm {county} {made.run} --mailed-on YYYY-MM-DD"
    else:
        yield "nothing to print"
    if made.dropped:
        yield "no longer wanted: " + ", ".join(
            f"{n} {why.replace('_', ' ')}" for why, n in sorted(made.dropped.items())
        )
    if made.failed:
        yield f"{made.failed} cannot be written: the log says why"
    for one in made.apart:
        to = ", ".join(one.recipient.split("\n")) or "no address"
        yield f"not printed, {str(one.reason).replace('_', ' ')}: {one.message} ({one.kind}, {one.system or '-'}): {to}"
    if made.left:
        yield f"{made.left} wait for the next run"
    if made.held:
        yield f"{made.held} are held by a pause: pumper mail status {county}"


def _table(rows: list[dict[str, Any]]) -> bytes:
    return table_bytes([LOG_COLUMNS, *([row[column] for column in LOG_COLUMNS] for row in rows)])


def _write(path: str, data: bytes, run: str | None = None) -> str:
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        kept = f"; the run is kept as {run}: pumper letters reprint" if run else ""
        raise click.UsageError(f"{path} cannot be written: {error.strerror}{kept}") from None
    return path
