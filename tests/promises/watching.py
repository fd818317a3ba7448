"""What processes asked of the kernel, by strace: one file a thread, read into calls in their order."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.services.availability import ServiceUnavailable

WRITES = frozenset({"write", "writev", "pwrite64", "pwritev", "pwritev2", "ftruncate", "fallocate"})
SYNCS = frozenset({"fsync", "fdatasync"})
_TRACED = ",".join(sorted({*WRITES, *SYNCS, "sendto", "sendmsg"}))
_LINE = re.compile(
    r"(?P<at>\d+\.\d+) (?P<name>\w+)\((?P<fd>\d+)(?:<(?P<path>[^>]*)>)?"
    r"(?P<rest>.*) = (?P<result>-?\d+).*<(?P<took>[\d.]+)>$"
)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One system call: what it was of, whether it was done, and when it began and ended (seconds since 1970)."""

    name: str
    path: str
    text: str
    ok: bool
    began: float
    ended: float


def command(prefix: Path, *more: str) -> list[str]:
    """strace of a command to come, or (`-p PID`) of a process and its children; files are `prefix.TID`."""
    options = ["-ff", "-y", "-ttt", "-T", "-s", "64", "--seccomp-bpf", "-e", f"trace={_TRACED}", "-o", str(prefix)]
    if "-p" in more:
        options.remove("--seccomp-bpf")  # for what it starts itself only
    return ["strace", *options, *more]


def check_allowed() -> None:
    """Raises ServiceUnavailable where strace may not watch anything, as in a container without that right."""
    tried = subprocess.run(["strace", "-f", "-e", "trace=none", "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise ServiceUnavailable(f"strace may not watch: {tried.stderr.strip()[-300:]}")


@contextmanager
def attached(pid: int, prefix: Path) -> Iterator[None]:
    """Watch a running process and all that it starts. Raises ServiceUnavailable where that is not allowed."""
    with prefix.with_suffix(".log").open("w+") as said:
        watcher = subprocess.Popen(command(prefix, "-p", str(pid)), stdin=subprocess.DEVNULL, stderr=said)
        try:
            end = time.monotonic() + 20
            while "attached" not in (told := Path(said.name).read_text()):
                if watcher.poll() is not None or time.monotonic() > end:
                    raise ServiceUnavailable(f"strace may not watch: {told.strip()[-300:]}")
                time.sleep(0.02)
            yield
        finally:
            if watcher.poll() is None:
                os.kill(watcher.pid, signal.SIGINT)  # it lets go, and what it watched goes on
            watcher.wait(20)


def threads(prefix: Path) -> list[list[Call]]:
    """The calls of every thread watched."""
    files = sorted(prefix.parent.glob(f"{prefix.name}.[0-9]*"))
    lines = (file.read_text(errors="replace").splitlines() for file in files)
    return [[call for line in some if (call := _read(line))] for some in lines]


def _read(line: str) -> Call | None:
    found = _LINE.match(line.rstrip("\n"))
    if found is None:
        return None
    began = float(found["at"])
    return Call(
        name=found["name"],
        path=found["path"] or "",
        text=found["rest"],
        ok=int(found["result"]) >= 0,
        began=began,
        ended=began + float(found["took"]),
    )


def answers(calls: Sequence[Call]) -> Iterator[int]:
    """Where in a thread's calls a 201 begins to leave."""
    return (n for n, call in enumerate(calls) if call.name in ("sendto", "sendmsg") and "HTTP/1.1 201" in call.text)
