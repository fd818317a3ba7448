"""Clients for the proof that no county starves another: one at its own pace, and a flood that does not wait."""

from __future__ import annotations

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

CLIENTS = 8
"""Connections of the flood."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one call came to: status, `Retry-After` if there was one, seconds until the whole answer was there."""

    status: int
    retry_after: str | None
    seconds: float


class Caller:
    """A client with one connection, kept alive, and one key."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> Answer:
        """One call; a connection that the server has closed meanwhile is opened again."""
        for last in (False, True):
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
            begun = time.monotonic()
            try:
                self._connection.request("GET", path, headers={"Authorization": f"Bearer {self._key}"})
                answer = self._connection.getresponse()
                answer.read()
            except (http.client.HTTPException, ConnectionError):
                self.close()
                if last:
                    raise
                continue
            seconds = time.monotonic() - begun
            return Answer(status=answer.status, retry_after=answer.headers["Retry-After"], seconds=seconds)
        raise AssertionError("not reached")

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass
class Flood:
    """What the flood has met so far. `retry_after`: of the refusals, how many said when to go on."""

    statuses: Counter[int] = field(default_factory=Counter)
    retry_after: int = 0
    seconds: float = 0.0

    @property
    def calls(self) -> int:
        """All of its calls."""
        return sum(self.statuses.values())


@contextmanager
def flooding(port: int, keys: Sequence[str], paths: Sequence[str], a_second: float, flood: Flood) -> Iterator[None]:
    """Call from several connections as often as said, or as often as answers come, until the block ends."""
    stop, lock = threading.Event(), threading.Lock()

    def run(number: int) -> None:
        caller = Caller(port, keys[number % len(keys)])
        pause = CLIENTS / a_second
        next_at = time.monotonic() + pause * number / CLIENTS
        turn = number
        while not stop.wait(max(0.0, next_at - time.monotonic())):
            next_at = max(next_at + pause, time.monotonic() - 1)  # what it is behind by, it makes up, but for old debts
            turn += 1
            answer = caller.get(paths[turn % len(paths)])
            with lock:
                flood.statuses[answer.status] += 1
                flood.retry_after += answer.status == 429 and (answer.retry_after or "").isdigit()
        caller.close()

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(CLIENTS)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(90)
        flood.seconds += time.monotonic() - begun


def percentile_95(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not pass."""
    return sorted(values)[max(0, -(-len(values) * 95 // 100) - 1)]
