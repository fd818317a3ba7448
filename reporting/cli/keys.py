"""`pumper key`: API keys for contractors, counties and administrators."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Any

import click

from reporting.access.entries import log_of
from reporting.access.keys import LONGEST_DAYS, IssuedKey, KeyOrder, end_key, end_keys_of, is_live, issue_key
from reporting.access.keys import rotate_key as replace_key
from reporting.cli.common import opened
from reporting.cli.words import JSON, moment, print_json
from reporting.intake.words import normalize_license
from reporting.store.engine import Database, Store
from reporting.store.keys import KEY_LIFE, KeyKind, get_key, list_keys
from reporting.store.people import find_credentials
from reporting.store.roles import KEY_ROLES, SCOPES_OF_KEYS, Role, Scope
from schemas.loader import shipped_slugs

BY = "command line"
_SCOPES = sorted({str(scope) for scopes in SCOPES_OF_KEYS.values() for scope in scopes})


@click.group()
def key() -> None:
    """Keys with which programs and people use the service over HTTP."""


@key.command("create")
@click.option("--role", type=click.Choice([str(r) for r in KEY_ROLES]), required=True, help="What the key is for.")
@click.option("--county", help="The county of a county's key.")
@click.option("--license", "license_number", help="A licence of the business of a contractor's key.")
@click.option("--label", default="", help="The program or person that holds it; two of one name may live at once.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(_SCOPES), help="What it may (default: its role's).")
@click.option(
    "--days", type=click.IntRange(1, LONGEST_DAYS), default=KEY_LIFE.days, show_default=True, help="Its life."
)
@click.option("--feed", is_flag=True, help="A token for the business's calendar feed, and for nothing else.")
@JSON
def create(
    role: str,
    county: str | None,
    license_number: str | None,
    label: str,
    scopes: tuple[str, ...],
    days: int,
    feed: bool,
    as_json: bool,
) -> None:
    """Make a key. It is shown this once; only its hash is kept."""
    if county is not None and county not in shipped_slugs():
        raise click.UsageError(f"there is no program {county!r}; there are: {', '.join(shipped_slugs())}")
    if role == Role.CONTRACTOR and not license_number:
        raise click.UsageError("give --license: a licence of the business whose key it is")
    if role == Role.COUNTY and not county:
        raise click.UsageError("give --county: the county whose key it is")
    with opened() as (_, database), database.transaction(log_of(county)) as store:
        order = KeyOrder(
            role=Role(role),
            county=county,
            contractor_id=business_of(store, license_number) if license_number else None,
            label=label,
            scopes=[Scope(scope) for scope in scopes] or None,
            days=days,
            kind=KeyKind.FEED if feed else KeyKind.API,
        )
        made = issue_key(store, order, BY, moment())
    _show(made, {"role": role, "county": county, "contractor": order.contractor_id}, as_json)


def business_of(store: Store, license_number: str) -> str:
    """The business that holds a licence; wrong usage when none does."""
    held = find_credentials(store, [normalize_license(license_number)])
    if not held:
        raise click.UsageError(f"no contractor has the licence {license_number}: import the contractors first")
    return str(next(iter(held.values()))[0]["contractor_id"])


@key.command("rotate")
@click.argument("key_id", metavar="ID")
@click.option("--overlap-days", type=click.IntRange(0, 90), default=7, show_default=True, help="How long both live.")
@JSON
def rotate(key_id: str, overlap_days: int, as_json: bool) -> None:
    """Make the key that takes another's place; the old one goes on for the overlap, then ends by itself."""
    with opened() as (_, database):
        old = _found(database, key_id)
        with database.transaction(log_of(old["county"])) as store:
            made = replace_key(store, key_id, BY, moment(), dt.timedelta(days=overlap_days))
    _show(made, {"role": old["role"], "county": old["county"], "contractor": old["contractor_id"]}, as_json)


def _show(made: IssuedKey, whose: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({"id": made.id, "key": made.key, **whose, "expires_at": made.expires_at})
        return
    click.echo(f"{made.key}\n\nThis is the only time it is shown. Its id, to rotate or revoke it: {made.id}")
    click.echo(f"It ends on {made.expires_at:%Y-%m-%d}.")


@key.command("list")
@JSON
def list_all(as_json: bool) -> None:
    """Every key, without its secret."""
    with opened() as (_, database), database.reading(None) as store:
        rows = list_keys(store)
    if as_json:
        print_json(rows)
        return
    now = moment()
    for row in rows:
        whose = row["county"] or row["contractor_id"] or "all"
        used = f"used {row['last_used_on']}" if row["last_used_on"] else "never used"
        click.echo(f"{row['id']}  {row['role']:<10} {whose:<32} {_state(row, now):<20} {used:<16} {row['label']}")


def _state(row: dict[str, Any], now: dt.datetime) -> str:
    if row["revoked_at"]:
        return f"revoked {row['revoked_at']:%Y-%m-%d}"
    if row["expires_at"] is None:
        return "in force"
    return f"{'until' if is_live(row, now) else 'ended'} {row['expires_at']:%Y-%m-%d}"


@key.command("revoke")
@click.argument("key_id", metavar="ID", required=False)
@click.option("--holder", help="A county, or a licence of a business: every live key of it, as when one was lost.")
def revoke(key_id: str | None, holder: str | None) -> None:
    """End a key at once, or every key of a holder."""
    if (key_id is None) == (holder is None):
        raise click.UsageError("give the ID of one key, or --holder for all keys of a county or a business")
    with opened() as (_, database):
        if holder is not None:
            _revoke_all(database, holder)
            return
        with database.reading(None) as store:
            found = get_key(store, str(key_id))
        done = False
        if found is not None:
            with database.transaction(log_of(found["county"])) as store:
                done = end_key(store, found["id"], BY, moment())
    if not done:
        click.echo(f"There is no key {key_id} in force.", err=True)
        sys.exit(1)
    click.echo(f"Key {key_id} is revoked.")


def _revoke_all(database: Database, holder: str) -> None:
    county = holder if holder in shipped_slugs() else None
    with database.transaction(log_of(county)) as store:
        business = None if county else business_of(store, holder)
        ended = end_keys_of(store, BY, moment(), county=county, contractor_id=business)
    click.echo(f"{len(ended)} keys are revoked{': ' + ', '.join(ended) if ended else ''}.")
    invite = f"pumper staff invite {county}" if county else f"pumper staff invite-business {holder}"
    click.echo(f"New ones: pumper key create, or let them make their own after `{invite}`.")


def _found(database: Database, key_id: str) -> dict[str, Any]:
    with database.reading(None) as store:
        found = get_key(store, key_id)
    if found is None:
        raise click.UsageError(f"there is no key {key_id}; `pumper key list` shows them")
    return found
