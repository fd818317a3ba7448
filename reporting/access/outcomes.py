"""What comes of a sign-in: somebody who is in, or why nobody is. Values only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reporting.store.persons import Place


class Why(StrEnum):
    """Why nobody was let in. Strangers are told no more than this."""

    FAILED = "failed"
    TOO_MANY = "too_many"
    CHOOSE = "choose"
    WEAK_PASSWORD = "weak_password"  # noqa: S105 - a reason
    NO_ROLE = "no_role"


@dataclass(frozen=True, kw_only=True)
class SignedIn:
    """Somebody who is in. `token` goes into the cookie and nowhere else; codes are shown this once."""

    session: str
    token: str = field(repr=False)
    person: str
    place: Place
    recovery_codes: Sequence[str] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Nobody is in. `places`: those to choose from; `text`: what to do, where there is more to say."""

    why: Why
    places: Sequence[Place] = ()
    text: str = ""
