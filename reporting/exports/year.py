"""The yearly summary of a county's program for the state (SPS 383.255(2)(b)6, rule S5)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final

from reporting.domain.answers import Standing
from reporting.store.engine import Store
from reporting.store.services import count_inventory, count_judged, count_late, count_services, facts_of_kind
from reporting.store.verifications import count_verifications
from schemas.program import Program

CITE: Final = "SPS 383.255(2)(b)6"
COLUMNS: Final = ("section", "item", "detail", "count", "gallons")


def yearly_summary(store: Store, program: Program, year: int, today: dt.date) -> dict[str, Any]:
    """What was done and reported in a calendar year, and how the county's systems stand on `today`.

    Services are counted by their date, as the reports stand now; `late` is of those that are no backlog. `through` is
    the last day counted: the year's end, or today in a year that is running.
    """
    first, last = dt.date(year, 1, 1), min(dt.date(year, 12, 31), today)
    inventory = count_inventory(store)
    services, late = count_services(store, first, last), count_late(store, first, last)
    judged = count_judged(store, first, last)
    cases = [fact["content"] for fact in facts_of_kind(store, "case")]
    exempt = [fact["content"] for fact in facts_of_kind(store, "exemption")]
    return {
        "county": program.slug,
        "governmental_unit": program.governmental_unit,
        "cite": CITE,
        "year": year,
        "through": last.isoformat(),
        "services": services,
        "reports": {
            "services": sum(row["services"] for row in services),
            "gallons": sum(row["gallons"] for row in services),
            "judged": judged,
            "late": sum(late.values()),
            "late_by_rule": late,
        },
        "cases": {
            "opened": _by_kind(cases, "opened_on", year),
            "closed": _by_kind(cases, "closed_on", year),
            "open_now": _by_kind([case for case in cases if not case.get("closed_on")], None, year),
        },
        "exemptions_granted": _by_kind(exempt, "granted_on", year),
        "verifications": {"as_of": today.isoformat(), **count_verifications(store)},
        "systems": {"as_of": today.isoformat(), "by_status": inventory["status"], "tanks": inventory["component"]},
        "standing": {
            "as_of": today.isoformat(),
            **{state.value: inventory["standing"].get(state.value, 0) for state in Standing},
        },
    }


def summary_rows(summary: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same as rows of `COLUMNS`, for a spreadsheet."""
    for row in summary["services"]:
        yield {
            "section": "services", "item": row["event_type"], "detail": row["component"], "count": row["services"],
            "gallons": row["gallons"],
        }  # fmt: skip
    reports = summary["reports"]
    yield {"section": "reports", "item": "services", "count": reports["services"], "gallons": reports["gallons"]}
    yield {"section": "reports", "item": "judged for lateness", "count": reports["judged"]}
    yield {"section": "reports", "item": "late", "count": reports["late"]}
    for rule, count in reports["late_by_rule"].items():
        yield {"section": "reports", "item": "late", "detail": rule, "count": count}
    for step, kinds in summary["cases"].items():
        for kind, count in kinds.items():
            yield {"section": "cases", "item": step.replace("_", " "), "detail": kind, "count": count}
    for kind, count in summary["exemptions_granted"].items():
        yield {"section": "exemptions", "item": "granted", "detail": kind, "count": count}
    as_of = f"on {summary['systems']['as_of']}"
    for item, count in summary["verifications"].items():
        if item != "as_of":
            yield {"section": "verifications", "item": item, "detail": as_of, "count": count}
    for section, counts in (("systems", summary["systems"]["by_status"]), ("tanks", summary["systems"]["tanks"])):
        for item, count in counts.items():
            yield {"section": section, "item": item, "detail": as_of, "count": count}
    for item, count in summary["standing"].items():
        if item != "as_of":
            yield {"section": "standing", "item": item, "detail": as_of, "count": count}


def _by_kind(rows: list[dict[str, Any]], day: str | None, year: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        if day is None or str(row.get(day) or "").startswith(f"{year:04}-"):
            kind = str(row.get("kind") or "other")
            counts[kind] = counts.get(kind, 0) + 1
    return dict(sorted(counts.items()))
