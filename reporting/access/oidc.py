"""OpenID Connect, code flow with PKCE, by Authlib: where to send somebody, and what the provider's answer says.

Every check has its sentence: issuer of the discovery document and of the answer (RFC 9207), signature under the
provider's own keys and none but asymmetric algorithms, issuer, audience, authorized party, expiry, nonce, at_hash.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from reporting.access.providers import Claims, Provider, is_safe_address
from reporting.errors import PumperError

TRY_LIFE: Final = timedelta(minutes=10)
"""How long somebody may take at the provider."""
_LEEWAY_S: Final = 60
_TIMEOUT_S: Final = 5
_MOST_BYTES: Final = 1_000_000
_ALGORITHMS: Final = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "Ed25519"]
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderRefused(PumperError):
    """The county's provider cannot be reached, or its answer cannot be used."""


@dataclass(frozen=True, kw_only=True)
class Started:
    """What is kept in the browser between going to the provider and coming back."""

    county: str
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


def start(provider: Provider, redirect_uri: str) -> tuple[str, Started]:
    """Where to send the browser, and what to remember meanwhile. Raises `ProviderRefused`."""
    endpoints = _discover(provider)
    started = Started(
        county=provider.county, state=generate_token(43), nonce=generate_token(43), verifier=generate_token(64)
    )
    with _client(provider, redirect_uri) as client:
        url, _state = client.create_authorization_url(
            endpoints["authorization_endpoint"],
            state=started.state,
            nonce=started.nonce,
            code_verifier=started.verifier,
        )
    return str(url), started


def finish(provider: Provider, redirect_uri: str, started: Started, answer: Mapping[str, str], now: datetime) -> Claims:
    """What the provider says of whoever came back with `answer`, the address's parameters. Raises `ProviderRefused`."""
    if not hmac.compare_digest(started.state.encode(), answer.get("state", "").encode("utf-8", "backslashreplace")):
        raise ProviderRefused("The state is not the one that was sent.")
    if answer.get("iss", provider.issuer) != provider.issuer:
        raise ProviderRefused("The answer is of another issuer.")
    if "error" in answer or not answer.get("code"):
        raise ProviderRefused("The provider let nobody in.")
    endpoints = _discover(provider)
    try:
        with _client(provider, redirect_uri) as client:
            token = client.fetch_token(
                endpoints["token_endpoint"],
                grant_type="authorization_code",
                code=answer["code"],
                code_verifier=started.verifier,
                timeout=_TIMEOUT_S,
                allow_redirects=False,
            )
    except (AuthlibBaseError, requests.RequestException, ValueError) as error:
        raise ProviderRefused(f"The code was not taken: {type(error).__name__}.") from error
    return _claims(provider, _checked(provider, endpoints["jwks_uri"], token, started.nonce, now))


def _checked(provider: Provider, jwks_uri: str, token: Mapping[str, Any], nonce: str, now: datetime) -> CodeIDToken:
    id_token = token.get("id_token")
    if not isinstance(id_token, str):
        raise ProviderRefused("There is no ID token.")
    options = {
        "iss": {"essential": True, "value": provider.issuer},
        "aud": {"essential": True, "value": provider.client_id},
        "exp": {"essential": True},
        "nonce": {"essential": True, "value": nonce},
    }
    params = {"nonce": nonce, "client_id": provider.client_id, "access_token": token.get("access_token")}
    try:
        keys = KeySet.import_key_set(_fetch(jwks_uri))  # type: ignore[arg-type]  # checked by what it does
        read = jwt.decode(id_token, keys, algorithms=_ALGORITHMS)
        found = CodeIDToken(read.claims, read.header, options, params)
        found.validate(now=int(now.timestamp()), leeway=_LEEWAY_S)
    except (JoseError, AuthlibBaseError, ValueError, KeyError, TypeError) as error:
        raise ProviderRefused(f"The ID token is not good: {type(error).__name__}.") from error
    audience = found["aud"]
    if audience != provider.client_id and audience != [provider.client_id]:
        raise ProviderRefused("The ID token is for others too.")
    return found


def _claims(provider: Provider, token: CodeIDToken) -> Claims:
    groups = token.get(provider.groups_claim, [])
    listed = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    email = token.get("email")
    name = token.get("name") or token.get("preferred_username") or ""
    return Claims(
        subject=str(token["sub"]),
        name=str(name),
        email=email if isinstance(email, str) and token.get("email_verified") is True else None,
        groups=[group for group in listed if isinstance(group, str)],
    )


def _discover(provider: Provider) -> dict[str, str]:
    """The provider's addresses, from its own document (OpenID Connect Discovery 1.0, section 4.3: the same issuer)."""
    found = _fetch(provider.issuer.rstrip("/") + "/.well-known/openid-configuration")
    if found.get("issuer") != provider.issuer:
        raise ProviderRefused("The provider calls itself otherwise than PUMPER_OIDC_FILE does.")
    endpoints = {name: found.get(name) for name in _ENDPOINTS}
    for name, address in endpoints.items():
        if not isinstance(address, str) or not is_safe_address(address):
            raise ProviderRefused(f"The provider gives no {name} under https.")
    return {name: str(address) for name, address in endpoints.items()}


def _fetch(address: str) -> dict[str, Any]:
    """A JSON object of the provider; no redirect is followed, and no more is read than any of these needs."""
    try:
        with (
            requests.Session() as session,
            session.get(address, timeout=_TIMEOUT_S, allow_redirects=False, stream=True) as response,
        ):
            response.raise_for_status()
            body = response.raw.read(_MOST_BYTES + 1, decode_content=True)
            if response.status_code != 200 or len(body) > _MOST_BYTES:
                raise ProviderRefused("The provider's document cannot be used.")
            found = json.loads(body)
    except (requests.RequestException, ValueError) as error:
        raise ProviderRefused(f"The provider cannot be reached: {type(error).__name__}.") from error
    if not isinstance(found, dict):
        raise ProviderRefused("The provider's document cannot be used.")
    return found


def _client(provider: Provider, redirect_uri: str) -> OAuth2Session:
    return OAuth2Session(
        client_id=provider.client_id,
        client_secret=provider.client_secret,
        scope=" ".join(provider.scopes),
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
    )
