"""`pumper inventory import`, `pumper contractors import`, `pumper submit`: files in, per-row answers out."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from reporting.cli.common import opened, signer_of
from reporting.cli.merges import merge, unmerge
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json, read_file
from reporting.contractors import import_contractors
from reporting.histories import county_program
from reporting.intake.accept import Options, Upload
from reporting.intake.answer import Answer, Refused, stored_answer
from reporting.intake.judging import Outcome, Sender
from reporting.intake.sheet import FileRefused, Limits
from reporting.intake.waiting import Step, Waiting, receive, work_off
from reporting.inventory.answers import InventoryAnswer
from reporting.inventory.importing import load_inventory
from reporting.inventory.indexing import index_all
from reporting.store.derived import mark_all_dirty
from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.store.submissions import get_submission, outcomes_of
from reporting.sweep import assess_now
from schemas.calendar import local_date
from schemas.issues import Issue
from schemas.loader import shipped_slugs

AT_A_TERMINAL = Limits(max_bytes=250_000_000, max_rows=2_000_000, max_unpacked_bytes=2_000_000_000)
BY_COMMAND_LINE = "command line"
SMALL_FILE = 200
FILE = click.argument("file", metavar="FILE")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would happen and store nothing.")


@click.group()
def inventory() -> None:
    """The county's systems, owners and designations."""


inventory.add_command(merge)
inventory.add_command(unmerge)


@inventory.command("import")
@COUNTY
@FILE
@DRY_RUN
@JSON
def import_inventory(county: str, file: str, dry_run: bool, as_json: bool) -> None:
    """Add and update systems from a CSV or XLSX file, one row a component; each row is answered."""
    data, now = read_file(file), moment()
    with opened() as (_, database), _progress("rows") as advance, _refusals():
        with database.reading(county) as store:
            program = county_program(store, county, on=now.date())
        answer = load_inventory(
            database,
            program,
            data,
            file_name=Path(file).name,
            content_type=None,
            principal=BY_COMMAND_LINE,
            now=now,
            dry_run=dry_run,
            on_progress=advance,
        )
        if not dry_run:
            index_all(database, county)
    _show_import(answer, "systems", as_json)


@click.group()
def contractors() -> None:
    """Septage businesses and others who report, with their licences."""


@contractors.command("import")
@FILE
@DRY_RUN
@JSON
def import_contractors_file(file: str, dry_run: bool, as_json: bool) -> None:
    """Add and update contractors and their credentials from a CSV or XLSX file, one row a licence."""
    data = read_file(file)
    with opened() as (_, database), _refusals():
        with database.transaction(None) as store:
            answer = import_contractors(
                store, data, counties=shipped_slugs(), now=moment(), file_name=Path(file).name, dry_run=dry_run
            )
        if (answer.added or answer.changed) and not dry_run:
            judge_all_again(database)
    _show_import(answer, "licences", as_json)


def judge_all_again(database: Database) -> None:
    """Have every system judged again: what holds for licences or rules holds for all of them."""
    for slug in shipped_slugs():
        with database.transaction(slug) as store:
            mark_all_dirty(store)


def _show_import(answer: InventoryAnswer, things: str, as_json: bool) -> None:
    if as_json:
        print_json(answer.as_json())
    else:
        counts = f"{answer.added} {things} added, {answer.changed} changed, {answer.untouched} untouched"
        click.echo(f"{answer.rows} rows: {counts}, {answer.rejected} rows rejected{_dry(answer.dry_run)}")
        for change in answer.differences if answer.dry_run else ():
            click.echo(f"  row {change.row}, {change.name}: {change.field}: {change.before!r} → {change.after!r}")
        _show_issues(answer.errors, "")
        _show_issues(answer.warnings, "look at: ")
    if answer.rejected:
        sys.exit(1)


def _dry(dry_run: bool) -> str:
    return " (dry run: nothing was stored)" if dry_run else ""


def _show_issues(issues: tuple[Issue, ...], word: str) -> None:
    for issue in issues:
        value = f" (it holds {issue.value!r})" if issue.value else ""
        cite = f" [{issue.cite}]" if issue.cite else ""
        click.echo(f"  {word}row {issue.row}, {issue.field or 'row'}: {issue.message}{value}{cite}")


@click.command()
@COUNTY
@FILE
@DRY_RUN
@click.option("--all-or-nothing", is_flag=True, help="Take every row or none.")
@click.option("--historical", is_flag=True, help="Backlog: judged for duties, never for lateness; nothing is mailed.")
@click.option(
    "--received-on", "received_on", callback=day_option, help="Paper: the day of receipt or postmark, for lateness."
)
@JSON
def submit(
    county: str,
    file: str,
    dry_run: bool,
    all_or_nothing: bool,
    historical: bool,
    received_on: dt.date | None,
    as_json: bool,
) -> None:
    """Send reports from a CSV, XLSX or JSON file; the same path as over HTTP.

    A file of more rows than PUMPER_MAX_ROWS (20,000) is committed a chunk at a time: stopped in the middle it is
    finished by the worker, and sending it again is safe.
    """
    upload = Upload(data=read_file(file), file_name=Path(file).name if file != "-" else None)
    options = Options(
        dry_run=dry_run,
        atomic=all_or_nothing,
        historical=historical,
        received_on=received_on,
        limits=AT_A_TERMINAL,
    )
    sender = Sender(name=BY_COMMAND_LINE)
    with opened() as (settings, database), _progress("rows") as advance:
        signer, now = signer_of(settings), moment()
        longest = AT_A_TERMINAL.max_rows if all_or_nothing else settings.max_rows
        with database.transaction(county) as store:
            program = county_program(store, county, on=now.date())
            taken = receive(store, program, sender, upload, now, signer, options, longest=longest)
            if isinstance(taken, Answer) and not dry_run and len(taken.outcomes) <= SMALL_FILE:
                assess_now(store, program, taken.systems, local_date(now, program.timezone), now)
        answer = _finish(database, county, taken, signer, advance) if isinstance(taken, Waiting) else taken
    if isinstance(answer, Refused):
        if as_json:
            print_json({"refused": True, **answer.as_json()})
        else:
            click.echo(answer.detail)
        sys.exit(2)
    if as_json:
        print_json(answer.as_json())
    else:
        show_answer(answer)
    if answer.counts["rejected"]:
        sys.exit(1)


def _finish(
    database: Database, county: str, waiting: Waiting, signer: Signer, advance: Callable[[int], None]
) -> Answer:
    """Work off a long file here and now, and give its answer."""
    rows = 0

    def on_step(step: Step) -> None:
        nonlocal rows
        rows += len(step.answers)
        advance(rows)

    work_off(database, county, waiting.id, signer, moment, on_step=on_step)
    with database.reading(county) as store:
        submission = get_submission(store, waiting.id)
        assert submission is not None
        return stored_answer(submission, outcomes_of(store, waiting.id))


def show_answer(answer: Answer) -> None:
    """A submission's answer for a person: counts, then every row that is not simply accepted."""
    c = answer.counts
    click.echo(
        f"{c['rows']} rows: {c['accepted']} accepted, {c['duplicate']} duplicate, {c['queued_for_review']} queued for "
        f"review, {c['rejected']} rejected{_dry(answer.dry_run)}"
    )
    unknown = answer.columns.get("unknown")
    if isinstance(unknown, list) and unknown:
        click.echo(f"  columns not known (kept as sent): {', '.join(unknown)}")
    missing = answer.columns.get("missing")
    if isinstance(missing, list) and missing:
        click.echo(f"  columns that rows needed and the file does not have: {', '.join(missing)}")
    first = {o.report_id: f"row {o.row}" for o in answer.outcomes if o.outcome is not Outcome.DUPLICATE}
    for outcome in answer.outcomes:
        if outcome.outcome is Outcome.DUPLICATE:
            of = first.get(outcome.duplicate_of) or outcome.duplicate_of
            click.echo(f"  row {outcome.row}: duplicate of {of}")
        if outcome.outcome is Outcome.QUEUED:
            click.echo(f"  row {outcome.row}: kept, and queued for the county to look at ({outcome.review})")
        for finding in outcome.findings:
            click.echo(
                f"  row {outcome.row}: {str(finding['kind']).replace('_', ' ')}: {finding['because']} "
                f"[{finding['rule']}, {finding['cite']}]"
            )
        _show_issues(outcome.errors, "")


@contextmanager
def _refusals() -> Iterator[None]:
    """A file that cannot be read at all is one sentence and exit code 2."""
    try:
        yield
    except FileRefused as refusal:
        click.echo(refusal.detail, err=True)
        sys.exit(2)


class _Advance:
    """Moves a progress bar on a terminal; elsewhere does nothing."""

    def __init__(self, progress: Progress | None, words: str) -> None:
        self._progress = progress
        self._task = progress.add_task(words, total=None) if progress else None

    def __call__(self, done: int) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done)


@contextmanager
def _progress(words: str) -> Iterator[_Advance]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Advance(None, words)
        return
    with Progress(console=console, transient=True) as progress:
        yield _Advance(progress, words)
