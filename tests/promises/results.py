"""What came of a proof on one kind of database, kept as JSON, so that proving one promise keeps the others' figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Result:
    """One promise on one kind of database.

    failures: of the proof itself. seldom: dangerous moments hit too seldom. controls: by name, the first thing that the
    proof found of it, or `""` where it was not found out. on: the day; commit: what was tested; seconds: all of it.
    """

    promise: str
    says: str
    kind: str
    figures: Mapping[str, int | float | str]
    windows: Mapping[str, int]
    failures: tuple[str, ...] = ()
    seldom: tuple[str, ...] = ()
    controls: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    on: str = ""
    commit: str = ""

    @property
    def verdict(self) -> str:
        """`held`, `failed`, `inconclusive`, or that a control was not found out, which says nothing of the promise."""
        if self.failures:
            return "failed"
        if self.seldom:
            return "inconclusive"
        missed = [name for name, found in self.controls.items() if not found]
        return f"control not found out: {', '.join(missed)}" if missed else "held"

    @property
    def held(self) -> bool:
        """Whether the promise held, and the proof would have noticed if not."""
        return self.verdict == "held"


def load(path: Path) -> list[Result]:
    """The results kept so far; none when nothing was proved yet."""
    if not path.exists():
        return []
    kept: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [Result(**{**row, "failures": tuple(row["failures"]), "seldom": tuple(row["seldom"])}) for row in kept]


def merge(path: Path, fresh: Result) -> list[Result]:
    """Put one result in the place of the one before it, and keep the rest; gives all."""
    others = [r for r in load(path) if (r.promise, r.kind) != (fresh.promise, fresh.kind)]
    merged = sorted([*others, fresh], key=lambda r: (int(r.promise[1:]), r.kind != "sqlite"))
    path.parent.mkdir(parents=True, exist_ok=True)
    # In one step, so that somebody who stops it halfway keeps what was there.
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps([asdict(r) for r in merged], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
    return merged
