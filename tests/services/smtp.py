"""A real SMTP server on loopback that keeps what it receives and can be told to refuse."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Literal

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

ACCEPTED = "250 2.0.0 OK"
Stage = Literal["rcpt", "data"]


@dataclass(frozen=True, kw_only=True)
class ReceivedMail:
    """One accepted message: the envelope, the bytes as they came, and the message read from them."""

    mail_from: str
    recipients: tuple[str, ...]
    raw: bytes
    message: EmailMessage


@dataclass(kw_only=True)
class _Answer:
    """What to say about a recipient at one stage, and how often still (None: always)."""

    reply: str
    left: int | None


@dataclass(kw_only=True)
class Mailbox:
    """The server's handler: accepts every mail except where an answer was programmed."""

    received: list[ReceivedMail] = field(default_factory=list)
    _answers: dict[tuple[Stage, str], _Answer] = field(default_factory=dict)

    def answer(self, recipient: str, reply: str, *, stage: Stage = "rcpt", times: int | None = None) -> None:
        """Reply `550 5.1.1 …` or `451 4.3.0 …` about this recipient; `times=2` accepts from the third try on."""
        self._answers[stage, recipient] = _Answer(reply=reply, left=times)

    def _programmed(self, stage: Stage, recipient: str) -> str | None:
        answer = self._answers.get((stage, recipient))
        if answer is None or answer.left == 0:
            return None
        if answer.left is not None:
            answer.left -= 1
        return answer.reply

    async def handle_RCPT(  # noqa: N802, RUF100 - aiosmtpd looks for this name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Refuse as programmed, else note the recipient."""
        if refusal := self._programmed("rcpt", address):
            return refusal
        envelope.rcpt_tos.append(address)
        return ACCEPTED

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802, RUF100
        """Refuse the whole message as programmed for any of its recipients, else keep it."""
        for recipient in envelope.rcpt_tos:
            if refusal := self._programmed("data", recipient):
                return refusal
        raw = envelope.content
        assert isinstance(raw, bytes)
        message = message_from_bytes(raw, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.received.append(
            ReceivedMail(
                mail_from=envelope.mail_from or "", recipients=tuple(envelope.rcpt_tos), raw=raw, message=message
            )
        )
        return ACCEPTED


class _AnyPort(Controller):
    """aiosmtpd asks its own port 0 for a greeting; tell it which one the system gave."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@dataclass(frozen=True, kw_only=True)
class SmtpServer:
    """The running server, for the test: where it is, what it received, how to program it."""

    host: str
    port: int
    mailbox: Mailbox

    @property
    def url(self) -> str:
        """The address as `SMTP_URL` takes it."""
        return f"smtp://{self.host}:{self.port}"

    @property
    def received(self) -> list[ReceivedMail]:
        """The accepted messages, in order."""
        return self.mailbox.received


@contextmanager
def running_smtp_server() -> Iterator[SmtpServer]:
    """Start a server on a free loopback port; stop it afterwards."""
    mailbox = Mailbox()
    controller = _AnyPort(mailbox, hostname="127.0.0.1", port=0)
    controller.start()
    try:
        yield SmtpServer(host="127.0.0.1", port=controller.port, mailbox=mailbox)
    finally:
        controller.stop()
