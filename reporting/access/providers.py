"""A county's own provider (OpenID Connect): its settings from a file, and what its word makes of somebody."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from reporting.access.entries import note
from reporting.access.outcomes import Refused, SignedIn, Why
from reporting.access.staff import follow_groups
from reporting.errors import ConfigurationError
from reporting.store.engine import Store
from reporting.store.groups import roles_of_groups
from reporting.store.persons import (
    Place,
    SignsIn,
    create_person,
    find_by_identity,
    get_person,
    keep_identity,
    update_person,
)
from reporting.store.sessions import Method, start_session
from reporting.store.signin import count_failure
from schemas.loader import shipped_slugs

_NEEDED: Final = ("issuer", "client_id")
_OPTIONAL: Final = ("client_secret_file", "groups_claim", "scopes")
_LONGEST_NAME: Final = 100
_SCOPE: Final = re.compile(r"[!#-\[\]-~]+", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Provider:
    """One county's provider. `groups_claim`: the claim of the ID token that lists the person's groups."""

    county: str
    issuer: str
    client_id: str
    client_secret: str | None = field(repr=False, default=None)
    groups_claim: str = "groups"
    scopes: tuple[str, ...] = ("openid", "profile", "email")


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What a checked ID token says. `email` None: none that the provider calls verified."""

    subject: str
    name: str
    email: str | None
    groups: Sequence[str]


def load_providers(path: Path | None) -> dict[str, Provider]:
    """The providers by county, from a file with a table for each; none without a file.

    Raises `ConfigurationError` that names county and key.
    """
    if path is None:
        return {}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"PUMPER_OIDC_FILE: {path} cannot be read.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"PUMPER_OIDC_FILE: {path} is not TOML: {error}.") from error
    return {county: _provider(county, table) for county, table in tables.items()}


def enter(store: Store, provider: Provider, claims: Claims, now: datetime) -> SignedIn | Refused:
    """Let somebody in on the provider's word; roles follow the groups, so that what it takes away is gone at once.

    store: a transaction of the county, to be committed whatever comes out.
    """
    place = Place(county=provider.county)
    roles = roles_of_groups(store, provider.issuer, claims.groups)
    person = find_by_identity(store, provider.county, provider.issuer, claims.subject)
    if not roles:
        if person is not None:
            follow_groups(store, person, place, (), provider.issuer, now)
        return _refuse(store, person, now)
    name = " ".join(claims.name.split())[:_LONGEST_NAME] or "Unnamed"
    if person is None:
        made = create_person(store, name, claims.email, SignsIn.OIDC, now)
        person = keep_identity(store, provider.county, provider.issuer, claims.subject, made)
    elif (get_person(store, person) or {}).get("ended_at") is not None:
        return _refuse(store, person, now)
    else:
        update_person(store, person, name, claims.email)
    follow_groups(store, person, place, roles, provider.issuer, now)
    session, token = start_session(store, person, place, Method.OIDC, now)
    content = {"person": person, "method": Method.OIDC, "session": session, "issuer": provider.issuer}
    note(store, "signed_in", content, now)
    return SignedIn(session=session, token=token, person=person, place=place)


def _refuse(store: Store, person: str | None, now: datetime) -> Refused:
    count_failure(store, store.tenant, Method.OIDC, person, now)
    text = (
        "Your county account was recognized, but none of its groups has a role in this service. "
        "Ask the service's manager in your county (`pumper staff group`)."
    )
    return Refused(why=Why.NO_ROLE, text=text)


def _provider(county: str, table: Any) -> Provider:
    where = f"PUMPER_OIDC_FILE: [{county}]"
    if county not in shipped_slugs():
        raise ConfigurationError(f"{where}: there is no such program; there are: {', '.join(shipped_slugs())}.")
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where} must be a table.")
    unknown = sorted(table.keys() - {*_NEEDED, *_OPTIONAL})
    missing = [name for name in _NEEDED if name not in table]
    if unknown or missing:
        words = [f"{name} is no setting" for name in unknown] + [f"{name} is missing" for name in missing]
        raise ConfigurationError(f"{where}: {'; '.join(words)}.")
    texts = {name: _text(where, name, table[name]) for name in table if name != "scopes"}
    if not is_safe_address(texts["issuer"]):
        raise ConfigurationError(f"{where}: issuer must begin with https:// (http:// on this machine only).")
    return Provider(
        county=county,
        issuer=texts["issuer"],
        client_id=texts["client_id"],
        client_secret=_secret(where, texts.get("client_secret_file")),
        groups_claim=texts.get("groups_claim", "groups"),
        scopes=_scopes(where, table),
    )


def is_safe_address(address: str) -> bool:
    """Whether an address is one of https, or of http on this machine."""
    parts = urlsplit(address)
    if parts.scheme == "https":
        return bool(parts.hostname)
    try:
        return parts.scheme == "http" and ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False


def _text(where: str, name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{where}: {name} must be a text.")
    return value


def _scopes(where: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    given = table.get("scopes", ["openid", "profile", "email"])
    good = isinstance(given, list) and all(isinstance(word, str) and _SCOPE.fullmatch(word) for word in given)
    if not good or "openid" not in given:
        raise ConfigurationError(f'{where}: scopes must be a list of words with "openid" in it.')
    return tuple(given)


def _secret(where: str, path: str | None) -> str | None:
    if path is None:
        return None
    try:
        secret = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{where}: client_secret_file {path} cannot be read.") from error
    if not secret:
        raise ConfigurationError(f"{where}: client_secret_file {path} is empty.")
    return secret
