"""What commands share that need no database: the moment, a program's slug, days, files, JSON."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path

import click

from schemas.loader import shipped_slugs


def moment() -> dt.datetime:
    """The moment at which the command runs."""
    return dt.datetime.now(dt.UTC)


def county_argument(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """A program's slug; refused with the list of those that there are."""
    if value not in shipped_slugs():
        raise click.BadParameter(f"there is no program {value!r}; there are: {', '.join(shipped_slugs())}")
    return value


def day_option(context: click.Context, parameter: click.Parameter, value: str | None) -> dt.date | None:
    """A day as YYYY-MM-DD."""
    if value is None:
        return None
    try:
        return dt.date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day; write it as 2026-07-13") from None


def instant_option(context: click.Context, parameter: click.Parameter, value: str | None) -> dt.datetime | None:
    """An instant with its zone."""
    if value is None:
        return None
    try:
        found = dt.datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no instant; write it as 2026-07-13T14:05:00-05:00") from None
    if found.tzinfo is None:
        raise click.BadParameter(f"{value!r} says no time zone; write it as {value}Z or {value}-05:00")
    return found


COUNTY = click.argument("county", callback=county_argument)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


def read_file(path: str) -> bytes:
    """A file's bytes; `-` is standard input. What cannot be read is wrong usage."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}") from None


def print_json(value: object) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))
