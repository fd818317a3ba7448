"""Worked examples of a program as data: systems, what happened to them, the day, and what the ordinance says then.

A TOML file names its county, the systems that its cases share, and its cases; for the project's own tests and for a
county's (`pumper programs try`, `pumper evaluate FILE.toml`).
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

INSPECTIONS: Final = ("inspection",)
OPEN: Final = ("upcoming", "due_soon", "overdue")
EXPECTATIONS: Final = frozenset(
    {
        "has",
        "findings",
        "none",
        "none_of_period",
        "no_findings",
        "no_obligations",
        "standing",
        "needs",
        "forecast",
        "next_change_on",
        "count",
        "remarks",
        "no_remarks",
    }
)
DEALINGS: Final = ("windows", "mailings", "deferrals", "fees_paid", "documents")


class ExamplesError(Exception):
    """A file of worked examples cannot be used; the sentence says where and why."""


def read_examples(data: bytes, file: str) -> tuple[str, list[tuple[str, Mapping[str, Any]]]]:
    """The county of a file and its cases by name, each with its system filled in. Raises ExamplesError."""
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ExamplesError(f"{file}: this is not TOML: {error}") from error
    cases, county = document.get("case"), document.get("county")
    if not isinstance(county, str) or not isinstance(cases, list) or not cases:
        raise ExamplesError(f'{file}: write county = "…" and at least one [[case]]')
    return county, [_case(document.get("systems", {}), case, f"{file}: case {n}") for n, case in enumerate(cases, 1)]


def _case(systems: Mapping[str, Any], case: Mapping[str, Any], where: str) -> tuple[str, Mapping[str, Any]]:
    for key in ("name", "system", "as_of", "expect"):
        if not case.get(key):
            raise ExamplesError(f"{where}: {key} is missing")
    where = f"{where}, {case['name']}"
    if case["system"] not in systems:
        raise ExamplesError(f"{where}: there is no [systems.{case['system']}]; there are: {', '.join(systems)}")
    if unknown := sorted(set(case["expect"]) - EXPECTATIONS):
        raise ExamplesError(f"{where}: expect.{unknown[0]} is not known; there are: {', '.join(sorted(EXPECTATIONS))}")
    system = {**systems[case["system"]], **case.get("with", {})}
    for key in case.get("without", ()):
        system.pop(key, None)
    return case["name"], {**case, "system": system}


def scenario_of(county: str, case: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of a case: reports are numbered, received on their day, made by somebody with the usual right."""
    keys = ("as_of", "known_at", "owner_notices", "statements", "settings", *DEALINGS)
    scenario = {k: case[k] for k in keys if k in case}
    events = [_event(i, e) for i, e in enumerate(case.get("events", ()), 1)]
    plain: dict[str, Any] = _plain({"county": county, "system": case["system"], "events": events, **scenario})
    return plain


def _event(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    usual = "powts_inspector" if given.get("event_type") in INSPECTIONS else "septage_operator"
    return {
        "id": f"E{number}",
        "received_on": f"{given.get('service_date')}T18:00:00-06:00",
        "credential_kind": usual,
        "license_number": "00412",
        **given,
    }


def _plain(value: Any) -> Any:
    """TOML's dates as JSON has them."""
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def shortfalls(case: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """What an answer lacks of what the case expects, one sentence each."""
    return list(_shortfalls(_plain(case["expect"]), answer))


def _shortfalls(expect: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    obligations, findings = answer["obligations"], answer["findings"]
    opened = [o for o in obligations if o["state"] in OPEN]
    yield from (f"no obligation {w}" for w in expect.get("has", ()) if not _any(obligations, w))
    yield from (f"no finding {w}" for w in expect.get("findings", ()) if not _any(findings, w))
    yield from (f"an open {k}" for k in expect.get("none", ()) if _any(opened, {"kind": k}))
    yield from (f"a period {p}" for p in expect.get("none_of_period", ()) if _any(obligations, {"period": p}))
    yield from (f"a finding {k}" for k in expect.get("no_findings", ()) if _any(findings, {"kind": k}))
    for kind, number in expect.get("count", {}).items():
        has = sum(o["kind"] == kind for o in opened) + sum(f["kind"] == kind for f in findings)
        if has != number:
            yield f"{has} of {kind}, not {number}"
    for name, want in expect.get("remarks", {}).items():
        if not _holds(answer.get(name) or {}, want):
            yield f"{name} {answer.get(name)}"
    yield from (f"a remark {n}" for n in expect.get("no_remarks", ()) if n in answer)
    if expect.get("no_obligations") and obligations:
        yield "an obligation"
    if "needs" in expect and answer["needs_service"]["value"] is not expect["needs"]:
        yield f"needs_service {answer['needs_service']}"
    for name in ("standing", "next_change_on"):
        if name in expect and answer[name] != expect[name]:
            yield f"{name} {answer[name]}"
    if not _holds(answer["forecast"], expect.get("forecast", {})):
        yield f"forecast {answer['forecast']}"


def _any(items: Sequence[Mapping[str, Any]], want: Mapping[str, Any]) -> bool:
    return any(_holds(item, want) for item in items)


def _holds(item: Mapping[str, Any], want: Mapping[str, Any]) -> bool:
    """Whether an item has all that is wanted; 'none' stands for nothing, numbers to two places."""
    for key, value in want.items():
        has = item.get(key)
        if isinstance(value, float) and isinstance(has, int | float):
            if abs(has - value) >= 0.01:
                return False
        elif has != (None if value == "none" else value):
            return False
    return True
