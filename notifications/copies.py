"""Copies of reports, asked again before sending: does the report still stand as it was?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from notifications.records import EventKind, SkipReason
from reporting.store.engine import Store
from reporting.store.facts import load_events


def reasons_against_copies(store: Store, lines: Iterable[Mapping[str, Any]]) -> dict[str, SkipReason]:
    """Of the copies: those whose report was taken back, or corrected (of which there is a copy of its own)."""
    copied = {str(x["cause_key"]): str(x["event"]) for x in lines if x.get("event_kind") == EventKind.REPORT_COPY}
    events = load_events(store, copied.values()) if copied else {}
    gone = {key for key, event in copied.items() if event not in events or events[event]["ended_seq"] is not None}
    return dict.fromkeys(gone, SkipReason.REPORT_TAKEN_BACK)
