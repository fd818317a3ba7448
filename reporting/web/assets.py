"""The files that pages load: ours and vendored ones, each under the hash of its content, so that browsers keep them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from flask import Response

from reporting.api.problems import absent

_KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
}
_KEPT: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, kw_only=True)
class Asset:
    """One file: its bytes and its media type."""

    data: bytes
    kind: str


def asset_path(name: str) -> str:
    """The address of a file of `static`, such as `site.css`. Raises KeyError for one that is not there."""
    if name not in _assets():
        raise KeyError(name)
    return f"/assets/{_version()}/{name}"


def serve_asset(version: str, name: str) -> Response:
    """A file; under an address of another version too, since a page from before an upgrade may still ask for it."""
    found = _assets().get(name)
    if found is None:
        raise absent()
    response = Response(found.data, mimetype=None, content_type=found.kind)
    response.headers["Cache-Control"] = _KEPT if version == _version() else "no-cache"
    return response


@cache
def _assets() -> dict[str, Asset]:
    return dict(_walk(files("reporting.web") / "static", ""))


@cache
def _version() -> str:
    """One for all: a style sheet names its pictures by their place beside it."""
    whole = hashlib.sha256()
    for name, asset in sorted(_assets().items()):
        whole.update(name.encode() + b"\0" + asset.data)
    return whole.hexdigest()[:16]


def _walk(folder: Traversable, before: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for one in folder.iterdir():
        name = before + one.name
        if one.is_dir():
            found += _walk(one, f"{name}/")
        elif (kind := _KINDS.get(name.rpartition(".")[2])) is not None:
            found.append((name, Asset(data=one.read_bytes(), kind=kind)))
    return found
