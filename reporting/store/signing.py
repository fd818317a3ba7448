"""The key that signs the heads of the counties' logs, and the text that it signs.

The signed bytes are a checkpoint in the text form of C2SP tlog-checkpoint; a key's id is that of C2SP signed-note.
"""

from __future__ import annotations

import os
import secrets
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from reporting.errors import SigningKeyUnusable

_ED25519: Final = b"\x01"  # the signature type of C2SP signed-note


@dataclass(frozen=True, kw_only=True)
class SignedHead:
    """A signed head of one county's log: its first `size` entries have this root."""

    county: str
    size: int
    root: bytes
    key_id: str
    signature: bytes
    signed_at: datetime


@dataclass(frozen=True, kw_only=True)
class VerifyingKey:
    """The public half of a signing key: 32 raw bytes."""

    raw: bytes

    @classmethod
    def from_pem(cls, pem: bytes) -> VerifyingKey:
        """Read a public key file; raises `SigningKeyUnusable`."""
        try:
            key = load_pem_public_key(pem)
        except (ValueError, UnsupportedAlgorithm) as error:
            raise SigningKeyUnusable("It is not a public key in PEM form.") from error
        if not isinstance(key, Ed25519PublicKey):
            raise SigningKeyUnusable("It is not an Ed25519 key.")
        return cls(raw=key.public_bytes_raw())

    def to_pem(self) -> bytes:
        """The key as a file that other tools read."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def key_id(self, county: str) -> str:
        """The id under which this key signs the county's log: 8 hex digits (C2SP signed-note)."""
        return sha256(origin(county).encode() + b"\n" + _ED25519 + self.raw).hexdigest()[:8]

    def signed(self, head: SignedHead) -> bool:
        """Whether this key made the head's signature."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(
                head.signature, checkpoint_text(head.county, head.size, head.root)
            )
        except InvalidSignature:
            return False
        return head.key_id == self.key_id(head.county)


@dataclass(frozen=True, kw_only=True)
class Signer:
    """The key that signs heads of logs."""

    key: Ed25519PrivateKey

    @classmethod
    def load(cls, path: Path) -> Signer:
        """Read the key file, made readable by its owner only when there is none; raises `SigningKeyUnusable`.

        Of several processes that make it at once, all come back with the same key.
        """
        try:
            if not path.exists():
                _make_key_file(path)
            pem = path.read_bytes()
        except OSError as error:
            raise SigningKeyUnusable(f"{path} cannot be read or made: {error.strerror}.") from error
        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise SigningKeyUnusable(f"{path} is not a private key in PEM form without a password.") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise SigningKeyUnusable(f"{path} is not an Ed25519 key.")
        return cls(key=key)

    @property
    def verifying_key(self) -> VerifyingKey:
        """The half to give away."""
        return VerifyingKey(raw=self.key.public_key().public_bytes_raw())

    def sign(self, county: str, size: int, root: bytes, now: datetime) -> SignedHead:
        """Sign a head of the county's log."""
        return SignedHead(
            county=county,
            size=size,
            root=root,
            key_id=self.verifying_key.key_id(county),
            signature=self.key.sign(checkpoint_text(county, size, root)),
            signed_at=now,
        )


def origin(county: str) -> str:
    """The name of the county's log, first line of its checkpoints."""
    return f"pumper/{county}"


def checkpoint_text(county: str, size: int, root: bytes) -> bytes:
    """The bytes that are signed: origin, size and root, a line each (C2SP tlog-checkpoint)."""
    return f"{origin(county)}\n{size}\n{b64encode(root).decode()}\n".encode()


def checkpoint_note(head: SignedHead) -> str:
    """The checkpoint with its signature line, to mail or print (C2SP signed-note)."""
    signature = b64encode(bytes.fromhex(head.key_id) + head.signature).decode()
    return f"{checkpoint_text(head.county, head.size, head.root).decode()}\n— {origin(head.county)} {signature}\n"


def _make_key_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        # A link appears whole and never replaces: whoever comes second reads the first one's key.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
