"""`pumper review`: the reports in doubt, at a terminal."""

from __future__ import annotations

from collections.abc import Callable

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.imports import BY_COMMAND_LINE
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.errors import DecisionRefused
from reporting.histories import county_program
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.words import normalize_license
from reporting.reviews.decisions import Decided, Decider, Decision, Verdict
from reporting.reviews.placing import move, send_back
from reporting.reviews.reading import STATES, candidates_text, list_reviews, show_review
from reporting.reviews.resolving import forget_match
from reporting.reviews.resolving import resolve as resolve_review
from reporting.store.engine import Store
from reporting.store.matching import PERMIT, find_by_identifiers
from reporting.store.paging import LARGEST_PAGE
from reporting.store.reviews import OPEN, ReviewFilter
from reporting.sweep import assess_now
from schemas.acts import COMPONENTS
from schemas.calendar import local_date
from schemas.loader import shipped_program

Decide = Callable[[Store, Decider], Decided]
ID = click.argument("review_id", metavar="ID")
REASON = click.option("--reason", required=True, help="Why; it is kept in the record.")
SYSTEM = click.option("--system", metavar="PERMIT", help="The system's permit number, or its id.")
COMPONENT = click.option(
    "--component", type=click.Choice(COMPONENTS), help="Which tank, where the report does not say."
)
REF = click.option("--ref", default="", help="The tank's name in the inventory.")
NOT_KEPT = click.option("--once", is_flag=True, help="Do not keep the match in mind for the next time.")


@click.group()
def review() -> None:
    """Reports whose system is not certain: list, look at, decide, undo."""


@review.command("list")
@COUNTY
@click.option("--state", "states", multiple=True, type=click.Choice(STATES), help="By default those that are open.")
@click.option("--license", "license_number", help="Only reports of this licence.")
@JSON
def list_open(county: str, states: tuple[str, ...], license_number: str | None, as_json: bool) -> None:
    """The reports in doubt, oldest first, each with the system that comes nearest."""
    norm = normalize_license(license_number) if license_number else None
    filters = ReviewFilter(state=states or (OPEN,), license_norm=norm)
    rows: list[dict[str, object]] = []
    cursor: str | None = None
    with opened() as (_, database), database.reading(county) as store:
        while True:
            page = list_reviews(store, filters, cursor, LARGEST_PAGE)
            rows += page.rows
            cursor = page.next_cursor
            if cursor is None:
                break
    if as_json:
        print_json(rows)
        return
    for row in rows:
        place = row["permit_number"] or row["parcel_number"] or row["site_address"] or "-"
        best = row["best"]
        near = f"; nearest {best['score']:.2f}: {best['why']}" if isinstance(best, dict) else ""
        click.echo(f"{row['id']}  {row['service_date']}  {place}  ({row['reason']}{near})")
    click.echo(f"{len(rows)} in all")


@review.command()
@COUNTY
@ID
@JSON
def show(county: str, review_id: str, as_json: bool) -> None:
    """One report as it was sent, beside the systems it might be of, with what differs."""
    with opened() as (_, database), database.reading(county) as store:
        shown = show_review(store, review_id)
    if as_json:
        print_json(shown)
        return
    click.echo(f"{shown['id']}: {shown['state']}, {shown['reason']}\n{shown['message']}\n\nAs sent:")
    for name, value in shown["report"]["content"].items():
        click.echo(f"  {name}: {value}")
    for message in shown["report"]["spoilt"].values():
        click.echo(f"  look at: {message}")
    click.echo("\nIt might be:\n" + (candidates_text(shown["candidates"]) or "none of the systems in the inventory"))
    if shown["together_with"]:
        click.echo(f"\nOf the same place, open too: {', '.join(shown['together_with'])}")
    if shown["decided"]:
        done = shown["decided"]
        click.echo(f"\nDecided {done['at']} by {done['by']}: {done['state']} {done['system'] or ''} ({done['reason']})")


@review.command()
@COUNTY
@ID
@SYSTEM
@click.option("--new", "is_new", is_flag=True, help="The inventory lacks the system: it becomes the county's own.")
@click.option("--void", "is_void", is_flag=True, help="It is of no system of this county: take the report back.")
@COMPONENT
@REF
@click.option("--all", "all_reports", is_flag=True, help="Every report in doubt of the same provisional system.")
@NOT_KEPT
@REASON
@JSON
def resolve(
    county: str,
    review_id: str,
    system: str | None,
    is_new: bool,
    is_void: bool,
    component: str | None,
    ref: str,
    all_reports: bool,
    once: bool,
    reason: str,
    as_json: bool,
) -> None:
    """Decide: the report is of a system of the inventory, of a new one, or of none of this county."""
    if (system is not None) + is_new + is_void != 1:
        raise click.UsageError("say one of --system PERMIT, --new and --void")
    verdict = Verdict.MATCHED if system is not None else Verdict.NEW_SYSTEM if is_new else Verdict.VOIDED

    def decide(store: Store, decider: Decider) -> Decided:
        decision = Decision(
            verdict=verdict,
            system=_system(store, system) if system is not None else "",
            component=component or "",
            ref=ref,
            all_reports=all_reports,
            keep_in_mind=not once,
        )
        return resolve_review(store, review_id, decision, decider)

    _carry_out(county, reason, as_json, decide)


@review.command("move")
@COUNTY
@click.argument("report_id", metavar="REPORT")
@SYSTEM
@click.option("--back", is_flag=True, help="To no system: the report waits for a decision again.")
@COMPONENT
@REF
@NOT_KEPT
@REASON
@JSON
def move_report(
    county: str,
    report_id: str,
    system: str | None,
    back: bool,
    component: str | None,
    ref: str,
    once: bool,
    reason: str,
    as_json: bool,
) -> None:
    """Undo a wrong match: put a report into another system, or send it back to be reviewed."""
    if (system is not None) + back != 1:
        raise click.UsageError("say one of --system PERMIT and --back")

    def decide(store: Store, decider: Decider) -> Decided:
        if system is None:
            return send_back(store, report_id, decider)
        found = _system(store, system)
        decision = Decision(
            verdict=Verdict.MATCHED, system=found, component=component or "", ref=ref, keep_in_mind=not once
        )
        return move(store, report_id, decision, decider)

    _carry_out(county, reason, as_json, decide)


@review.command()
@COUNTY
@ID
@REASON
def forget(county: str, review_id: str, reason: str) -> None:
    """No longer send the same numbers of the same business where this review was decided to."""
    with opened() as (settings, database), database.transaction(county) as store:
        decider = Decider(by=BY_COMMAND_LINE, now=moment(), reason=reason, signer=signer_of(settings))
        forget_match(store, review_id, decider)
    click.echo("forgotten: the next such report waits for a decision")


def _system(store: Store, named: str) -> str:
    """The id of the system that a permit number names; what no system has is taken for an id."""
    norm = normalize_identifier(named)
    found = find_by_identifiers(store, [(PERMIT, norm)]).get((PERMIT, norm), []) if norm else []
    systems = sorted({system for system, _component in found})
    if len(systems) > 1:
        raise DecisionRefused(f"{len(systems)} systems have this permit number: give the id of the one.")
    return systems[0] if systems else named


def _carry_out(county: str, reason: str, as_json: bool, decide: Decide) -> None:
    now = moment()
    today = local_date(now, shipped_program(county).timezone)
    with opened() as (settings, database), database.transaction(county) as store:
        decider = Decider(by=BY_COMMAND_LINE, now=now, reason=reason, signer=signer_of(settings))
        done = decide(store, decider)
        program = county_program(store, county, on=today)
        assess_now(store, program, done.systems, today, now)
    if as_json:
        shown = {"system": done.system, "reports": dict(done.reports), "remembered": done.remembered}
        print_json({**shown, "forgotten": done.forgotten, "receipt": done.receipt.to_json()})
        return
    for was, now_is in done.reports.items():
        click.echo(f"{was}" + (f" is {now_is} now" if now_is != was else ""))
    click.echo(f"{len(done.reports)} decided; {len(done.systems)} systems judged anew")
    if done.remembered:
        click.echo("kept in mind: the same numbers of the same business go there by themselves")
    if done.forgotten:
        click.echo("forgotten: the same numbers wait for a decision again")
