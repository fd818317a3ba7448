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

from reporting import export_verifier
from reporting.errors import CheckpointUnreadable, SigningKeyUnusable

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
    """The key that signs heads of logs.

    former: keys that a rotation has not yet replaced in every log. path: the file they were read from.
    """

    key: Ed25519PrivateKey
    former: tuple[Ed25519PrivateKey, ...] = ()
    path: Path | None = None

    @classmethod
    def load(cls, path: Path) -> Signer:
        """Read the key file, made readable by its owner only when there is none; raises `SigningKeyUnusable`.

        The first key in the file signs; others follow while a rotation is under way. Of several processes that make
        the file at once, all come back with the same key.
        """
        try:
            if not path.exists():
                _make_key_file(path)
            pem = path.read_bytes()
        except OSError as error:
            raise SigningKeyUnusable(f"{path} cannot be read or made: {error.strerror}.") from error
        first, *former = [_private_key(part, path) for part in _pem_parts(pem)]
        return cls(key=first, former=tuple(former), path=path)

    def for_key(self, raw: bytes | None) -> Signer:
        """The signer with the key in force (`None`: any); after a rotation elsewhere, the file is read again.

        Raises `SigningKeyUnusable` where it is not there.
        """
        if raw is None or raw == self.verifying_key.raw:
            return self
        reread = Signer.load(self.path) if self.path else self
        for key in (reread.key, *self.former, *reread.former):
            if key.public_key().public_bytes_raw() == raw:
                return Signer(key=key, path=self.path)
        held = f"{self.path} does not hold it" if self.path else "it is not to hand"
        raise SigningKeyUnusable(
            f"The log is signed with another key and {held}: add that key's PEM text to the end of the file."
        )

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


def rotation_text(county: str, key: VerifyingKey) -> bytes:
    """The bytes that the old key signs to hand a log over to a new one."""
    return f"{origin(county)}\nsigning key\n{b64encode(key.raw).decode()}\n".encode()


def add_key(path: Path) -> Signer:
    """Put a new key before those in the file, so that logs can be handed over to it one by one."""
    before = Signer.load(path)
    keys = (Ed25519PrivateKey.generate(), before.key, *before.former)
    _replace_key_file(path, keys)
    return Signer(key=keys[0], former=keys[1:], path=path)


def set_former_aside(signer: Signer) -> list[Path]:
    """Leave only the key that signs in the file: every log has been handed over.

    The former ones go into files beside it, which are given: a backup of before still needs them.
    """
    path = signer.path
    assert path is not None
    aside = []
    for key in signer.former:
        name = sha256(key.public_key().public_bytes_raw()).hexdigest()[:8]
        aside.append(path.with_name(f"{path.name}.former-{name}"))
        _replace_key_file(aside[-1], (key,))
    _replace_key_file(path, (signer.key,))
    return aside


def _pem_parts(pem: bytes) -> list[bytes]:
    end = b"-----END PRIVATE KEY-----"
    return [part + end for part in pem.split(end)[:-1]] or [pem]


def _private_key(pem: bytes, path: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(pem.strip(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SigningKeyUnusable(f"{path} is not a private key in PEM form without a password.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningKeyUnusable(f"{path} is not an Ed25519 key.")
    return key


def _pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _replace_key_file(path: Path, keys: tuple[Ed25519PrivateKey, ...]) -> None:
    try:
        draft = _write_draft(path, b"".join(map(_pem, keys)))
        draft.replace(path)
    except OSError as error:
        raise SigningKeyUnusable(f"{path} cannot be replaced: {error.strerror}.") from error


def read_heads(text: str, where: str, read_at: datetime) -> list[SignedHead]:
    """The checkpoints in a text, such as a mail's, to check a log against; raises `CheckpointUnreadable`.

    where: the file's name, for the error. read_at: stands for the time of signing, which a checkpoint does not say.
    """
    try:
        found = export_verifier.read_checkpoints(text, where)
    except export_verifier.Unreadable as error:
        raise CheckpointUnreadable(f"{error}.") from error
    return [
        SignedHead(
            county=one.county, size=one.size, root=one.root, key_id=one.key_id, signature=one.signature,
            signed_at=read_at,
        )
        for one in found
    ]  # fmt: skip


def _make_key_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = _write_draft(path, _pem(Ed25519PrivateKey.generate()))
    try:
        # A link appears whole and never replaces: whoever comes second reads the first one's key.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _write_draft(path: Path, pem: bytes) -> Path:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    return draft
