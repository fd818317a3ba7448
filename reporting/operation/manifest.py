"""What a backup says of itself: versions, rows of each table, where each log stands, the SHA-256 of each file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from reporting.errors import RestoreRefused

FORMAT: Final = "pumper backup 1"
MANIFEST, DATABASE, CHECKPOINTS, README = "manifest.json", "pumper.db", "checkpoints.txt", "README.txt"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """made_at: UTC. source: `sqlite` or `postgresql`. migration: the last one applied. rows: by table.

    logs: by county, `size` and `root` (hex). files: SHA-256 in hex by name.
    """

    made_at: str
    service: str
    source: str
    migration: str
    rows: Mapping[str, int]
    logs: Mapping[str, Mapping[str, Any]]
    files: Mapping[str, str]
    format: str = FORMAT

    def as_bytes(self) -> bytes:
        """The file's contents."""
        return json.dumps(asdict(self), indent=1, sort_keys=True).encode() + b"\n"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup, whose files are as it says; raises `RestoreRefused`."""
    try:
        said = json.loads((folder / MANIFEST).read_bytes())
        shown = said.get("format") if isinstance(said, dict) else None
        if shown != FORMAT:
            raise RestoreRefused(f"Its manifest is of {shown!r}, and this version reads {FORMAT!r}.")
        manifest = Manifest(**said)
        files = dict(manifest.files)
    except OSError as error:
        raise RestoreRefused(f"{folder} is no backup: {MANIFEST} cannot be read ({error.strerror}).") from error
    except (ValueError, TypeError) as error:
        raise RestoreRefused(f"{MANIFEST} is not as it was written.") from error
    for name in (DATABASE, CHECKPOINTS):
        if name not in files:
            raise RestoreRefused(f"{MANIFEST} says nothing of {name}.")
        try:
            found = digest(folder / name)
        except OSError as error:
            raise RestoreRefused(f"{name} cannot be read: {error.strerror}.") from error
        if found != files[name]:
            raise RestoreRefused(f"{name} was changed since the backup was made: its SHA-256 is another.")
    return manifest


def digest(path: Path) -> str:
    """The SHA-256 of a file in hex."""
    total = sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            total.update(part)
    return total.hexdigest()


def service_version() -> str:
    """Which version of the service runs."""
    try:
        return version("pumper-reporting")
    except PackageNotFoundError:
        return "unknown"
