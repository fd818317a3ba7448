"""A contractor's calendar of what is due: with the key, and at an address of its own for calendar programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flask import Response

from notifications.calendars import feed_of
from reporting.api.calls import call, service
from reporting.api.credentials import note_key_use
from reporting.api.openapi import Answer, Section
from reporting.api.problems import absent
from reporting.api.queries import DuesQuery
from reporting.api.visibility import NOBODY
from reporting.store.engine import Store
from reporting.store.keys import find_feed
from reporting.store.lists import ObligationFilter, list_obligations
from reporting.store.paging import LARGEST_PAGE
from reporting.store.people import licences_of
from schemas.calendar import COUNTY_TIME_ZONE, local_date
from schemas.loader import shipped_program, shipped_slugs

SECTION: Final = Section("feeds", __name__, description="Calendars of what is due.")
_CALENDAR: Final = Answer(tells="All-day events (RFC 5545).", schema={"type": "string"}, types=("text/calendar",))
_OPEN: Final = ("due_soon", "overdue")


@SECTION.endpoint("/v1/contractors/me/due.ics", query=DuesQuery, answers={200: _CALENDAR})
def my_due_ics(query: dict[str, Any]) -> Response:
    """What is due soon or overdue (or in the states asked for) as a calendar, whole: `limit` and `cursor` do nothing.

    For a calendar program, which has no key, make a feed's token (`kind` `feed`) and give it /v1/feeds/TOKEN/due.ics.
    """
    business = call().keyholder.contractor_id
    assert business is not None, "the policy lets businesses in only"
    return _calendar(business, query)


@SECTION.endpoint("/v1/feeds/<token:token>/due.ics", answers={200: _CALENDAR}, problems={404: "No such feed."})
def feed(query: dict[str, Any], token: str) -> Response:
    """The same at an address that a calendar program can keep. The token opens nothing else, and can be revoked."""
    with service().database.reading(None) as store:
        principal = find_feed(store, token, call().now)
    if principal is None or principal.contractor_id is None:
        raise absent()
    note_key_use(principal)
    return _calendar(principal.contractor_id, {})


def _calendar(business: str, query: Mapping[str, Any]) -> Response:
    duties = (duty for county in shipped_slugs() for duty in _duties(county, business, query))
    today = local_date(call().now, COUNTY_TIME_ZONE)
    body = feed_of(duties, service().config.base_url, today)
    response = Response(body, content_type="text/calendar; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"  # the address itself is the key to it
    response.headers["Content-Disposition"] = 'attachment; filename="due.ics"'
    return response


def _duties(county: str, business: str, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    program = shipped_program(county)
    with service().database.reading(county) as store:
        rows = list(_all(store, business, query))
    for row in rows:
        name = program.names.get(row["component"], row["component"] or "system")
        yield {**row, "county": county, "county_name": program.name, "component_name": name}


def _all(store: Store, business: str, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    filters = ObligationFilter(
        state=query.get("state", _OPEN),
        kind=query.get("kind", ()),
        due_before=query.get("due_before"),
        contractor=[row["license_norm"] for row in licences_of(store, business)] or NOBODY,
    )
    cursor: str | None = None
    while True:
        page = list_obligations(store, filters, cursor, LARGEST_PAGE)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return
