"""`pumper programs`: the law as data, as people read it, and the check of a program file."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import click

from reporting.cli.coverage import show_coverage
from reporting.cli.programs_diff import diff_programs
from reporting.cli.programs_new import new_program, try_program
from reporting.cli.words import COUNTY, JSON, day_option, moment, print_json
from schemas.loader import ProgramError, load_file, shipped_program, shipped_slugs
from schemas.program import Program, Rule


@click.group()
def programs() -> None:
    """The counties' programs: their rules with citations."""


programs.add_command(show_coverage)
programs.add_command(diff_programs)
programs.add_command(new_program)
programs.add_command(try_program)


@programs.command("list")
@JSON
def list_programs(as_json: bool) -> None:
    """Every program with how many of its rules act and how many are pending."""
    rows = [program_line(shipped_program(slug)) for slug in shipped_slugs()]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(f"{row['slug']:<12} {row['acting']:>3} acting {row['pending']:>3} pending   {row['name']}")


def program_line(program: Program) -> dict[str, object]:
    """A program in one line: its own rules and the state's, by effect."""
    pending = sum(rule.pending for rule in program.rules)
    texts = [{"name": t.name, "from": t.starts_on.isoformat()} for t in program.texts]
    line = {"slug": program.slug, "name": program.name, "authority": program.authority, "texts": texts}
    return {**line, "acting": len(program.rules) - pending, "pending": pending, "sha256": program.sha256}


@programs.command("show")
@COUNTY
@click.option("--on", "on", callback=day_option, help="The day whose text is shown (default: today).")
@JSON
def show_program(county: str, on: dt.date | None, as_json: bool) -> None:
    """The rules of a program on a day: id, what it asks, section, whose duty, what it does."""
    program = shipped_program(county)
    text = program.at(on or moment().date())
    rules = [rule_line(rule, text.name) for rule in program.rules if text.name not in rule.absent_in]
    settings = {n: {"value": s.value, "meaning": s.meaning} for n, s in program.settings.items()}
    if as_json:
        print_json({**program_line(program), "text": text.name, "rules": rules, "settings": settings})
        return
    click.echo(f"{program.name} — {program.authority}; text {text.name}, from {text.starts_on}\n")
    for rule in rules:
        click.echo(f"{rule['id']:<5} {rule['effect']:<44} {rule['cite']}\n      {rule['title']}")


def rule_line(rule: Rule, text: str) -> dict[str, object]:
    """A rule as people read it: what it does in that text, in the words of the program file."""
    acts = [a for a in rule.acts if not a.texts or text in a.texts]
    effects = sorted({str(a.__struct_config__.tag) for a in acts})
    shown = {"id": rule.id, "title": rule.title, "cite": rule.cite, "duty_of": rule.duty_of, "filing": rule.filing}
    return {**shown, "effect": ", ".join(effects), "pending": rule.pending}


@programs.command("check")
@click.argument("files", nargs=-1, metavar="[FILE…]", type=click.Path(path_type=Path))
def check_programs(files: tuple[Path, ...]) -> None:
    """Check program files (default: those that ship); each mistake in one sentence with file and key."""
    failed = False
    for path in files or tuple(Path(f"{slug}.toml") for slug in shipped_slugs()):
        try:
            program = load_file(path) if files else shipped_program(path.stem)
        except OSError as error:
            raise click.UsageError(f"{path} cannot be read: {error.strerror}") from None
        except ProgramError as error:
            failed = True
            for problem in error.problems:
                click.echo(problem)
        else:
            own = sum(rule.pending for rule in program.rules)
            click.echo(f"{path.name}: right, {len(program.rules)} rules, {own} of them pending")
    if failed:
        sys.exit(1)
