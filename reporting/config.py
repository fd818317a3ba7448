"""Configuration from environment variables, and the only module that reads them.

For the entry points: `Config.from_environment(os.environ)` or `read()` once, then pass the parts on. `SETTINGS` is the
table that `pumper config` prints. Every variable but those that name a file may be given as `NAME_FILE`, a file that
holds the value (for secrets).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from reporting.errors import ConfigurationError

LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One environment variable: what `pumper config` says of it. `secret` values are never shown."""

    name: str
    default: str
    meaning: str
    secret: bool = False


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        name="DATABASE_URL",
        default="sqlite:///var/pumper.db",
        meaning="The database: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME, for a role that owns nothing.",
    ),
    Setting(
        name="MIGRATION_DATABASE_URL",
        default="",
        meaning="The same database for the role that owns the tables; used by `pumper init` only. Empty: DATABASE_URL.",
    ),
    Setting(
        name="SMTP_URL",
        default="",
        meaning="The mail server: smtp://HOST:PORT, smtps:// or smtp+starttls://USER:PASSWORD@HOST. Empty: mail waits.",
    ),
    Setting(name="MAIL_FROM", default="pumper@localhost", meaning="The sender's address of every mail."),
    Setting(name="BASE_URL", default="http://127.0.0.1:8000", meaning="Where people reach the service, for links."),
    Setting(name="SECRET_KEY", default="", meaning="Signs sessions and links; 32 characters or more.", secret=True),
    Setting(name="PORT", default="8000", meaning="The port that `pumper serve` listens on."),
    Setting(name="WEB_CONCURRENCY", default="2", meaning="How many web workers `pumper serve` starts."),
    Setting(
        name="LOG_LEVEL", default="INFO", meaning="The least important line to log: " + ", ".join(LOG_LEVELS) + "."
    ),
    Setting(
        name="PUMPER_SIGNING_KEY_FILE",
        default="var/signing.key",
        meaning="The Ed25519 key that signs receipts; made on first use.",
    ),
    Setting(
        name="PUMPER_MAIL_DIR", default="", meaning="Write mails to this folder as .eml files instead of sending them."
    ),
    Setting(name="PUMPER_MAX_UPLOAD_BYTES", default="10000000", meaning="The largest file taken over HTTP, in bytes."),
    Setting(name="PUMPER_MAIL_RATE", default="600", meaning="The most mails a minute, over all workers; 0: no limit."),
    Setting(name="PUMPER_MAX_ROWS", default="20000", meaning="The most rows of one file taken over HTTP."),
    Setting(
        name="PUMPER_ROWS_AT_ONCE",
        default="2000",
        meaning="A longer file is answered with 202 and worked off by the worker.",
    ),
)

_DEFAULTS: Final = {setting.name: setting.default for setting in SETTINGS}
_FIELDS: Final = {
    "PUMPER_SIGNING_KEY_FILE": "signing_key_file",
    "PUMPER_MAIL_DIR": "mail_dir",
    "PUMPER_MAX_UPLOAD_BYTES": "max_upload_bytes",
    "PUMPER_MAX_ROWS": "max_rows",
    "PUMPER_ROWS_AT_ONCE": "rows_at_once",
    "PUMPER_MAIL_RATE": "mail_rate",
}


@dataclass(frozen=True, kw_only=True)
class Config:
    """What the operator chose. An empty variable counts as absent; `None` means "not set up"."""

    database_url: str = field(repr=False)
    migration_database_url: str = field(repr=False)
    smtp_url: str | None = field(repr=False)
    mail_from: str
    base_url: str
    secret_key: str | None = field(repr=False)
    port: int
    web_concurrency: int
    log_level: str
    signing_key_file: Path
    mail_dir: Path | None
    max_upload_bytes: int
    max_rows: int
    rows_at_once: int
    mail_rate: int

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Config:
        """Read `environ`; raises `ConfigurationError` that names every variable that cannot be used."""
        values, problems = _values(environ)
        parsed: dict[str, Any] = {}
        for name, parse in _parsers().items():
            try:
                parsed[_FIELDS.get(name, name.lower())] = parse(values[name])
            except ValueError as error:
                problems.append(f"{name}: {error}.")
        if problems:
            raise ConfigurationError(" ".join(problems))
        parsed["migration_database_url"] = parsed["migration_database_url"] or parsed["database_url"]
        return cls(**parsed)


def read() -> Config:
    """The configuration of this process."""
    return Config.from_environment(os.environ)


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
        "SMTP_URL": _smtp_url,
        "MAIL_FROM": _address,
        "BASE_URL": _base_url,
        "SECRET_KEY": _secret,
        "PORT": _whole(1, 65535),
        "WEB_CONCURRENCY": _whole(1, 64),
        "LOG_LEVEL": _log_level,
        "PUMPER_SIGNING_KEY_FILE": Path,
        "PUMPER_MAIL_DIR": lambda text: Path(text) if text else None,
        "PUMPER_MAX_UPLOAD_BYTES": _whole(1, 2**31),
        "PUMPER_MAX_ROWS": _whole(1, 10**7),
        "PUMPER_ROWS_AT_ONCE": _whole(1, 10**7),
        "PUMPER_MAIL_RATE": _whole(0, 10**6),
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


def _base_url(text: str) -> str:
    if not re.fullmatch(r"https?://[^/\s]+(/[^\s?#]*)?", text):
        raise ValueError("must be an address such as https://reports.example.org")
    return text.rstrip("/")


def _secret(text: str) -> str | None:
    if text and len(text) < 32:
        raise ValueError("must have 32 characters or more")
    return text or None


def _log_level(text: str) -> str:
    if text.upper() not in LOG_LEVELS:
        raise ValueError("must be one of " + ", ".join(LOG_LEVELS))
    return text.upper()


def _whole(least: int, most: int) -> Callable[[str], int]:
    """A parser of plain whole numbers: `int()` also takes `1_000`, `+5` and Arabic digits."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return parse
