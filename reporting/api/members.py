"""Members of small JSON bodies and forms, read strictly; each problem names the member and says what to give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from notifications.addresses import is_address
from reporting.api.problems import field_error, unprocessable

LONGEST_NAME: Final = 100


def refuse_unknown(body: Mapping[str, Any], *names: str) -> None:
    """Refuse a body with members that mean nothing here."""
    errors = [
        field_error(name[:60], "unknown_field", f"Leave out {name[:60]!r}.") for name in body if name not in names
    ]
    if errors:
        raise unprocessable("The body cannot be used: " + errors[0]["message"], errors)


def text_member(body: Mapping[str, Any], name: str, *, longest: int = LONGEST_NAME, required: bool = False) -> str:
    """A text of one line; "" where it is absent and may be."""
    value = body.get(name, "")
    if (
        not isinstance(value, str)
        or len(value) > longest
        or not value.isprintable()
        or (required and not value.strip())
    ):
        message = f"Give {name} as a text of {'1' if required else '0'} to {longest} characters in one line."
        raise unprocessable(message, [field_error(name, "bad_value" if value else "required", message)])
    return value.strip()


def count_member(body: Mapping[str, Any], name: str, least: int, most: int, usual: int) -> int:
    """A whole number."""
    value = body.get(name, usual)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        message = f"Give {name} as a whole number from {least} to {most}."
        raise unprocessable(message, [field_error(name, "bad_value", message, value)])
    return value


def address_member(body: Mapping[str, Any], name: str = "email") -> str:
    """One plain mail address, in lower case."""
    value = body.get(name)
    if not isinstance(value, str) or not is_address(value.strip()):
        message = "Give one plain mail address, such as office@example.org."
        raise unprocessable(message, [field_error(name, "bad_value" if value else "required", message)])
    return value.strip().lower()


def secret_member(body: Mapping[str, Any], name: str, *, longest: int = 200) -> str:
    """A password or a code; never told back."""
    value = body.get(name)
    if not isinstance(value, str) or not value or len(value) > longest:
        message = f"Give {name.replace('_', ' ')}."
        raise unprocessable(message, [field_error(name, "required", message)])
    return value


def choice_member(body: Mapping[str, Any], name: str, words: Sequence[str]) -> str:
    """One of some words."""
    value = body.get(name)
    if value not in [str(word) for word in words]:
        message = f"Give {name} as one of {', '.join(words)}."
        raise unprocessable(message, [field_error(name, "bad_value" if value else "required", message, value)])
    return str(value)
