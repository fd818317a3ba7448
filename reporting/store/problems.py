"""What a check of the log can find, and what explains that something is gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

DESTRUCTION: Final = "destruction"
"""The type of the entry that says which entries' raw bytes and details were destroyed."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that does not hold. `seq` is the first entry that it can concern; `None` when it concerns none."""

    code: str
    seq: int | None
    message: str


def destroyed_seqs(content: Mapping[str, Any], before: int) -> set[int]:
    """The entries before one that its content says were destroyed: `seqs`, and `ranges` of first and last.

    Raises what reading something else raises.
    """
    found = {one for one in content.get("seqs", ()) if type(one) is int and one < before}
    for first, last in content.get("ranges", ()):
        found.update(range(max(first, 1), min(last, before - 1) + 1))
    return found
