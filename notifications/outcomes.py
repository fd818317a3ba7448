"""What can come of sending one message, and what a sender is."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from notifications.compose import Mail


@dataclass(frozen=True, kw_only=True)
class Sent:
    """The relay (or the folder) has taken the message over; `text` is its answer."""

    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Temporary:
    """Refused for now (4xx), or the connection broke before the message was handed over: try again later."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Permanent:
    """Refused for good (5xx), or the message cannot be written: trying again is no use.

    bad_address: the status of RFC 3463, such as 5.1.1, where the server says that the mailbox itself is the reason.
    """

    text: str
    bad_address: str = ""


@dataclass(frozen=True, kw_only=True)
class Uncertain:
    """The connection was lost after the end of the message: it may have arrived (RFC 1047)."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Unreachable:
    """The relay could not be reached, or does not let us in: nothing to do with this message."""

    text: str


Outcome = Sent | Temporary | Permanent | Uncertain | Unreachable


class Sender(Protocol):
    """Sends one message after the other; made for one thread, closed at the end of a `with` block."""

    @property
    def mail_from(self) -> str:
        """The sender's address of every mail, with a name or without."""

    def send(self, mail: Mail) -> Outcome:
        """Send one message to its one recipient. Never raises for what a server or a disk does."""

    def __enter__(self) -> Self:
        """Make ready; nothing is opened yet."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is open."""
