"""A signature: a typed name, or the image of a drawn one that is a whole and small PNG."""

import struct
import zlib
from base64 import b64encode

import pytest

from reporting.intake.signatures import LARGEST, PREFIX, WIDEST, check_signature, is_drawn
from reporting.intake.values import BadValue

MARK = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def a_png(across: int = 1, down: int = 1, more: bytes = b"") -> bytes:
    """A black picture, with as many bytes more in a chunk of text."""
    head = struct.pack(">IIBBBBB", across, down, 1, 0, 0, 0, 0)
    row = b"\0" * (1 + -(-across // 8))
    return MARK + chunk(b"IHDR", head) + chunk(b"tEXt", more) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND")


def address(data: bytes) -> str:
    return PREFIX + b64encode(data).decode()


def sized(length: int) -> bytes:
    return a_png(more=b"x" * (length - len(a_png())))


@pytest.mark.parametrize(
    "text", ["Lena Oestreich", "Dataport LLC", "x" * 10_000, address(a_png()), address(sized(LARGEST)),
             address(a_png(WIDEST, WIDEST))]
)  # fmt: skip
def test_names_and_images_are_taken_as_they_come(text: str) -> None:
    assert check_signature(text) == text
    assert is_drawn(text) == text.startswith("data:")


WRONG = {
    "one byte too many": (address(sized(LARGEST + 1)), "too_long"),
    "far too long": (PREFIX + "A" * 100_000, "too_long"),
    "a long name": ("x" * 10_001, "too_long"),
    "too wide": (address(a_png(WIDEST + 1)), "bad_image"),
    "too high": (address(a_png(1, WIDEST + 1)), "bad_image"),
    "no size": (address(a_png(0)), "bad_image"),
    "no PNG": (address(b"<svg onload=alert(1)>"), "bad_image"),
    "only the mark": (address(MARK), "bad_image"),
    "cut off": (address(a_png()[:-1]), "bad_image"),
    "more behind it": (address(a_png() + b"<script>"), "bad_image"),
    "two in one": (address(a_png() + chunk(b"IEND")), "bad_image"),
    "a wrong sum": (address(a_png()[:-5] + b"\0" + a_png()[-4:]), "bad_image"),
    "no picture": (address(MARK + chunk(b"IHDR", a_png()[16:29]) + chunk(b"tEXt") + chunk(b"IEND")), "bad_image"),
    "no base64": (PREFIX + "!!!!", "bad_image"),
    "nothing": (PREFIX, "bad_image"),
    "another picture": ("data:image/svg+xml;base64,PHN2Zz4=", "bad_image"),
    "a page": ("DATA:text/html,<script>alert(1)</script>", "bad_image"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_small_whole_png_is_refused(name: str) -> None:
    text, code = WRONG[name]
    with pytest.raises(BadValue) as refused:
        check_signature(text)
    assert refused.value.code == code
