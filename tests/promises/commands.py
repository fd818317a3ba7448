"""`pumper` as an operator runs it: a process of its own, on the database and with the key that a proof names."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.services.databases import DatabaseUrls

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Operator:
    """Whoever runs the service: its database, as the application's role and as the tables' owner, and its key."""

    urls: DatabaseUrls
    key: Path
    said: list[str] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the commands."""
        return {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": self.urls.app_url,
            "MIGRATION_DATABASE_URL": self.urls.owner_url,
            "PUMPER_SIGNING_KEY_FILE": str(self.key),
            "LOG_LEVEL": "ERROR",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A command that goes on by itself."""
        command = [sys.executable, "-m", "reporting.cli", *words]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, *words: str) -> str:
        """What a command prints; one that does not end with 0 is noted in `said`."""
        return self.end(self.start(*words), words[0])

    def end(self, process: subprocess.Popen[str], name: str) -> str:
        """Wait for a command to end."""
        out, _ = process.communicate(timeout=3_600)
        if process.returncode != 0:
            self.said.append(f"pumper {name} ended with {process.returncode}: {out.strip()[-300:]}")
        return out
