"""Beyond one process: three web nodes behind nginx and three workers against one PostgreSQL, which holds all state.

A node dies by SIGKILL on the way. Every acknowledged report is there once, in one unbroken log; every notice goes out
once, whichever worker acts (those that die are P5's and P6's); what one node has answered another one replays.
"""

from __future__ import annotations

import email
import http.client
import os
import signal
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from notifications.outbox import MessageState, list_messages
from reporting import tables
from reporting.store.people import upsert_contractors
from reporting.store.verify import verify
from tests.promises.arenas import lasting_arena
from tests.promises.posting import Post, Posting, posts
from tests.promises.servers import ROOT, free_port
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, NOW, UNLIMITED, World
from tests.services.availability import ServiceUnavailable, unavailable
from tests.services.nginx import running_nginx

NODES, REPORTS, SYSTEMS, CLIENTS, PATIENCE = 3, 60, 20, 6, 90.0


@contextmanager
def a_process(command: str, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """`pumper` with this word, gone afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reporting.cli", command], cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def environment_of(world: World, mail: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": world.config.database_url,
        "PUMPER_SIGNING_KEY_FILE": str(world.config.signing_key_file),
        "PUMPER_MAIL_DIR": str(mail),
        "WEB_CONCURRENCY": "1",
        "LOG_LEVEL": "ERROR",
        **UNLIMITED,
        **more,
    }


def call(port: int, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, str]:
    """Status, body, and whether the answer says that it is one given before."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers.get("Idempotency-Replayed", "")
    except OSError:
        return 0, b"", ""
    finally:
        connection.close()


def until(what: str, told: Callable[[], bool], seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not told():
        assert time.monotonic() < end, what
        time.sleep(0.2)


def sent(mail: Path) -> Counter[str]:
    """How often each message lies in the folder."""
    return Counter(
        str(email.message_from_bytes(path.read_bytes())["Message-ID"]) for path in mail.rglob("*.eml") if path.is_file()
    )


@pytest.mark.needs_postgres
def test_three_of_each(tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    mail.mkdir()
    nodes, port = [free_port() for _ in range(NODES)], free_port()
    with ExitStack() as stack:
        try:  # a server of its own: from one that may forget, as the suite's does, no node serves
            arena = stack.enter_context(lasting_arena("postgresql"))
        except ServiceUnavailable as error:
            unavailable("PostgreSQL", error)
        world = stack.enter_context(stocked(arena, SYSTEMS))
        business = {"id": "con_mine", "business_name": "Kettle Moraine Septic LLC", "email": "office@kettle.example"}
        with world.database.transaction(None) as store:
            upsert_contractors(store, [{**business, "created_at": NOW}])
        web = [
            stack.enter_context(
                a_process("web", environment_of(world, mail, PORT=str(node), WEB_CONCURRENCY=processes))
            )
            for node, processes in zip(nodes, ("1", "2", "1"), strict=True)
        ]
        for node in nodes:
            until(f"node {node} is up", lambda node=node: call(node, "GET", "/healthz")[0] == 200)  # type: ignore[misc]
        try:
            log = stack.enter_context(running_nginx(nodes, port, tmp_path))
        except ServiceUnavailable as error:
            unavailable("nginx", error)
        todo = posts(REPORTS, SYSTEMS, seed=7)
        trusted = ssl.create_default_context(cafile=str(tmp_path / "tls.crt"))
        posting = Posting(port=port, key=world.keys["contractor"], tls=trusted)
        posting.start(todo, CLIENTS)
        until("a third is in", lambda: len(posting.acknowledged) > REPORTS // 3)
        os.killpg(web[0].pid, signal.SIGKILL)
        posting.join(PATIENCE)
        assert posting.faults == []
        held_once(world, posting)
        taken = shared_out(log, nodes)
        counted_together(nodes[1], world.keys["admin"], taken[nodes[1]])
        replayed_by_each(nodes[1:], todo[0], world.keys["contractor"])
        for _ in range(NODES):
            stack.enter_context(a_process("worker", environment_of(world, mail)))
        all_told(world, mail)


def held_once(world: World, posting: Posting) -> None:
    """Each acknowledged report is there once, where its receipt says, and the log is whole."""
    told = {one.report_id: one.seq for one in posting.acknowledged}
    assert len(told) == REPORTS
    event = tables.event
    with world.database.reading(HOME) as store:
        rows = store.connection.execute(
            select(event.c.id, event.c.seq).where(event.c.county == HOME, event.c.license_number.is_not(None))
        )
        assert {row.id: row.seq for row in rows if row.id in told} == told
        refs = store.connection.execute(
            select(event.c.report_ref).where(event.c.county == HOME, event.c.report_ref.like("A-%"))
        )
        assert Counter(row.report_ref for row in refs) == Counter(f"A-{n}" for n in range(REPORTS))
        assert verify(store, [world.signer.verifying_key], []).problems == ()


def shared_out(log: Path, nodes: list[int]) -> Counter[int]:
    """Every node has taken reports, the dead one before it died; how many each."""
    lines = log.read_text(encoding="utf-8").splitlines()
    by = Counter(port for line in lines for port in nodes if line.startswith("201") and line.endswith(f":{port}"))
    assert all(by[port] > REPORTS // 20 for port in nodes), by
    return by


def counted_together(node: int, key: str, taken: int) -> None:
    """Whichever of a node's processes is asked for figures, it tells of all of them."""
    named = 'pumper_http_requests_total{method="POST",route="/v1/<slug:county>/reports",status="201"}'
    for _ in range(6):
        figures = call(node, "GET", "/metrics", Authorization=f"Bearer {key}")[1].decode()
        [line] = [line for line in figures.splitlines() if line.startswith(named)]
        assert float(line.rsplit(" ", 1)[1]) == taken


def replayed_by_each(nodes: list[int], post: Post, key: str) -> None:
    """A repeat is answered alike by whichever node is asked."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": post.key}
    answers = [call(node, "POST", f"/v1/{HOME}/reports", post.body, **headers) for node in nodes]
    assert {answer[0] for answer in answers} == {201}
    assert len({answer[1] for answer in answers}) == 1
    assert {answer[2] for answer in answers} == {"true"}


def all_told(world: World, mail: Path) -> None:
    """Every message of the outbox is sent, each once."""

    def left() -> int:
        with world.database.reading(HOME) as store:
            rows = list_messages(store, list(MessageState), 10_000)
        return sum(row["state"] != "sent" for row in rows) if rows else 1

    until("all notices are sent", lambda: left() == 0)
    with world.database.reading(HOME) as store:
        rows = list_messages(store, [MessageState.SENT], 10_000)
    there = sent(mail)
    assert len(rows) > REPORTS, "every report was late"
    assert {row["message_id"] for row in rows} <= set(there), "a message is missing"
    assert set(there.values()) == {1}, "a message is there twice"
