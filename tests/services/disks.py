"""Small disks of a test's own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services.availability import ServiceUnavailable


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """A file system of `size` bytes at a new folder below `folder`. Raises ServiceUnavailable where it may not."""
    place = folder / "disk"
    place.mkdir()
    options = f"size={size},mode=0755"
    try:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, text=True
        )
    except OSError as error:
        raise ServiceUnavailable(f"mount: {error}") from error
    if made.returncode != 0:
        raise ServiceUnavailable(f"no small disk may be made here: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=False, capture_output=True)
