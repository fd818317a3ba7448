"""The API held against its own document by schemathesis: examples, coverage, fuzzing, sequences, in any role."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import schemathesis
from flask import Flask
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema
from schemathesis.transport.wsgi import WSGITransport

CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "ignored_auth",
    "unsupported_method",
    "allow_header_conformance",
)
"""What is held. That all data which a document allows is accepted is not: law refuses more than a schema can say."""
PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")


@dataclass
class Held:
    """What a run came to: calls by status, failures by what was wrong and where."""

    calls: Counter[int] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    operations: set[str] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)


def hold(
    app: Flask,
    key: str,
    *,
    examples: int,
    seed: int,
    parameters: Mapping[str, str],
    include: str | None = None,
    phases: tuple[str, ...] = PHASES,
) -> Held:
    """Call every operation in the name of a key (`""`: none).

    examples: how many calls of each operation at most in a phase. parameters: what parts of addresses are, where a
    made-up one would name nothing. include: only operations whose address matches.
    """
    generation = {"max-examples": examples, "deterministic": True, "no-shrink": True, "database": "none"}
    settings: dict[str, Any] = {
        "seed": seed,
        "generation": generation,
        "parameters": dict(parameters),
        "checks": {"enabled": False, **{name: {"enabled": True} for name in CHECKS}},
        "phases": {name: {"enabled": name in phases} for name in PHASES},
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
        "continue-on-failure": True,
        "warnings": False,
    }
    held = Held()
    with warnings.catch_warnings(), _in_process():
        warnings.simplefilter("ignore")  # of the tool about itself
        schema = schemathesis.openapi.from_wsgi("/openapi.json", app, config=SchemathesisConfig.from_dict(settings))
        if include:
            schema = schema.include(path_regex=include)
        for event in from_schema(schema).execute():
            _note(held, event)
    return held


@contextmanager
def _in_process() -> Iterator[None]:
    """The tool hands settings of sockets to an application that has none, where it repeats a call without its key."""
    kept = WSGITransport.send

    def send(self: WSGITransport, case: Any, **given: Any) -> Any:
        for name in ("max_redirects", "verify", "cert", "proxies"):
            given.pop(name, None)
        return kept(self, case, **given)

    WSGITransport.send = send  # type: ignore[method-assign]
    try:
        yield
    finally:
        WSGITransport.send = kept  # type: ignore[method-assign]


def _note(held: Held, event: Any) -> None:
    if isinstance(event, events.NonFatalError | events.FatalError):
        text = str(getattr(event, "info", None) or getattr(event, "exception", ""))
        held.failures.setdefault(f"error: {text[:300]}", text)
    if not isinstance(event, events.ScenarioFinished):
        return
    recorder = event.recorder
    held.phases[str(event.phase.value)] += len(recorder.interactions)
    for interaction in recorder.interactions.values():
        if interaction.response is not None:
            held.calls[interaction.response.status_code] += 1
    for case in recorder.cases.values():
        held.operations.add(case.value.operation.label)
    for case_id, nodes in recorder.checks.items():
        for node in nodes:
            if node.status is Status.FAILURE and node.failure_info is not None:
                case = recorder.cases[case_id].value
                title = f"{case.operation.label}: {node.name}: {node.failure_info.failure.title}"
                held.failures.setdefault(title, node.failure_info.code_sample or "")
