"""The service's own secret, and what is made from it: keys for one purpose each, seals, signatures of links."""

from __future__ import annotations

import hmac
import os
import secrets
from base64 import b32encode
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from reporting.config import Config
from reporting.errors import ConfigurationError

_FILE: Final = "secret.key"
_NONCE: Final = 12
_MARK_BYTES: Final = 16


@dataclass(frozen=True, kw_only=True)
class Secret:
    """The secret that all workers of the service share. Who changes it makes second factors and owners' links void."""

    key: bytes = field(repr=False)

    @classmethod
    def of(cls, config: Config) -> Secret:
        """SECRET_KEY or, where there is none, a key beside the signing key, made on first use.

        Raises `ConfigurationError` where that can be neither read nor made.
        """
        if config.secret_key:
            return cls(key=config.secret_key.encode())
        path = config.signing_key_file.with_name(_FILE)
        try:
            if not path.exists():
                _make(path)
            key = path.read_bytes().strip()
        except OSError as error:
            raise ConfigurationError(f"Set SECRET_KEY: {path} can be neither read nor made.") from error
        if len(key) < 32:
            raise ConfigurationError(f"{path} is too short to be a secret: set SECRET_KEY, or remove the file.")
        return cls(key=key)

    def derive(self, purpose: str, size: int = 32) -> bytes:
        """A key for one purpose, at most 32 bytes."""
        return hmac.digest(self.key, b"pumper\n" + purpose.encode(), "sha256")[:size]

    def seal(self, purpose: str, data: bytes) -> bytes:
        """Encrypt what must be read again, such as a TOTP secret (AES-256-GCM)."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + AESGCM(self.derive("seal")).encrypt(nonce, data, purpose.encode())

    def unseal(self, purpose: str, sealed: bytes) -> bytes | None:
        """What was sealed for this purpose; `None` where it was not, or under another secret."""
        try:
            return AESGCM(self.derive("seal")).decrypt(sealed[:_NONCE], sealed[_NONCE:], purpose.encode())
        except (InvalidTag, ValueError):
            return None

    def mark(self, purpose: str, text: str) -> str:
        """A signature that fits into an address: 128 bits in 26 letters and figures."""
        digest = hmac.digest(self.derive(f"mark {purpose}"), text.encode("utf-8", "backslashreplace"), sha256)
        return b32encode(digest[:_MARK_BYTES]).decode().rstrip("=").lower()

    def is_mark(self, purpose: str, text: str, mark: str) -> bool:
        """Whether a signature is of this text."""
        return hmac.compare_digest(self.mark(purpose, text).encode(), mark.encode("utf-8", "backslashreplace"))


def _make(path: Path) -> None:
    """Write a new secret for the owner's eyes only; of several processes at once one's becomes the secret."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secrets.token_hex(32).encode())
        file.flush()
        os.fsync(file.fileno())
    try:
        # Whole or not at all, and never over one that is there.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
