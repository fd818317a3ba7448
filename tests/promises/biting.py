"""A run of the ordinary tests against broken code: collected once, then a child of this process for each mutant.

python -m tests.promises.biting PLAN.json RESULTS.json   what a proof asks for
python -m tests.promises.biting schemas.calendar tests/schemas/test_calendar.py [how many]   a look at modules

A child takes on the broken code, runs the tests that reach the broken function, the quickest first, and ends at the
first that fails. A mutant that runs on is stopped, and counts as noticed: the tests would hang.
"""

from __future__ import annotations

import ast
import importlib
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tests.promises import breaks_of_changes, breaks_of_tenants, breaks_of_verify, mutants
from tests.promises.breaks import Break
from tests.promises.forking import in_child
from tests.promises.grounds import Grounds

BREAKS: tuple[Break, ...] = (*breaks_of_tenants.BREAKS, *breaks_of_verify.BREAKS, *breaks_of_changes.BREAKS)
WAYS: dict[str, mutants.Ways] = {"any": mutants.any_way, "county": mutants.unfiltered, "join": mutants.unjoined}
TOOTH = ("AssertionError", "Failed")
"""What a test that asserts something fails by."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A module whose code is broken by tool: in which ways, how many of them (`None`: all), and by which tests."""

    group: str
    module: str
    tests: tuple[str, ...]
    ways: str = "any"
    sample: int | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is broken, and how. toothless: a failed assertion counts for nothing, as if tests asserted nothing.

    most_s: how long the tests of one mutant may take together; the slowest are left out, but of mutants of queries.
    examples: how many a test of generated values takes.
    """

    fields: tuple[Field, ...] = ()
    breaks: tuple[str, ...] = ()
    toothless: bool = False
    postgresql: bool = False
    most_s: float = 30.0
    examples: int = 30
    folder: str

    @property
    def tests(self) -> list[str]:
        """The files that hold the tests."""
        named = [test.split("::")[0] for one in BREAKS if one.name in self.breaks for test in one.tests]
        return sorted({*named, *(test for one in self.fields for test in one.tests)})


@dataclass(frozen=True, kw_only=True)
class Bitten:
    """What came of one mutant. `by`: the test that noticed it, or what stopped it; `""`: nothing did."""

    group: str
    name: str
    by: str
    seconds: float


@dataclass(kw_only=True, eq=False)
class Biting:
    """The plugin of pytest that runs the plan in the place of the tests themselves."""

    plan: Plan
    tell: Callable[[str], None]
    results: list[Bitten] = field(default_factory=list)
    failure: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    reached: dict[str, list[str]] = field(default_factory=dict)
    killers: dict[str, list[str]] = field(default_factory=dict)
    noticed: dict[str, int] = field(default_factory=dict)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
        """Note the first failure."""
        report = yield
        toothless = self.plan.toothless and call.excinfo is not None and call.excinfo.typename in TOOTH
        if report.failed and not toothless:
            self.failure = self.failure or item.nodeid
        return report

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Everything: once without a mutant, then each mutant."""
        if session.testsfailed:
            raise session.Interrupted("the tests cannot be collected")
        items = {item.nodeid: item for item in session.items if self.plan.postgresql or not _needs_postgresql(item)}
        with ExitStack() as stack:
            grounds = Grounds.as_they_are()
            if self.plan.breaks or any(one.ways != "any" for one in self.plan.fields):
                stack.enter_context(grounds.prepared(Path(self.plan.folder), self.plan.postgresql))
            modules = {one.module: importlib.import_module(one.module) for one in self.plan.fields}
            needed = {name: items[name] for name in self._needed(items)}
            told = in_child(lambda: self._reach(needed, list(modules.values())), 3600, 1800)
            if told is None or told["failure"]:
                raise session.Interrupted(f"without any mutant: {told and told['failure']}")
            self.reached, self.seconds = told["reached"], told["seconds"]
            for one in self.plan.fields:
                self._field(one, modules[one.module], needed)
            for broken in self._broken():
                self._bite(
                    broken.group, broken.name, partial(broken.put_in_place, grounds), near(broken, items), needed
                )
        return True

    def _broken(self) -> list[Break]:
        found = [one for one in BREAKS if one.name in self.plan.breaks]
        return [one for one in found if self.plan.postgresql or one.kind != "postgresql"]

    def _needed(self, items: dict[str, pytest.Item]) -> list[str]:
        """The tests that any mutant asks for, in the order of their files: what a session holds is made once."""
        by_hand = {name for one in self._broken() for name in near(one, items)}
        tests = tuple(test for one in self.plan.fields for test in one.tests)
        plain = {name for name, item in items.items() if not _needs_postgresql(item) and name.startswith(tests)}
        return [name for name in items if name in by_hand | plain]

    def _reach(self, items: dict[str, pytest.Item], modules: Sequence[ModuleType]) -> dict[str, Any]:
        """Which functions each test reaches, and how long it takes; the plan's tests, unbroken, must pass."""
        codes = {key: f"{one.__name__}.{name}" for one in modules for key, name in mutants.codes_of(one).items()}
        reached: dict[str, list[str]] = {}
        seconds: dict[str, float] = {}
        met: set[str] = set()
        caches = [cache for one in modules for cache in mutants.caches_of(one)]

        def look(frame: Any, event: str, _value: object) -> None:
            if event == "call" and id(frame.f_code) in codes:
                met.add(codes[id(frame.f_code)])

        for item, after in _in_turn(list(items.values())):
            met.clear()
            for cache in caches:
                cache.cache_clear()
            begun = time.perf_counter()
            sys.setprofile(look if codes else None)
            runtestprotocol(item, nextitem=after, log=False)
            sys.setprofile(None)
            seconds[item.nodeid] = time.perf_counter() - begun
            for name in met:
                reached.setdefault(name, []).append(item.nodeid)
            if self.failure:
                break
        return {"reached": reached, "seconds": seconds, "failure": self.failure}

    def _field(self, one: Field, module: ModuleType, items: dict[str, pytest.Item]) -> None:
        assert module.__file__
        tree = ast.parse(Path(module.__file__).read_bytes())
        found = mutants.sites(one.module, tree, WAYS[one.ways])
        if one.sample is not None and one.sample < len(found):
            found = random.Random(one.module).sample(found, one.sample)
        for site in found:
            where = f"{one.module}.{site.function}"
            known = self.killers.setdefault(where, [])
            close = [name for name in self.reached.get(where, []) if name.startswith(one.tests)]
            close.sort(key=partial(self._turn, one, site.function.rpartition(".")[2], known))

            def break_it(site: mutants.Site = site) -> bool:
                return bool(mutants.put_in_place(module, mutants.broken(tree, site, str(module.__file__))))

            # Where no survivor is let pass, every test has its turn.
            most_s = self.plan.most_s if one.ways == "any" else math.inf
            by = self._bite(one.group, site.name, break_it, close, items, most_s)
            if by in items:
                self.noticed[by] = self.noticed.get(by, 0) + 1
            if by in items and by not in known:
                known.insert(0, by)

    def _turn(self, one: Field, function: str, known: list[str], test: str) -> tuple[bool, bool, int, float]:
        """Which test is asked first: what noticed another of this function, names it, notices many; then the quick."""
        often = 0 if one.ways == "any" else -self.noticed.get(test, 0)
        return test not in known, function not in test, often, self.seconds[test]

    def _bite(
        self,
        group: str,
        name: str,
        break_it: Callable[[], bool],
        tests: list[str],
        items: dict[str, pytest.Item],
        most_s: float | None = None,
    ) -> str:
        begun, left = time.monotonic(), self.plan.most_s if most_s is None else most_s
        chosen: list[pytest.Item] = []
        for test in tests:
            left -= self.seconds[test]
            chosen += [items[test]] if left > 0 or not chosen else []
        others = [item for item in items.values() if item not in chosen[-1:]]

        def run() -> dict[str, Any]:
            if not break_it():
                raise AssertionError(f"{name}: nothing was changed by it")
            for item, after in _in_turn(chosen, others[0] if others else None):
                runtestprotocol(item, nextitem=after, log=False)
                if self.failure:
                    break
            return {"by": self.failure}

        usual = sum(self.seconds[item.nodeid] for item in chosen)
        told = in_child(run, 30 + 20 * usual, int(10 + 5 * usual))
        by = "it ran on, or took the process with it" if told is None else str(told["by"])
        seconds = round(time.monotonic() - begun, 2)
        self.results.append(Bitten(group=group, name=name, by=by, seconds=seconds))
        self.tell(f"{seconds:6.2f} s  {'noticed' if by else 'LIVES'}  {name}  {by}")
        return by


def near(one: Break, items: dict[str, pytest.Item]) -> list[str]:
    """The tests that must notice a mutant made by hand, those named first before the others."""
    on = {name for name, item in items.items() if _needs_postgresql(item) == (one.kind == "postgresql")}
    return [name for test in one.tests for name in items if name in on and name.startswith(test)]


def _needs_postgresql(item: pytest.Item) -> bool:
    return item.get_closest_marker("needs_postgres") is not None


def _in_turn(
    items: Sequence[pytest.Item], last: pytest.Item | None = None
) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Each test with the one after it. last: follows the last, so that what the session holds is not taken down."""
    return zip(items, [*items[1:], last][: len(items)], strict=True)


def bite(plan: Plan) -> list[Bitten]:
    """Carry out a plan in this process, which must not be running tests itself."""
    hypothesis.settings.register_profile(
        "mutants", derandomize=True, database=None, deadline=None, max_examples=plan.examples,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )  # fmt: skip
    hypothesis.settings.load_profile("mutants")
    # pytest keeps what is printed to itself.
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    biting = Biting(plan=plan, tell=lambda line: print(line, file=told, flush=True))
    base = Path(plan.folder) / "tests"
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    options += [f"--basetemp={base}", "-o", "tmp_path_retention_policy=none"]
    code = pytest.main([*options, *plan.tests], plugins=[biting])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or not biting.results:
        raise RuntimeError(f"the tests could not be run against mutants: {code}")
    return biting.results


def main(arguments: Sequence[str]) -> int:
    """A plan and where its results go; or a module and tests, for a look at what they let through."""
    if arguments[0].endswith(".json"):
        read = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        fields = tuple(Field(**{**one, "tests": tuple(one["tests"])}) for one in read.pop("fields"))
        results = bite(Plan(fields=fields, **read))
        Path(arguments[1]).write_text(json.dumps([asdict(one) for one in results]), encoding="utf-8")
        return 0
    import tempfile

    most = int(arguments[2]) if arguments[2:] and arguments[2].isdigit() else None
    named = [one.name for one in BREAKS if one.group == arguments[0]]
    with tempfile.TemporaryDirectory() as folder:
        if named:
            plan = Plan(breaks=tuple(named), folder=folder, postgresql="postgresql" in arguments)
        else:
            ways = next((way for way in WAYS if way in arguments), "any")
            tests = tuple(arguments[1].split(","))
            names = arguments[0].split(",")
            fields = tuple(Field(group=name, module=name, tests=tests, ways=ways, sample=most) for name in names)
            plan = Plan(fields=fields, folder=folder)
        results = bite(plan)
    print(f"{sum(bool(one.by) for one in results)} of {len(results)} noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
