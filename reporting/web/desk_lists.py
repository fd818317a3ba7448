"""The desk's lists: how each is read, a page at a time; its page, its files and its saved views all read it so."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from flask import request

from notifications.print_runs import run_json
from notifications.subjects import subject_of
from reporting.api.calls import call, service
from reporting.api.moments import county_today, instant, program_today
from reporting.api.obligations import obligation_filter
from reporting.api.queries import NoQuery, ObligationsQuery, Query, ReviewsQuery, SystemsQuery
from reporting.api.queries_records import CasesQuery, MailsQuery, ReceivedQuery, VerificationsQuery
from reporting.api.reviews import review_filter
from reporting.api.systems import listed_system, system_filter
from reporting.cases.rows import COLUMNS as CASE_COLUMNS
from reporting.cases.rows import flat_case, list_page
from reporting.intake.words import normalize_license
from reporting.reviews.reading import list_reviews
from reporting.status import DUE_COLUMNS, due_row
from reporting.store.engine import Store
from reporting.store.letters import list_runs
from reporting.store.lists import list_obligations, list_systems
from reporting.store.mail import MailFilter, page_mails
from reporting.store.paging import Page
from reporting.store.placed import coordinates_of
from reporting.store.received import STANDING, Became, ReceivedFilter, page_received
from reporting.store.verifications import page_verifications
from reporting.web.asking import DONE
from schemas.calendar import local_date
from schemas.loader import shipped_program

Asked = Mapping[str, Any]
Turn = Callable[[Store, str | None, int], Page]
"""One page of a list, after a cursor: rows of plain values, with `latitude` and `longitude` where they are known."""
NO_FILTERS: Final = frozenset({DONE, "cursor", "limit"})
"""What a list's address has beside its filters."""
_REVIEW_COLUMNS: Final = (
    "id", "state", "reason", "report_id", "event_type", "service_date", "received_at", "license_number", "report_ref",
    "permit_number", "parcel_number", "site_address", "owner_name", "nearest", "likeness", "system",
)  # fmt: skip
_SYSTEM_COLUMNS: Final = (
    "permit_number", "parcel_number", "site_address", "municipality", "status", "standing", "needs_service",
    "needs_service_on", "needs_service_because", "full_on", "next_change_on", "contractor", "out_of_date", "latitude",
    "longitude", "id",
)  # fmt: skip
_RECEIVED_COLUMNS: Final = (
    "id", "became", "received_on", "service_date", "event_type", "component", "component_ref", "gallons_pumped",
    "permit_number", "parcel_number", "site_address", "municipality", "license_number", "business_name",
    "technician_name", "report_ref", "system",
)  # fmt: skip
_MAIL_COLUMNS: Final = (
    "id",
    "kind",
    "subject",
    "recipient",
    "state",
    "held",
    "reason",
    "created_at",
    "sent_at",
    "system",
)
_RUN_COLUMNS: Final = (
    "id", "state", "created_at", "printed_on", "letters", "pages", "mailed_on", "mail_class", "ended_at",
)  # fmt: skip
_QUESTION_COLUMNS: Final = (
    "report_id", "state", "asked_on", "answer_by", "message", "fields", "answered_on", "answer", "closed_on",
    "event_type", "service_date", "license_number", "report_ref", "system",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DeskList:
    """A list: what its address may ask, the columns of its files, and how it is read for what was asked.

    usual: what is asked where the address says nothing; placed: whether its rows have places, for a map layer.
    """

    path: str
    title: str
    query: type[Query]
    columns: tuple[str, ...]
    open: Callable[[Asked], Turn]
    usual: Asked = field(default_factory=dict)
    placed: bool = True


def filters_asked() -> dict[str, str]:
    """The filters in the page's address, empty ones left out, as they are written there."""
    return {name: value for name, value in request.args.items() if value.strip() and name not in NO_FILTERS}


def filters_query() -> str:
    """The same as the part of an address behind the `?`."""
    return urlencode(filters_asked())


def _systems(asked: Asked) -> Turn:
    with service().database.reading(call().tenant) as store:
        filters = system_filter(store, asked)

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = list_systems(store, filters, cursor, limit)
        rows = [{**listed_system(row), **_degrees(row["content"])} for row in page.rows]
        return Page(rows=rows, next_cursor=page.next_cursor)

    return turn


def _due(asked: Asked) -> Turn:
    today = county_today()
    with service().database.reading(call().tenant) as store:
        filters = obligation_filter(store, asked)

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = list_obligations(store, filters, cursor, limit)
        rows = [{**due_row(row, today), **_degrees(row)} for row in page.rows]
        return Page(rows=rows, next_cursor=page.next_cursor)

    return turn


def _reviews(asked: Asked) -> Turn:
    filters = review_filter(asked)

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = list_reviews(store, filters, cursor, limit)
        rows = [{**row, "received_at": instant(row["received_at"]), **_nearest(row)} for row in page.rows]
        return _with_places(store, rows, page)

    return turn


def _cases(asked: Asked) -> Turn:
    with service().database.reading(call().tenant) as store:
        program, today = program_today(store)

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = list_page(store, program, asked, cursor, limit, today)
        return _with_places(store, [flat_case(row) for row in page.rows], page)

    return turn


def _received(asked: Asked) -> Turn:
    zone = shipped_program(call().tenant).timezone
    number = asked.get("contractor")
    filters = ReceivedFilter(
        contractor=(normalize_license(number) or "",) if number else (),
        received_from=_start(asked.get("from"), zone),
        received_before=_end(asked.get("to"), zone),
        served_from=asked.get("served_from"),
        served_to=asked.get("served_to"),
        state=[Became(one) for one in asked.get("state", STANDING)],
    )

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = page_received(store, filters, cursor, limit)
        rows = [{**row, **_received_days(row, zone), "became": str(row["became"])} for row in page.rows]
        return Page(rows=rows, next_cursor=page.next_cursor)

    return turn


def _mails(asked: Asked) -> Turn:
    zone = shipped_program(call().tenant).timezone
    filters = MailFilter(
        state=asked.get("state", ()),
        kind=asked.get("kind", ()),
        q=asked.get("q"),
        written_from=_start(asked.get("from"), zone),
        written_before=_end(asked.get("to"), zone),
    )

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = page_mails(store, filters, cursor, limit)
        return Page(rows=[_mail(row, zone) for row in page.rows], next_cursor=page.next_cursor)

    return turn


def _runs(_asked: Asked) -> Turn:
    return lambda store, _cursor, _limit: Page(rows=[run_json(run) for run in list_runs(store, ())], next_cursor=None)


def _questions(asked: Asked) -> Turn:
    states = asked.get("state", ())

    def turn(store: Store, cursor: str | None, limit: int) -> Page:
        page = page_verifications(store, states, cursor, limit)
        rows = [{**row["content"], **_question(row)} for row in page.rows]
        return Page(rows=rows, next_cursor=page.next_cursor)

    return turn


def _question(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("event_type", "license_number", "report_ref", "system")
    day = row["service_date"].isoformat()
    return {"report_id": row["content"]["report"], "service_date": day, **{name: row[name] for name in names}}


def _mail(row: Mapping[str, Any], zone: str) -> dict[str, Any]:
    at = row["sent_at"] or row["created_at"]
    return {
        **{name: row[name] for name in ("id", "kind", "recipient", "state", "system")},
        "held": bool(row["held"]) and row["state"] in ("queued", "uncertain"),
        "subject": subject_of(row["kind"], row["content"], local_date(at, zone)),
        "reason": row["last_error"],
        "created_at": instant(row["created_at"]),
        "sent_at": instant(row["sent_at"]) if row["sent_at"] else None,
    }


def _received_days(row: Mapping[str, Any], zone: str) -> dict[str, str]:
    received = local_date(row["first_received_at"], zone)
    return {"received_on": received.isoformat(), "service_date": row["service_date"].isoformat()}


def _nearest(row: Mapping[str, Any]) -> dict[str, Any]:
    best = row["best"] or {}
    return {"nearest": best.get("why"), "likeness": best.get("score")}


def _degrees(place: Mapping[str, Any]) -> dict[str, Any]:
    return {name: place.get(name) or None for name in ("latitude", "longitude")}


def _with_places(store: Store, rows: list[dict[str, Any]], page: Page) -> Page:
    places = coordinates_of(store, [row["system"] for row in rows if row["system"]])
    found = [{**row, **places.get(row["system"], {})} for row in rows]
    return Page(rows=found, next_cursor=page.next_cursor)


def _start(day: dt.date | None, zone: str) -> dt.datetime | None:
    """The first instant of a local day."""
    return dt.datetime.combine(day, dt.time(), ZoneInfo(zone)) if day else None


def _end(day: dt.date | None, zone: str) -> dt.datetime | None:
    return _start(day + dt.timedelta(days=1), zone) if day else None


LISTS: Final[Mapping[str, DeskList]] = {
    one.path: one
    for one in (
        DeskList(path="systems", title="Systems", query=SystemsQuery, columns=_SYSTEM_COLUMNS, open=_systems),
        DeskList(
            path="obligations",
            title="What is due",
            query=ObligationsQuery,
            columns=DUE_COLUMNS,
            open=_due,
            usual={"state": ("overdue", "due_soon")},
        ),
        DeskList(path="reviews", title="Reports to place", query=ReviewsQuery, columns=_REVIEW_COLUMNS, open=_reviews),
        DeskList(path="cases", title="Cases", query=CasesQuery, columns=CASE_COLUMNS, open=_cases),
        DeskList(
            path="reports", title="Reports received", query=ReceivedQuery, columns=_RECEIVED_COLUMNS, open=_received
        ),
        DeskList(path="mails", title="Mails", query=MailsQuery, columns=_MAIL_COLUMNS, open=_mails, placed=False),
        DeskList(path="print-runs", title="Print runs", query=NoQuery, columns=_RUN_COLUMNS, open=_runs, placed=False),
        DeskList(
            path="verifications",
            title="Questions about reports",
            query=VerificationsQuery,
            columns=_QUESTION_COLUMNS,
            open=_questions,
            usual={"state": ("requested", "answered")},
            placed=False,
        ),
    )
}
"""By the last part of the page's address; print runs are on the page of letters."""
