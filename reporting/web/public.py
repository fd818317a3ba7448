"""For everybody: look a system up, see how it stands, read what is asked. No names, as in `/v1/{county}/status`."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.problems import absent, unprocessable
from reporting.api.ways_in import county_of_system
from reporting.errors import RecordNotFound
from reporting.histories import county_program
from reporting.status import find_systems, system_status
from reporting.store.engine import Store
from reporting.web.places import home_path, today_in
from reporting.web.rendering import county_names, render

MOST: Final = 20
"""How many systems of one parcel or address are shown, as over HTTP."""
_LONGEST: Final = 200
_WAYS: Final = ("permit", "parcel", "address")


def home() -> AnyResponse:
    """The first page: whoever is signed in goes to the own work, others to the search."""
    place = home_path(call().principal)
    return redirect(place, 303) if place else look_up()


def look_up() -> Response:
    """Systems by what somebody typed: a permit, a parcel or an address, exactly but for punctuation; in one county or
    in all of them.
    """
    county = request.args.get("county", "")
    if county and county not in county_names():
        raise absent()
    q = " ".join(request.args.get("q", "").split())
    if len(q) > _LONGEST:
        raise unprocessable(f"Give at most {_LONGEST} characters.", [], "query")
    found = [one for slug in ([county] if county else county_names()) for one in _found_in(slug, q)] if q else []
    return render("look_up", county=county, q=q, found=found[:MOST], more=len(found) > MOST)


def _found_in(county: str, q: str) -> list[dict[str, Any]]:
    with service().database.reading(county) as store:
        ids = sorted({one for way in _WAYS for one in find_systems(store, **{way: q})})
        views = [(one, public_view(store, county, one)) for one in ids[: MOST + 1]]
    return [{"id": one, "county": county, **view} for one, view in views if view is not None]


def show_system(system_id: str) -> Response:
    """Where the code on a letter or a tank leads: how this system stands, and what the reader may do with it."""
    county = county_of_system(system_id)
    if county is None:
        raise absent()
    with service().database.reading(county) as store:
        view = public_view(store, county, system_id)
    if view is None:
        raise absent()
    return render("system_public", county=county, system=system_id, view=view)


def show_way_in(system_id: str) -> Response:
    """Where an owner who is not signed in says so: a link to the address on file, or a code of the office."""
    county = county_of_system(system_id)
    if county is None:
        raise absent()
    with service().database.reading(county) as store:
        view = public_view(store, county, system_id)
        program = county_program(store, county, on=today_in(county))
    if view is None:
        raise absent()
    return render("way_in", county=county, system=system_id, view=view, office=program.governmental_unit)


def what_is_asked(county: str = "") -> Response:
    """A county's rules in plain words with their sections, by whose duty they are; or the list of counties."""
    if not county:
        return render("what_is_asked", program=None)
    today = today_in(county)
    with service().database.reading(county) as store:
        program = county_program(store, county, on=today)
    text = program.at(today)
    rules = list({p.id: p.rule for p in text.provisions}.values())
    groups = [
        (heading, [rule for rule in rules if rule.duty_of == whose])
        for whose, heading in (("owner", "Of owners"), ("contractor", "Of the business that does the work"))
    ]
    groups.append(("Of the county", [rule for rule in rules if rule.duty_of not in ("owner", "contractor")]))
    return render("what_is_asked", program=program, today=today, groups=[pair for pair in groups if pair[1]])


def public_view(store: Store, county: str, system: str) -> dict[str, Any] | None:
    """What anybody may see of a system today; `None` where there is none such."""
    today = today_in(county)
    program = county_program(store, county, on=today)
    try:
        return dict(system_status(store, program, system, today=today).public_view())
    except RecordNotFound:
        return None
