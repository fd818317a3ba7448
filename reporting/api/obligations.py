"""Who must do what by when: a county's list, and a contractor's own over all counties."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, call, next_link, own_licences, service
from reporting.api.moments import county_today
from reporting.api.openapi import Answer, Section
from reporting.api.problems import encode_bytes
from reporting.api.queries import DuesQuery, ObligationsQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.api.visibility import NOBODY, licence_filter
from reporting.errors import BadCursor
from reporting.status import DUE_COLUMNS, due_row
from reporting.store.engine import Store
from reporting.store.lists import ObligationFilter
from reporting.store.lists import list_obligations as read_obligations
from reporting.store.paging import LARGEST_PAGE, Page
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs

SECTION: Final = Section("obligations", __name__, description="What is due, by when, by which rule.")
_PAGE: Final = Answer(tells="A page, soonest first.", schema=ref("Obligations"), headers=("Link",))
_CSV: Final = Answer(tells="The whole list.", schema={"type": "string"}, types=("text/csv",))
_MINE: Final = ("due_soon", "overdue")


@SECTION.endpoint("/v1/<slug:county>/obligations", query=ObligationsQuery, answers={200: _PAGE})
def list_obligations(query: dict[str, Any], county: str) -> Response:
    """Open duties, soonest first. A contractor's key lists those of the systems that designate its business."""
    with service().database.reading(county) as store:
        page = read_obligations(store, obligation_filter(store, query), query.get("cursor"), query["limit"])
    rows = [due_row(row, county_today()) for row in page.rows]
    return Reply(status=200, body={"obligations": rows}, headers=next_link(page.next_cursor)).response()


@SECTION.endpoint("/v1/<slug:county>/obligations.csv", query=ObligationsQuery, answers={200: _CSV})
def obligations_csv(query: dict[str, Any], county: str) -> Response:
    """The same list as a file for a spreadsheet, whole: `limit` and `cursor` do nothing here."""
    with service().database.reading(county) as store:
        rows = [due_row(row, county_today()) for row in _all(store, obligation_filter(store, query))]
    return csv_response(f"obligations-{county}.csv", DUE_COLUMNS, rows)


@SECTION.endpoint(
    "/v1/<slug:county>/obligations.geojson",
    query=ObligationsQuery,
    answers={200: Answer(tells="A map layer.", schema=ref("FeatureCollection"), types=("application/geo+json",))},
)
def obligations_geojson(query: dict[str, Any], county: str) -> Response:
    """The same list as a map layer (RFC 7946), whole; a duty whose place is not on file has no geometry."""
    with service().database.reading(county) as store:
        rows = list(_all(store, obligation_filter(store, query)))
    features = [feature(row, due_row(row, county_today())) for row in rows]
    body = {"type": "FeatureCollection", "features": features}
    return Response(encode_bytes(body), mimetype="application/geo+json")


@SECTION.endpoint("/v1/contractors/me/due", query=DuesQuery, answers={200: _PAGE})
def list_my_due(query: dict[str, Any]) -> Response:
    """What is due soon or overdue (or in the states asked for) at the systems that designate this business."""
    rows: list[dict[str, Any]] = []
    start, cursor = _read_cursor(query.get("cursor"))
    for county in shipped_slugs():
        if county < start:
            continue
        page = _page_of(county, query, cursor, query["limit"] - len(rows))
        rows += page.rows
        cursor = page.next_cursor
        if cursor is not None or len(rows) == query["limit"]:
            more = _cursor(county, cursor) if cursor is not None else _after(county)
            return Reply(status=200, body={"obligations": rows}, headers=next_link(more)).response()
    return Reply(status=200, body={"obligations": rows}).response()


@SECTION.endpoint("/v1/contractors/me/due.csv", query=DuesQuery, answers={200: _CSV})
def my_due_csv(query: dict[str, Any]) -> Response:
    """The same list as a file for a spreadsheet, whole: `limit` and `cursor` do nothing here."""
    rows: list[dict[str, Any]] = []
    for county in shipped_slugs():
        with service().database.reading(county) as store:
            rows += [_of_county(row, county) for row in my_duties(store, query)]
    return csv_response("due.csv", ("county", *DUE_COLUMNS), rows)


def my_duties(store: Store, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The duties of the business that asks in one county, soonest first, as `list_obligations` of the store gives them.

    query: as `DuesQuery` reads it; without states what is due soon or overdue.
    """
    return _all(store, _my_filters(store, query))


def feature(place: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """A GeoJSON feature at a place's coordinates, longitude first (WGS 84); without them no geometry."""
    found = [place.get(name) for name in ("longitude", "latitude")]
    point = {"type": "Point", "coordinates": [float(degrees) for degrees in found if degrees]}
    return {"type": "Feature", "geometry": point if all(found) else None, "properties": dict(properties)}


def obligation_filter(store: Store, query: Mapping[str, Any]) -> ObligationFilter:
    """Which duties are listed for the caller; query: as `ObligationsQuery` reads it."""
    return ObligationFilter(
        state=query.get("state", ()),
        kind=query.get("kind", ()),
        due_before=query.get("due_before"),
        contractor=licence_filter(store, query.get("contractor")),
        municipality=query.get("municipality"),
    )


def _my_filters(store: Store, query: Mapping[str, Any]) -> ObligationFilter:
    return ObligationFilter(
        state=query.get("state", _MINE),
        kind=query.get("kind", ()),
        due_before=query.get("due_before"),
        contractor=own_licences(store) or NOBODY,
    )


def _page_of(county: str, query: Mapping[str, Any], cursor: str | None, limit: int) -> Page:
    with service().database.reading(county) as store:
        page = read_obligations(store, _my_filters(store, query), cursor, limit)
    return Page(rows=[_of_county(row, county) for row in page.rows], next_cursor=page.next_cursor)


def _of_county(row: Mapping[str, Any], county: str) -> dict[str, Any]:
    today = local_date(call().now, shipped_program(county).timezone)
    return {"county": county, **due_row(row, today)}


def _all(store: Store, filters: ObligationFilter) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        page = read_obligations(store, filters, cursor, LARGEST_PAGE)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return


def _after(county: str) -> str | None:
    """The cursor of the next county, if there is one."""
    later = [slug for slug in shipped_slugs() if slug > county]
    return _cursor(later[0], None) if later else None


def _cursor(county: str, cursor: str | None) -> str:
    return urlsafe_b64encode(json.dumps([county, cursor]).encode()).decode().rstrip("=")


def _read_cursor(text: str | None) -> tuple[str, str | None]:
    if text is None:
        return "", None
    try:
        county, cursor = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, TypeError, RecursionError) as error:
        raise BadCursor from error
    if county not in shipped_slugs() or not isinstance(cursor, str | None):
        raise BadCursor
    return county, cursor
