"""Notices of what is about to end or to open, asked again before sending: is it still on file, on that day?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from notifications.reasons import WINDOWS
from notifications.records import EventKind, SkipReason
from reporting.causes.endings import EVENTS, ending_key
from reporting.domain.assess import assess
from reporting.histories import county_program, load_licences, read_domain, with_windows
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.store.people import find_credentials
from schemas.calendar import local_date
from schemas.loader import shipped_program


def reasons_against_endings(store: Store, lines: Iterable[Mapping[str, Any]], now: datetime) -> dict[str, SkipReason]:
    """Why nobody is to be told of an end or a window any more, by the cause's key; those to be told of are left out.

    The contract, certificate or license was renewed; the window was called off or moved, has opened, or its notice has
    gone out already. Judged by what is on file at the moment.
    """
    told = {str(line["cause_key"]): line for line in lines if line.get("event_kind") in EVENTS.values()}
    licences = [line for line in lines if line.get("event_kind") == EventKind.CREDENTIAL_EXPIRING]
    found = {key: reason for line in licences for key, reason in _of_licence(store, line).items()}
    if not told:
        return found
    today = local_date(now, shipped_program(str(store.tenant)).timezone)
    program = county_program(store, str(store.tenant), on=today)
    histories = with_windows(store, load_history(store, [str(line["system"]) for line in told.values()]))
    known = load_licences(store, program, histories.values())
    for key, line in told.items():
        stored = histories.get(str(line["system"]))
        ahead = assess(*read_domain(stored, known, as_of=today), program, today).ahead if stored else ()
        days = {ending_key(str(line["system"]), one): one.on.isoformat() for one in ahead}
        if key not in days:
            window = line["event_kind"] in WINDOWS
            found[key] = SkipReason.NO_LONGER_DUE if window else SkipReason.RENEWED
        elif days[key] != line["tank"]["due_on"]:
            found[key] = SkipReason.NO_LONGER_DUE
    return found


def _of_licence(store: Store, line: Mapping[str, Any]) -> dict[str, SkipReason]:
    """A license that ends later by now, or is no longer on file."""
    key = str(line["cause_key"])
    _, norm, kind, ends = key.split(":")
    held = [row for row in find_credentials(store, [norm]).get(norm, ()) if row["kind"] == kind]
    current = any(row["expires_on"] and row["expires_on"].isoformat() == ends for row in held)
    return {} if current else {key: SkipReason.RENEWED}
