"""The systems that a district's year is about: those of an area, one as it stands, and where each is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reporting.domain.records import INACTIVE_STATES
from reporting.domain.view import View
from reporting.histories import load_licences, read_domain, with_windows
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.lists import SystemFilter, list_systems
from reporting.store.paging import LARGEST_PAGE
from schemas.program import Program

PLACE: Final = ("permit_number", "parcel_number", "site_address", "municipality")


def view_of(store: Store, program: Program, stored: StoredHistory, today: dt.date) -> View:
    """A system as the assessment sees it on a day. stored: with the county's windows (`with_windows`)."""
    system, history = read_domain(stored, load_licences(store, program, [stored]), as_of=today)
    return View(program=program, system=system, history=history, as_of=today, known_at=None)


def views_of(
    store: Store, program: Program, ids: Sequence[str], today: dt.date
) -> Iterator[tuple[StoredHistory, View]]:
    """Some systems as the assessment sees them on a day, each with what is stored of it."""
    histories = with_windows(store, load_history(store, ids))
    licences = load_licences(store, program, histories.values())
    for stored in histories.values():
        system, history = read_domain(stored, licences, as_of=today)
        yield stored, View(program=program, system=system, history=history, as_of=today, known_at=None)


def all_views(store: Store, program: Program, today: dt.date) -> Iterator[tuple[StoredHistory, View]]:
    """The same for every system of the county, a page at a time."""
    for ids in _pages(store):
        yield from views_of(store, program, ids, today)


def systems_of_area(store: Store, area: int, components: Sequence[str]) -> list[str]:
    """The systems in use of an area that have one of these components (none named: any), by id."""
    found: list[str] = []
    for ids in _pages(store, area):
        for key, stored in load_history(store, ids).items():
            kinds = {row["component"] for row in stored.components if _is_in_use(row["content"])}
            found += [key] if not components or kinds & set(components) else []
    return found


def place_of(stored: StoredHistory) -> dict[str, Any]:
    """Which system it is, in the inventory's words."""
    row = stored.system or {}
    return {"system": stored.system_id, **{name: row.get(name) for name in PLACE}}


def _pages(store: Store, area: int | None = None) -> Iterator[list[str]]:
    cursor: str | None = None
    while True:
        page = list_systems(store, SystemFilter(), cursor, LARGEST_PAGE)
        rows = [row for row in page.rows if area is None or _is_of_area(row, area)]
        yield [row["system"] for row in rows]
        cursor = page.next_cursor
        if cursor is None:
            return


def _is_of_area(row: Mapping[str, Any], area: int) -> bool:
    return row["status"] not in INACTIVE_STATES and str(row["content"].get("service_area") or "") == str(area)


def _is_in_use(content: Mapping[str, Any]) -> bool:
    return content.get("status", "active") not in INACTIVE_STATES
