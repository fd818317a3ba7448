"""One-time codes by time: RFC 6238 with SHA-1, 6 digits and 30 seconds, which every authenticator app knows. Pure."""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import b32encode
from datetime import datetime
from hashlib import sha256
from typing import Final
from urllib.parse import quote

STEP_S: Final = 30
DIGITS: Final = 6
SECRET_BYTES: Final = 20
RECOVERY_CODES: Final = 10
_CODE: Final = re.compile(r"[0-9]{6}", re.ASCII)
_RECOVERY: Final = re.compile(r"[a-z2-7]{16}", re.ASCII)


def step_at(now: datetime) -> int:
    """The number of the half minute that `now` lies in."""
    return int(now.timestamp()) // STEP_S


def code_at(secret: bytes, step: int) -> str:
    """The code of a half minute (RFC 4226, section 5.3)."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def step_of(secret: bytes, code: str, now: datetime) -> int | None:
    """The half minute that a code is of: this one or a neighbour, for clocks that are a little off; else `None`."""
    given = clean_code(code)
    found = None
    if _CODE.fullmatch(given):
        for step in range(step_at(now) - 1, step_at(now) + 2):
            if hmac.compare_digest(code_at(secret, step), given):
                found = step
    return found


def clean_code(code: str) -> str:
    """A code as people type it, without blanks and dashes."""
    return re.sub(r"[\s-]", "", code).lower()


def shown_secret(secret: bytes) -> str:
    """A secret as it is typed into an app."""
    return b32encode(secret).decode()


def setup_uri(secret: bytes, account: str, issuer: str) -> str:
    """What an authenticator app reads from a link or a QR code (Key Uri Format)."""
    label = quote(f"{issuer}:{account}", safe="@:")
    return (
        f"otpauth://totp/{label}?secret={shown_secret(secret)}&issuer={quote(issuer)}&digits={DIGITS}&period={STEP_S}"
    )


def new_recovery_codes() -> list[str]:
    """Codes of 80 random bits for the day on which the phone is lost, each for one use; written in groups of four."""
    codes = [b32encode(secrets.token_bytes(10)).decode().lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in codes]


def recovery_hash(code: str) -> str | None:
    """What is kept of a recovery code; `None` for what is none."""
    given = clean_code(code)
    return sha256(given.encode()).hexdigest() if _RECOVERY.fullmatch(given) else None
