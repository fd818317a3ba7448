"""The one door by which the service calls addresses that others have given it: webhooks. Nothing inside is reached.

An address is judged three times: as it is spelled, by every network address that its name stands for at the moment of
sending (`notifications.webhooks_addresses`), and by the one that the socket says it is connected to. The name is asked
once, and the connection goes to an address that was judged: a name that changes its mind has no second say. TLS still
checks the certificate by the name. Redirects are not followed, no proxy is used, the answer's body is not kept.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast

from notifications.webhooks_addresses import AddressRefused, Origin, Target, may_connect, read_address

LIMIT_S: Final = 10.0
"""All of one call: name, connection, TLS, question and answer."""
ANSWER_CAP: Final = 16_384
"""Bytes of an answer's body that are read, and thrown away."""
_MOST_ADDRESSES: Final = 3
_INSIDE: Final = "The host does not stand for addresses of the public network alone."

Resolve = Callable[[str, int], Sequence[str]]
Dial = Callable[[str, int, float], socket.socket]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of one call. status: of the answer, `None` where there was none; problem: "" where it was taken."""

    status: int | None
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether the receiver took it (2xx)."""
        return self.status is not None and 200 <= self.status < 300 and not self.problem


def resolve(host: str, port: int) -> list[str]:
    """The addresses that a name stands for now; raises `OSError`."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def dial(address: str, port: int, until: float) -> socket.socket:
    """A socket connected to this very address: a number is asked of no name server. Raises `OSError`."""
    plain = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        plain.settimeout(_left(until))
        plain.connect((address, port))
    except BaseException:
        plain.close()
        raise
    return plain


@dataclass(frozen=True, kw_only=True)
class Door:
    """Calls addresses from outside, within one limit of time each. trust: a file of certificates instead of
    the system's.

    names and lines: how a name is asked and a connection made, `resolve` and `dial` but in tests, which may not call
    the public network. Safe in several threads.
    """

    allow: frozenset[Origin] = field(default_factory=frozenset)
    limit_s: float = LIMIT_S
    trust: str | None = None
    names: Resolve = resolve
    lines: Dial = dial

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send one POST; never raises for what an address, a network or a receiver does."""
        until = time.monotonic() + self.limit_s
        try:
            target = read_address(url, self.allow)
            wire = self._connect(target, until)
        except AddressRefused as refused:
            return Answer(status=None, problem=str(refused))
        except ssl.SSLError as error:
            return Answer(status=None, problem=f"TLS failed: {_tls_words(error)}.")
        except (OSError, UnicodeError) as error:
            return Answer(status=None, problem=_words(error))
        try:
            return _ask(wire, target, body, headers)
        finally:
            wire.close()

    def _connect(self, target: Target, until: float) -> _Wire:
        """A connection to an address that was judged; the next one is tried where one does not answer."""
        origin, last = target.origin, OSError("no address")
        for address in self._addresses(target, until)[:_MOST_ADDRESSES]:
            try:
                plain = self.lines(address, origin.port, until)
            except OSError as error:
                last = error
                continue
            try:
                if not may_connect(str(plain.getpeername()[0]), allowed=target.allowed):
                    raise AddressRefused(_INSIDE)
                return _Wire(self._wrap(plain, origin, until), until)
            except BaseException:
                plain.close()
                raise
        raise last

    def _addresses(self, target: Target, until: float) -> list[str]:
        """Every address of the name, asked once. One that is not public spoils all of them."""
        origin = target.origin
        found = list(dict.fromkeys(_in_time(lambda: self.names(origin.host, origin.port), until)))
        if not found or not all(may_connect(address, allowed=target.allowed) for address in found):
            raise AddressRefused(_INSIDE)
        return found

    def _wrap(self, plain: socket.socket, origin: Origin, until: float) -> socket.socket:
        if origin.scheme == "http":  # allowed by the operator, by name
            return plain
        context = ssl.create_default_context(cafile=self.trust)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        plain.settimeout(_left(until))
        return context.wrap_socket(plain, server_hostname=origin.host)


class _Wire:
    """What `http.client` takes for its socket: every read and write ends when the whole call must."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._socket, self._until = sock, until

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(_left(self._until))
        self._socket.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Timed(self._socket, self._until))

    def close(self) -> None:
        with suppress(OSError):
            self._socket.close()


class _Timed(io.RawIOBase):
    def __init__(self, sock: socket.socket, until: float) -> None:
        self._socket, self._until = sock, until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._socket.settimeout(_left(self._until))
        return self._socket.recv_into(buffer)


def _ask(wire: _Wire, target: Target, body: bytes, headers: Mapping[str, str]) -> Answer:
    origin = target.origin
    usual = 443 if origin.scheme == "https" else 80
    name = f"[{origin.host}]" if ":" in origin.host else origin.host
    connection = http.client.HTTPConnection(origin.host, origin.port)
    connection.sock = cast(socket.socket, wire)
    more = {"Host": name if origin.port == usual else f"{name}:{origin.port}", "Connection": "close"}
    try:
        connection.request("POST", target.path, body=body, headers={**headers, **more})
        response = connection.getresponse()
        status = response.status
        with suppress(OSError, http.client.HTTPException, ValueError):  # the status is the answer, whatever follows
            response.read(ANSWER_CAP)
    except (http.client.HTTPException, ValueError) as error:
        return Answer(status=None, problem=f"The answer cannot be read: {type(error).__name__}.")
    except OSError as error:
        return Answer(status=None, problem=_words(error))
    if 300 <= status < 400:
        return Answer(status=status, problem=f"Answered {status}: redirects are not followed, give the last address.")
    return Answer(status=status, problem="" if 200 <= status < 300 else f"Answered {status}.")


def _in_time(ask: Callable[[], Sequence[str]], until: float) -> Sequence[str]:
    """A name server's answer, if it comes in time: the system's own question cannot be broken off."""
    found: list[Sequence[str] | Exception] = []

    def run() -> None:
        try:
            found.append(ask())
        except (OSError, UnicodeError) as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True, name="webhook name")
    thread.start()
    thread.join(_left(until))
    if not found:
        raise TimeoutError("the name was not found in time")
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


def _tls_words(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.rstrip(".")
    return (error.reason or "no common protocol").replace("_", " ").lower()


def _words(error: Exception) -> str:
    """What a subscriber is told of a failure."""
    if isinstance(error, TimeoutError):
        return "No answer in time."
    if isinstance(error, socket.gaierror | UnicodeError):
        return "The host's name is not found."
    if isinstance(error, ConnectionRefusedError):
        return "The connection was refused."
    if isinstance(error, ConnectionError):
        return "The connection was broken off."
    return "The host cannot be reached."
