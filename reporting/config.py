"""Configuration from environment variables, and the only module that reads them.

For the entry points: `Config.from_environment(os.environ)` or `read()` once, then pass the parts on. What there is to
set stands in `reporting.variables`. Every variable but those that name a file may be given as `NAME_FILE`, a file that
holds the value (for secrets).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any, Final

from reporting.errors import ConfigurationError
from reporting.variables import LOG_LEVELS, SETTINGS, Setting

_COUNTS: Final = "PROMETHEUS_MULTIPROC_DIR"
_ORIGIN: Final = re.compile(r"https?://([a-z0-9.-]{1,253}|\[[0-9a-f:]{2,45}\])(?::([1-9][0-9]{0,4}))?", re.ASCII)
_DEFAULTS: Final = {setting.name: setting.default for setting in SETTINGS}


@dataclass(frozen=True, kw_only=True)
class Config:
    """What the operator chose. An empty variable counts as absent; `None` means "not set up"."""

    database_url: str = field(repr=False)
    migration_database_url: str = field(repr=False)
    database_folder: Path | None
    least_free: int
    smtp_url: str | None = field(repr=False)
    smtp_oauth_token_file: Path | None
    mail_from: str
    base_url: str
    secret_key: str | None = field(repr=False)
    port: int
    bind: str
    web_concurrency: int
    log_level: str
    signing_key_file: Path
    oidc_file: Path | None
    programs: Path | None
    mail_dir: Path | None
    mail_only_to: str | None
    sandbox: bool
    map_url: str
    max_upload_bytes: int
    max_rows: int
    rows_at_once: int
    mail_rate: int
    rate_read: int
    rate_write: int
    rate_file: int
    rate_anonymous: int
    rate_county_read: int
    rate_county_write: int
    rate_county_file: int
    rate_county_anonymous: int
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...]
    security_contact: str | None
    webhook_allow: str

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Config:
        """Read `environ`; raises `ConfigurationError` that names every variable that cannot be used."""
        values, problems = _values(environ)
        parsed: dict[str, Any] = {}
        for name, parse in _parsers().items():
            try:
                parsed[name.lower().removeprefix("pumper_")] = parse(values[name])
            except ValueError as error:
                problems.append(f"{name}: {error}.")
        if parsed.get("sandbox") and parsed.get("smtp_url"):
            problems.append(
                "PUMPER_SANDBOX: a sandbox mails nobody: leave SMTP_URL empty; PUMPER_MAIL_DIR is a folder."
            )
        if problems:
            raise ConfigurationError(" ".join(problems))
        parsed["migration_database_url"] = parsed["migration_database_url"] or parsed["database_url"]
        return cls(**parsed)


def read() -> Config:
    """The configuration of this process."""
    return Config.from_environment(os.environ)


def programs_folder(environ: Mapping[str, str] | None = None) -> Path | None:
    """The folder with a county's own programs (`PUMPER_PROGRAMS`), for commands that need nothing else set up."""
    values, problems = _values(os.environ if environ is None else environ)
    try:
        return _folder(values["PUMPER_PROGRAMS"])
    except ValueError as error:
        raise ConfigurationError(" ".join([*problems, f"PUMPER_PROGRAMS: {error}."])) from error


@dataclass(frozen=True, kw_only=True)
class SettingLine:
    """One line of `pumper config`: the setting, its value as it may be shown, and whether the default holds."""

    setting: Setting
    shown: str
    is_default: bool


def describe(environ: Mapping[str, str]) -> list[SettingLine]:
    """Every setting with its value, secrets and passwords blotted out; raises `ConfigurationError` like `Config`."""
    values, problems = _values(environ)
    if problems:
        raise ConfigurationError(" ".join(problems))
    return [
        SettingLine(
            setting=setting,
            shown=_blot(setting, values[setting.name]),
            is_default=values[setting.name] == setting.default,
        )
        for setting in SETTINGS
    ]


def _blot(setting: Setting, value: str) -> str:
    if setting.secret:
        return "***" if value else ""
    # Up to the last @: whatever a password holds, nothing of it may be shown.
    shown = re.sub(r"(?<=://)([^/@:]*):.*@", r"\1:***@", value)
    return re.sub(r"(?<=password=)[^&]*", "***", shown)


def _values(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The text of every setting, and what is wrong with the way it was given."""
    problems: list[str] = []
    values = dict(_DEFAULTS)
    for name in values:
        given, file = environ.get(name, "").strip(), environ.get(f"{name}_FILE", "").strip()
        if given and file:
            problems.append(f"{name} and {name}_FILE are both set: give one.")
        elif file:
            try:
                given = Path(file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError):
                problems.append(f"{name}_FILE: {file} cannot be read.")
            else:
                if not given:
                    problems.append(f"{name}_FILE: {file} is empty.")
        values[name] = given or values[name]
    return values, problems


def _parsers() -> dict[str, Callable[[str], Any]]:
    """Per setting, what turns its text into a value or raises `ValueError` with what it must be."""
    return {
        "DATABASE_URL": _database_url,
        "MIGRATION_DATABASE_URL": lambda text: _database_url(text) if text else "",
        "PUMPER_DATABASE_FOLDER": _folder,
        "PUMPER_LEAST_FREE": _whole(0, 10**12 - 1),
        "SMTP_URL": _smtp_url,
        "SMTP_OAUTH_TOKEN_FILE": lambda text: Path(text) if text else None,
        "MAIL_FROM": _address,
        "BASE_URL": _base_url,
        "SECRET_KEY": _secret,
        "PORT": _whole(1, 65535),
        "PUMPER_BIND": _ip_address,
        "WEB_CONCURRENCY": _whole(1, 64),
        "LOG_LEVEL": _log_level,
        "PUMPER_SIGNING_KEY_FILE": Path,
        "PUMPER_PROGRAMS": _folder,
        "PUMPER_OIDC_FILE": lambda text: Path(text) if text else None,
        "PUMPER_MAIL_DIR": lambda text: Path(text) if text else None,
        "PUMPER_MAIL_ONLY_TO": _one_address,
        "PUMPER_SANDBOX": _switch,
        "PUMPER_MAP_URL": _map_url,
        "PUMPER_MAX_UPLOAD_BYTES": _whole(1, 2**31),
        "PUMPER_MAX_ROWS": _whole(1, 10**7),
        "PUMPER_ROWS_AT_ONCE": _whole(1, 10**7),
        "PUMPER_MAIL_RATE": _whole(0, 10**6),
        **{name: _whole(0, 10**6) for name in _DEFAULTS if name.startswith("PUMPER_RATE_")},
        "PUMPER_TRUSTED_PROXIES": _networks,
        "PUMPER_SECURITY_CONTACT": _contact,
        "PUMPER_WEBHOOK_ALLOW": _origins,
    }


def _database_url(text: str) -> str:
    if not re.match(r"(sqlite|postgres|postgresql|postgresql\+psycopg)://", text):
        raise ValueError("must begin with sqlite:// or postgresql://")
    return text


def _smtp_url(text: str) -> str | None:
    if text and not re.match(r"smtps?://[^/]|smtp\+starttls://[^/]", text):
        raise ValueError("must begin with smtp://, smtps:// or smtp+starttls:// and name a host")
    return text or None


def _address(text: str) -> str:
    if not re.fullmatch(r"[^\s]([^\r\n]*<)?[^\r\n<>@]*@[^\s<>@]+>?", text):
        raise ValueError("must be one mail address")
    return text


def _ip_address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise ValueError("must be an IP address of this machine, such as 127.0.0.1 or 0.0.0.0") from None


def _one_address(text: str) -> str | None:
    if text and not re.fullmatch(r"[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+", text):
        raise ValueError("must be one plain mail address, such as trial@example.org")
    return text or None


def _switch(text: str) -> bool:
    if text not in ("", "on"):
        raise ValueError("must be on, or empty")
    return text == "on"


def _base_url(text: str) -> str:
    if not re.fullmatch(r"https?://[^/\s]+(/[^\s?#]*)?", text):
        raise ValueError("must be an address such as https://reports.example.org")
    return text.rstrip("/")


def _map_url(text: str) -> str:
    if text == "none":
        return ""
    if not re.fullmatch(r"(https?://|geo:)[^\s<>\"']+", text) or "{lat}" not in text or "{lon}" not in text:
        raise ValueError("must be an https: or geo: address with {lat} and {lon} in it, or none")
    return text


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(part.strip()) for part in text.split(","))
    except ValueError as error:
        raise ValueError("must be addresses or networks such as 10.0.0.0/24, parted by commas") from error


def _contact(text: str) -> str | None:
    if text and not re.fullmatch(r"mailto:[^\s@]+@[^\s@]+|https://[^\s]+", text):
        raise ValueError("must begin with mailto: or https://")
    return text or None


def _origins(text: str) -> str:
    """Origins, parted by commas; `notifications.webhooks_addresses` takes them apart."""
    found = [_ORIGIN.fullmatch(part.strip()) for part in text.split(",")] if text else []
    if not all(match and int(match[2] or 443) < 65_536 for match in found):
        raise ValueError("must be origins such as https://hooks.example.org:8443, parted by commas")
    return text


def _secret(text: str) -> str | None:
    if text and len(text) < 32:
        raise ValueError("must have 32 characters or more")
    return text or None


def _log_level(text: str) -> str:
    if text.upper() not in LOG_LEVELS:
        raise ValueError("must be one of " + ", ".join(LOG_LEVELS))
    return text.upper()


def _folder(text: str) -> Path | None:
    if text and not Path(text).is_dir():
        raise ValueError("must be a folder that is there")
    return Path(text) if text else None


def _whole(least: int, most: int) -> Callable[[str], int]:
    """A parser of plain whole numbers: `int()` also takes `1_000`, `+5` and Arabic digits."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return parse


def share_counts(folder: str) -> None:
    """Let the processes that this one is about to start count calls into one folder.

    Prometheus' client library takes the folder from this variable of its own, when it is first imported.
    """
    os.environ[_COUNTS] = folder


def shared_counts() -> str | None:
    """The folder of the counts; `None`: each process counts for itself."""
    return os.environ.get(_COUNTS) or None
