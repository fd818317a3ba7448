"""Passwords: scrypt of the standard library, parameters of OWASP's Password Storage Cheat Sheet (N=2^15, r=8, p=3)."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable
from hashlib import scrypt
from hmac import compare_digest
from typing import Final

METHOD: Final = "scrypt:32768:8:3"
SHORTEST: Final = 12
LONGEST: Final = 128
_SALT_BYTES: Final = 16
_FEWEST_DIFFERENT: Final = 5
_AT_ONCE: Final = threading.BoundedSemaphore(2)
"""Each takes 32 MB and about a third of a second: more at a time would let strangers exhaust the machine."""
_NOBODYS_SALT: Final = bytes(_SALT_BYTES)
_COMMON: Final = (
    "password", "passwort", "qwertyuiop", "1234567890", "letmein", "welcome", "iloveyou", "administrator", "changeme",
    "abcdefgh", "trustno1", "wisconsin", "packers", "badgers", "septic", "pumper",
)  # fmt: skip


def weakness_of(password: str, known_words: Iterable[str] = ()) -> str | None:
    """What is wrong with a new password, in a sentence; `None` when nothing is. `known_words`: name and address."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"A password has {SHORTEST} to {LONGEST} characters; several words make a good one."
    if len(set(password)) < _FEWEST_DIFFERENT:
        return "A password has more different characters."
    rest = password.casefold()
    known = (word.casefold() for given in known_words for word in given.replace("@", " ").replace(".", " ").split())
    for word in sorted({*_COMMON, *(word for word in known if len(word) > 3)}, key=len, reverse=True):
        rest = rest.replace(word, "")
    if len(rest) < SHORTEST // 2:
        return "This password is easily guessed: take words that have nothing to do with you or the service."
    return None


def hash_password(password: str) -> tuple[str, bytes, bytes]:
    """Method, salt and hash of a new password."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return METHOD, salt, _hash(password, salt, METHOD)


def is_password(password: str, method: str, salt: bytes, expected: bytes) -> bool:
    """Whether this is the password of a hash."""
    return compare_digest(_hash(password, salt, method), expected)


def pretend(password: str) -> None:
    """Take as long as for a password that is on file, so that nobody learns which addresses are."""
    _hash(password, _NOBODYS_SALT, METHOD)


def _hash(password: str, salt: bytes, method: str) -> bytes:
    _name, n, r, p = method.split(":")
    memory = 128 * int(n) * int(r)
    # More than any password may have is cut off before it costs anything.
    text = password[: LONGEST + 1].encode("utf-8", "backslashreplace")
    with _AT_ONCE:
        return scrypt(text, salt=salt, n=int(n), r=int(r), p=int(p), maxmem=2 * memory, dklen=32)
