"""The software bill of materials of what runs: every locked package with version, hashes and licence (CycloneDX 1.6).

    python requirements/sbom.py [LOCK_FILE] > sbom.cdx.json

Made from the lock file; licences come from what is installed. Asks nobody: known weaknesses are looked up by whoever
has a database of them, for which this file is made.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.utils import canonicalize_name

RUN = Path(__file__).with_name("run.txt")
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, kw_only=True)
class Pinned:
    """One package of a lock file: its name, its one version, the SHA-256 of each of its files."""

    name: str
    version: str
    hashes: tuple[str, ...]


def pinned(lock: str) -> Iterator[Pinned]:
    """Every package of a lock file; one without a hash has none in `hashes`."""
    blocks = re.split(r"\n(?=[A-Za-z0-9])", lock)
    for block in blocks:
        if found := _PIN.match(block):
            yield Pinned(
                name=canonicalize_name(found.group(1)), version=found.group(2), hashes=tuple(_HASH.findall(block))
            )


def bill(lock: str) -> str:
    """The bill of a lock file as CycloneDX JSON, in the order of names."""
    made = Bom()
    service = Component(name="pumper-reporting", type=ComponentType.APPLICATION, bom_ref="pumper")
    made.metadata.component = service
    for one in pinned(lock):
        made.components.add(
            Component(
                name=one.name,
                version=one.version,
                type=ComponentType.LIBRARY,
                bom_ref=f"{one.name}=={one.version}",
                purl=PackageURL("pypi", name=one.name, version=one.version),
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in one.hashes],
                licenses=[LicenseFactory().make_from_string(text) for text in _licence(one.name)],
            )
        )
    made.register_dependency(service, made.components)
    return JsonV1Dot6(made).output_as_string(indent=1)


def _licence(name: str) -> list[str]:
    """The licence as the package names it, in one short line; none where it is not installed or says nothing short."""
    try:
        said: Any = metadata(name)
    except PackageNotFoundError:
        return []
    text = said.get("License-Expression") or said.get("License") or ""
    if not text or "\n" in text:
        named = [one.rpartition(" :: ")[2] for one in said.get_all("Classifier", []) if one.startswith("License ::")]
        text = named[0] if named else ""
    return [text] if text else []


if __name__ == "__main__":
    print(bill(Path(sys.argv[1] if len(sys.argv) > 1 else RUN).read_text(encoding="utf-8")))
