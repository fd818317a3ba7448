"""Mail workers in processes of their own, which a proof may kill, stop and let go on; and the broken ones.

python -m tests.promises.mailing DATABASE_URL SMTP_URL [SABOTAGE]: for each line on stdin, `scan INSTANT` or
`deliver INSTANT`, does that with its clock at that instant and answers with a line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import structlog

from notifications import delivery, outbox, queueing
from notifications.compose import Mail
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outcomes import Outcome, Permanent, Sent, Temporary, Uncertain
from notifications.queueing import queue_notices
from notifications.records import Notice
from reporting.store.engine import Database
from schemas.calendar import local_date
from tests.notifications.builders import BASE_URL, MAIL_FROM, a_program

ROOT: Final = Path(__file__).resolve().parents[2]
COUNTY: Final = "ozaukee"
A_SESSION: Final = 4
"""Messages over one connection: so that many sessions may break."""


class Mistaken(SmtpSender):
    """A sender that is wrong about one kind of outcome."""

    def __init__(self, *args: Any, judge: Callable[[Outcome], Outcome], **more: Any) -> None:
        super().__init__(*args, **more)
        self._mistake = judge

    def send(self, mail: Mail) -> Outcome:
        """Send it, and misjudge what came of it."""
        return self._mistake(super().send(mail))


class Renaming(SmtpSender):
    """A sender that gives each attempt a Message-ID of its own."""

    def send(self, mail: Mail) -> Outcome:
        """Send it under a new name."""
        return super().send(replace(mail, message_id=f"<{uuid4().hex}@reports.example.org>"))


def sender(url: str, sabotage: str) -> SmtpSender:
    """The sender, or a broken one."""
    about: dict[str, Any] = {"messages_per_connection": A_SESSION}
    relay = read_smtp_url(url)
    if sabotage == "unknown is delivered":
        return Mistaken(relay, MAIL_FROM, judge=lambda o: Sent() if isinstance(o, Uncertain) else o, **about)
    if sabotage == "550 is tried again":
        mistaken: Callable[[Outcome], Outcome] = lambda o: Temporary(text=o.text) if isinstance(o, Permanent) else o  # noqa: E731
        return Mistaken(relay, MAIL_FROM, judge=mistaken, **about)
    return (Renaming if sabotage == "a new name each time" else SmtpSender)(relay, MAIL_FROM, **about)


def spoil(sabotage: str) -> None:
    """Break what lies behind the sender."""
    if sabotage == "the dead are forgotten":
        delivery.reap = lambda store, now: 0
    if sabotage == "no fence":
        outbox._held = lambda store, claim: outbox._is(store, claim.dedupe_key)
    if sabotage == "no key":
        queueing.lock_queueing = lambda store: None
        queueing.mark_handled = lambda store, ids, now: None
        genuine = outbox.add_message
        pages = queueing.pending_domain_events
        seen: list[int] = []

        def once(store: Any, limit: int) -> Any:
            seen.append(1)
            return pages(store, limit) if len(seen) % 2 else []

        def renamed(store: Any, notice: Notice, *more: Any) -> bool:
            return genuine(store, replace(notice, dedupe_key=f"{notice.dedupe_key}|{uuid4().hex}"), *more)

        queueing.pending_domain_events, queueing.add_message = once, renamed


def main(url: str, smtp_url: str, sabotage: str = "") -> None:
    """Work until stdin ends."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    database = Database.connect(url)
    spoil(sabotage)
    print("up", flush=True)
    for line in sys.stdin:
        verb, at = line.split()
        now = datetime.fromisoformat(at)
        told: dict[str, Any] = {}
        if verb == "scan":
            with database.transaction(COUNTY) as store:
                program = a_program(COUNTY)
                queued = queue_notices(store, program, local_date(now, program.timezone), now, BASE_URL)
            told = {"messages": sum(queued.messages.values()), "events": queued.events}
        else:
            counts = delivery.deliver(database, [COUNTY], sender(smtp_url, sabotage), lambda at=now: at)  # type: ignore[misc]
            names = ("sent", "failed", "uncertain", "waiting", "lost", "still_queued")
            told = {name: getattr(counts, name) for name in names}
        print(json.dumps(told), flush=True)


@dataclass(kw_only=True)
class Worker:
    """A worker process."""

    process: subprocess.Popen[str]

    def begin(self, verb: str, at: datetime) -> None:
        """Let it do something."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{verb} {at.isoformat()}\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any] | None:
        """What came of it; `None`: the worker is dead."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return dict(json.loads(line)) if line else None


@contextmanager
def a_worker(url: str, smtp_url: str, sabotage: str = "") -> Iterator[Worker]:
    """A worker, ended afterwards whatever became of it."""
    command = [sys.executable, "-m", "tests.promises.mailing", url, smtp_url, sabotage]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n", "the worker did not start"
        yield Worker(process=process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
