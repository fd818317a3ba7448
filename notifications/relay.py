"""The mail server as the configuration names it: its address, how it is encrypted, who logs in and by what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from reporting.errors import ConfigurationError

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_TLS_WORDS: Final = ("required", "offered", "never")


class TokenUnreadable(ValueError):
    """The file of the access token holds none."""


@dataclass(frozen=True, kw_only=True)
class Relay:
    """A mail server as `SMTP_URL` names it. `tls`: `implicit`, `required`, `offered` or `never` (STARTTLS).

    token_file: holds the user's OAuth access token, for XOAUTH2 instead of a password; whoever renews the token writes
    it.
    """

    host: str
    port: int
    tls: str
    user: str = ""
    password: str = field(default="", repr=False)
    token_file: Path | None = None


def read_smtp_url(url: str, token_file: Path | None = None) -> Relay:
    """Parse `smtp://`, `smtp+starttls://` or `smtps://` `USER:PASSWORD@HOST:PORT`; raises `ConfigurationError`.

    `?starttls=required|offered|never` for `smtp://`. Not given: required where a password would go to another machine,
    else used when offered. token_file: with a user and no password, over TLS.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise ConfigurationError("SMTP_URL: the port is no number.") from error
    if not parts.hostname or parts.scheme not in ("smtp", "smtps", "smtp+starttls"):
        raise ConfigurationError("SMTP_URL must begin with smtp://, smtps:// or smtp+starttls:// and name a host.")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    asked = parse_qs(parts.query).get("starttls", [""])[-1].lower()
    if asked not in ("", *_TLS_WORDS):
        raise ConfigurationError("SMTP_URL: starttls must be required, offered or never.")
    remote_secret = bool(user) and parts.hostname not in _LOOPBACK
    tls = {"smtps": "implicit", "smtp+starttls": "required"}.get(parts.scheme) or asked
    tls = tls or ("required" if remote_secret else "offered")
    usual = {"smtps": 465, "smtp+starttls": 587}.get(parts.scheme, 587 if user else 25)
    if token_file is not None and (not user or password):
        raise ConfigurationError("SMTP_OAUTH_TOKEN_FILE: SMTP_URL must name the token's user, and no password.")
    if token_file is not None and parts.hostname not in _LOOPBACK and tls not in ("implicit", "required"):
        raise ConfigurationError("SMTP_OAUTH_TOKEN_FILE: a token goes over smtps:// or smtp+starttls:// only.")
    return Relay(host=parts.hostname, port=port or usual, tls=tls, user=user, password=password, token_file=token_file)


def read_token(token_file: Path) -> str:
    """The access token as it is in its file now; raises `TokenUnreadable`."""
    try:
        token = token_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise TokenUnreadable(f"SMTP_OAUTH_TOKEN_FILE: {token_file} cannot be read.") from error
    if not re.fullmatch(r"[!-~]{1,8000}", token):
        raise TokenUnreadable(f"SMTP_OAUTH_TOKEN_FILE: {token_file} holds no token in one line.")
    return token


def xtext(text: str) -> str:
    """A text as a parameter of an SMTP command has it (RFC 3461, section 4)."""
    return re.sub(r"[^!-~]|[+=]", lambda found: f"+{ord(found[0]):02X}", text)
