"""How long until the command answers and a web worker is ready, and how much memory a worker holds."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median

from bench.measuring import TIMES, Figure, in_turn
from tests.promises.arenas import lasting_arena
from tests.promises.servers import ServerGroup
from tests.promises.stocking import stocked

HELP_S, READY_S, WORKER_MB = 0.4, 2.0, 120.0


def measured() -> Iterator[Figure]:
    """`pumper --help` beside an empty Python; a server of two workers from its start to its first answer."""
    ours, bare = in_turn(
        lambda: subprocess.run([sys.executable, "-m", "reporting.cli", "--help"], capture_output=True, check=True),
        lambda: subprocess.run([sys.executable, "-c", ""], capture_output=True, check=True),
    )
    yield Figure(
        step="`pumper --help`", database="", ours=ours, unit="s", baseline=bare, against="an empty Python",
        aim=f"< {HELP_S} s", held=ours < HELP_S,
    )  # fmt: skip
    with lasting_arena("sqlite") as arena, stocked(arena, 1) as world:
        ready, memory = [], []
        for _ in range(TIMES):
            group = ServerGroup(world=world, workers=1)
            begun = time.perf_counter()
            group.start()
            ready.append(time.perf_counter() - begun)
            memory.append(group.resident() / 2 / 1e6)  # the first process and its worker
            group.stop()
    yield Figure(
        step="a web worker answers after its start", database="sqlite", ours=median(ready), unit="s",
        aim=f"< {READY_S:.0f} s", held=median(ready) < READY_S,
    )  # fmt: skip
    yield Figure(
        step="memory of a process of the server", database="sqlite", ours=median(memory), unit="MB",
        aim=f"< {WORKER_MB:.0f} MB", held=median(memory) < WORKER_MB,
    )  # fmt: skip
