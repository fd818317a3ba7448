"""P24: no known-vulnerable parts. Every package that runs is pinned by version and hash, none below the first version
without a weakness that we know of, what is installed is what is locked, and the bill of materials names just that.

Advisories cannot be asked offline: FLOORS has those known when it was written; a lookup against a database of
advisories is for whoever runs the service, with `make sbom`. The controls: a lock with an old version, one with a
range, one without a hash.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from packaging.version import Version

from tests.promises.proof import Arena, Outcome, Proof, Run, Size

ROOT: Final = Path(__file__).resolve().parents[3]
LOCKS: Final = ("run.txt", "dev.txt")
FLOORS: Final[Mapping[str, str]] = {
    "authlib": "1.6.6",  # CVE-2025-61920, CVE-2025-68158
    "cryptography": "44.0.1",  # CVE-2024-12797
    "flask": "3.1.1",  # CVE-2025-47278
    "gunicorn": "22.0.0",  # CVE-2024-1135
    "idna": "3.7",  # CVE-2024-3651
    "jinja2": "3.1.6",  # CVE-2025-27516
    "marshmallow": "4.1.2",  # CVE-2025-68480
    "requests": "2.32.4",  # CVE-2024-47081
    "urllib3": "2.6.0",  # CVE-2025-66418, CVE-2025-66471
    "werkzeug": "3.1.4",  # CVE-2025-66221
}
"""The first version of each package without the weaknesses that are known to us. None may be below."""
SBOM: Final[Mapping[str, Any]] = runpy.run_path(str(ROOT / "requirements" / "sbom.py"))


def look(locks: Mapping[str, str]) -> Outcome:
    """Hold the lock files, by name, against the floors, what is installed, and the bill."""
    faults: list[str] = []
    packages = 0
    for name, lock in locks.items():
        pins = list(SBOM["pinned"](lock))
        packages += len(pins)
        lines = [line for line in lock.splitlines() if line and line[0] not in "# "]
        faults += [f"{name}: not pinned: {line}" for line in lines if "==" not in line]
        faults += [f"{name}: {one.name} has no hash" for one in pins if not one.hashes]
        faults += [
            f"{name}: {one.name} {one.version} is below {FLOORS[one.name]}"
            for one in pins
            if one.name in FLOORS and Version(one.version) < Version(FLOORS[one.name])
        ]
        faults += [f"{name}: {one.name} {one.version} is locked, {there} installed" for one, there in _others(pins)]
    run = list(SBOM["pinned"](locks["run.txt"]))
    told = json.loads(SBOM["bill"](locks["run.txt"]))
    listed = {(one["name"], one["version"]) for one in told["components"]}
    faults += [] if listed == {(one.name, one.version) for one in run} else ["the bill names other packages"]
    licensed = sum(bool(one.get("licenses")) for one in told["components"])
    missing = set(FLOORS) - {one.name for one in run}
    faults += [f"{name} has a floor and is not used" for name in sorted(missing)]
    return Outcome(
        figures={"packages locked": packages, "in the bill": len(listed), "with a licence": licensed,
                 "floors": len(FLOORS)},
        failures=tuple(faults),
    )  # fmt: skip


def _others(pins: list[Any]) -> list[tuple[Any, str]]:
    """Packages that are installed in another version than the locked one; those for other machines are not there."""
    found = []
    for one in pins:
        try:
            there = version(one.name)
        except ImportError:
            continue
        if Version(there) != Version(one.version):
            found.append((one, there))
    return found


def locked() -> dict[str, str]:
    """The lock files as they are."""
    return {name: (ROOT / "requirements" / name).read_text(encoding="utf-8") for name in LOCKS}


def run(arena: Arena, size: Size) -> Outcome:
    """The lock files as they are."""
    return look(locked())


def broken(old: str, new: str) -> Run:
    """A control: `run.txt` with one place of it changed."""

    def changed(arena: Arena, size: Size) -> Outcome:
        locks = locked()
        pin = next(line for line in locks["run.txt"].splitlines() if line.startswith(old))
        return look({**locks, "run.txt": locks["run.txt"].replace(pin, new.format(pin=pin), 1)})

    return changed


def without_hash(arena: Arena, size: Size) -> Outcome:
    """The control with a package whose files may be any."""
    locks = locked()
    one = next(iter(SBOM["pinned"](locks["run.txt"])))
    text = locks["run.txt"]
    for each in one.hashes:
        text = text.replace(f"--hash=sha256:{each}", "")
    return look({**locks, "run.txt": text})


PROOF = Proof(
    promise="P24",
    says="What runs is pinned by hash, is what is installed, and is not below any version known to be weak.",
    run=run,
    kinds=("sqlite",),
    in_small=("sqlite",),
    controls={
        "an old version": broken("marshmallow==", "marshmallow==4.1.1 \\"),
        "a range": broken("marshmallow==", "marshmallow>=4.1.2 \\"),
        "without a hash": without_hash,
    },
)
