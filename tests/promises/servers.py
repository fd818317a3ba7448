"""A real gunicorn group over a world's database, started, killed whole and started again on the same port."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from reporting.variables import SETTINGS
from tests.reporting.api.world import NOW, World

ROOT = Path(__file__).resolve().parents[2]
UNLIMITED = {setting.name: "0" for setting in SETTINGS if setting.name.startswith("PUMPER_RATE_")}
"""The clock stands still: every call would count against the same minute's limits."""
UP_WITHIN, DOWN_WITHIN = 60, 40


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@dataclass(kw_only=True)
class ServerGroup:
    """One server with its workers, a process group of its own. `options`: those of `tests.promises.served`.

    before: a command that runs it, such as strace with its own options. settings: more of its environment.
    """

    world: World
    options: Sequence[str] = ()
    workers: int = 2
    before: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [
            *self.before, sys.executable, "-m", "tests.promises.served", "--port", str(self.port),
            "--workers", str(self.workers), "--now", NOW.isoformat(), *self.options,
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self._environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + UP_WITHIN
        while not self.is_up():
            assert self.process.poll() is None, f"the server ended with {self.process.returncode}"
            assert time.monotonic() < end, "the server did not come up"
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL to the whole group at once."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """SIGTERM to the group; SIGKILL to what is left."""
        if self.process is None:
            return
        if self.process.poll() is None:
            # Not to the first process alone: where that is strace, it would keep the signal to itself.
            os.killpg(self.process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(DOWN_WITHIN)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def is_up(self) -> bool:
        """Whether it answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def members(self) -> list[int]:
        """The process ids of the group."""
        assert self.process is not None
        group = self.process.pid
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group:
                found.append(int(stat.parent.name))
        return found

    def resident(self) -> int:
        """Bytes of memory of the whole group."""
        total = 0
        for member in self.members():
            try:
                total += int(Path(f"/proc/{member}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            except OSError:
                continue
        return total

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": self.world.config.database_url,
            "PUMPER_SIGNING_KEY_FILE": str(self.world.config.signing_key_file),
            "LOG_LEVEL": "ERROR",
            **UNLIMITED,
            **self.settings,
        }


@contextmanager
def serving(group: ServerGroup) -> Iterator[ServerGroup]:
    """The group, up; gone afterwards, whatever happened."""
    try:
        group.start()
        yield group
    finally:
        group.stop()
