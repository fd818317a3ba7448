"""How a figure is measured beside its baseline, and how figures are told: one row each, in README's table."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

TIMES = 5


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One thing measured.

    ours, baseline: seconds, or what `unit` says. aim: what the ratio or figure is to be, as a person reads it; held:
    whether it is; `None`: there is no aim, it is told for comparison.
    """

    step: str
    database: str
    ours: float
    unit: str
    baseline: float | None = None
    against: str = ""
    aim: str = ""
    held: bool | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the baseline; `None` without one."""
        return self.ours / self.baseline if self.baseline else None


def in_turn(ours: Callable[[], Any], baseline: Callable[[], Any], times: int = TIMES) -> tuple[float, float]:
    """The medians in seconds of two pieces of work done in turn, so that what else the machine does meets both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for work, into in ((baseline, taken[1]), (ours, taken[0])):
            into.append(seconds(work))
    return median(taken[0]), median(taken[1])


def seconds(work: Callable[[], Any]) -> float:
    """How long it takes once, by the clock."""
    gc.collect()
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(figures: Sequence[Figure]) -> str:
    """The figures in Markdown."""
    heads = ("step", "database", "measured", "baseline", "ratio", "to reach", "reached")
    lines = [" | ".join(heads), " | ".join(["---"] * len(heads))]
    for one in figures:
        base = f"{one.against}: {told(one.baseline, one.unit)}" if one.baseline is not None else "—"
        ratio = f"{one.ratio:.3g} ×" if one.ratio else "—"
        held = {True: "yes", False: "no", None: "—"}[one.held]
        step = f"{one.step} ({one.note})" if one.note else one.step
        lines.append(
            " | ".join((step, one.database or "—", told(one.ours, one.unit), base, ratio, one.aim or "—", held))
        )
    return "\n".join(f"| {line} |" for line in lines)


def told(value: float, unit: str) -> str:
    """A number as a person reads it."""
    if unit != "s":
        return f"{value:,.4g} {unit}"
    for scale, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * scale >= 1:
            return f"{value * scale:,.3g} {name}"
    return f"{value * 1e6:,.2g} µs"
