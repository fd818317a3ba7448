"""The county's systems on a map, by how they stand: the page with the same list beside it, and what its script asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import Reply, call, service
from reporting.api.problems import field_error, unprocessable
from reporting.api.queries import SystemsQuery
from reporting.api.queries_records import MapQuery
from reporting.api.systems import list_systems, system_filter
from reporting.domain.answers import Standing
from reporting.store.placed import Box, extent_of, systems_within, town_middles
from reporting.web.asking import ask, in_own_county, query_of
from reporting.web.desk_lists import filters_asked, filters_query
from reporting.web.desk_systems import FIELDS
from reporting.web.desk_words import place_words, render_desk
from reporting.web.rendering import words

MOST_POINTS: Final = 3_000
"""In one view; where there are more, squares say how many and how the worst of them stands."""
_MOST_READ: Final = 100_000
_SQUARES: Final = 12
"""Along each side of a view."""
WORST_FIRST: Final = ("violation", "overdue", "due_soon", "unknown", "compliant", "exempt", "inactive")
_NUMBER: Final = re.compile(r"-?[0-9]{1,3}(\.[0-9]{1,12})?", re.ASCII)


@in_own_county
def show_map() -> AnyResponse:
    """The map and the list of the same systems, a page at a time."""
    found = ask(list_systems, query_of(SystemsQuery))
    with service().database.reading(call().tenant) as store:
        towns = town_middles(store)
        placed, extent = extent_of(store, system_filter(store, query_of(SystemsQuery)))
    return render_desk(
        "map",
        systems=[{**one, "place": place_words(one)} for one in found.body["systems"]],
        more=found.more,
        asked=request.args,
        query=filters_query(),
        narrowed=bool(filters_asked()),
        fields=list(FIELDS.items()),
        standings=[(one.value, words(one)) for one in Standing],
        legend=WORST_FIRST,
        placed=placed,
        bounds=_edges(extent) if extent else None,
        towns=[[one["municipality"], round(one["latitude"], 5), round(one["longitude"], 5)] for one in towns],
    )


@in_own_county
def show_points() -> AnyResponse:
    """A view's systems as GeoJSON; where there are too many, squares with their number (`count`) instead."""
    query = query_of(MapQuery)
    box = _box(query.get("bbox"))
    with service().database.reading(call().tenant) as store:
        rows = systems_within(store, system_filter(store, query), box, _MOST_READ)
    whole = len(rows) <= MOST_POINTS
    features = [_point(row) for row in rows] if whole else _squares(rows, box)
    body = {"type": "FeatureCollection", "features": features, "systems": len(rows), "whole": whole}
    response = Reply(status=200, body=body).response()
    response.mimetype = "application/geo+json"
    return response


def _point(row: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: row[name] for name in ("standing", "permit_number", "municipality")}
    told |= {"id": row["system"], "place": place_words(row)}
    return {"type": "Feature", "geometry": _at(row["longitude"], row["latitude"]), "properties": told}


def _at(longitude: float, latitude: float) -> dict[str, Any]:
    """Longitude first (RFC 7946, 3.1.1)."""
    return {"type": "Point", "coordinates": [round(longitude, 6), round(latitude, 6)]}


def _squares(rows: Sequence[Mapping[str, Any]], box: Box | None) -> list[dict[str, Any]]:
    west, south, east, north = _edges(box) if box else _bounds(rows)
    wide, high = (east - west) / _SQUARES or 1.0, (north - south) / _SQUARES or 1.0
    found: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row in rows:
        square = int((row["longitude"] - west) / wide), int((row["latitude"] - south) / high)
        found.setdefault(square, []).append(row)
    return [_point(held[0]) if len(held) == 1 else _square(held) for held in found.values()]


def _square(held: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Some systems as one: how many, how the worst of them stands, in their middle."""
    middle = _at(_mean(row["longitude"] for row in held), _mean(row["latitude"] for row in held))
    worst = min((str(row["standing"]) for row in held), key=WORST_FIRST.index)
    return {"type": "Feature", "geometry": middle, "properties": {"count": len(held), "standing": worst}}


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def _edges(box: Box) -> tuple[float, float, float, float]:
    return box.west, box.south, box.east, box.north


def _bounds(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float, float, float]:
    """West, south, east, north of some systems."""
    longitudes, latitudes = [row["longitude"] for row in rows], [row["latitude"] for row in rows]
    return min(longitudes), min(latitudes), max(longitudes), max(latitudes)


def _box(text: str | None) -> Box | None:
    """The view that is asked for; one over the 180th meridian is none of Wisconsin's."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) == 4 and all(_NUMBER.fullmatch(part) for part in parts):
        west, south, east, north = map(float, parts)
        if -180 <= west < east <= 180 and -90 <= south < north <= 90:
            return Box(west=west, south=south, east=east, north=north)
    message = "Give a view as west,south,east,north in degrees."
    raise unprocessable(message, [field_error("bbox", "bad_value", message)], "query")
