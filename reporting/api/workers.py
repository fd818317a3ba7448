"""gunicorn's worker, which lets nobody keep a thread by sending slowly: head and body of a request have their time.

gunicorn's own worker waits without end for the rest of a request that has begun. A body is read by the service only
after the key and its limit were looked at, so that its longer time is for those who may send files.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

HEAD_SECONDS: Final = 15.0
"""For the request line and the header fields; gunicorn gives 5 s of it to the first byte."""
BODY_SECONDS: Final = 20.0
SLOWEST: Final = 16_000
"""Bytes a second of a body, beyond `BODY_SECONDS`: a bad line on a truck sends more."""


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn ships no types
    """The threaded worker with an end for what a client still has to send."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._until: dict[Any, float] = {}

    def handle(self, conn: Any) -> Any:
        """One request of a connection, in a thread of the pool."""
        self._until[conn] = time.monotonic() + HEAD_SECONDS
        try:
            return super().handle(conn)
        finally:
            self._until.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Its head is read; now its body is."""
        self._until[conn] = time.monotonic() + BODY_SECONDS + _length(req.headers) / SLOWEST
        return super().handle_request(req, conn)

    def murder_pending(self) -> None:
        """What the main loop does every second: end the reading from connections whose time is over.

        Only reading ends: an answer that is being worked out is still sent.
        """
        super().murder_pending()
        now = time.monotonic()
        for conn, until in list(self._until.items()):
            if until < now:
                self._until.pop(conn, None)
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)


def _length(headers: list[tuple[str, str]]) -> int:
    """The length that a request says its body has; of one sent in chunks nothing is known."""
    given = next((value for name, value in headers if name.upper() == "CONTENT-LENGTH"), "")
    # Whatever it says, the service takes no more than this.
    return min(int(given), 10_000_000) if given.isascii() and given.isdigit() and len(given) < 12 else 10_000_000
