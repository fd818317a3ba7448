"""A signature as the contract's field `signature` takes it: a typed name, or the image of a drawn one. Pure.

An image is a data address (RFC 2397) of a PNG (ISO/IEC 15948), whole and small: it is kept with the report for good and
shown on pages, so nothing else that a browser might run or fetch is taken in its place.
"""

from __future__ import annotations

import binascii
import hashlib
import struct
import zlib
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Final

from reporting.intake.values import BadValue

FIELDS_SIGNED: Final = ("signature", "inspector_signature")
PREFIX: Final = "data:image/png;base64,"
LARGEST: Final = 40_000
"""Bytes of an image; what a finger draws in black on nothing has a few thousand."""
WIDEST: Final = 2_000
"""Pixels across or down: a small file may unpack to a picture that no phone can hold."""
_LONGEST_NAME: Final = 10_000
_MARK: Final = b"\x89PNG\r\n\x1a\n"
_ADVICE: Final = "Draw it again, or type your name."


def check_signature(text: str) -> str:
    """The signature as it came. Raises `BadValue` for an address of anything but a PNG of at most `LARGEST` bytes."""
    if text[:5].casefold() != "data:":
        if len(text) > _LONGEST_NAME:
            raise BadValue("too_long", f"Give at most {_LONGEST_NAME:,} characters of a typed name.")
        return text
    if not text.startswith(PREFIX):
        raise BadValue("bad_image", f"Give the image of a signature as a PNG ({PREFIX}…). {_ADVICE}")
    if len(text) > len(PREFIX) + 4 * -(-LARGEST // 3):
        raise BadValue("too_long", f"Give an image of a signature of at most {LARGEST:,} bytes. {_ADVICE}")
    try:
        data = b64decode(text[len(PREFIX) :], validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) > LARGEST:
        raise BadValue("too_long", f"Give an image of a signature of at most {LARGEST:,} bytes. {_ADVICE}")
    if not _is_png(data):
        raise BadValue("bad_image", f"This image of a signature is not a whole PNG. {_ADVICE}")
    return text


def is_drawn(value: Any) -> bool:
    """Whether a kept signature is an image."""
    return isinstance(value, str) and value.startswith(PREFIX)


def drawn_words(value: str) -> str:
    """A drawn signature where only text can stand: what it is, and the hash by which the image is known again."""
    data = b64decode(value[len(PREFIX) :])
    return f"drawn by hand (PNG image, {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()})"


def _is_png(data: bytes) -> bool:
    """Whether it is a PNG from its first byte to its last: chunks with right sums, a size that can be shown, an end."""
    chunks = list(_chunks(data)) if data.startswith(_MARK) else []
    if len(chunks) < 3 or chunks[0][0] != b"IHDR" or chunks[-1] != (b"IEND", b"") or len(chunks[0][1]) != 13:
        return False
    kinds = [kind for kind, _ in chunks]
    across, down = struct.unpack(">II", chunks[0][1][:8])
    return 0 < across <= WIDEST and 0 < down <= WIDEST and b"IDAT" in kinds and kinds.count(b"IEND") == 1


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks, up to the first that is broken; then a last one that is none."""
    at = len(_MARK)
    while at < len(data):
        if len(data) - at < 12:
            yield b"", b""
            return
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        told = data[at + 8 + length : at + 12 + length]
        if len(told) != 4 or struct.unpack(">I", told)[0] != zlib.crc32(kind + body):
            yield b"", b""
            return
        yield kind, body
        at += 12 + length
