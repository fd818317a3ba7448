"""`pumper staff`: a county's people and their roles, invitations, groups of its provider; the first of a business."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

import click

from notifications.access import Letter, invitation_notice
from notifications.addresses import is_address
from notifications.outbox import add_message
from reporting.access.entries import log_of, note
from reporting.access.invitations import first_of_business
from reporting.access.invitations import invite as make_invitation
from reporting.access.providers import load_providers
from reporting.access.staff import add_role, end_role, end_sessions, is_member
from reporting.cli.common import opened
from reporting.cli.words import COUNTY, JSON, moment, print_json
from reporting.config import Config
from reporting.errors import AccessRefused, ConfigurationError
from reporting.store.engine import Database
from reporting.store.groups import list_groups, map_group, unmap_group
from reporting.store.invitations import INVITATION_LIFE
from reporting.store.people import get_contractor
from reporting.store.persons import Place, Via, current_roles, list_members
from reporting.store.roles import BUSINESS_ROLES, COUNTY_ROLES, MemberRole
from reporting.store.signin import hash_secret
from schemas.loader import shipped_program

BY = "command line"
_ROLE = click.Choice([str(role) for role in COUNTY_ROLES])


@click.group()
def staff() -> None:
    """A county's people: who they are, what they may, how they come in."""


@staff.command("list")
@COUNTY
@JSON
def list_all(county: str, as_json: bool) -> None:
    """Who works in a county, and as what."""
    with opened() as (_, database), database.reading(None) as store:
        rows = list_members(store, Place(county=county))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        since = f"since {row['started_at']:%Y-%m-%d}"
        click.echo(
            f"{row['person']}  {row['role']:<12} {row['name']:<28} {row['email'] or '-':<32} {row['via']} {since}"
        )


def _address(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not is_address(value):
        raise click.BadParameter("give one plain mail address, such as office@example.org")
    return value.lower()


@staff.command("invite")
@COUNTY
@click.argument("email", callback=_address)
@click.option("--role", type=_ROLE, required=True, help="What the person may.")
def invite(county: str, email: str, role: str) -> None:
    """Invite somebody to a county's staff; the mail goes out with the next delivery and works for 7 days."""
    with opened() as (config, database):
        _invite(config, database, email, Place(county=county), MemberRole(role), shipped_program(county).name)


@staff.command("invite-business")
@click.argument("license_number", metavar="LICENSE")
@click.argument("email", callback=_address)
@click.option(
    "--role", type=click.Choice([str(r) for r in BUSINESS_ROLES]), default="office", show_default=True, help="As what."
)
def invite_business(license_number: str, email: str, role: str) -> None:
    """Invite somebody of the business that holds a licence; its office invites the others."""
    with opened() as (config, database):
        with database.reading(None) as store:
            try:
                place = first_of_business(store, license_number, email, None)
            except AccessRefused as error:
                raise click.UsageError(error.detail) from error
            business = get_contractor(store, place.holder)
        assert business is not None, "its licence is on file"
        _invite(config, database, email, place, MemberRole(role), business["business_name"])


def _invite(config: Config, database: Database, email: str, place: Place, role: MemberRole, inviter: str) -> None:
    now = moment()
    with database.transaction(log_of(place.county)) as store:
        invitation, secret = make_invitation(store, email, place, role, BY, now)
        letter = Letter(
            recipient=email,
            key=hash_secret(secret).hex()[:32],
            link=f"{config.base_url}/invitations/{secret}",
            expires_at=now + INVITATION_LIFE,
            base_url=config.base_url,
        )
        notice = invitation_notice(letter, inviter, role.value, is_staff=place.county is not None)
        add_message(store, notice, now, urlsplit(config.base_url).hostname or "localhost")
    click.echo(f"{email} is invited as {role} ({invitation}); the mail goes out with the next delivery.")


@staff.command("role")
@COUNTY
@click.argument("person")
@click.argument("role", type=_ROLE)
@click.option("--take", is_flag=True, help="Take the role instead of giving it.")
def role_of(county: str, person: str, role: str, take: bool) -> None:
    """Give somebody of the staff another role, or take one; it holds at once."""
    place = Place(county=county)
    with opened() as (_, database), database.transaction(county) as store:
        if not is_member(store, person, place):
            raise click.UsageError(f"{person} is nobody of {county}; `pumper staff list {county}` shows who is")
        if take:
            done = end_role(store, person, place, MemberRole(role), BY, moment())
        else:
            done = add_role(store, person, place, MemberRole(role), Via.COMMAND, BY, moment())
        roles = current_roles(store, person, place)
    if not done:
        click.echo(f"{person} {'is not' if take else 'is'} {role} there already.", err=True)
        sys.exit(1)
    click.echo(f"{person} is {', '.join(roles) or 'nothing any more'} in {county}.")


@staff.command("revoke")
@COUNTY
@click.argument("person")
def revoke(county: str, person: str) -> None:
    """Take every role of somebody in a county; the sessions there end at once."""
    place = Place(county=county)
    with opened() as (_, database), database.transaction(county) as store:
        roles = current_roles(store, person, place)
        for role in roles:
            end_role(store, person, place, role, BY, moment())
        if roles:
            end_sessions(store, person, place, BY, moment())
    if not roles:
        click.echo(f"{person} has no role in {county}.", err=True)
        sys.exit(1)
    click.echo(f"{person} is nothing any more in {county}.")


@staff.command("group")
@COUNTY
@click.argument("group", required=False)
@click.argument("role", type=_ROLE, required=False)
@click.option("--remove", is_flag=True, help="Let the group mean nothing any more.")
@JSON
def group(county: str, group: str | None, role: str | None, remove: bool, as_json: bool) -> None:
    """What a group of the county's own provider makes its members, from their next sign-in on; alone: all of them."""
    with opened() as (config, database):
        if group is None:
            _show_groups(database, county, as_json)
            return
        if (role is None) != remove:
            raise click.UsageError("give the role that the group means, or --remove")
        provider = load_providers(config.oidc_file).get(county)
        if provider is None:
            raise ConfigurationError(f"{county} has no provider: give it one in the file that PUMPER_OIDC_FILE names.")
        content = {"issuer": provider.issuer, "group": group, "role": role, "by": BY}
        with database.transaction(county) as store:
            if role is not None:
                map_group(store, provider.issuer, group, MemberRole(role))
            elif not unmap_group(store, provider.issuer, group):
                raise click.UsageError(f"the group {group!r} means nothing in {county}")
            note(store, "group_mapped", content, moment())
    click.echo(f"{group!r} means {role or 'nothing'} in {county}, from the next sign-in on.")


def _show_groups(database: Database, county: str, as_json: bool) -> None:
    with database.reading(county) as store:
        rows = list_groups(store)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(f"{row['group']:<40} {row['role']:<12} {row['issuer']}")
