"""Where tests keep what they throw away: in memory, where the machine has room, since creating files is most of it."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4_000_000_000
"""What has to be free there; a container often has 64 MB."""


def quick_folder() -> str | None:
    """A folder in memory; `None` for the usual one, on disk."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM):
        return None
    return str(MEMORY)
