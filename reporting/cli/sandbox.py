"""`pumper sandbox`: an installation of its own for haulers to try against, made anew nightly and whenever asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import click

from reporting.access.secret import Secret
from reporting.cli.common import log_to_stderr, opened
from reporting.cli.demo import fill
from reporting.cli.keys import business_of
from reporting.cli.words import JSON, moment, print_json
from reporting.config import Config, read
from reporting.errors import ConfigurationError
from reporting.store.engine import Database
from reporting.store.keys import Role, create_key, written_key
from reporting.store.migrate import current, is_blank, is_current, rebuild
from reporting.store.sandbox import KEPT, begin_sandbox, is_sandbox, is_unused, made_anew_at
from schemas.loader import shipped_slugs

EXAMPLES: Final = Path("examples")
LICENSES: Final = ("00412", "00518")
"""Of the examples' businesses, those that have a key to try with."""
_LABEL: Final = "sandbox"


@dataclass(frozen=True, kw_only=True)
class SandboxKey:
    """A key to try with: whose it is (a licence, or a county), and the key, which is the same after each reset."""

    role: str
    holder: str
    key: str


@click.group()
def sandbox() -> None:
    """A place to try things out: invented data in a database of its own (PUMPER_SANDBOX=on)."""


@sandbox.command("reset")
@JSON
def reset(as_json: bool) -> None:
    """Make the sandbox anew: what was sent is gone, the examples are there again, the keys to try with are the same.

    Refused for a database that no reset made: a record is never destroyed. Needs the folder examples/.
    """
    settings = read()
    log_to_stderr(settings.log_level)
    now = moment()
    _show(reset_sandbox(settings, EXAMPLES, now), now, as_json)


@sandbox.command("status")
@JSON
def status(as_json: bool) -> None:
    """When the sandbox was made anew, and its keys to try with."""
    settings = read()
    if not settings.sandbox:
        raise ConfigurationError("This is no sandbox: PUMPER_SANDBOX is not on.")
    with opened(settings) as (_, database):
        at = made_anew_at(database)
    assert at is not None
    _show([one for one, _ in _keys(settings)], at, as_json)


def _show(keys: list[SandboxKey], at: dt.datetime, as_json: bool) -> None:
    if as_json:
        print_json({"made_anew_at": at, "keys": [asdict(one) for one in keys]})
        return
    click.echo(f"The sandbox was made anew on {at:%Y-%m-%d at %H:%M} UTC. Keys to try with:")
    for one in keys:
        click.echo(f"  {one.role:<10} {one.holder:<12} {one.key}")


def reset_sandbox(config: Config, examples: Path, now: dt.datetime) -> list[SandboxKey]:
    """Drop all that was sent and fill the sandbox from `examples`; the keys to try with.

    Raises `ConfigurationError` for what is not, or not surely, a sandbox, before anything is touched.
    """
    _refuse_real(config)
    if not (examples / "inventory").is_dir():
        raise ConfigurationError("The sandbox is filled from the folder examples/ of the release: put it here.")
    rebuild(config.migration_database_url, KEPT)
    database = Database.connect(config.database_url)
    try:
        begin_sandbox(database, now)
        fill(config, examples)
        with database.transaction(None) as store:
            for one, drawn in _keys(config):
                business = business_of(store, one.holder) if one.role == Role.CONTRACTOR else None
                county = None if business else one.holder
                create_key(store, one.role, county, business, _LABEL, now, drawn=drawn)
    finally:
        database.dispose()
    return [one for one, _ in _keys(config)]


def _keys(config: Config) -> Iterator[tuple[SandboxKey, bytes]]:
    """Each key to try with and what it is made of: the service's own secret, so that nobody else can guess it."""
    secret = Secret.of(config)
    holders = [(Role.CONTRACTOR, one) for one in LICENSES] + [(Role.COUNTY, one) for one in shipped_slugs()]
    for role, holder in holders:
        drawn = secret.derive(f"sandbox key id {role} {holder}", 8) + secret.derive(f"sandbox key {role} {holder}")
        yield SandboxKey(role=str(role), holder=holder, key=written_key(drawn)[2]), drawn


def _refuse_real(config: Config) -> None:
    """Look at the database under both of its addresses: what is dropped goes by the owner's."""
    if not config.sandbox:
        raise ConfigurationError("This is no sandbox: PUMPER_SANDBOX is not on. Nothing was touched.")
    for url in sorted({config.database_url, config.migration_database_url}):
        if not (is_blank(url) or _may_be_dropped(url)):
            raise ConfigurationError(
                "The database was not made by `pumper sandbox reset`, and something is in it. Nothing was touched: give"
                " the sandbox a database of its own."
            )


def _may_be_dropped(url: str) -> bool:
    """Whether a reset made it, or nobody has used it yet."""
    database = Database.connect(url)
    try:
        made = current(url) is not None and is_sandbox(database)
        return made or (is_current(url) and is_unused(database))
    finally:
        database.dispose()
