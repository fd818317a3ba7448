"""Clients that call a server side by side, each over a connection that it keeps, and how long every call took."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.promises.servers import free_port

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One call."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    wanted: int = 200


def called(port: int, asks: Sequence[Ask], clients: int) -> tuple[float, list[float]]:
    """Calls a second, and the seconds of each; raises `AssertionError` where an answer is not the wanted one."""
    waiting, taken, faults = iter(asks), [], []
    lock = threading.Lock()

    def work(_client: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while True:
            with lock:
                ask = next(waiting, None)
            if ask is None:
                break
            begun = time.perf_counter()
            connection.request(ask.method, ask.path, ask.body, dict(ask.headers))
            answer = connection.getresponse()
            said = answer.read()
            taken.append(time.perf_counter() - begun)
            if answer.status != ask.wanted:
                faults.append((answer.status, said[:300]))
        connection.close()

    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, range(clients)))  # raises what a client met
    assert not faults, faults[:3]
    return len(asks) / (time.perf_counter() - begun), taken


@contextmanager
def saying_hello() -> Iterator[int]:
    """The baseline's server; its port."""
    port = free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, str(ROOT / "bench" / "hello.py"), str(port)], **quiet)  # type: ignore[call-overload]
    try:
        for _ in range(200):
            try:
                called(port, [Ask(method="GET", path="/hello")], 1)
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()
