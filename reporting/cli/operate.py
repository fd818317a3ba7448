"""Setting up and running: `init`, `config`, `serve`, `worker`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from reporting.cli.common import opened
from reporting.cli.demo import FOLDER, demo_environment, fill
from reporting.cli.demo_people import ways_in
from reporting.cli.running import run_all, run_web, run_worker_here
from reporting.cli.setup import prepare
from reporting.cli.words import JSON, moment, print_json
from reporting.config import Config, describe, read
from schemas.loader import read_all, shipped_slugs


@click.command()
def init() -> None:
    """Create or upgrade the database and load the programs. Safe to repeat, and by several at once."""
    prepare(read(), moment())
    click.echo(f"The database is up to date; {len(shipped_slugs())} programs are loaded.")


@click.command()
@JSON
def config(as_json: bool) -> None:
    """The environment variables that configure the service: meaning, default, value in force (secrets hidden)."""
    lines = describe(os.environ)  # the command that shows the environment
    if as_json:
        print_json([{"name": s.setting.name, "value": s.shown, "default": s.setting.default} for s in lines])
        return
    for line in lines:
        s = line.setting
        click.echo(f"{s.name}={line.shown}\n    {s.meaning} Default: {s.default or '(empty)'}")
    click.echo(
        "\nEach may be given as NAME_FILE, a file that holds the value (PUMPER_SIGNING_KEY_FILE is a file itself)."
    )


@click.command()
@click.option("--demo", is_flag=True, help="Serve the demonstration's data from var/demo.")
def serve(demo: bool) -> None:
    """Web workers and the scheduler in one; Ctrl-C stops all."""
    read_all()
    sys.exit(run_all(demo_environ() if demo else dict(os.environ)))


def demo_environ() -> dict[str, str]:
    """The environment of the demonstration; its data is made when it is not there."""
    environ = {**os.environ, **demo_environment(FOLDER)}
    if not (FOLDER / "pumper.db").exists():
        click.echo("Making the demonstration's data …")
        fill(Config.from_environment(environ), Path("examples"))
    config = Config.from_environment(environ)
    with opened(config) as (_, database):
        click.echo("To look at the pages as")
        for line in ways_in(config, database, moment()):
            click.echo(line)
    return environ


@click.command()
def web() -> None:
    """The web workers alone, as `serve` starts them; several may run, behind a proxy that shares the calls out."""
    run_web(read())


@click.command()
def worker() -> None:
    """The scheduler and the delivery alone; several may run, one acts."""
    run_worker_here(read())
