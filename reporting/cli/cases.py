"""`pumper cases`: what proposes a case, cases with their steps, permit holds, enforcement sheets."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from notifications.enforcement_sheet import sheet_pdf, sheet_text
from reporting.api.sheets import csv_bytes
from reporting.cases.holds import permit_hold as ask_permit_hold
from reporting.cases.proposals import confirm as confirm_proposal
from reporting.cases.proposals import dismiss as dismiss_proposal
from reporting.cases.proposals import open_proposals, show_proposals
from reporting.cases.rows import COLUMNS, all_rows, case_page
from reporting.cases.sheet import enforcement_sheet
from reporting.cases.steps import open_case, step_case
from reporting.cli.common import opened, signer_of
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.errors import DecisionRefused, RecordNotFound
from reporting.histories import county_program
from reporting.owners import NotTold, Teller, Told
from reporting.store.engine import Store
from reporting.store.services import system_of_fact
from reporting.sweep import assess_now
from schemas.calendar import local_date
from schemas.loader import shipped_program
from schemas.program import Program

_BY: Final = "command line"
_CASE = click.argument("case")
_SET = click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="A step with its day (notified_on=2026-07-13), due_on, note, answer, reason, authority, waived.",
)


@click.group()
def cases() -> None:
    """What a county pursues: proposals, cases and their steps, permit holds, enforcement sheets."""


@contextmanager
def _reading(county: str) -> Iterator[tuple[Store, Program, dt.date]]:
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        yield store, county_program(store, county, on=today), today


def _found(store: Store, county: str, case: str) -> str:
    system = system_of_fact(store, "case", case)
    if system is None:
        raise click.UsageError(f"there is no case {case!r} in {county}")
    return system


def _pairs(pairs: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is no NAME=VALUE", param_hint="--set")
        found[name.strip()] = value
    return found


def _change(county: str, as_json: bool, work: Callable[[Store, Teller], Told | NotTold]) -> None:
    """Carry out a change in one transaction, judge its system at once, and say what was kept."""
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    try:
        with opened() as (config, database), database.transaction(county) as store:
            program = county_program(store, county, on=today)
            told = work(store, Teller(program=program, by=_BY, now=now, signer=signer_of(config)))
            if isinstance(told, Told) and told.system:
                assess_now(store, program, [told.system], today, now)
    except DecisionRefused as refused:
        click.echo(str(refused), err=True)
        sys.exit(1)
    except RecordNotFound:
        raise click.UsageError(f"there is no such case or proposal in {county}") from None
    if isinstance(told, NotTold):
        raise click.UsageError(" ".join(issue.message for issue in told.issues))
    if as_json:
        print_json({"id": told.id, "system": told.system, "receipt": told.receipt.to_json()})
    else:
        click.echo(f"{told.id}: kept in the record as entry {told.receipt.seq}")


@cases.command("list")
@COUNTY
@click.option("--kind", help="Only cases of this kind.")
@click.option("--open/--closed", "is_open", default=None, help="Only open ones, or only closed ones.")
@click.option("--overdue", is_flag=True, default=None, help="Only those with a duty past its last day.")
@click.option("--referred", is_flag=True, default=None, help="Only those handed over or referred for prosecution.")
@click.option("--csv", "as_csv", is_flag=True, help="A file for a spreadsheet.")
@JSON
def list_(
    county: str,
    kind: str | None,
    is_open: bool | None,
    overdue: bool | None,
    referred: bool | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """A county's cases, newest first, each with the duty that is longest past its day.

    `--open --overdue` is the legal action list.
    """
    query = {"kind": kind, "open": is_open, "overdue": overdue, "referred": referred}
    with _reading(county) as (store, program, today):
        rows = list(all_rows(store, program, query, today))
    if as_json:
        print_json(rows)
    elif as_csv:
        click.echo(csv_bytes(COLUMNS, rows), nl=False)
    else:
        for row in rows:
            late = f", {row['days_late']} days past {row['last_day']}" if row.get("days_late") else ""
            state = f"closed {row['closed_on']}" if row["closed_on"] else "open"
            click.echo(f"{row['id']}  {row['kind']}, {row['permit_number'] or row['system']}: {state}{late}")
        click.echo(f"{len(rows)} in all")


@cases.command("show")
@COUNTY
@_CASE
@JSON
def show(county: str, case: str, as_json: bool) -> None:
    """One case with its duties and every step."""
    with _reading(county) as (store, program, today):
        page = case_page(store, program, _found(store, county, case), case, today)
    if as_json:
        print_json(page)
        return
    click.echo(f"{case}: {page['kind']}, {page['permit_number'] or page['system']}")
    for duty in page["duties"]:
        why = duty.get("suspended_because") or duty["because"]
        click.echo(f"  {duty['kind']}: {duty['state']}, last day {duty['last_day']}; {why} [{duty['rule']}]")
    for entry in page["timeline"]:
        steps = ", ".join(f"{step['step']} {step['on']}" for step in entry["steps"])
        words = "; ".join(str(entry[name]) for name in ("note", "answer", "reason", "authority") if name in entry)
        click.echo(f"  entry {entry['entry']}, {entry['entered_on']}, {entry['by']}: {steps} {words}".rstrip())


@cases.command("proposals")
@COUNTY
@JSON
def proposals(county: str, as_json: bool) -> None:
    """What calls for a case or a step of one: confirm it or dismiss it."""
    with _reading(county) as (store, program, today):
        rows = show_proposals(store, program, open_proposals(store, program, today))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        what = f"case {row['kind']}" if row["kind"] else f"{row['step']} of {row['case']}"
        click.echo(f"{row['key']}  {what}, {row['permit_number'] or row['system']}: {row['because']} [{row['rule']}]")
    click.echo(f"{len(rows)} in all")


@cases.command("confirm")
@COUNTY
@click.argument("key")
@_SET
@JSON
def confirm(county: str, key: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Open the case (or take the step) that a proposal is for."""
    values = {"proposal": key, **_pairs(pairs)}
    _change(county, as_json, lambda store, teller: confirm_proposal(store, teller, values))


@cases.command("dismiss")
@COUNTY
@click.argument("key")
@click.option("--reason", required=True, help="Why it is no case; kept in the record.")
@JSON
def dismiss(county: str, key: str, reason: str, as_json: bool) -> None:
    """Say that a proposal is no case; it is not proposed again for the same cause."""
    _change(county, as_json, lambda store, teller: dismiss_proposal(store, teller, key, {"reason": reason}))


@cases.command("open")
@COUNTY
@click.option("--permit", required=True, help="The system's permit number.")
@click.option("--kind", required=True, help="order, noncompliance, failed, … as the county's program has them.")
@_SET
@JSON
def open_(county: str, permit: str, kind: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Open a case about a system."""
    values = {"permit_number": permit, "kind": kind, **_pairs(pairs)}
    _change(county, as_json, lambda store, teller: open_case(store, teller, values))


@cases.command("step")
@COUNTY
@_CASE
@_SET
@JSON
def step(county: str, case: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Take a case further: steps with their days, a note, an answer, more time, a waiver."""
    values = _pairs(pairs)
    _change(
        county,
        as_json,
        lambda store, teller: step_case(store, teller, _found(store, county, case), case, values),
    )


@cases.command("sheet")
@COUNTY
@click.argument("about", metavar="CASE|SYSTEM")
@click.option("--pdf", type=click.Path(path_type=Path, dir_okay=False), help="Write an accessible PDF.")
@JSON
def sheet(county: str, about: str, pdf: Path | None, as_json: bool) -> None:
    """The enforcement sheet of a case, or of all that stands against a system (by its id)."""
    with _reading(county) as (store, program, today):
        system = system_of_fact(store, "case", about)
        try:
            found = enforcement_sheet(store, program, system or about, today, about if system else None)
        except RecordNotFound:
            raise click.UsageError(f"there is neither a case nor a system {about!r} in {county}") from None
    if pdf is not None:
        pdf.write_bytes(sheet_pdf(found, program))
    if as_json:
        print_json(found)
    elif pdf is not None:
        click.echo(f"written to {pdf}")
    else:
        click.echo(sheet_text(found, program), nl=False)


@cases.command("permit-hold")
@COUNTY
@click.option("--parcel", help="The parcel on which something is to be permitted.")
@click.option("--permit", help="The sanitary permit of a system on it.")
@click.option("--license", "license_number", help="A licence number of the contractor who applies.")
@JSON
def permit_hold(county: str, parcel: str | None, permit: str | None, license_number: str | None, as_json: bool) -> None:
    """Are permits withheld, and why?"""
    if not (parcel or permit or license_number):
        raise click.UsageError("give --parcel, --permit or --license")
    with _reading(county) as (store, program, today):
        asked: Mapping[str, Any] = {"parcel": parcel, "permit": permit, "license_number": license_number}
        answer = ask_permit_hold(store, program, today, **asked)
    if as_json:
        print_json(answer)
        return
    words = {True: "Withheld", False: "Not withheld", None: "No such rule"}[answer["held"]]
    law = f" [{answer['rule']}, {answer['cite']}]" if answer["rule"] else ""
    click.echo(f"{words}: {answer['because']}{law}")
