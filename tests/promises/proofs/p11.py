"""P11: the API does what its document says. schemathesis makes calls out of the OpenAPI document itself, in the name of
every key and of nobody: no answer is a fault of the service's, and each has a status, a type, headers and a body that
the document tells of; what needs a key needs it.

The controls are a service that answers 500 to an odd value, one whose body is not as told, one that asks for no key.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from flask import Flask, Response, request

from reporting.api import edge
from tests.promises.contract import PHASES, Held, hold
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.promises.sabotage import changed
from tests.promises.tenants import KEYS, Stage, stage
from tests.reporting.api.world import HOME

SEED = 20_261_130
EXAMPLES = {Size.SMOKE: 1, Size.FULL: 10}
CALLERS = {Size.SMOKE: ("county", ""), Size.FULL: ("", *KEYS)}
OF_A_CONTROL = 25
"""A control calls one operation alone: in small often enough, too, for odd values to be among its calls."""
IN = {Size.SMOKE: ("examples", "fuzzing", "stateful"), Size.FULL: PHASES}
"""In small without the coverage phase, which tries every edge of every schema: thousands of calls."""


def run(arena: Arena, size: Size) -> Outcome:
    """The promise."""
    calls: Counter[str] = Counter()
    operations: set[str] = set()
    failures: dict[str, str] = {}
    for who in CALLERS[size]:
        with stage(arena) as found:
            held = _hold(found, who, size)
            faults = [line for line in found.log.getvalue().splitlines() if '"event": "failed"' in line]
        calls.update({name: count for name, count in held.phases.items() if count})
        operations |= held.operations
        failures |= {f"as {who or 'nobody'}: {title}": sample for title, sample in held.failures.items()}
        failures |= {f"as {who or 'nobody'}: a fault in the log: {line[:300]}": "" for line in faults[:5]}
    return Outcome(
        figures={
            "operations": len(operations),
            "calls": sum(calls.values()),
            **{f"calls, {n}": c for n, c in calls.items()},
        },
        windows={"operations": len(operations), "calls": sum(calls.values())},
        failures=tuple(f"{title} {sample}"[:600] for title, sample in list(failures.items())[:30]),
    )


def _hold(found: Stage, who: str, size: Size, include: str | None = None, examples: int = 0) -> Held:
    held = {
        kind: rows for kind, rows in found.held.items() if kind.startswith(("report", "submission", "system", "review"))
    }
    ids = {kind: next(one.value for one in rows if one.county == HOME) for kind, rows in held.items()}
    return hold(
        found.world.app, found.world.keys[who], examples=max(EXAMPLES[size], examples), seed=SEED,
        parameters={"county": HOME, **ids}, include=include, phases=IN[size],
    )  # fmt: skip


def control(change: Callable[[Flask], AbstractContextManager[Any]], include: str, check: str) -> Any:
    """The same over a service with a fault put in; it is found out if the check that is for it says so."""

    def broken(arena: Arena, size: Size) -> Outcome:
        with stage(arena) as found, change(found.world.app):
            held = _hold(found, "county", size, include, examples=OF_A_CONTROL)
        told = [title for title in held.failures if f": {check}: " in title]
        return Outcome(figures={"calls": sum(held.phases.values())}, failures=tuple(told[:10]))

    return broken


def _answering(answer: Callable[[Response], Response]) -> AbstractContextManager[None]:
    kept = edge._log

    def dress(response: Response) -> None:
        if request.path.endswith("/systems"):
            answer(response)
        kept(response)

    return changed(edge, "_log", dress)


def fails_on_odd_values(app: Flask) -> AbstractContextManager[None]:
    """A status of 500 for a query that is too long."""

    def answer(response: Response) -> Response:
        if len(request.query_string) > 12:
            response.status_code = 500
        return response

    return _answering(answer)


def tells_something_else(app: Flask) -> AbstractContextManager[None]:
    """A list of systems under another name."""

    def answer(response: Response) -> Response:
        if response.status_code == 200:
            response.set_data(json.dumps({"things": []}))
        return response

    return _answering(answer)


def asks_for_no_key(app: Flask) -> AbstractContextManager[None]:
    """A status of 200 for everybody."""

    def answer(response: Response) -> Response:
        if response.status_code == 401:
            response.status_code = 200
            response.set_data(json.dumps({"systems": []}))
            response.mimetype = "application/json"
        return response

    return _answering(answer)


PROOF = Proof(
    promise="P11",
    says="the API does what its document says",
    in_small=("sqlite",),
    run=run,
    controls={
        "500 on an odd value": control(fails_on_odd_values, "/systems$", "not_a_server_error"),
        "a body that is not as told": control(tells_something_else, "/systems$", "response_schema_conformance"),
        "no key is asked for": control(asks_for_no_key, "/systems$", "ignored_auth"),
    },
    least={"operations": (80, 80), "calls": (250, 10_000)},
)
