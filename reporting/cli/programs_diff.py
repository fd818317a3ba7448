"""`pumper programs diff`: what a change of an ordinance does to the systems of a county, before it is adopted."""

from __future__ import annotations

import csv
import datetime as dt
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from reporting.cli.common import opened
from reporting.cli.words import JSON, county_argument, day_option, moment, print_json
from reporting.comparison import Comparison, SystemChange, compare_programs, moves
from reporting.domain.answers import Finding, Obligation
from reporting.domain.comparing import Difference
from reporting.scenario import show_finding, show_obligation
from schemas.calendar import local_date
from schemas.comparing import FieldChange, RuleChange, compare_rules, compare_settings, compare_texts
from schemas.loader import ProgramError, load_file, shipped_program, shipped_slugs
from schemas.program import Program
from schemas.settings import SettingError

COLUMNS: Final = (
    "permit_number", "parcel_number", "site_address", "standing_before", "standing_after", "item", "kind", "component",
    "due_before", "due_after", "last_day_before", "last_day_after", "state_before", "state_after", "rule_before",
    "rule_after", "because_before", "because_after", "change_of_rule", "system",
)  # fmt: skip


@click.command("diff")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--against", "county", required=True, callback=county_argument, help="The county whose systems are judged."
)
@click.option("--as-of", "as_of", callback=day_option, help="The day judged (default: today).")
@click.option("--show", default=20, show_default=True, help="How many systems are told one by one; 0: none.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV file with a row for each change of each system.")
@JSON
def diff_programs(
    old: str, new: str, county: str, as_of: dt.date | None, show: int, as_csv: bool, as_json: bool
) -> None:
    """What changes for a county's systems from the program OLD to NEW, and why. Nothing is written.

    OLD and NEW are program files or slugs; with @YYYY-MM-DD behind it, the text in force on that day as if it had
    always held.
    """
    before, after = read_program(old), read_program(new)
    day = as_of or local_date(moment(), before.timezone)
    with opened() as (config, _):
        try:
            found = compare_programs(config.database_url, county, before, after, day)
        except SettingError as error:
            raise click.UsageError(f"a setting of {county} does not fit both programs: {error}") from None
    rules = compare_rules(found.old, found.new)
    if as_json:
        print_json(comparison_json(found, rules, old, new))
    elif as_csv:
        out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\r\n")
        out.writeheader()
        out.writerows(row for change in found.changes for row in csv_rows(change, rules))
    else:
        click.echo("\n".join(_told(found, rules, old, new, show)))


def read_program(said: str) -> Program:
    """The program that a word means: a file, or a slug; `@` and a day take the text in force on it alone."""
    name, _, day = said.partition("@")
    on = day_option(click.get_current_context(), click.Option(["--on"]), day or None)
    try:
        if Path(name).suffix == ".toml":
            program = load_file(Path(name))
        elif name in shipped_slugs():
            program = shipped_program(name)
        else:
            raise click.UsageError(f"{name} is neither a .toml file nor one of {', '.join(shipped_slugs())}")
    except OSError as error:
        raise click.UsageError(f"{name} cannot be read: {error.strerror}") from None
    except ProgramError as error:
        raise click.UsageError(f"{name} cannot be used:\n{error}") from None
    return program.only(on) if on else program


def comparison_json(found: Comparison, rules: tuple[RuleChange, ...], old: str, new: str) -> dict[str, Any]:
    """The whole comparison as plain JSON values."""
    return {
        "county": found.county,
        "as_of": found.as_of.isoformat(),
        "old": {"program": old, "sha256": found.old.sha256},
        "new": {"program": new, "sha256": found.new.sha256},
        "systems": found.systems,
        "changed": len(found.changes),
        "not_judged": list(found.not_judged),
        "standings": [{"from": a.value, "to": b.value, "systems": n} for a, b, n in moves(found.standings)],
        "texts": [_field(f) for f in compare_texts(found.old, found.new)],
        "rules": [
            {"id": r.id, "what": r.what, "title": r.title, "cite": r.cite, "fields": [_field(f) for f in r.fields]}
            for r in rules
        ],
        "settings": [_field(f) for f in compare_settings(found.old, found.new)],
        "changes": [_change(change, rules) for change in found.changes],
    }


def _field(change: FieldChange) -> dict[str, Any]:
    return {"name": change.name, "before": change.before, "after": change.after}


def _change(change: SystemChange, rules: tuple[RuleChange, ...]) -> dict[str, Any]:
    names = ("system", "permit_number", "parcel_number", "site_address")
    return {
        **{name: getattr(change, name) for name in names},
        "standing": {"before": change.before.value, "after": change.after.value},
        "obligations": [_both(d, show_obligation, rules) for d in change.duties],
        "findings": [_both(d, show_finding, rules) for d in change.findings],
    }


def _both(difference: Difference[Any], show: Any, rules: tuple[RuleChange, ...]) -> dict[str, Any]:
    before, after = difference.before, difference.after
    return {
        "before": show(before) if before else None,
        "after": show(after) if after else None,
        "why": [rule.words for rule in why(difference, rules)],
    }


def why(difference: Difference[Any], rules: tuple[RuleChange, ...]) -> list[RuleChange]:
    """What of the rules on either side changed; nothing where only the text in force, or a setting, is another."""
    named = {one.rule for one in (difference.before, difference.after) if one}
    return [rule for rule in rules if rule.id in named]


def csv_rows(change: SystemChange, rules: tuple[RuleChange, ...]) -> Iterator[dict[str, Any]]:
    """A row for each duty and finding that changes."""
    whole = {
        **{name: getattr(change, name) for name in ("permit_number", "parcel_number", "site_address", "system")},
        "standing_before": change.before.value,
        "standing_after": change.after.value,
    }
    items: list[tuple[str, Difference[Any] | None]] = [("obligation", duty) for duty in change.duties]
    items += [("finding", finding) for finding in change.findings]
    for item, difference in items or [("standing", None)]:
        yield {**whole, "item": item, **(_sides(difference, rules) if difference else {})}


def _sides(difference: Difference[Any], rules: tuple[RuleChange, ...]) -> Mapping[str, Any]:
    either = difference.either
    found = {"kind": either.kind, "component": either.component}
    for side, one in (("before", difference.before), ("after", difference.after)):
        if one is not None:
            found |= {f"due_{side}": one.due_on, f"last_day_{side}": one.last_day, f"rule_{side}": one.rule}
            found |= {f"because_{side}": one.because, f"state_{side}": getattr(one, "state", "")}
    return {**found, "change_of_rule": " | ".join(rule.words for rule in why(difference, rules))}


def _told(found: Comparison, rules: tuple[RuleChange, ...], old: str, new: str, show: int) -> Iterator[str]:
    yield f"{found.county}, judged on {found.as_of}: {old} → {new}"
    for before, after, count in moves(found.standings):
        yield f"{count:>7,} systems: {_words(before)} → {_words(after)}"
    moved = sum(count for *_, count in moves(found.standings))
    yield f"{len(found.changes) - moved:>7,} systems: another duty or finding, the same standing"
    yield f"{found.systems - len(found.changes) - len(found.not_judged):>7,} systems: nothing changes"
    if found.not_judged:
        yield f"{len(found.not_judged):>7,} systems: cannot be judged: {', '.join(found.not_judged[:5])}"
    fields = (*compare_texts(found.old, found.new), *compare_settings(found.old, found.new))
    yield "\nThe programs:" if rules or fields else "\nThe programs say the same."
    yield from (f"  {rule.words}" for rule in rules)
    yield from (f"  {field.words}" for field in fields)
    for change in found.changes[:show]:
        yield from _system(change, rules)
    if len(found.changes) > show:
        yield f"\n{len(found.changes) - show:,} more systems change; --csv and --json have them all."


def _system(change: SystemChange, rules: tuple[RuleChange, ...]) -> Iterator[str]:
    number = change.permit_number or change.parcel_number or change.system
    stays = change.before is change.after
    standing = _words(change.after) if stays else f"{_words(change.before)} → {_words(change.after)}"
    yield f"\n{number}, {change.site_address or 'no address'}: {standing}"
    for duty in change.duties:
        yield f"  {_words(duty.either.kind)}{f', {_words(duty.either.component)}' if duty.either.component else ''}"
        yield from (f"    {side}: {_duty(one)}" for side, one in (("before", duty.before), ("after ", duty.after)))
        yield from _why(duty, rules)
    for finding in change.findings:
        yield f"  finding {_words(finding.either.kind)}"
        yield from (
            f"    {side}: {_noted(one)}" for side, one in (("before", finding.before), ("after ", finding.after))
        )
        yield from _why(finding, rules)


def _why(difference: Difference[Any], rules: tuple[RuleChange, ...]) -> Iterator[str]:
    named = why(difference, rules)
    yield from (f"    {rule.words}" for rule in named)
    if not named:
        yield "    the rule itself is the same; another text of it, another rule or a setting is why"


def _duty(one: Obligation | None) -> str:
    if one is None:
        return "no such duty"
    last = f", last day {one.last_day}" if one.last_day != one.due_on else ""
    return f"{_words(one.state)}, due {one.due_on}{last}; {one.because} [{one.rule}, {one.cite}]"


def _noted(one: Finding | None) -> str:
    return f"{one.because} [{one.rule}, {one.cite}]" if one else "none"


def _words(name: object) -> str:
    return str(name).replace("_", " ")
