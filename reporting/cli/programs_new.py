"""`pumper programs new`, `pumper programs try`: a county's own program, from the first draft to its worked examples."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reporting.cli.words import JSON, print_json, read_file
from reporting.scenario import ScenarioError, evaluate
from reporting.worked import ExamplesError, read_examples, scenario_of, shortfalls
from schemas.loader import BASELINE, ProgramError, load_file, shipped_slugs
from schemas.program import Program
from schemas.skeleton import skeleton


@click.command("new")
@click.argument("slug")
@click.option("--name", required=True, help="The county's name as people read it.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="Where the file goes (default: here).",
)
def new_program(slug: str, name: str, folder: Path) -> None:
    """Write SLUG.toml, a draft of a county's program on the state baseline that says what each choice means."""
    if slug in (*shipped_slugs(), BASELINE):
        raise click.UsageError(f"there is a program {slug!r} already; give the new one another short name")
    path = folder / f"{slug}.toml"
    try:
        text = skeleton(slug, name)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except FileExistsError:
        raise click.UsageError(f"{path} is there already, and stays as it is") from None
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from None
    click.echo(f"{path} is written. Fill it in, then: pumper programs check {path}")


@click.command("try")
@click.argument("program", metavar="PROGRAM.toml", type=click.Path(path_type=Path))
@click.argument("examples", metavar="EXAMPLES.toml")
@JSON
def try_program(program: Path, examples: str, as_json: bool) -> None:
    """Hold a program file against worked examples: each with what it expects, and what the program says instead."""
    try:
        judged = load_file(program)
        county, cases = read_examples(read_file(examples), Path(examples).name)
    except OSError as error:
        raise click.UsageError(f"{program} cannot be read: {error.strerror}") from None
    except ProgramError as error:
        raise click.UsageError(f"{program} cannot be used:\n{error}") from None
    except ExamplesError as error:
        raise click.UsageError(str(error)) from None
    if county != judged.slug:
        raise click.UsageError(f"{examples} is of {county!r}, the program is of {judged.slug!r}")
    rows = [{"name": name, "lacks": _lacks(judged, case)} for name, case in cases]
    failed = [row for row in rows if row["lacks"]]
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            click.echo(f"{'differs' if row['lacks'] else 'holds':<8} {row['name']}")
            for said in row["lacks"]:
                click.echo(f"         the program says: {said}")
        click.echo(f"{len(rows) - len(failed)} of {len(rows)} examples hold")
    if failed:
        sys.exit(1)


def _lacks(program: Program, case: object) -> list[str]:
    assert isinstance(case, dict)
    scenario = scenario_of(program.slug, case)
    try:
        answer = evaluate(scenario, program=program)
    except ScenarioError as error:
        return [f"the example cannot be read: {error}"]
    ignored = answer.get("ignored")
    found = [*([f"not known and left out: {ignored}"] if ignored else []), *shortfalls(case, answer)]
    return [*found, _instead(answer)] if found else []


def _instead(answer: Mapping[str, Any]) -> str:
    duties = [f"{o['kind']} {o['state']}, due {o['due_on']} [{o['rule']}]" for o in answer["obligations"]]
    findings = [f"{f['kind']} [{f['rule']}]" for f in answer["findings"]]
    said = "; ".join([*duties, *findings]) or "no duty and no finding"
    return f"in all, standing {answer['standing']}; {said}"
