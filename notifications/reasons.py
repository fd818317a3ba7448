"""Why nobody is to be told of something any more, as the system is now; asked when queued and before sending. Pure."""

from __future__ import annotations

from typing import Final

from notifications.records import EventKind, SkipReason, SystemNow

REMINDERS: Final = frozenset({EventKind.SERVICE_DUE, EventKind.NEEDS_SERVICE})
"""Told only while the tank is in service, not exempt and not on hold (`programs.md`, section 8, last paragraph)."""
WINDOWS: Final = frozenset({EventKind.WINDOW_NOTICE, EventKind.AREA_NOTICE})
ENDINGS: Final = frozenset({EventKind.CONTRACT_EXPIRING, EventKind.EXEMPTION_EXPIRING})
CASES: Final = frozenset(
    {
        EventKind.CASE_OPENED,
        EventKind.CASE_STEP,
        EventKind.CASE_OVERDUE,
        EventKind.CASE_HANDED_OVER,
        EventKind.CASE_CLOSED,
    }
)
STAGED: Final = frozenset({EventKind.MISSING_REPORT, EventKind.OWNER_REMINDER, EventKind.DELINQUENT_OWNER})
"""Told in stages: of several that wait, as after an outage, only the latest."""
DUE: Final = frozenset({"due_soon", "overdue"})
"""The states of a duty that somebody is told of."""
_INACTIVE: Final = frozenset({"abandoned", "sewered", "removed"})
_PAPERS: Final = ("missing_report", "period_report")


def reason_to_skip(kind: str, cause_key: str, system: SystemNow | None, told_due_on: str = "") -> SkipReason | None:
    """Why nobody is to be told of this cause any more. told_due_on: the due date that the notice states, if any."""
    if system is None:
        return None
    if kind in REMINDERS:
        return _reason_against_reminder(kind, cause_key, system)
    if kind == EventKind.MISSING_REPORT and system.duties is not None:
        duty = cause_key.rpartition(":")[0]  # without the stage
        return None if system.duties.get(duty) in (*DUE, "upcoming") else SkipReason.REPORT_RECEIVED
    if kind == EventKind.OWNER_REMINDER:
        return _at_rest(system) or _reason_against_owners(cause_key, system, told_due_on)
    if kind == EventKind.DELINQUENT_OWNER:
        return _reason_against_delinquency(cause_key, system)
    if kind in WINDOWS:
        return _at_rest(system) or (SkipReason.EXEMPT if system.exempt else None)
    if kind in ENDINGS:
        return SkipReason.INACTIVE if system.status in _INACTIVE else None
    return _reason_against_case(kind, cause_key, system) if kind in CASES else None


def duty_of_owner(cause_key: str) -> str:
    """The key of the duty behind an owner's event: without what is told and without the stage."""
    return f"due:{cause_key.partition(':')[2].rpartition(':')[0]}"


def stage_of(cause_key: str) -> tuple[str, int]:
    """A cause's key without its stage, and the stage; 0 where the key names none."""
    duty, _, stage = cause_key.rpartition(":")
    return (duty, int(stage)) if stage.isdecimal() else (cause_key, 0)


def _at_rest(system: SystemNow) -> SkipReason | None:
    if system.status in _INACTIVE:
        return SkipReason.INACTIVE
    return SkipReason.ON_HOLD if system.on_hold else None


def _reason_against_reminder(kind: str, cause_key: str, system: SystemNow) -> SkipReason | None:
    if reason := _at_rest(system):
        return reason
    if system.duties is None or (kind == EventKind.NEEDS_SERVICE and _is_gap(cause_key)):
        if system.exempt:
            return SkipReason.EXEMPT
        serviced = kind == EventKind.NEEDS_SERVICE and system.needs_service is False
        return SkipReason.ALREADY_SERVICED if serviced else None
    state = system.duties.get(cause_key)
    if state in DUE:
        return None
    return {"suspended": SkipReason.EXEMPT, "upcoming": SkipReason.NO_LONGER_DUE}.get(
        str(state), SkipReason.ALREADY_SERVICED
    )


def _is_gap(cause_key: str) -> bool:
    """Whether a tank needs service for a gap in its pumping: that is advice, with no duty behind it to look up."""
    cycle = cause_key.split(":")[4:5]
    return cycle == ["gap"]


def _reason_against_owners(cause_key: str, system: SystemNow, told_due_on: str) -> SkipReason | None:
    """A reminder must state the day as it is: of a duty that has moved it the owner is told at its next stage."""
    if system.duties is None:
        return SkipReason.EXEMPT if system.exempt else None
    key = duty_of_owner(cause_key)
    state, now = system.duties.get(key), system.due_on.get(key)
    if state in ("upcoming", "due_soon"):
        moved = now is not None and bool(told_due_on) and now.isoformat() != told_due_on
        return SkipReason.NO_LONGER_DUE if moved else None
    return {"suspended": SkipReason.EXEMPT, "overdue": SkipReason.LATER_STAGE}.get(
        str(state), SkipReason.ALREADY_SERVICED
    )


def _reason_against_delinquency(cause_key: str, system: SystemNow) -> SkipReason | None:
    if system.status in _INACTIVE:
        return SkipReason.INACTIVE
    if system.duties is None:
        return None
    state, paper = system.duties.get(duty_of_owner(cause_key)), cause_key.split(":")[4:5]
    if state == "overdue":
        return None
    if state == "suspended":
        return SkipReason.ON_HOLD if system.on_hold else SkipReason.EXEMPT
    if state is not None:
        return SkipReason.NO_LONGER_DUE
    return SkipReason.REPORT_RECEIVED if paper and paper[0] in _PAPERS else SkipReason.ALREADY_SERVICED


def _reason_against_case(kind: str, cause_key: str, system: SystemNow) -> SkipReason | None:
    """A case that has been closed meanwhile is told of as closed, and no more as open."""
    case = cause_key.split(":")[2]
    content = system.cases.get(case)
    if kind in (EventKind.CASE_CLOSED, EventKind.CASE_HANDED_OVER):
        return None
    if content is None or not content.get("closed_on") or system.duties is None:
        return None
    open_duties = (state for key, state in system.duties.items() if f":case:{case}:" in key)
    return None if any(state != "met" for state in open_duties) else SkipReason.CASE_CLOSED
