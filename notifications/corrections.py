"""Notices of reports, asked again before sending: does the report stand, in its place, is it late, is it answered?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from notifications.records import EventKind, SkipReason, SystemNow
from reporting.store.derived import findings_of, standings_of
from reporting.store.engine import Store
from reporting.store.reviews import standing_versions
from reporting.store.verifications import verifications_of

_LATE: Final = "late_report"
_WAITING: Final = "requested"
_PROVISIONAL: Final = ("provisional", "removed")


def reasons_against_reports(
    store: Store, lines: Sequence[Mapping[str, Any]], systems: Mapping[str, SystemNow]
) -> dict[str, SkipReason]:
    """Why nobody is to be told of a late report any more, or to be asked to verify one, by the cause's key.

    Those to be told of are left out. The report was taken back; it was of another system than the notice says (not
    where a provisional one gave way: that was called as the report calls it); or, corrected, it is not late (known once
    its system has been judged anew).

    systems: those of the lines, as they are now.
    """
    late = {str(line["cause_key"]): line for line in lines if line.get("event_kind") == EventKind.LATE_REPORT}
    first = {key: key.split(":")[1] for key in late if key.count(":") > 1}
    versions = standing_versions(store, first.values())
    placed = {str(row["system"]) for row in versions.values() if row is not None and row["system"]}
    findings, standings = findings_of(store, placed), standings_of(store, placed)
    found: dict[str, SkipReason] = {}
    for key, event in first.items():
        row = versions.get(event)
        if row is None:
            if event in versions:
                found[key] = SkipReason.REPORT_TAKEN_BACK
            continue
        told_of = late[key].get("system")
        if row["system"] != told_of:
            now = systems.get(str(told_of))
            if now is None or now.status not in _PROVISIONAL:
                found[key] = SkipReason.REPORT_MOVED
            continue
        judged = row["id"] != event and not standings.get(row["system"], {"dirty": True})["dirty"]
        if judged and not any(f["kind"] == _LATE and f["event"] == row["id"] for f in findings[row["system"]]):
            found[key] = SkipReason.REPORT_NOT_LATE
    return found | _answered(store, lines)


def _answered(store: Store, lines: Iterable[Mapping[str, Any]]) -> dict[str, SkipReason]:
    """Of the requests to verify a report: those that were answered meanwhile, or closed, or their report taken back."""
    asked = {
        str(line["cause_key"]): str(line["report"])
        for line in lines
        if line.get("event_kind") == EventKind.VERIFICATION_REQUESTED
    }
    facts = verifications_of(store, asked.values()) if asked else {}
    return {
        key: SkipReason.ANSWERED
        for key, report in asked.items()
        if report not in facts or facts[report]["content"]["state"] != _WAITING
    }
