"""Keeping the index of places by word pieces in step with what is on file."""

from __future__ import annotations

from collections.abc import Callable

from reporting.intake.candidates import index_places
from reporting.store.engine import Database
from reporting.store.near import grams_up_to, places_after

AT_ONCE = 5_000


def index_all(
    database: Database,
    county: str,
    stopping: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Index what was put on file of the county's places since the last time, a transaction for every few thousand.

    For the worker and for whoever has imported an inventory. Gives how many entries were taken up.
    """
    done = 0
    while not stopping():
        with database.reading(county) as store:
            if not places_after(store, grams_up_to(store), 1):
                break
        with database.transaction(county) as store:
            found = index_places(store, AT_ONCE)
        if not found:
            break
        done += found
        on_progress(done)
    return done
