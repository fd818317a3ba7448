"""The table of the figures reached: for the terminal, and as docs/promises.md."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from tests.promises.results import Result

HEADINGS = (
    "promise", "database", "what was counted", "reached", "dangerous windows hit", "controls found out", "seconds",
)  # fmt: skip
INTRODUCTION = """\
# The promises, and the figures reached

Written by `make prove`, which runs every proof at full size on SQLite and on PostgreSQL (with `fsync` on), from fixed
seeds, and then each proof's controls: variants broken on purpose, which the same proof must find out, or it proves
nothing. A run that hit its dangerous moments too seldom is inconclusive, not passed. `make prove P=P10` runs one again
and keeps the others' figures, which stand in `promises.json` beside this page; `make test` runs most of them in small.
The proofs are in `tests/promises/proofs`.
"""


def table(results: Iterable[Result]) -> list[str]:
    """The lines of a Markdown table, one result a line."""
    rows = [_row(result) for result in results]
    return [_line(HEADINGS), _line(["---"] * len(HEADINGS)), *map(_line, rows)]


def page(results: Sequence[Result]) -> str:
    """The whole page."""
    parts = [INTRODUCTION, f"{_machine()}\n", "\n".join(table(results)), "\n## What each proof found of its controls\n"]
    told: set[str] = set()
    for result in results:
        if result.promise not in told:
            parts.append(f"**{result.promise}**: {result.says}\n")
            told.add(result.promise)
        parts += [f"- {result.kind}, {name}: {_words(found)}" for name, found in result.controls.items()]
        parts.append(f"- {result.kind}: proved on {result.on}, commit {result.commit}\n")
    return "\n".join(parts).rstrip() + "\n"


def _row(result: Result) -> list[str]:
    found = sum(1 for told in result.controls.values() if told)
    complaints = [*result.failures[:3], *result.seldom]
    return [
        result.promise,
        result.kind,
        _pairs(result.figures),
        " · ".join([result.verdict, *map(_words, complaints)]),
        _pairs(result.windows) or "—",
        f"{found} of {len(result.controls)}",
        f"{result.seconds:.0f}",
    ]


def _pairs(values: Mapping[str, int | float | str]) -> str:
    return "; ".join(f"{name}: {_number(value)}" for name, value in values.items())


def _number(value: float | str) -> str:
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}"


def _words(text: str) -> str:
    """One line that breaks no table."""
    return " ".join(text.split()).replace("|", "\\|")[:300] or "NOT FOUND OUT"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _machine() -> str:
    return (
        f"Machine: {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}. What each proof counts and must reach is said in its module."
    )
