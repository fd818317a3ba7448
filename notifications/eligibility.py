"""Asked at the moment of sending, inside the claim's transaction: is this message still wanted, and all of it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from notifications.copies import reasons_against_copies
from notifications.corrections import reasons_against_reports
from notifications.digests import GROUPED
from notifications.directory import load_systems
from notifications.endings import reasons_against_endings
from notifications.kinds import KINDS
from notifications.outbox import Claim
from notifications.reasons import STAGED, reason_to_skip, stage_of
from notifications.records import ACCESS_KINDS, NoticeKind, SkipReason, SystemNow
from notifications.suppression import standing_of
from reporting.store.engine import Store
from reporting.store.events_out import recorded_causes


@dataclass(frozen=True, kw_only=True)
class Go:
    """Send it with this content, which may have lost lines of tanks serviced meanwhile (`dropped` names them)."""

    content: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Cancel:
    """Nothing is left to tell."""

    reason: SkipReason


Verdict = Go | Cancel


def judge_now(store: Store, claim: Claim) -> Verdict:
    """Judge by what the county knows now: tanks serviced, out of use, exempt or on hold, reports taken back or
    corrected, contracts renewed, windows called off, and stages outdone since it was queued; and by who gets
    no mail of the county any more, or no reminders.
    """
    if claim.kind in ACCESS_KINDS:
        return Go(content=claim.content)
    standing = standing_of(store, claim.recipient, claim.kind)
    if standing.dead:
        return Cancel(reason=SkipReason.SUPPRESSED)
    lines = [claim.content] if claim.kind not in GROUPED else claim.content["lines"]
    systems = load_systems(store, [line["system"] for line in lines if line.get("system")])
    corrected = {
        **_outdone(store, lines),
        **reasons_against_endings(store, lines, claim.lease_until),
        **reasons_against_reports(store, lines, systems),
        **reasons_against_copies(store, lines),
    }
    reasons = [
        _unwanted(claim.kind, line, refuses=standing.refuses)
        or corrected.get(str(line.get("cause_key")))
        or _reason(line, systems)
        for line in lines
    ]
    against = [reason for reason in reasons if reason is not None]
    if lines and len(against) == len(lines):
        return Cancel(reason=against[0])
    if not against:
        return Go(content=claim.content)
    judged = list(zip(lines, reasons, strict=True))
    kept = [line for line, reason in judged if reason is None]
    dropped = [{"cause_key": line["cause_key"], "reason": str(reason)} for line, reason in judged if reason]
    return Go(content={**claim.content, "lines": kept, "dropped": [*claim.content.get("dropped", ()), *dropped]})


def _outdone(store: Store, lines: Iterable[Mapping[str, Any]]) -> dict[str, SkipReason]:
    """Stages that have waited until the next one was reached: with the relay away, or for a print run."""
    keys = [str(line["cause_key"]) for line in lines if line.get("event_kind") in STAGED]
    following = {key: f"{duty}:{stage + 1}" for key in keys for duty, stage in (stage_of(key),) if stage}
    reached = recorded_causes(store, following.values())
    return {key: SkipReason.LATER_STAGE for key, later in following.items() if later in reached}


def _unwanted(kind: str, line: Mapping[str, Any], *, refuses: bool) -> SkipReason | None:
    """A reminder for somebody who unsubscribed; what the law or an ordinance wants told is told all the same."""
    optional = not KINDS[NoticeKind(kind)].legal and not line.get("required_by")
    return SkipReason.OPTED_OUT if refuses and optional else None


def _reason(line: Mapping[str, Any], systems: Mapping[str, SystemNow]) -> SkipReason | None:
    told_due_on = str((line.get("tank") or line).get("due_on") or "")
    system = systems.get(line.get("system") or "")
    return reason_to_skip(str(line.get("event_kind")), str(line.get("cause_key")), system, told_due_on)
