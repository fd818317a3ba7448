"""Mail addresses as people type them into an address field, and text that is safe to mail. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

_BETWEEN: Final = re.compile(r"[;,\s]+")
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS: Final = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*")
_LONGEST: Final = 254  # RFC 5321, 4.5.3.1.3, without the angle brackets
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


@dataclass(frozen=True, kw_only=True)
class AddressField:
    """What an address field holds: the addresses that can be mailed to, in lower case, and the pieces that cannot.

    suppressed: addresses at which mail bounced or was complained of (`suppression`), which get none any more.
    """

    addresses: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    suppressed: tuple[str, ...] = ()


def read_addresses(text: str | None) -> AddressField:
    """Split a field such as `a@x.org; b@y.org`: each address gets a message of its own, and gets it once.

    Only plain addresses count (`Jan <a@x.org>` and `a@bücher.example` are refused, pieces and all): whatever a relay
    might read in another way than we do could reach the wrong person.
    """
    pieces = [piece for piece in _BETWEEN.split(text or "") if piece]
    good = dict.fromkeys(piece.lower() for piece in pieces if is_address(piece))
    return AddressField(addresses=tuple(good), refused=tuple(piece for piece in pieces if not is_address(piece)))


def is_address(text: str) -> bool:
    """Whether the text is exactly one plain ASCII mail address."""
    return len(text) <= _LONGEST and _ADDRESS.fullmatch(text) is not None


def one_line(value: object, *, longest: int = 500) -> str:
    """A value as one line without control or direction characters, for mail; longer ones end in an ellipsis.

    Line ends become spaces: an owner's name with CR and LF in it must not begin a header or a line of its own.
    """
    text = str(value)[: longest * 4]
    seen = "".join(" " if unicodedata.category(char) in _UNSEEN else char for char in text)
    words = " ".join(seen.split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def postal_lines(name: object, address: object) -> str:
    """A name and a mailing address as lines, each clean; '' where no address is on file, though the name is known.

    How the lines are set, and whether they can be mailed to, whoever prints the letter says.
    """
    lines = [line for part in str(address or "").splitlines() if (line := one_line(part))]
    addressee = one_line(name or "")
    if not lines:
        return ""
    return "\n".join(lines if not addressee or lines[0] == addressee else [addressee, *lines])
