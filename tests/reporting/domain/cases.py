"""Worked scenarios as data (`tests/cases`): how a case becomes a scenario, and what an answer must hold."""

import datetime as dt
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "cases"
INSPECTIONS = ("inspection",)
OPEN = ("upcoming", "due_soon", "overdue")
EXPECTATIONS = {
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
DEALINGS = ("windows", "mailings", "deferrals", "fees_paid", "documents")


def load_cases() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Each case of every file: its program, its name and itself, with its system filled in."""
    for file in sorted(FOLDER.glob("*.toml")):
        document = tomllib.loads(file.read_text("utf-8"))
        for case in document["case"]:
            system = {**document["systems"][case["system"]], **case.get("with", {})}
            for key in case.get("without", ()):
                del system[key]
            yield document["county"], case["name"], {**case, "system": system}


def scenario_of(county: str, case: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of a case: reports are numbered, received on their day, made by somebody with the usual right."""
    keys = ("as_of", "known_at", "owner_notices", "statements", "settings", *DEALINGS)
    scenario = {k: case[k] for k in keys if k in case}
    events = [_event(i, e) for i, e in enumerate(case.get("events", ()), 1)]
    return _plain({"county": county, "system": case["system"], "events": events, **scenario})


def _event(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    usual = "powts_inspector" if given["event_type"] in INSPECTIONS else "septage_operator"
    return {
        "id": f"E{number}",
        "received_on": f"{given['service_date']}T18:00:00-06:00",
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
    expect = _plain(case["expect"])
    assert expect, "a case expects something"
    assert not set(expect) - EXPECTATIONS, f"no such expectation: {set(expect) - EXPECTATIONS}"
    obligations, findings = answer["obligations"], answer["findings"]
    opened = [o for o in obligations if o["state"] in OPEN]
    found = [f"no obligation {w}" for w in expect.get("has", ()) if not _any(obligations, w)]
    found += [f"no finding {w}" for w in expect.get("findings", ()) if not _any(findings, w)]
    found += [f"an open {k}" for k in expect.get("none", ()) if _any(opened, {"kind": k})]
    found += [f"a period {p}" for p in expect.get("none_of_period", ()) if _any(obligations, {"period": p})]
    found += [f"a finding {k}" for k in expect.get("no_findings", ()) if _any(findings, {"kind": k})]
    for kind, number in expect.get("count", {}).items():
        has = sum(o["kind"] == kind for o in opened) + sum(f["kind"] == kind for f in findings)
        found += [f"{has} of {kind}, not {number}"] if has != number else []
    for name, want in expect.get("remarks", {}).items():
        found += [] if _holds(answer.get(name) or {}, want) else [f"{name} {answer.get(name)}"]
    found += [f"a remark {n}" for n in expect.get("no_remarks", ()) if n in answer]
    if expect.get("no_obligations") and obligations:
        found.append("an obligation")
    if "standing" in expect and answer["standing"] != expect["standing"]:
        found.append(f"standing {answer['standing']}")
    if "needs" in expect and answer["needs_service"]["value"] is not expect["needs"]:
        found.append(f"needs_service {answer['needs_service']}")
    if "next_change_on" in expect and answer["next_change_on"] != expect["next_change_on"]:
        found.append(f"next_change_on {answer['next_change_on']}")
    if not _holds(answer["forecast"], expect.get("forecast", {})):
        found.append(f"forecast {answer['forecast']}")
    return found


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
