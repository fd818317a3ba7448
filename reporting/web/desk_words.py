"""Words of the desk's pages: places, names of the API as words, and pages with the county's name on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Response, g, request

from reporting.api.calls import call, service
from reporting.store.persons import Place, list_members
from reporting.web.asking import DONE
from reporting.web.rendering import render, words
from schemas.loader import shipped_program


def render_desk(template: str, *, status: int = 200, **values: Any) -> Response:
    """A page of `templates/desk`, with the county's name, its slug, and what was done just before."""
    county = call().tenant
    name = shipped_program(county).name
    done = request.args.get(DONE, "")
    return render(f"desk/{template}", status=status, county=county, county_name=name, done=done, who=who, **values)


def who(by: str | None) -> str:
    """The name of the colleague under whose id something was entered, now or once of the county; else the id."""
    if "desk_names" not in g:
        with service().database.reading(None) as store:
            rows = list_members(store, Place(county=call().tenant), ended=True)
        g.desk_names = {row["person"]: row["name"] for row in rows}
    return str(g.desk_names.get(by, by or ""))


def sentence(name: object) -> str:
    """A name of the API as the beginning of a sentence; `opened_on` → `Opened`."""
    return words(str(name).removesuffix("_on")).capitalize()


def place_words(row: Mapping[str, Any]) -> str:
    """Which place this is, by what of it is on file."""
    permit, address = row.get("permit_number"), row.get("site_address")
    named = f"permit {permit}" if permit else f"parcel {row['parcel_number']}" if row.get("parcel_number") else ""
    return ", ".join(part for part in (named, address) if part) or "a place without number or address"


def web_query(**values: str | None) -> str:
    """Parameters of an address."""
    return urlencode({name: value for name, value in values.items() if value})
