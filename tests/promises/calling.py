"""Clients that go on calling whatever they are answered, and note of each call how it was answered and how soon."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.promises.posting import Post
from tests.reporting.api.world import HOME


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One call: when it began (of `time.monotonic`), how long it took, its status (0: no answer) and what came."""

    at: float
    seconds: float
    status: int
    retry_after: str | None = None
    problem: str | None = None
    report_id: str | None = None

    @property
    def good(self) -> bool:
        """Whether it did what it was asked."""
        return 200 <= self.status < 300


@dataclass(kw_only=True)
class Calling:
    """Clients of one server; each posts the next report, or (every other call) reads, over one connection."""

    port: int
    key: str
    todo: Iterator[Post]
    told: list[Answered] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def since(self, at: float, until: float = float("inf")) -> list[Answered]:
        """The calls that began then."""
        return [one for one in list(self.told) if at <= one.at < until]

    def statuses(self) -> Counter[int]:
        """How often each status was answered."""
        return Counter(one.status for one in list(self.told))

    def client(self) -> None:
        """One client, until it is told to stop."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.stop.is_set():
            with self._lock:
                post = next(self.todo)
            self.told.append(self.call(connection, post))
            self.told.append(self.call(connection, None))
        connection.close()

    def call(self, connection: http.client.HTTPConnection, post: Post | None) -> Answered:
        """Post a report, or read the list of systems."""
        headers = {"Authorization": f"Bearer {self.key}"}
        begun = time.monotonic()
        try:
            if post is None:
                connection.request("GET", f"/v1/{HOME}/systems?limit=1", headers=headers)
            else:
                more = {"Content-Type": "application/json", "Idempotency-Key": post.key}
                connection.request("POST", f"/v1/{HOME}/reports", post.body, {**headers, **more})
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return Answered(at=begun, seconds=time.monotonic() - begun, status=0)
        seconds = time.monotonic() - begun
        is_problem = answer.headers.get("Content-Type", "").startswith("application/problem+json")
        said = json.loads(data) if answer.status == 201 or is_problem else {}
        return Answered(
            at=begun,
            seconds=seconds,
            status=answer.status,
            retry_after=answer.headers.get("Retry-After"),
            problem=str(said["type"]) if is_problem else None,
            report_id=str(said["id"]) if answer.status == 201 else None,
        )


@contextmanager
def calling(port: int, key: str, todo: Sequence[Post], clients: int) -> Iterator[Calling]:
    """The clients at work; ended afterwards."""
    made = Calling(port=port, key=key, todo=iter(todo))
    threads = [threading.Thread(target=made.client, daemon=True) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield made
    finally:
        made.stop.set()
        for thread in threads:
            thread.join(40)
