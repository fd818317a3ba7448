"""What a promise's proof is made of: the same code runs small in `make test` and in full in `make prove`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from tests.services.databases import DatabaseUrls, Kind


class Size(StrEnum):
    """How much of it: enough to be told of a fault at once, or the figures that were promised."""

    SMOKE = "smoke"
    FULL = "full"


@dataclass(frozen=True, kw_only=True)
class Arena:
    """Where a proof runs: fresh migrated databases of one kind, and a folder of its own."""

    kind: Kind
    folder: Path
    new_database: Callable[[], DatabaseUrls]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to. A figure's name says what was counted; no `failures`: it held.

    windows: how often each dangerous moment was really hit; one hit too seldom makes the run inconclusive.
    """

    figures: Mapping[str, int | float | str]
    windows: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()


Run = Callable[[Arena, Size], Outcome]


@dataclass(frozen=True, kw_only=True)
class Proof:
    """One promise, how it is proved, and the broken variants that the same proof must find out.

    least: for each window, the fewest hits at (smoke, full) size that make the run count. needs: commands that the
    machine must have, such as `strace`. in_small: on which of the `kinds` it runs in `make test`; one is enough where
    what is proved lies before the database, and none where it takes minutes however small.
    """

    promise: str
    says: str
    run: Run
    controls: Mapping[str, Run]
    least: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = ("sqlite", "postgresql")
    in_small: tuple[Kind, ...] = ("sqlite", "postgresql")
    needs: tuple[str, ...] = ()

    def seldom(self, outcome: Outcome, size: Size) -> list[str]:
        """The windows that this run hit too seldom to say anything."""
        at = 0 if size is Size.SMOKE else 1
        return [
            f"{window}: {outcome.windows.get(window, 0)} of at least {least[at]}"
            for window, least in self.least.items()
            if outcome.windows.get(window, 0) < least[at]
        ]
