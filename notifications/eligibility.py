"""Asked at the moment of sending, inside the claim's transaction: is this message still wanted, and all of it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from notifications.corrections import reasons_against_reports
from notifications.digests import DIGESTS
from notifications.directory import load_systems
from notifications.notices import reason_to_skip
from notifications.outbox import Claim
from notifications.records import SkipReason, SystemNow
from reporting.store.engine import Store


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
    """Judge by what the county knows now: tanks serviced, out of use, exempt or on hold, and reports taken back or
    corrected since it was queued.
    """
    lines = [claim.content] if claim.kind not in DIGESTS else claim.content["lines"]
    systems = load_systems(store, [line["system"] for line in lines if line.get("system")])
    corrected = reasons_against_reports(store, lines, systems)
    reasons = [corrected.get(str(line.get("cause_key"))) or _reason(line, systems) for line in lines]
    against = [reason for reason in reasons if reason is not None]
    if lines and len(against) == len(lines):
        return Cancel(reason=against[0])
    if not against:
        return Go(content=claim.content)
    judged = list(zip(lines, reasons, strict=True))
    kept = [line for line, reason in judged if reason is None]
    dropped = [{"cause_key": line["cause_key"], "reason": str(reason)} for line, reason in judged if reason]
    return Go(content={**claim.content, "lines": kept, "dropped": [*claim.content.get("dropped", ()), *dropped]})


def _reason(line: Mapping[str, Any], systems: Mapping[str, SystemNow]) -> SkipReason | None:
    return reason_to_skip(
        str(line.get("event_kind")), str(line.get("cause_key")), systems.get(line.get("system") or "")
    )
