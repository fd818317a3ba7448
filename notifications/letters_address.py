"""Postal addresses as they stand in a window envelope: lines that fit, the postcode to sort by, or what is wrong. Pure.

The measures are in inches from the sheet's upper left corner. A #10 envelope (9 1/2 x 4 1/8) has its window, 4 1/2 x
1 1/8, 7/8 from the left edge and 1/2 from the bottom (the trade's standard). USPS Domestic Mail Manual 601.6.3 wants
1/8 clear on all sides of the address wherever the insert slides. Folded at the first mark the insert is 3 7/8 high and
8 1/2 wide, so it slides by 1/4 and by 1; the window then shows, wherever it slides, the sheet from 2 1/2 to 3 3/8 down
and from 7/8 to 4 3/8 across. Within it, 1/8 from each edge, lies `WINDOW`.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from notifications.addresses import one_line

ENVELOPE: Final = (9.5, 4.125)
"""Width and height of a #10 envelope."""
CUT: Final = (0.875, 0.5, 4.5, 1.125)
"""Its window: from the left edge, from the bottom, width, height."""
CLEAR: Final = 0.125
FOLDS: Final = (3.875, 7.4375)
"""How far down the sheet is folded: a first panel of 3 7/8, two of 3 9/16."""
WINDOW: Final = (1.0, 2.625, 4.25, 3.25)
"""Where the address stands on the sheet: left, top, right, bottom."""


@dataclass(frozen=True, kw_only=True)
class Face:
    """A size of the typewriter face: points, points from line to line, characters a line, lines."""

    size: float
    pitch: float
    columns: int
    lines: int


FACES: Final = (
    Face(size=10, pitch=11.25, columns=38, lines=4),
    Face(size=9, pitch=11.25, columns=43, lines=4),
    Face(size=8, pitch=9, columns=48, lines=5),  # 8 points are the least that the post wants
)
"""From the largest to the smallest: 234 by 45 points, each character 0.602 of the size wide (DejaVu Sans Mono)."""


class AddressProblem(StrEnum):
    """Why a letter cannot be addressed: for the clerk."""

    EMPTY = "no_address"
    NO_POSTCODE = "no_postcode"
    TOO_LONG = "too_long_for_the_window"
    UNPRINTABLE = "characters_that_cannot_be_printed"


@dataclass(frozen=True, kw_only=True)
class PostalAddress:
    """An address that can be mailed to. `postcode`: five digits, or nine as 53080-1234; `face`: how it is set."""

    lines: tuple[str, ...]
    postcode: str
    face: Face

    @property
    def sort_key(self) -> tuple[str, str, tuple[str, ...]]:
        """By the postcode's five digits, then by the further four, then by the address from its end to the name."""
        return self.postcode[:5], self.postcode[6:], tuple(line.casefold() for line in reversed(self.lines))


_LINE_ENDS: Final = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ENDING: Final = re.compile(
    r"(?:^|[\s,.])(?P<state>[A-Za-z]{2,}+(?: [A-Za-z]{3,}+){0,4})\.?,?\s+"
    r"(?P<five>[0-9]{5})(?:\s?[-–]?\s?(?P<four>[0-9]{4}))?$"
)
_STREET: Final = re.compile(r"[NSEW]? ?[0-9]|P\.? ?O\.? |Post Office |Box ", re.IGNORECASE)
_COUNTRY: Final = frozenset({"usa", "u.s.a.", "us", "united states", "united states of america"})
_NO_STATE: Final = frozenset(
    {"apt", "bin", "box", "drawer", "hwy", "lot", "no", "rd", "road", "route", "rte", "ste", "unit"}
)
_STATE: Final = re.compile(r"[A-Za-z]{2,}+(?: [A-Za-z]{3,}+)?\.?")
_ZIP: Final = re.compile(r"\s[0-9]{5}(?:\s?-?\s?[0-9]{4})?$")
_WORD: Final = re.compile(r"[^\W\d]{2}")
_FOREIGN: Final = re.compile(
    "[^\u0020-\u007e\u00a0-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u04ff\u1e00-\u1eff"
    "\u2010-\u2027\u2030-\u203a\u20a0-\u20bf\u2190-\u2199\ufb00-\ufb06\ufffd]"
)
"""What the typesetter's own fonts do not have, beside Latin, Greek and Cyrillic letters and the usual signs."""
_UNKNOWN: Final = "\ufffd"


def read_postal(text: str, addressee: str = "") -> PostalAddress | AddressProblem:
    """Read an address with its line breaks (or, in one line, with commas) as it is printed, or say what is wrong.

    addressee: stands first where the address begins with the street. The last line must end with state and ZIP code.
    """
    lines = _split(text)
    if not lines or (addressee and lines == [one_line(addressee)]):
        return AddressProblem.EMPTY
    if lines[-1].casefold() in _COUNTRY and len(lines) > 1:
        lines.pop()
    name = one_line(addressee)
    if name and _STREET.match(lines[0]):
        lines.insert(0, name)
    lines[-1], postcode = _with_postcode(lines[-1])
    if postcode is None or len(lines) < 2:
        return AddressProblem.NO_POSTCODE
    if any(_FOREIGN.search(line) or _UNKNOWN in line for line in lines):
        return AddressProblem.UNPRINTABLE
    for face in FACES:
        wrapped = _wrapped(lines, face.columns)
        if len(wrapped) <= face.lines:
            return PostalAddress(lines=tuple(wrapped), postcode=postcode, face=face)
    return AddressProblem.TOO_LONG


def printable(text: str) -> str:
    """The text composed (NFC), with what the letter's own fonts do not have shown as the replacement character."""
    return _FOREIGN.sub(_UNKNOWN, unicodedata.normalize("NFC", text))


def _split(text: str) -> list[str]:
    lines = [unicodedata.normalize("NFC", one_line(line)).strip(" ,") for line in _LINE_ENDS.split(text)]
    found = [line for line in lines if line]
    # A name or none, and the rest as one line of a table has it.
    if found and len(found) <= 2:
        found[-1:] = _parted(found[-1])
    return found


def _parted(line: str) -> list[str]:
    """The parts before the town of an address in one line, and the town; the line itself where no town ends it."""
    # A town holds one comma at most: it begins after the last but one, or after the last.
    for comma in [found.start() for found in re.finditer(",", line)][-2:]:
        before, town = line[:comma].strip(), line[comma + 1 :].strip()
        if before and _is_town(town):
            return [*(part.strip() for part in before.split(",") if part.strip()), town]
    return [line]


def _is_town(text: str) -> bool:
    """Whether the text is `Town, State ZIP` or, without the comma, a town of letters before the state and the ZIP."""
    code = _ZIP.search(text)
    if code is None:
        return False
    town, comma, state = text[: code.start()].rstrip().partition(",")
    if comma:
        return bool(town) and _STATE.fullmatch(state.strip()) is not None
    words = town.split()
    return bool(words) and _STATE.fullmatch(words[-1]) is not None and _WORD.search(" ".join(words[:-1])) is not None


def _with_postcode(line: str) -> tuple[str, str | None]:
    """A last line with its ZIP code as the post writes it, and the code; none for `P.O. Box 12345`."""
    found = _ENDING.search(line)
    if found is None or found["state"].split()[-1].casefold() in _NO_STATE or found["five"] == "00000":
        return line, None
    postcode = f"{found['five']}-{found['four']}" if found["four"] else found["five"]
    return line[: found.start("five")] + postcode, postcode


def _wrapped(lines: Sequence[str], columns: int) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, columns, break_on_hyphens=False)]
