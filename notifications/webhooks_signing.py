"""Signatures by Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over id, time and body. Pure.

A secret is `whsec_` and the base64 of 32 random bytes. While two are live both sign, so that a
receiver may change over.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Final

PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_secret() -> str:
    """A secret for one subscription."""
    return PREFIX + b64encode(secrets.token_bytes(_BYTES)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """One signature; raises `ValueError` for what is no secret."""
    if not secret.startswith(PREFIX):
        raise ValueError("a secret begins with whsec_")
    key = b64decode(secret.removeprefix(PREFIX), validate=True)
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()


def headers_of(live: Sequence[str], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers of one attempt: the id stays the same in each, the time is this one's."""
    timestamp = int(at.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(secret, message_id, timestamp, body) for secret in live),
        "Content-Type": "application/json",
        "User-Agent": "pumper-webhooks/1",
    }
