"""Setting up and running: `init`, `config`, `verify`, `serve`, `worker`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from reporting.cli.common import opened, signer_of
from reporting.cli.demo import FOLDER, demo_environment, fill
from reporting.cli.running import run_all, run_web, run_worker_here
from reporting.cli.setup import prepare
from reporting.cli.words import JSON, moment, print_json, read_file
from reporting.config import Config, describe, read
from reporting.receipts import Receipt, verify_receipt
from reporting.store.engine import Database
from reporting.store.signing import VerifyingKey
from reporting.store.verify import VerifyResult
from reporting.store.verify import verify as verify_log
from schemas.loader import shipped_slugs


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
@click.argument("receipt_file", required=False)
@JSON
def verify(receipt_file: str | None, as_json: bool) -> None:
    """Check the chain of records of every county, or one receipt against it."""
    with opened() as (settings, database):
        keys = [signer_of(settings).verifying_key]
        if receipt_file:
            results = [_verify_one(database, read_file(receipt_file), keys)]
        else:
            results = [_verify_county(database, slug, keys) for slug in shipped_slugs()]
    if as_json:
        print_json([_as_json(r) for r in results])
    else:
        for result in results:
            click.echo(_as_text(result))
    if not all(r.ok for r in results):
        sys.exit(1)


def _verify_one(database: Database, data: bytes, keys: list[VerifyingKey]) -> VerifyResult:
    receipt = Receipt.parse(data)
    if receipt.county not in shipped_slugs():
        raise click.UsageError(f"the receipt is of {receipt.county!r}, which has no program here")
    with database.reading(receipt.county) as store:
        return verify_receipt(store, receipt, keys)


def _verify_county(database: Database, county: str, keys: list[VerifyingKey]) -> VerifyResult:
    with database.reading(county) as store:
        return verify_log(store, keys)


def _as_json(result: VerifyResult) -> dict[str, object]:
    problems = [{"code": p.code, "seq": p.seq, "message": p.message} for p in result.problems]
    shown = {"county": result.county, "ok": result.ok, "size": result.size, "root": result.root.hex()}
    return {**shown, "checkpoints": result.checkpoints, "first_bad": result.first_bad, "problems": problems}


def _as_text(result: VerifyResult) -> str:
    if result.ok:
        return f"{result.county}: {result.size} entries, {result.checkpoints} signed heads: all hold"
    lines = [f"{result.county}: {len(result.problems)} problems, the first at entry {result.first_bad}"]
    return "\n".join([*lines, *(f"  {p.message}" for p in result.problems)])


@click.command()
@click.option("--demo", is_flag=True, help="Serve the demonstration's data from var/demo.")
def serve(demo: bool) -> None:
    """Web workers and the scheduler in one; Ctrl-C stops all."""
    sys.exit(run_all(demo_environ() if demo else dict(os.environ)))


def demo_environ() -> dict[str, str]:
    """The environment of the demonstration; its data is made when it is not there."""
    environ = {**os.environ, **demo_environment(FOLDER)}
    if not (FOLDER / "pumper.db").exists():
        click.echo("Making the demonstration's data …")
        fill(Config.from_environment(environ), Path("examples"))
    return environ


@click.command(hidden=True)
def web() -> None:
    """The web workers alone, as `pumper serve` starts them."""
    run_web(read())


@click.command()
def worker() -> None:
    """The scheduler and the delivery alone; several may run, one acts."""
    run_worker_here(read())
