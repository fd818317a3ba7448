"""An SMTP relay on loopback that breaks a session off at a given point, or answers 4xx and 5xx there.

aiosmtpd closes its connections in good order; this one does not. It speaks just enough SMTP for that.
"""

import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from enum import StrEnum


class Break(StrEnum):
    """Where a session breaks off; `AFTER` and `UNANSWERED` are the two ends that nobody can tell apart."""

    CONNECT = "connect"
    BUSY = "busy"
    EHLO = "ehlo"
    MAIL = "mail"
    RCPT = "rcpt"
    DATA = "data"
    MID_BODY = "mid_body"
    UNANSWERED = "unanswered"  # the whole message came, it is not kept, no answer
    AFTER = "after"  # the whole message came, it is kept, no answer
    RCPT_450 = "rcpt_450"
    END_451 = "end_451"


@dataclass(kw_only=True)
class BreakingSink:
    """The running relay: what it keeps and how its next session breaks (`plan`; `None`: not at all)."""

    port: int = 0
    plan: Callable[[], Break | None] = lambda: None
    refused: frozenset[str] = frozenset()
    busy: frozenset[str] = frozenset()
    kept: list[tuple[str, str]] = field(default_factory=list)
    """Recipient and Message-ID of every message taken over."""
    heard: Callable[[str], None] = lambda word: None
    """Told of each command, of `END` (the whole message came) and `KEPT`, before they are answered."""
    asked: list[str] = field(default_factory=list)
    """The recipients named, in order."""
    sessions: int = 0
    broken: list[Break] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def next_break(self) -> Break | None:
        with self.lock:
            self.sessions += 1
            return self.plan()


class _BrokenOff(Exception):
    pass


class _Session(socketserver.StreamRequestHandler):
    timeout = 20

    def handle(self) -> None:
        self.sink: BreakingSink = self.server.sink  # type: ignore[attr-defined]
        self.break_at = self.sink.next_break()
        try:
            self._greet()
            while line := self.rfile.readline():
                self._answer(line.decode().strip())
        except (_BrokenOff, OSError):
            pass

    def _greet(self) -> None:
        self._break(Break.CONNECT)
        if self.break_at is Break.BUSY:
            self._say("421 4.3.2 too busy")
            raise _BrokenOff
        self._say("220 sink ready")

    def _answer(self, line: str) -> None:
        word = line.upper().split(":")[0].split(" ")[0]
        self.sink.heard(word)
        if word == "EHLO":
            self._break(Break.EHLO)
            self._say("250-sink\r\n250 8BITMIME")
        elif word == "MAIL":
            self._break(Break.MAIL)
            self._say("250 ok")
        elif word == "RCPT":
            self._rcpt(line.partition("<")[2].partition(">")[0])
        elif word == "DATA":
            self._data()
        else:
            self._say("221 bye" if word == "QUIT" else "250 ok")

    def _rcpt(self, recipient: str) -> None:
        self._break(Break.RCPT)
        self.recipient = recipient
        self.sink.asked.append(recipient)  # (without the lock, which a test may hold)
        if recipient in self.sink.refused:
            self._say("550 5.1.1 no such mailbox")
        elif recipient in self.sink.busy or self._breaks(Break.RCPT_450):
            self._say("450 4.2.1 mailbox busy")
        else:
            self._say("250 ok")

    def _data(self) -> None:
        self._break(Break.DATA)
        self._say("354 go on")
        body = b""
        while not body.endswith(b"\r\n.\r\n"):
            body += self.rfile.readline()
            if len(body) > 400:
                self._break(Break.MID_BODY)
        self.sink.heard("END")
        self._break(Break.UNANSWERED)
        if self._breaks(Break.END_451):
            self._say("451 4.3.0 try later")
            return
        with self.sink.lock:
            self.sink.kept.append((self.recipient, message_from_bytes(body, policy=policy.default)["Message-ID"]))
        self.sink.heard("KEPT")
        self._break(Break.AFTER)
        self._say("250 kept")

    def _say(self, reply: str) -> None:
        self.wfile.write(f"{reply}\r\n".encode())

    def _breaks(self, where: Break) -> bool:
        if self.break_at is not where:
            return False
        with self.sink.lock:
            self.sink.broken.append(where)
        self.break_at = None
        return True

    def _break(self, where: Break) -> None:
        if self._breaks(where):
            # No farewell: the client's next word meets a reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise _BrokenOff

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self.connection.close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64


@contextmanager
def running_breaking_sink() -> Iterator[BreakingSink]:
    """Start the relay on a free port; stop it afterwards."""
    sink = BreakingSink()
    server = _Server(("127.0.0.1", 0), _Session)
    server.sink = sink  # type: ignore[attr-defined]
    sink.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield sink
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
