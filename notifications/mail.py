"""The mail server: the only module that speaks SMTP.

What came of a message is judged by how far the dialogue got (RFC 5321, RFC 1047): before the end of the message
nothing has been handed over; from then on, until the server answers, nobody can know.
"""

from __future__ import annotations

import base64
import contextlib
import re
import smtplib
import socket
import ssl
from email.generator import BytesGenerator
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from notifications.compose import POLICY, Mail, MailRefused, compose, envelope_from
from notifications.outcomes import Outcome, Permanent, Sent, Temporary, Uncertain, Unreachable
from notifications.relay import Relay as Relay
from notifications.relay import TokenUnreadable, read_token, xtext
from notifications.relay import read_smtp_url as read_smtp_url

COMMAND_LIMIT_S: Final = 30
"""How long one answer of the server may take, and connecting to it."""
END_LIMIT_S: Final = 120
"""The same for the answer to a whole message, which decides between one copy and two."""
_NOT_LET_IN: Final = (530, 534, 535, 538)
_CLOSING: Final = 421
_CHALLENGE: Final = 334
_BAD_TOKEN: Final = 535
_RECIPIENT: Final = "RCPT TO"
_BAD_MAILBOX: Final = re.compile(r"(5\.(?:1\.(?:1|2|3|6|10)|2\.1))(?![.0-9])")
"""The statuses of RFC 3463 and RFC 7505 by which the mailbox is gone for good; a bare 550 may be a relay's policy."""
_LOST: Final = (smtplib.SMTPServerDisconnected, OSError)


class _Refused(Exception):
    """The server said no at one step."""

    def __init__(self, step: str, code: int, text: bytes) -> None:
        super().__init__(f"{step}: {code} {text.decode('utf-8', 'replace')}"[:500])
        self.step, self.code = step, code
        self.said = text.decode("utf-8", "replace")


class SmtpSender:
    """Sends over one connection at a time, kept open between messages. Not for several threads."""

    def __init__(
        self,
        relay: Relay,
        mail_from: str,
        *,
        tls_context: ssl.SSLContext | None = None,
        messages_per_connection: int = 100,
        command_limit_s: float = COMMAND_LIMIT_S,
        end_limit_s: float = END_LIMIT_S,
    ) -> None:
        self._relay = relay
        self._mail_from = mail_from
        self._envelope_from = envelope_from(mail_from)
        self._tls_context = tls_context
        self._messages_per_connection = messages_per_connection
        self._command_limit_s = command_limit_s
        self._end_limit_s = end_limit_s
        self._connection: smtplib.SMTP | None = None
        self._used = 0

    @property
    def mail_from(self) -> str:
        """The sender's address of every mail."""
        return self._mail_from

    def send(self, mail: Mail) -> Outcome:
        """Send one message to its one recipient."""
        try:
            message = compose(mail, self._mail_from)
        except MailRefused as error:
            return Permanent(text=str(error))
        reused = self._connection is not None
        try:
            connection = self._ready()
            if reused and not self._begins(connection, mail.recipient, message):
                connection = self._fresh()
                reused = False
            if not reused:
                self._begin(connection, mail.recipient, message)
        except _Refused as refusal:
            return self._judge(refusal)
        except (*_LOST, smtplib.SMTPException, UnicodeError, TokenUnreadable) as error:
            unopened = self._connection is None
            self._drop()
            return Unreachable(text=_words(error)) if unopened else Temporary(text=_words(error))
        return self._hand_over(connection, message)

    def _begins(self, connection: smtplib.SMTP, recipient: str, message: EmailMessage) -> bool:
        """Begin on a connection that was open already; `False` when the server had closed it meanwhile."""
        try:
            self._begin(connection, recipient, message)
        except _LOST:
            return False
        except _Refused as refusal:
            if refusal.code != _CLOSING:
                raise
            return False
        return True

    def _begin(self, connection: smtplib.SMTP, recipient: str, message: EmailMessage) -> None:
        options = ["BODY=8BITMIME"] if connection.has_extn("8bitmime") else []
        # Comes back in a bounce that returns nothing of the message (RFC 3461, 4.4).
        options += [f"ENVID={xtext(str(message['Message-ID']).strip('<>'))}"] if connection.has_extn("dsn") else []
        _expect("MAIL FROM", connection.mail(self._envelope_from, options))
        _expect(_RECIPIENT, connection.rcpt(recipient))
        _expect("DATA", connection.docmd("DATA"), want=3)

    def _hand_over(self, connection: smtplib.SMTP, message: EmailMessage) -> Outcome:
        """Send the text and its end. Only between that end and the server's answer is the outcome unknown."""
        try:
            connection.send(_on_the_wire(message, eight_bit=connection.has_extn("8bitmime")))
        except _LOST as error:
            self._drop()
            return Temporary(text=f"The connection broke before the message was whole: {_words(error)}")
        try:
            if connection.sock is not None:
                connection.sock.settimeout(self._end_limit_s)
            connection.send(b".\r\n")
            code, text = connection.getreply()
        except (*_LOST, smtplib.SMTPException) as error:
            self._drop()
            return Uncertain(text=f"The connection broke after the end of the message: {_words(error)}")
        if connection.sock is not None:
            connection.sock.settimeout(self._command_limit_s)
        try:
            _expect("end of DATA", (code, text))
        except _Refused as refusal:
            return self._judge(refusal)
        self._used += 1
        if self._used >= self._messages_per_connection:
            self.close()
        return Sent(text=f"{code} {text.decode('utf-8', 'replace')}"[:500])

    def _judge(self, refusal: _Refused) -> Outcome:
        """What a refusal means, and a connection that is fit for the next message or closed."""
        text = str(refusal)
        if refusal.code == _CLOSING or refusal.code in _NOT_LET_IN:
            self._drop()
            return Temporary(text=text) if refusal.code == _CLOSING else Unreachable(text=text)
        try:
            if self._connection is not None:
                self._connection.rset()
        except (*_LOST, smtplib.SMTPException):
            self._drop()
        if refusal.code < 500:
            return Temporary(text=text)
        gone = _BAD_MAILBOX.match(refusal.said.lstrip()) if refusal.step == _RECIPIENT else None
        return Permanent(text=text, bad_address=gone[1] if gone else "")

    def _ready(self) -> smtplib.SMTP:
        return self._connection or self._fresh()

    def _fresh(self) -> smtplib.SMTP:
        """A new connection, greeted, encrypted and logged in as the relay wants it."""
        self._drop()
        relay, limit = self._relay, self._command_limit_s
        # The host is given here and not to connect(): smtplib checks the certificate against it.
        connection = (
            smtplib.SMTP_SSL(relay.host, relay.port, timeout=limit, context=self._context())
            if relay.tls == "implicit"
            else smtplib.SMTP(relay.host, relay.port, timeout=limit)
        )
        try:
            if connection.sock is not None:
                # The end of a message is a write of its own: Nagle's algorithm would hold it back for 40 ms.
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._greet(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._used = connection, 0
        return connection

    def _greet(self, connection: smtplib.SMTP) -> None:
        relay = self._relay
        connection.ehlo_or_helo_if_needed()
        wants = relay.tls == "required" or (relay.tls == "offered" and connection.has_extn("starttls"))
        if wants:
            connection.starttls(context=self._context())
            connection.ehlo_or_helo_if_needed()
        if relay.token_file is not None:
            _log_in_by_token(connection, relay.user, relay.token_file)
        elif relay.user:
            connection.login(relay.user, relay.password)

    def _context(self) -> ssl.SSLContext:
        return self._tls_context or ssl.create_default_context()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """End the open connection, if there is one."""
        if self._connection is not None:
            with contextlib.suppress(*_LOST, smtplib.SMTPException):
                self._connection.quit()
            self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection; after an error without ceremony."""
        self._drop() if error else self.close()


def _log_in_by_token(connection: smtplib.SMTP, user: str, token_file: Path) -> None:
    """XOAUTH2 (SASL): the token as it is in the file now; refused, once more if somebody has renewed it meanwhile.

    Raises what `smtplib` raises where a password is not taken; the token is in no message of it.
    """
    if "XOAUTH2" not in connection.esmtp_features.get("auth", "").upper().split():
        raise smtplib.SMTPNotSupportedError("The server does not offer XOAUTH2 on this connection.")
    token = read_token(token_file)
    code, text = _offer_token(connection, user, token)
    if code == _BAD_TOKEN and (renewed := read_token(token_file)) != token:
        code, text = _offer_token(connection, user, renewed)
    if code // 100 != 2:
        raise smtplib.SMTPAuthenticationError(code, text)


def _offer_token(connection: smtplib.SMTP, user: str, token: str) -> tuple[int, bytes]:
    blob = base64.b64encode(f"user={user}\x01auth=Bearer {token}\x01\x01".encode()).decode()
    code, text = connection.docmd("AUTH", f"XOAUTH2 {blob}")
    # A server that says no tells why in a challenge, which an empty answer ends.
    return connection.docmd("") if code == _CHALLENGE else (code, text)


def _expect(step: str, reply: tuple[int, bytes], want: int = 2) -> None:
    code, text = reply
    if code == -1:
        raise smtplib.SMTPServerDisconnected("the server closed the connection")
    if code // 100 != want:
        raise _Refused(step, code, text)


def _on_the_wire(message: EmailMessage, *, eight_bit: bool) -> bytes:
    """The message with CRLF line ends and leading dots doubled (RFC 5321, 4.5.2), without its final dot."""
    buffer = BytesIO()
    BytesGenerator(buffer, policy=POLICY.clone(cte_type="8bit" if eight_bit else "7bit")).flatten(message)
    content = re.sub(rb"(?m)^\.", b"..", buffer.getvalue())
    return content if content.endswith(b"\r\n") else content + b"\r\n"


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__
