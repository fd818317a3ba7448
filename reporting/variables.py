"""The environment variables that configure the service: the table that `pumper config` prints.

`reporting.config` reads them. Every variable but those that name a file may be given as `NAME_FILE`, a file that holds
the value (for secrets).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
        meaning="The same database for the role that owns the tables; used by `pumper init` and `pumper retention "
        "destroy`. Empty: DATABASE_URL.",
    ),
    Setting(
        name="PUMPER_DATABASE_FOLDER",
        default="",
        meaning="A folder on the disk where PostgreSQL keeps its data, when that is this machine's. SQLite's is known.",
    ),
    Setting(
        name="PUMPER_LEAST_FREE",
        default="50000000",
        meaning="With fewer bytes free on the database's disk nothing more is taken (507) and reading goes on; "
        "PostgreSQL would stop and stay down. 0: nobody looks.",
    ),
    Setting(
        name="SMTP_URL",
        default="",
        meaning="The mail server: smtp://HOST:PORT, smtps:// or smtp+starttls://USER:PASSWORD@HOST. Empty: mail waits.",
    ),
    Setting(
        name="SMTP_OAUTH_TOKEN_FILE",
        default="",
        meaning="A file with the OAuth access token for SMTP_URL's user (XOAUTH2); whoever renews the token writes it.",
    ),
    Setting(name="MAIL_FROM", default="pumper@localhost", meaning="The sender's address of every mail."),
    Setting(name="BASE_URL", default="http://127.0.0.1:8000", meaning="Where people reach the service, for links."),
    Setting(
        name="SECRET_KEY",
        default="",
        meaning="Signs owners' links and seals second factors; 32 characters or more. "
        "Empty: a key beside the signing key, made on first use.",
        secret=True,
    ),
    Setting(name="PORT", default="8000", meaning="The port that `pumper serve` and `pumper web` listen on."),
    Setting(
        name="PUMPER_BIND",
        default="127.0.0.1",
        meaning="The address that they listen on: this machine alone, for a proxy on it; 0.0.0.0 or :: for one "
        "elsewhere, which PUMPER_TRUSTED_PROXIES then names.",
    ),
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
        name="PUMPER_PROGRAMS",
        default="",
        meaning="A folder with further program files, SLUG.toml each, beside those that ship; one there stands in place"
        " of one of the same slug. Empty: there is none.",
    ),
    Setting(
        name="PUMPER_OIDC_FILE",
        default="",
        meaning="A TOML file with each county's own provider for its staff's sign-in. Empty: there is none.",
    ),
    Setting(
        name="PUMPER_MAIL_DIR", default="", meaning="Write mails to this folder as .eml files instead of sending them."
    ),
    Setting(
        name="PUMPER_MAIL_ONLY_TO",
        default="",
        meaning="Staging: every mail goes to this one address, and says whom it was for. Empty: to its recipient.",
    ),
    Setting(
        name="PUMPER_SANDBOX",
        default="",
        meaning="on: an installation of its own for haulers to try against, with invented data, made anew every night;"
        " it mails nobody. Its database is made by `pumper sandbox reset`. Empty: none.",
    ),
    Setting(
        name="PUMPER_MAP_URL",
        default="https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=17/{lat}/{lon}",
        meaning="Where notices link a tank's place: an https: or geo: address with {lat} and {lon}; none: no link.",
    ),
    Setting(name="PUMPER_MAX_UPLOAD_BYTES", default="10000000", meaning="The largest file taken over HTTP, in bytes."),
    Setting(name="PUMPER_MAIL_RATE", default="600", meaning="The most mails a minute, over all workers; 0: no limit."),
    Setting(
        name="PUMPER_MAX_ROWS",
        default="20000",
        meaning="The most rows of a file over HTTP; of a longer one at a terminal, each part is committed.",
    ),
    Setting(
        name="PUMPER_ROWS_AT_ONCE",
        default="2000",
        meaning="A longer file is answered with 202 and worked off by the worker.",
    ),
    Setting(name="PUMPER_RATE_READ", default="1200", meaning="Calls a minute of one key that read; 0: no limit."),
    Setting(name="PUMPER_RATE_WRITE", default="1200", meaning="Calls a minute of one key that change; 0: no limit."),
    Setting(name="PUMPER_RATE_FILE", default="60", meaning="Files a minute of one key, in or out; 0: no limit."),
    Setting(
        name="PUMPER_RATE_ANONYMOUS",
        default="120",
        meaning="Calls a minute without a key from one address, or one /64 of IPv6; 0: no limit.",
    ),
    Setting(name="PUMPER_RATE_COUNTY_READ", default="6000", meaning="Calls a minute that read in one county, by all."),
    Setting(name="PUMPER_RATE_COUNTY_WRITE", default="3000", meaning="Calls a minute that change in one county."),
    Setting(name="PUMPER_RATE_COUNTY_FILE", default="240", meaning="Files a minute of one county, in or out."),
    Setting(name="PUMPER_RATE_COUNTY_ANONYMOUS", default="1200", meaning="Calls a minute without a key in one county."),
    Setting(
        name="PUMPER_TRUSTED_PROXIES",
        default="127.0.0.1,::1",
        meaning="Addresses or networks of proxies in front, whose word for scheme and client address is taken.",
    ),
    Setting(
        name="PUMPER_WEBHOOK_ALLOW",
        default="",
        meaning="Origins that webhooks may reach beside public https ones, such as https://hooks.county.example:8443, "
        "parted by commas: for receivers on your own network.",
    ),
    Setting(
        name="PUMPER_SECURITY_CONTACT",
        default="",
        meaning="Where weaknesses are told (mailto: or https:), for /.well-known/security.txt. Empty: none is shown.",
    ),
)
