"""`pumper year`, `mailings`, `deferrals`: a district's year at a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from reporting.cli.common import opened
from reporting.cli.telling import PERMIT, day_text, tell
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.histories import county_program
from reporting.service_year.deferrals import file_deferral, list_deferrals
from reporting.service_year.glance import year_at_a_glance
from reporting.service_year.mailings import (
    CLASSES,
    KINDS,
    STATES,
    answer_mailing,
    correct_mailing,
    file_mailing,
    list_mailings,
)
from schemas.acts import ServiceAreas
from schemas.calendar import local_date
from schemas.loader import shipped_program


@click.command()
@COUNTY
@click.argument("year", type=click.IntRange(1900, 2199))
@JSON
def year(county: str, year: int, as_json: bool) -> None:
    """A year at a glance: the area served, windows and letters, deferrals, questionnaires, certificates, fees."""
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        program = county_program(store, county, on=today)
        if not program.at(today).of(ServiceAreas):
            raise click.UsageError(f"{program.name} has no service areas.")
        found = year_at_a_glance(store, program, year, today)
    if as_json:
        print_json(found)
        return
    area = found["area"]
    turn = f"area {area['served']} of {area['of']}" if area["served"] else "nobody can say: set base_year"
    click.echo(f"{year}, as of {today}: {turn} ({area['rule']}, {area['cite']})")
    for window in found["windows"]:
        counts = ", ".join(f"{count} {name}" for name, count in window["letters"].items())
        click.echo(f"window {window['from']} to {window['to']}, area {window['area']}: mail by {window['mail_by']}")
        click.echo(f"  letters: {counts} ({window['rule']}, {window['cite']})")
    for name in ("systems", "area_notice", "deferrals", "questionnaires", "exemptions", "fees"):
        click.echo(_line(name, found[name]))


def _line(name: str, part: Mapping[str, Any]) -> str:
    """A part of the year in one line: its counts, then the section."""
    counts = [f"{count} {key.replace('_', ' ')}" for key, count in part.items() if isinstance(count, int)]
    law = f" ({part['rule']}, {part['cite']})" if part.get("rule") else ""
    return f"{name.replace('_', ' ')}: {', '.join(counts)}{law}"


@click.group()
def mailings() -> None:
    """What was mailed to owners beside the print runs, and what they answered."""


@mailings.command("list")
@COUNTY
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only these kinds.")
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="Only those that stand so.")
@JSON
def list_all(county: str, kinds: tuple[str, ...], states: tuple[str, ...], as_json: bool) -> None:
    """Notices, questionnaires and inquiries, newest first; `--state late` says who has not answered in time."""
    today = local_date(moment(), shipped_program(county).timezone)
    with opened() as (_, database), database.reading(county) as store:
        rows = list_mailings(store, county_program(store, county, on=today), today, kinds, states)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        last = f", last day {row['last_day']}" if row["last_day"] else ""
        law = f" ({row['rule']}, {row['cite']})" if row["rule"] else ""
        who = f"permit {row['permit_number'] or 'not on file'}"
        click.echo(f"{row['id']}  {row['mailed_on']}  {row['kind']}, {who}: {row['state']}{last}{law}")
    click.echo(f"{len(rows)} in all")


@mailings.command("file")
@COUNTY
@PERMIT
@click.option("--area", type=click.IntRange(1, 9_999), help="Instead of a permit: a whole service area.")
@click.option("--kind", required=True, type=click.Choice(KINDS), help="What was mailed.")
@click.option("--mailed-on", required=True, callback=day_text, help="The day on which it was mailed.")
@click.option("--class", "mail_class", required=True, type=click.Choice(CLASSES), help="How it went.")
@click.option("--window-from", callback=day_text, help="The first day of the window it tells of.")
@click.option("--received-on", callback=day_text, help="When it reached the owner, where that is known.")
@JSON
def file_one(county: str, as_json: bool, **values: Any) -> None:
    """File what was mailed by other means than a print run."""
    tell(county, file_mailing, values, as_json)


@mailings.command("correct")
@COUNTY
@click.argument("mailing")
@click.option("--mailed-on", callback=day_text, help="The day on which it was mailed.")
@click.option("--class", "mail_class", type=click.Choice(CLASSES), help="How it went.")
@click.option("--received-on", callback=day_text, help="When it reached the owner.")
@click.option("--reason", required=True, help="Why it is corrected.")
@JSON
def correct_one(county: str, mailing: str, as_json: bool, **values: Any) -> None:
    """Correct what was filed wrong of a mailing."""
    tell(county, lambda store, teller, told: correct_mailing(store, teller, mailing, told), values, as_json)


@mailings.command("answer")
@COUNTY
@click.argument("mailing")
@click.option("--answered-on", callback=day_text, help="The day of the answer (default: today).")
@JSON
def answer_one(county: str, mailing: str, as_json: bool, **values: Any) -> None:
    """Note the answer to a questionnaire or an inquiry."""
    tell(county, lambda store, teller, told: answer_mailing(store, teller, mailing, told), values, as_json)


@click.group()
def deferrals() -> None:
    """Owners' requests for another window."""


@deferrals.command("list")
@COUNTY
@click.option("--year", type=click.IntRange(1900, 2199), help="Only of windows of this year.")
@JSON
def list_requests(county: str, year: int | None, as_json: bool) -> None:
    """The requests on file with what was answered, newest first."""
    with opened() as (_, database), database.reading(county) as store:
        rows = list_deferrals(store, year)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        days = f"{row['from']} to {row['to']}" if row.get("from") else "; ".join(row.get("reasons") or ())
        asked = f"asked {row['received_on']}, permit {row['permit_number'] or 'not on file'}"
        click.echo(f"{row['id']}  {asked}: {row.get('answer', 'not answered')}, {days} ({row['rule']}, {row['cite']})")
    click.echo(f"{len(rows)} in all")


@deferrals.command("file")
@COUNTY
@PERMIT
@click.option("--received-on", callback=day_text, help="The day on which it came in (default: today).")
@click.option("--from", "desired_from", callback=day_text, help="The first day wished for.")
@click.option(
    "--to", "desired_to", callback=day_text, help="The last day wished for (default: as long as a window is)."
)
@click.option("--window-from", callback=day_text, help="The window to be put off (default: the first not yet over).")
@click.option("--paid/--not-paid", required=True, help="Whether the fee came with it.")
@click.option("--reference", help="Of the payment, such as a check's number.")
@JSON
def file_request(county: str, as_json: bool, **values: Any) -> None:
    """File a request: it is granted or refused at once, and the owner's letter follows with the next scan."""
    told = tell(county, file_deferral, values, as_json)
    if not as_json:
        given = told.more.get("reasons") or (told.more.get("from"), told.more.get("to"))
        click.echo(f"{told.more['answer']}: {_words(given)} ({told.more['rule']}, {told.more['cite']})")


def _words(given: object) -> str:
    if isinstance(given, tuple):
        return " to ".join(map(str, given))
    return "; ".join(map(str, given)) if isinstance(given, list) else str(given)
