"""The county's program and its day at the moment of a call, and instants as they are shown."""

from __future__ import annotations

import datetime as dt

from reporting.api.calls import call
from reporting.histories import county_program
from reporting.store.engine import Store
from reporting.store.log import seq_at
from schemas.calendar import local_date
from schemas.loader import shipped_program
from schemas.program import Program


def county_today() -> dt.date:
    """The date in the call's county."""
    return local_date(call().now, shipped_program(call().tenant).timezone)


def program_today(store: Store) -> tuple[Program, dt.date]:
    """The county's program with its own settings as they hold today, and that day."""
    today = county_today()
    return county_program(store, call().tenant, on=today), today


def program_at(store: Store, day: dt.date, known_at: dt.datetime | None) -> Program:
    """The county's program on a day, with its own settings as known at an instant (None: now)."""
    at_seq = seq_at(store, known_at) if known_at is not None else None
    return county_program(store, call().tenant, on=day, at_seq=at_seq)


def instant(moment: dt.datetime) -> str:
    """An instant in UTC, to the second."""
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
