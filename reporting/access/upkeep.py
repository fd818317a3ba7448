"""What the worker does for access once an hour: failed sign-ins into the logs, what is over out of the tables."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from reporting.access.entries import note_all_failures
from reporting.store.engine import Database
from reporting.store.sessions import forget_sessions
from reporting.store.signin import forget_signins

SESSIONS_KEPT: Final = timedelta(days=30)
"""How long a session that is over stays listed; who signed in when stays in the log."""


def tidy_access(database: Database, now: datetime) -> None:
    """Note the failures of the hours that are over; drop old links, counts of tries and sessions."""
    note_all_failures(database, now)
    with database.transaction(None) as store:
        forget_signins(store, now)
        forget_sessions(store, now - SESSIONS_KEPT)
