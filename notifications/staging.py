"""Before a county goes live: every mail goes to one address of the operator's, and to nobody else."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from notifications.compose import Mail
from notifications.outcomes import Outcome, Sender, Sent


class StagingSender:
    """Sends what another sender would, but all of it to `address`; subject and a header name whom it was for.

    The answer that is kept as proof says so, so that nobody takes it for a notice that was given.
    """

    def __init__(self, sender: Sender, address: str) -> None:
        self._sender = sender
        self._address = address

    @property
    def mail_from(self) -> str:
        """The sender's address of every mail."""
        return self._sender.mail_from

    def send(self, mail: Mail) -> Outcome:
        """Send one message to the one address; links that are the recipient's own stay away."""
        staged = replace(
            mail,
            recipient=self._address,
            subject=f"[for {mail.recipient}] {mail.subject}",
            staged_for=mail.recipient,
            unsubscribe_url="",
            owner_url="",
        )
        outcome = self._sender.send(staged)
        if isinstance(outcome, Sent):
            return Sent(text=f"staging: went to {self._address} only; {outcome.text}"[:500])
        return outcome

    def __enter__(self) -> Self:
        self._sender.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is open."""
        self._sender.__exit__(kind, error, trace)
