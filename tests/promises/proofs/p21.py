"""P21: the tests bite. Code is broken in one place, the ordinary tests that reach it are run: one of them must fail.

Pure modules are broken by a tool (`tests.promises.mutants`): limits, signs, conditions, numbers, returned values, lines
left out; of each module a sample drawn with a fixed seed. Of the store each condition on the county is taken out, one
by one, and each joining of tables by it. What a tool would say little of is broken by hand (the modules
`tests.promises.breaks_of_…`), some of it in PostgreSQL's schema. At least 90 % of each group must be noticed, and all
of the tenant filter and of `verify`. The controls run the same with tests whose assertions count for nothing.

`python -m tests.promises.biting MODULE TESTS` shows what a module's tests let through.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.promises.biting import BREAKS, Bitten, Field, Plan
from tests.promises.equivalents import EQUIVALENT
from tests.promises.proof import Arena, Outcome, Proof, Size

ROOT = Path(__file__).resolve().parents[3]
LEAST = 0.9
WITHOUT_SURVIVORS = ("tenant filter", "verify")
CALENDAR = ("tests/schemas/test_calendar.py",)
DOMAIN = tuple(
    sorted(
        f"tests/reporting/domain/{path.name}"
        for path in (ROOT / "tests" / "reporting" / "domain").glob("test_*.py")
        if path.name != "test_properties.py"  # slow, and of every module something: the others must do
    )
)
TWINS = tuple(f"tests/reporting/store/test_{name}.py" for name in ("twins", "twins_apart", "tenants"))
BESIDES = {"reporting.store.copying": ("tests/reporting/operation/test_moving.py",)}
"""Further tests of what one county's transaction does not call."""
SECONDS = {Size.SMOKE: 300, Size.FULL: 7200}


def pure(size: Size) -> tuple[Field, ...]:
    """What the tool breaks, and how much of it."""
    many = 80 if size is Size.FULL else 8
    quick = (
        Field(group="calendar", module="schemas.calendar", tests=CALENDAR, sample=many),
        Field(
            group="ledger",
            module="reporting.domain.ledger",
            tests=("tests/reporting/domain/test_ledger.py",),
            sample=many,
        ),
        Field(
            group="log's tree",
            module="reporting.store.merkle",
            tests=("tests/reporting/store/test_merkle.py",),
            sample=many,
        ),
    )
    if size is Size.SMOKE:
        return quick
    return (
        *quick,
        *(
            Field(group=group, module=f"reporting.domain.{name}", tests=DOMAIN, sample=40)
            for group, names in {
                "obligations": ("intervals", "pumping", "holding", "meters", "balance"),
                "late rule": ("reports", "missing"),
            }.items()
            for name in names
        ),
        *(
            Field(group=group, module=name, tests=(*TWINS, *BESIDES.get(name, ())), ways=ways)
            for group, ways in {"tenant filter": "county", "tables joined by county": "join"}.items()
            for name in with_queries()
        ),
    )


def with_queries() -> list[str]:
    """The modules that ask the database in a county's name."""
    store = sorted((ROOT / "reporting" / "store").glob("*.py"))
    return [f"reporting.store.{path.stem}" for path in store if ".c.county == " in path.read_text(encoding="utf-8")]


def named(size: Size) -> tuple[str, ...]:
    """Which of the mutants made by hand; in small, some that need few tests."""
    return tuple(one.name for one in BREAKS if size is Size.FULL or one.name in IN_SMALL)


IN_SMALL = ("rows keep the county that they say", "a key is everybody's", "whoever lost a claim changes the row")


def run(arena: Arena, size: Size) -> Outcome:
    """The promise."""
    plan = Plan(
        fields=pure(size), breaks=named(size), postgresql=size is Size.FULL, folder=str(arena.folder),
        most_s=30 if size is Size.FULL else 3, examples=30 if size is Size.FULL else 8,
    )  # fmt: skip
    return judge(carry_out(plan, SECONDS[size]))


def carry_out(plan: Plan, seconds: float) -> list[Bitten]:
    """The plan in a process of its own: it runs tests, and this one may be running them too."""
    asked, came = Path(plan.folder) / "plan.json", Path(plan.folder) / "bitten.json"
    asked.write_text(json.dumps(asdict(plan)), encoding="utf-8")
    command = [sys.executable, "-m", "tests.promises.biting", str(asked), str(came)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return [Bitten(**one) for one in json.loads(came.read_text(encoding="utf-8"))]


def judge(bitten: Sequence[Bitten]) -> Outcome:
    """The share of each group that was noticed; what no test could notice is left out, by name and with its reason."""
    figures: dict[str, int | float | str] = {}
    failures: list[str] = []
    counted = [one for one in bitten if one.by or one.name not in EQUIVALENT]
    for group in dict.fromkeys(one.group for one in counted):
        those = [one for one in counted if one.group == group]
        lived = [one.name for one in those if not one.by]
        share = 1 - len(lived) / len(those)
        figures[group] = f"{len(those) - len(lived)} of {len(those)}"
        if share < LEAST or (lived and group in WITHOUT_SURVIVORS):
            failures.append(f"{group}: {share:.0%} of {len(those)} noticed, and not: {'; '.join(lived)}")
    figures |= {"noticed, %": round(100 * sum(bool(one.by) for one in counted) / max(len(counted), 1), 1)}
    figures |= {"left out as the same": len(bitten) - len(counted)}
    return Outcome(
        figures=figures,
        windows={"by tool": len(bitten) - _by_hand(bitten), "by hand": _by_hand(bitten)},
        failures=tuple(failures),
    )


def _by_hand(bitten: Sequence[Bitten]) -> int:
    names = {one.name for one in BREAKS}
    return sum(one.name in names for one in bitten)


def toothless(arena: Arena, size: Size) -> Outcome:
    """The same tests of the ledger's sums, whose assertions count for nothing."""
    plan = Plan(fields=pure(Size.SMOKE)[1:2], toothless=True, folder=str(arena.folder), most_s=3, examples=8)
    return judge(carry_out(plan, SECONDS[size]))


def toothless_by_hand(arena: Arena, size: Size) -> Outcome:
    """The same of what keeps counties apart and requests single."""
    plan = Plan(breaks=named(Size.SMOKE), toothless=True, folder=str(arena.folder), most_s=3, examples=8)
    return judge(carry_out(plan, SECONDS[size]))


PROOF = Proof(
    promise="P21",
    says="the tests bite",
    run=run,
    controls={
        "tests of sums that assert nothing": toothless,
        "tests of the store that assert nothing": toothless_by_hand,
    },
    least={"by tool": (20, 500), "by hand": (3, 100)},
    kinds=("sqlite",),
    in_small=(),
)
