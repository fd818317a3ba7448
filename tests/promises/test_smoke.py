"""Promises in small, and of those whose broken variants are quick the first on one database, which must be found out.

Full size, all variants on both databases, and the proofs that cannot be small: `make prove`. P5 and P6 are in small in
tests/notifications/test_promises.py, P9 and P17 in tests/reporting/operation and cli, P23 in tests/web. A proof that
needs a command which this machine lacks is skipped by name, and fails in CI.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises.arenas import postgres_arena, sqlite_arena
from tests.promises.finding import promises, proof_of
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.services.availability import ServiceUnavailable, unavailable
from tests.services.databases import Kind

SERVICE_OF = {"chromium": "browser"}
"""The mark of a command, where it is not its own name."""
QUICK = ("P3", "P10", "P11", "P13", "P18", "P19", "P20", "P24", "P25")
"""Whose broken variant takes seconds."""
PROOFS = [proof_of(name) for name in promises()]


def marks(proof: Proof, kind: Kind) -> list[pytest.MarkDecorator]:
    """What the machine must have for it."""
    of_kind = [pytest.mark.needs_postgres] if kind == "postgresql" else []
    return [*of_kind, *(getattr(pytest.mark, f"needs_{SERVICE_OF.get(one, one)}") for one in proof.needs)]


RUNS = [
    pytest.param(p, k, marks=marks(p, k), id=f"{p.promise}-{k}") for p in PROOFS for k in p.kinds if k in p.in_small
]
CONTROLS = [
    pytest.param(p, name, p.kinds[0], marks=marks(p, p.kinds[0]), id=f"{p.promise}-{name}-{p.kinds[0]}")
    for p in PROOFS
    if p.in_small and p.promise in QUICK
    for name in list(p.controls)[:1]
]


@pytest.fixture
def arena(request: pytest.FixtureRequest, kind: Kind, proof: Proof, tmp_path: Path) -> Iterator[Arena]:
    """Where the proof runs; the kind and the proof come from the parameters."""
    for command in proof.needs:
        if shutil.which(command) is None:
            unavailable(command, "not installed")
    if kind == "sqlite":
        yield sqlite_arena(request.getfixturevalue("sqlite_template"), tmp_path)
        return
    server, template = (request.getfixturevalue(name) for name in ("postgres_server", "postgres_template"))
    with postgres_arena(server, template, tmp_path) as made:
        yield made


def run_or_skip(proof: Proof, run: Run, arena: Arena) -> Outcome:
    """The run in small; where a command that it needs may not be used, the test is skipped by name."""
    try:
        return run(arena, Size.SMOKE)
    except ServiceUnavailable as error:
        unavailable(", ".join(proof.needs) or "PostgreSQL", error)


@pytest.mark.parametrize(("proof", "kind"), RUNS)
def test_the_promise_holds_in_small(proof: Proof, arena: Arena, capsys: pytest.CaptureFixture[str]) -> None:
    begun = time.monotonic()
    outcome = run_or_skip(proof, proof.run, arena)
    with capsys.disabled():
        print(f"\n{proof.promise} on {arena.kind}: {time.monotonic() - begun:.1f} s; {dict(outcome.figures)}")
    assert outcome.failures == ()
    assert proof.seldom(outcome, Size.SMOKE) == [], "inconclusive"
    assert outcome.figures, "nothing was counted"


@pytest.mark.parametrize(("proof", "control", "kind"), CONTROLS)
def test_a_broken_variant_is_found_out(proof: Proof, control: str, arena: Arena) -> None:
    assert run_or_skip(proof, proof.controls[control], arena).failures != ()


def test_every_proof_has_a_control_and_a_name() -> None:
    for proof in PROOFS:
        assert proof.controls, proof.promise
        assert proof.says, proof.promise
