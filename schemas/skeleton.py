"""The first draft of a new county's program file: every choice with what it means, and what happens without it."""

from __future__ import annotations

import json
import re
from importlib import resources

SLUG = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"


def skeleton(slug: str, name: str) -> str:
    """The text of the file `SLUG.toml` for a county of that name, which `programs check` finds right.

    Raises ValueError for a slug that is none, or an empty name.
    """
    if not re.fullmatch(SLUG, slug):
        raise ValueError(f"{slug!r} is no short name: small letters, digits and single hyphens, such as marsh-county")
    if not name.strip():
        raise ValueError("the name is empty: give the county's name as people read it")
    plain = " ".join(name.split())
    quoted = json.dumps(plain, ensure_ascii=False)
    text = (resources.files("schemas") / "skeleton.toml").read_text("utf-8")
    words = {
        "@SLUG@": slug,
        "@NAME@": plain,
        "@QUOTED@": quoted,
        "@TITLE@": quoted[1:-1],
        "@PREFIX@": "".join(part[0] for part in slug.split("-")).upper() if "-" in slug else slug[:2].upper(),
    }
    return re.sub("@[A-Z]+@", lambda found: words[found[0]], text)
