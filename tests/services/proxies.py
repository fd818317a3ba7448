"""A TCP proxy before a server, that can fail in the ways that networks and servers do."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_RESET_AT_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER on, no time: closing sends a reset


@dataclass(kw_only=True)
class Proxy:
    """Passes bytes on. `delay`: seconds before each part; `hole`: takes bytes and gives nothing."""

    target: tuple[str, int]
    port: int = 0
    delay: float = 0.0
    hole: bool = False
    _listener: socket.socket | None = None
    _open: set[socket.socket] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Listen, on the port that it had before."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port, self._listener = listener.getsockname()[1], listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def stop(self) -> None:
        """Refuse new connections, and end those there are."""
        if self._listener is not None:
            # Or the thread that waits for a caller would take one more.
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        self.reset()

    def reset(self) -> None:
        """End every connection with a reset; new ones are let in."""
        with self._lock:
            ended, self._open = self._open, set()
        for one in ended:
            with suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE)
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self._lock:
                self._open |= {client, server}
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError, ValueError):
            while data := one.recv(65_536):
                if self.delay:
                    time.sleep(self.delay)
                while self.hole:
                    time.sleep(0.02)
                    if one not in self._open:
                        return
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            with self._lock:
                self._open.discard(end)
        one.close()  # the other one is the other thread's


@contextmanager
def running_proxy(target: tuple[str, int]) -> Iterator[Proxy]:
    """A proxy that passes on; gone afterwards."""
    proxy = Proxy(target=target)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.hole = False
        proxy.stop()
