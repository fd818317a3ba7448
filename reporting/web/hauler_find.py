"""For a business: which system a report is of, found by what stands on the ticket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import service
from reporting.api.problems import absent, unprocessable
from reporting.api.visibility import licence_filter, visible_systems
from reporting.api.ways_in import county_of_system
from reporting.intake.reading import keepable
from reporting.status import find_systems
from reporting.store.engine import Store
from reporting.store.lists import SystemFilter, list_systems
from reporting.web.hauler_place import own_counties
from reporting.web.places import today_in
from reporting.web.public import public_view
from reporting.web.rendering import county_names, render

MOST: Final = 20
_LONGEST: Final = 200
_CAMERA: Final = "camera=(self), geolocation=(), microphone=(), payment=(), usb=()"
"""The one page that may look for a code; what it sees stays on the phone."""
_WAYS: Final = ("permit", "parcel", "address")
_NAMES: Final = ("permit_number", "parcel_number", "site_address", "municipality")


def find_to_report() -> AnyResponse:
    """Systems by a permit, a parcel or an address as typed: the business's own by a piece of it, others exactly.

    `s`: the system that a scanned code names; its form follows.
    """
    names = my_counties()
    if "s" in request.args:
        slug = county_of_system(request.args["s"][:_LONGEST])
        if slug not in names:
            raise absent()
        return redirect(f"/report/{slug}/{request.args['s']}", 303)
    county = request.args.get("county", "")
    if county and county not in names:
        raise absent()
    q = " ".join(keepable(request.args.get("q", "")).split())
    if len(q) > _LONGEST:
        raise unprocessable(f"Give at most {_LONGEST} characters.", [], "query")
    searched = [county] if county else list(names)
    found = [one for slug in searched for one in _found(slug, q)] if q else []
    found.sort(key=lambda one: not one["mine"])
    response = render(
        "hauler/find",
        names=names,
        county=county,
        q=q,
        found=found[:MOST],
        more=len(found) > MOST,
        searched=searched,
        base=service().config.base_url,
    )
    response.headers["Permissions-Policy"] = _CAMERA
    return response


def my_counties() -> dict[str, str]:
    """The counties that the business may report to, by slug, in the order of their names."""
    with service().database.reading(None) as store:
        mine = own_counties(store)
    return {slug: name for slug, name in county_names().items() if not mine or slug in mine}


def _found(county: str, q: str) -> list[dict[str, Any]]:
    with service().database.reading(county) as store:
        exact = {one for way in _WAYS for one in find_systems(store, **{way: q})}
        page = list_systems(store, SystemFilter(q=q, contractor=licence_filter(store, None)), None, MOST)
        ids = sorted(exact | {row["system"] for row in page.rows})[: MOST + 1]
        seen = visible_systems(store, ids, today_in(county))
        shown = [(one, _place(store, county, one, seen[one].system if one in seen else None)) for one in ids]
    return [{"county": county, "id": one, "mine": one in seen, **place} for one, place in shown if place]


def _place(store: Store, county: str, system: str, row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Where a system is: in full where the business is named, else what anybody may see."""
    seen = row or public_view(store, county, system)
    return {name: seen.get(name) for name in _NAMES} if seen else None
