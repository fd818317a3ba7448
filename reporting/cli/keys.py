"""`pumper key`: API keys for contractors, counties and administrators."""

from __future__ import annotations

import sys

import click

from reporting.cli.common import opened
from reporting.cli.words import JSON, moment, print_json
from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.keys import Role, create_key, list_keys, revoke_key
from reporting.store.people import find_credentials
from schemas.loader import shipped_slugs


@click.group()
def key() -> None:
    """Keys with which programs and people use the service over HTTP."""


@key.command("create")
@click.option("--role", type=click.Choice([r.value for r in Role]), required=True, help="What the key is for.")
@click.option("--county", help="The county of a county's key.")
@click.option("--license", "license_number", help="A licence of the business of a contractor's key.")
@click.option("--label", default="", help="Whose key it is, for the list.")
@JSON
def create(role: str, county: str | None, license_number: str | None, label: str, as_json: bool) -> None:
    """Make a key. It is shown this once; only its hash is kept."""
    if county is not None and county not in shipped_slugs():
        raise click.UsageError(f"there is no program {county!r}; there are: {', '.join(shipped_slugs())}")
    if role == Role.CONTRACTOR and not license_number:
        raise click.UsageError("give --license: a licence of the business whose key it is")
    if role == Role.COUNTY and not county:
        raise click.UsageError("give --county: the county whose key it is")
    with opened() as (_, database), database.transaction(None) as store:
        contractor = _business_of(store, license_number) if license_number else None
        key_id, token = create_key(store, Role(role), county, contractor, label, moment())
    if as_json:
        print_json({"id": key_id, "key": token, "role": role, "county": county, "contractor": contractor})
    else:
        click.echo(f"{token}\n\nThis is the only time it is shown. Its id, to revoke it: {key_id}")


def _business_of(store: Store, license_number: str) -> str:
    held = find_credentials(store, [normalize_license(license_number)])
    if not held:
        raise click.UsageError(f"no contractor has the licence {license_number}: import the contractors first")
    return str(next(iter(held.values()))[0]["contractor_id"])


@key.command("list")
@JSON
def list_all(as_json: bool) -> None:
    """Every key, without its secret."""
    with opened() as (_, database), database.reading(None) as store:
        rows = list_keys(store)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        whose = row["county"] or row["contractor_id"] or "all"
        ended = f"revoked {row['revoked_at']:%Y-%m-%d}" if row["revoked_at"] else "in force"
        click.echo(f"{row['id']}  {row['role']:<10} {whose:<32} {ended:<20} {row['label']}")


@key.command("revoke")
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """End a key at once."""
    with opened() as (_, database), database.transaction(None) as store:
        done = revoke_key(store, key_id, moment())
    if not done:
        click.echo(f"There is no key {key_id} in force.", err=True)
        sys.exit(1)
    click.echo(f"Key {key_id} is revoked.")
