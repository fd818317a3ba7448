"""Work done by a child of this process, which may break whatever it likes in itself."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any

MOST_MEMORY = 6 << 30


def in_child(work: Callable[[], dict[str, Any]], most_s: float, processor_s: int) -> dict[str, Any] | None:
    """What a child of this process answers; `None` where it ended by itself or was stopped."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        try:
            with os.fdopen(writer, "w") as answer:
                try:
                    came = work()
                except BaseException:
                    came = {"error": traceback.format_exc()}
                json.dump(came, answer)
        finally:
            os._exit(0)
    os.close(writer)
    text, until = b"", time.monotonic() + most_s
    while select.select([reader], [], [], max(until - time.monotonic(), 0))[0]:
        part = os.read(reader, 1 << 16)
        if not part:
            break
        text += part
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    os.waitpid(child, 0)
    try:
        came = dict(json.loads(text))
    except ValueError:
        return None
    if "error" in came:
        raise RuntimeError(came["error"])
    return came
