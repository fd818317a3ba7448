"""`make prove`: every promise at full size on both databases, with its controls, and the table of figures.

python -m tests.promises.prove            all of them
python -m tests.promises.prove P4 P10     some; the figures of the others stay
python -m tests.promises.prove P4 sqlite  on one kind of database only

Exit 0: all held; 1: something failed, was inconclusive, or a control was not found out; 2: no such promise.
"""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.promises import page
from tests.promises.arenas import lasting_arena
from tests.promises.finding import promises, proof_of
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.results import Result, merge
from tests.services.availability import ServiceUnavailable
from tests.services.databases import Kind

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "promises.json"
PAGE = ROOT / "docs" / "promises.md"
KINDS: tuple[Kind, ...] = ("sqlite", "postgresql")
Say = Callable[[str], None]


def main(arguments: Sequence[str]) -> int:
    """Prove the promises named, or all, on the kinds of database named, or both; gives the exit code."""
    kinds = [kind for kind in KINDS if kind in arguments] or list(KINDS)
    wanted = [name.upper() for name in arguments if name not in KINDS] or promises()
    unknown = [name for name in wanted if name not in promises()]
    if unknown:
        say(f"No proof of {', '.join(unknown)}; there are {', '.join(promises())}.")
        return 2
    fresh: list[Result] = []
    for result in (result for name in wanted for result in prove_on_each(name, kinds)):
        # At once, so that somebody who stops it keeps what was reached.
        PAGE.write_text(page.page(merge(KEPT, result)), encoding="utf-8")
        fresh.append(result)
    say("\n" + "\n".join(page.table(fresh)))
    failed = [f"{r.promise} on {r.kind}: {r.verdict}" for r in fresh if not r.held]
    say("\nAll held." if not failed else "\n" + "\n".join(failed))
    return 1 if failed else 0


def say(line: str) -> None:
    """A live line."""
    print(line, flush=True)


def prove_on_each(name: str, kinds: Sequence[Kind]) -> Iterator[Result]:
    """One promise on each of these kinds of database that it is for."""
    try:
        proof = proof_of(name)
    except Exception as error:
        say(traceback.format_exc())
        failure = f"the proof cannot be loaded: {type(error).__name__}: {error}"
        yield Result(promise=name, says="", kind="sqlite", figures={}, windows={}, failures=(failure,), **_when())
        return
    for kind in proof.kinds:
        if kind in kinds:
            yield _on_kind(proof, kind)


def _on_kind(proof: Proof, kind: Kind) -> Result:
    try:
        with lasting_arena(kind) as arena:
            return prove(proof, arena, Size.FULL, say)
    except ServiceUnavailable as error:
        failure = f"cannot run here: {error}"
        return Result(
            promise=proof.promise, says=proof.says, kind=kind, figures={}, windows={}, failures=(failure,), **_when()
        )


def prove(proof: Proof, arena: Arena, size: Size, tell: Say) -> Result:
    """One proof and its controls on one kind of database."""
    begun = time.monotonic()
    lacking = [command for command in proof.needs if shutil.which(command) is None]
    if lacking:
        outcome = Outcome(figures={}, failures=(f"this machine has no {', '.join(lacking)}",))
        controls = {}
    else:
        outcome = _run(f"{proof.promise} {arena.kind}", proof.run, arena, size, tell)
        controls = {
            name: _found_out(f"{proof.promise} {arena.kind}, control {name!r}", run, arena, size, tell)
            for name, run in proof.controls.items()
        }
    return Result(
        promise=proof.promise,
        says=proof.says,
        kind=arena.kind,
        figures=outcome.figures,
        windows=outcome.windows,
        failures=tuple(outcome.failures),
        seldom=tuple(proof.seldom(outcome, size)),
        controls=controls,
        seconds=round(time.monotonic() - begun, 1),
        **_when(),
    )


def _run(title: str, run: Run, arena: Arena, size: Size, tell: Say) -> Outcome:
    """A run whose every mistake is a failure of the proof."""
    tell(f"{title}: running …")
    begun = time.monotonic()
    try:
        outcome = run(arena, size)
    except Exception as error:
        tell(traceback.format_exc())
        outcome = Outcome(figures={}, failures=(f"{type(error).__name__}: {error}",))
    shown = ", ".join(f"{name} {value}" for name, value in {**outcome.figures, **outcome.windows}.items())
    came = "; ".join(outcome.failures[:3]) or "nothing wrong"
    tell(f"{title}: {time.monotonic() - begun:.1f} s; {shown}; {came}")
    return outcome


def _found_out(title: str, run: Run, arena: Arena, size: Size, tell: Say) -> str:
    """The first thing that the proof found of a control; `""`: nothing. A control that breaks down proves nothing."""
    tell(f"{title}: running …")
    begun = time.monotonic()
    try:
        failures = run(arena, size).failures
    except Exception:
        tell(traceback.format_exc())
        failures = ()
    tell(f"{title}: {time.monotonic() - begun:.1f} s; {failures[0] if failures else 'NOT FOUND OUT'}")
    return failures[0] if failures else ""


def _when() -> dict[str, str]:
    return {"on": dt.datetime.now(dt.UTC).date().isoformat(), "commit": _commit()}


def _commit() -> str:
    """The commit under test, and whether files differ from it."""
    try:
        asked = [
            subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
            for words in (
                ("rev-parse", "--short=12", "HEAD"),
                ("status", "--porcelain", "--", "reporting", "schemas", "notifications", "migrations", "tests"),
            )
        ]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{asked[0]} with changes" if asked[1] else asked[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
