"""Receivers of webhooks on this machine: real HTTP and HTTPS servers, and a listener that only counts who comes."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, kw_only=True)
class Heard:
    """One call as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


Reply = Callable[[BaseHTTPRequestHandler], None]


def answer(status: int, **headers: str) -> Reply:
    """A plain answer with a status."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"ok")

    return reply


@dataclass(kw_only=True)
class Receiver:
    """A running receiver. `reply` says how it answers, and may be changed while it runs."""

    port: int = 0
    scheme: str = "http"
    reply: Reply = field(default_factory=lambda: answer(204))
    heard: list[Heard] = field(default_factory=list)

    def url(self, host: str = "127.0.0.1", path: str = "/hook") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"


@contextmanager
def receiving(reply: Reply | None = None, *, certificate: Path | None = None) -> Iterator[Receiver]:
    """A receiver on 127.0.0.1; with a certificate (and its key, in one file) it speaks TLS."""
    receiver = Receiver(scheme="https" if certificate else "http")
    receiver.reply = reply or receiver.reply

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            receiver.heard.append(Heard(path=self.path, headers=dict(self.headers.items()), body=body))
            with suppress(OSError):
                receiver.reply(self)
            self.close_connection = True

        do_GET = do_POST

        def log_message(self, *words: Any) -> None:
            """Quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *words: Any) -> None:
            """A caller that goes away is no error of the test."""

    server = Server(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(kw_only=True)
class Listener:
    """Counts connections on both loopback addresses, and says nothing."""

    port: int = 0
    hosts: list[str] = field(default_factory=lambda: ["127.0.0.1"])
    callers: list[tuple[str, int]] = field(default_factory=list)

    @property
    def seen(self) -> int:
        """How many have come. Connections are taken in turn: when one of our own has been, so have all before it."""
        for host in self.hosts:
            with socket.create_connection((host, self.port), 5) as own:
                name = own.getsockname()[:2]
                until = time.monotonic() + 5
                while name not in self.callers:
                    if time.monotonic() > until:
                        raise TimeoutError("the listener does not listen")
                    time.sleep(0.001)
                self.callers.remove(name)
        return len(self.callers)


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener on 127.0.0.1 and, where this machine has it, ::1, on one port."""
    listener, sockets = Listener(), [socket.create_server(("127.0.0.1", 0))]
    listener.port = sockets[0].getsockname()[1]
    with suppress(OSError):
        sockets.append(socket.create_server(("::1", listener.port), family=socket.AF_INET6))
        listener.hosts.append("::1")

    def take(server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                taken, caller = server.accept()
                listener.callers.append(caller[:2])
                taken.close()

    threads = [threading.Thread(target=take, args=(one,), daemon=True) for one in sockets]
    for thread in threads:
        thread.start()
    try:
        yield listener
    finally:
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in threads:
            thread.join(5)


def make_certificate(folder: Path, name: str) -> Path:
    """A certificate of its own for a name, with its key, in one file: trust it to reach the receiver that has it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return path
