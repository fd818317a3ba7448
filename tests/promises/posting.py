"""P1's clients: each posts reports with keys over a socket until every one is acknowledged, whatever goes wrong."""

from __future__ import annotations

import http.client
import json
import queue
import random
import ssl
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.reporting.api.world import HOME, a_report

PATIENCE = 20.0
"""Seconds until a call counts as lost and is made again."""


@dataclass(frozen=True, kw_only=True)
class Post:
    """One report to be posted: its number, its key and its body."""

    number: int
    key: str
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Acknowledged:
    """A 201 that a client was given: what the service promised from then on."""

    number: int
    report_id: str
    outcome: str
    seq: int
    leaf: str
    replayed: bool
    tries: int


def posts(count: int, systems: int, seed: int) -> list[Post]:
    """So many different reports, of all systems in turn."""
    pick = random.Random(seed)
    made = []
    for number in range(count):
        permit = f"P-{number % systems}"
        body = a_report(
            report_ref=f"A-{number}", permit_number=permit, parcel_number=f"08-{permit}",
            site_address=f"N{sum(permit.encode())} County Road K", gallons_pumped=pick.randrange(1, 3_000),
            service_date=f"2026-0{pick.randrange(1, 7)}-{pick.randrange(10, 29)}",
        )  # fmt: skip
        key = str(uuid.UUID(int=pick.getrandbits(128), version=4))
        made.append(Post(number=number, key=key, body=json.dumps(body).encode()))
    return made


@dataclass(kw_only=True)
class Posting:
    """Clients at work on one list of posts, over TLS where `tls` says whom they trust.

    said: how often each thing was answered or happened.
    """

    port: int
    key: str
    tls: ssl.SSLContext | None = None
    work: queue.SimpleQueue[Post] = field(default_factory=queue.SimpleQueue)
    acknowledged: list[Acknowledged] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    threads: list[threading.Thread] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def start(self, todo: list[Post], clients: int) -> None:
        """Let the clients begin."""
        for post in todo:
            self.work.put(post)
        self.threads = [threading.Thread(target=self._client, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    @property
    def done(self) -> bool:
        """Whether every client has ended."""
        return not any(thread.is_alive() for thread in self.threads)

    def join(self, seconds: float) -> None:
        """Wait for the clients to end; after that long they are told to."""
        end = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))
        if not self.done:
            self.faults.append(f"the clients were not done after {seconds:.0f} s")
        self.stop.set()
        for thread in self.threads:
            thread.join(2 * PATIENCE)

    def _client(self) -> None:
        connection = self._connection()
        while not self.stop.is_set():
            try:
                post = self.work.get_nowait()
            except queue.Empty:
                break
            self._until_acknowledged(connection, post)
        connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if self.tls is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=self.tls)

    def _until_acknowledged(self, connection: http.client.HTTPConnection, post: Post) -> None:
        headers = {
            "Authorization": f"Bearer {self.key}", "Content-Type": "application/json", "Idempotency-Key": post.key,
        }  # fmt: skip
        for tries in range(1, 1_000):
            if self.stop.is_set():
                return
            try:
                connection.request("POST", f"/v1/{HOME}/reports", post.body, headers)
                answer = connection.getresponse()
                data = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.said[type(error).__name__] += 1
                connection.close()
                self.stop.wait(0.05)
                continue
            self.said[str(answer.status)] += 1
            if answer.status == 201:
                self._note(post, json.loads(data), answer.headers, tries)
                return
            if answer.status not in (409, 429) and answer.status < 500:
                self.faults.append(f"report {post.number}: {answer.status} {data[:200]!r}")
                return
            self.stop.wait(0.05)
        self.faults.append(f"report {post.number} was never acknowledged")

    def _note(self, post: Post, body: Mapping[str, Any], headers: Mapping[str, str], tries: int) -> None:
        receipt = body["receipt"]
        ack = Acknowledged(
            number=post.number,
            report_id=body["id"],
            outcome=body["outcome"],
            seq=receipt["seq"],
            leaf=receipt["leaf"],
            replayed=headers.get("Idempotency-Replayed") == "true",
            tries=tries,
        )
        self.acknowledged.append(ack)
