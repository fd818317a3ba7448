"""What a driver's error means for the caller, in the words of `reporting.errors`."""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from reporting.errors import DatabaseBusy, DatabaseUnavailable, QueryTooSlow, StorageFull, StoreError

_BY_STATE: Final[dict[str, type[StoreError]]] = {
    "57014": QueryTooSlow,  # query_canceled: the statement timeout
    "55P03": DatabaseBusy,  # lock_not_available
    "40001": DatabaseBusy,  # serialization_failure
    "40P01": DatabaseBusy,  # deadlock_detected
    "53100": StorageFull,  # disk_full
    "53300": DatabaseUnavailable,  # too_many_connections
    "57P01": DatabaseUnavailable,  # admin_shutdown
    "57P02": DatabaseUnavailable,  # crash_shutdown
    "57P03": DatabaseUnavailable,  # cannot_connect_now
    "57P05": DatabaseUnavailable,  # idle_session_timeout
}
_BY_WORDS: Final[dict[str, type[StoreError]]] = {
    "is locked": DatabaseBusy,
    "interrupted": QueryTooSlow,  # by the engine's own clock
    "is full": StorageFull,
    "unable to open": DatabaseUnavailable,
    "disk i/o error": DatabaseUnavailable,
}


def translate(error: DBAPIError) -> StoreError | None:
    """The error for a database that is away, busy, full or too slow; `None` for any other (a mistake of ours)."""
    if error.connection_invalidated:
        return DatabaseUnavailable()
    state = getattr(error.orig, "sqlstate", None)
    if isinstance(state, str):
        kind = _BY_STATE.get(state) or (DatabaseUnavailable if state.startswith("08") else None)
        return kind() if kind else None
    words = str(error.orig).lower()
    for part, kind in _BY_WORDS.items():
        if part in words:
            return kind()
    # psycopg gives no state for a server that it could not reach or that hung up.
    lost = isinstance(error, OperationalError | InterfaceError) and "sqlite" not in type(error.orig).__module__
    return DatabaseUnavailable() if lost else None
