"""Words as people write them → values: yes and no, choices, licence numbers, addresses of mail. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal

from reporting.intake.values import BadValue, Raw, clean_text

_YES = frozenset({"y", "yes", "yes.", "true", "t", "1", "x", "✓", "✔", "☑", "yep", "yeah", "si", "sí", "ok", "on"})
_NO = frozenset({"n", "no", "no.", "false", "f", "0", "not", "nope", "off", "☐"})
_NONE = frozenset(
    {
        "none",
        "none.",
        "no",
        "n",
        "nothing",
        "nil",
        "null",
        "n/a",
        "n.a.",
        "na",
        "n / a",
        "not applicable",
        "-",
        "--",
        "0",
    }
)
_NONE_DASHES = frozenset({"–", "—"})
_LICENSE = re.compile(r"[0-9A-Z]{1,40}")
_EMAIL = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)
_MOST_EMAILS = 10


def parse_yes_no(raw: Raw) -> bool:
    """Yes or no in the words people use: `yes`, `Y`, `x`, `true`, `1`; `no`, `N`, `false`, `none`, `0`."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int | float | Decimal) and raw in (0, 1):
        return raw == 1
    word = clean_text(raw).casefold() if isinstance(raw, str) else ""
    if word in _YES:
        return True
    if word in _NO or word in ("none", "none."):
        return False
    raise BadValue("yes_no", "Write yes or no.")


def is_none_word(text: str) -> bool:
    """Whether a text says that there is nothing to say: `none`, `N/A`, `nothing`, `-`."""
    word = " ".join(text.casefold().split())
    return word in _NONE or word in _NONE_DASHES


def parse_choice(raw: Raw, choices: Mapping[str, str], *, what: str = "one") -> str:
    """One of a list, whatever its case, spaces and punctuation.

    choices: each accepted word, the choices themselves among them → the choice it means. The words for nothing all mean
    `none` where that is a choice.
    """
    words = {_plain(word): choice for word, choice in choices.items()}
    if isinstance(raw, bool):  # an Excel TRUE or FALSE
        raw = "yes" if raw else "no"
    text = clean_text(raw) if isinstance(raw, str) else str(raw) if isinstance(raw, int) else ""
    found = words.get(_plain(text)) if text else None
    if found is None and text and is_none_word(text):
        found = words.get("none")
    if found is None:
        shown = ", ".join(dict.fromkeys(choices.values()))
        raise BadValue("choice", f"Give {what} of: {shown}.")
    return found


def parse_license(raw: Raw) -> str:
    """A licence number in its normal form. A number cell of Excel is taken as its digits (zeros in front are lost)."""
    if isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw < 10**15:
        return str(raw)
    text = clean_text(raw) if isinstance(raw, str) else ""
    license_number = normalize_license(re.sub(r"(?<=[0-9])\.0$", "", text))  # what Excel makes of 412
    if not _LICENSE.fullmatch(license_number) or not any(char.isdigit() for char in license_number):
        raise BadValue("license", "Give the licence, certification or registration number as on the credential.")
    return license_number


def normalize_license(text: str) -> str:
    """A licence number without spaces, punctuation, dashes and case: `mp-123 456` and `MP123456` are one."""
    shown = unicodedata.normalize("NFKC", text).upper()
    return "".join(char for char in shown if char.isalnum())


def parse_emails(raw: Raw) -> tuple[str, ...]:
    """One or more addresses of mail, parted by `;` or `,`, each once. BadValue for anything that is none."""
    text = clean_text(raw, max_length=1_000) if isinstance(raw, str) else ""
    addresses = [part.strip() for part in re.split(r"[;,]", text) if part.strip()]
    if not addresses or len(addresses) > _MOST_EMAILS:
        raise BadValue("email", f"Give one to {_MOST_EMAILS} e-mail addresses, parted by semicolons.")
    for address in addresses:
        local = address.partition("@")[0]
        if len(address) > 254 or not _EMAIL.fullmatch(address) or ".." in local or local[0] == "." or local[-1] == ".":
            raise BadValue("email", f"“{address[:60]}” is no e-mail address: write it as name@example.com.")
    return tuple(
        dict.fromkeys(f"{local}@{domain.lower()}" for local, _at, domain in (a.rpartition("@") for a in addresses))
    )


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
