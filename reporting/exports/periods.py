"""Who reported for a half-year or a year, and who did not (rules WI6, WI7): a county's list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final

from reporting.domain.periods import PeriodLine, period_lines
from reporting.domain.view import View
from reporting.histories import read_domain
from reporting.licences import load_licences, servicing_license
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.lists import SystemFilter, list_systems
from reporting.store.paging import LARGEST_PAGE
from schemas.acts import PeriodReport
from schemas.program import Program

COLUMNS: Final = (
    "period", "permit_number", "parcel_number", "site_address", "municipality", "component", "component_ref", "state",
    "services", "last_service", "last_day", "duty_of", "contractor", "rule", "cite", "system",
)  # fmt: skip


PERIOD: Final = r"(19|20|21)[0-9]{2}(-H[12])?"
"""How a period is written."""


def periods_asked(program: Program, year: int) -> tuple[str, ...]:
    """The periods of a year of which the text in force on their last day asks for a report; none where no text does."""
    found = []
    for name, end, kind in (
        (f"{year}-H1", date(year, 6, 30), "half_year"),
        (f"{year}-H2", date(year, 12, 31), "half_year"),
        (str(year), date(year, 12, 31), "year"),
    ):
        if any(p.act.period == kind for p in program.at(end).of(PeriodReport)):
            found.append(name)
    return tuple(found)


def period_page(
    store: Store, program: Program, name: str, today: date, cursor: str | None, limit: int
) -> tuple[list[dict[str, Any]], str | None]:
    """The rows (`COLUMNS`) of the next `limit` systems, and the cursor of those after; raises `BadCursor`.

    A system with several tanks has several rows, one of which no report is asked has none.
    """
    page = list_systems(store, SystemFilter(), cursor, limit)
    histories = load_history(store, [row["system"] for row in page.rows])
    licences = load_licences(store, program, histories.values())
    rows = []
    for row in page.rows:
        stored = histories[row["system"]]
        system, history = read_domain(stored, licences, as_of=today)
        view = View(program=program, system=system, history=history, as_of=today, known_at=None)
        norm = servicing_license(stored, today)
        contractor = licences.number(norm) if norm else None
        rows += [_row(stored, line, name, contractor) for line in period_lines(view, name)]
    return rows, page.next_cursor


def all_periods(
    store: Store, program: Program, name: str, today: date, states: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Every row of the county; `states`: only those."""
    cursor: str | None = None
    while True:
        rows, cursor = period_page(store, program, name, today, cursor, LARGEST_PAGE)
        yield from (row for row in rows if not states or row["state"] in states)
        if cursor is None:
            return


def _row(stored: StoredHistory, line: PeriodLine, name: str, contractor: str | None) -> dict[str, Any]:
    row = stored.system or {}
    place = ("permit_number", "parcel_number", "site_address", "municipality")
    return {
        "period": name,
        **{column: row.get(column) for column in place},
        "component": line.component.kind,
        "component_ref": line.component.ref or None,
        "state": line.state.value,
        "services": len(line.services),
        "last_service": max(line.services).isoformat() if line.services else None,
        "last_day": line.last_day.isoformat(),
        "duty_of": line.duty_of,
        "contractor": contractor,
        "rule": line.rule,
        "cite": line.cite,
        "system": stored.system_id,
    }
