"""Saved views: the filters of a list under a name, seen by all of the county's staff above that list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from flask import redirect
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.problems import Problem, absent
from reporting.ids import new_id
from reporting.store.roles import Scope
from reporting.store.saved_views import add_view, count_views, drop_view, get_view, list_views
from reporting.web.asking import DONE, Told, form_values, in_own_county, may
from reporting.web.desk_lists import LISTS, NO_FILTERS, filters_query
from reporting.web.desk_words import render_desk

LONGEST: Final = 60
MOST: Final = 200


def views_of(path: str) -> list[dict[str, Any]]:
    """The saved views of a list, each with its address and whether the caller may take it away."""
    with service().database.reading(call().tenant) as store:
        rows = list_views(store, path)
    return [{**row, "href": _address(row, row["query"]), "mine": _may_drop(row)} for row in rows]


def listed(path: str) -> dict[str, Any]:
    """What a page of a list shows beside it: its saved views, and the addresses of its files."""
    found = LISTS[path]
    return {"path": path, "query": filters_query(), "placed": found.placed, "views": views_of(path)}


@in_own_county
def save_view() -> AnyResponse:
    """Keep the filters of a list under a name."""
    values = form_values()
    if values.get("of_list") not in LISTS:
        raise absent()
    query = _filters(str(values["of_list"]), str(values.get("query", "")))
    name = " ".join(str(values.get("name", "")).split())
    problem = _problem(name, query)
    if not problem and query is not None:
        row = {"id": new_id("view", call().now), "of_list": values["of_list"], "name": name, "query": query}
        with service().database.transaction(call().tenant) as store:
            if count_views(store) >= MOST:
                problem = f"The county has {MOST} saved views: take one away first."
            elif not add_view(store, {**row, "saved_at": call().now, "saved_by": call().keyholder.key_id}):
                problem = "This list has a view of that name: choose another."
    if problem:
        told = Told(status=422, summary="The view was not saved.", errors={"name": problem})
        found = LISTS[str(values["of_list"])]
        return render_desk("view", status=422, told=told, values=values, title=found.title, of_list=found.path)
    return redirect(_address(values, urlencode([*parse_qsl(query or ""), (DONE, "saved")])), 303)


@in_own_county
def remove_view(view_id: str) -> AnyResponse:
    """Take a view away: whoever saved it, and whoever may change the county's settings."""
    with service().database.transaction(call().tenant) as store:
        row = get_view(store, view_id)
        if row is None:
            raise absent()
        if not _may_drop(row):
            raise Problem(403, "forbidden", "A colleague has saved this view: only they or a manager take it away.")
        drop_view(store, view_id)
    return redirect(_address(row, urlencode({DONE: "removed"})), 303)


def _may_drop(row: Mapping[str, Any]) -> bool:
    return row["saved_by"] == call().keyholder.key_id or may(Scope.SETTINGS_WRITE)


def _address(row: Mapping[str, Any], query: str) -> str:
    return f"/desk/{row['of_list']}" + (f"?{query}" if query else "")


def _problem(name: str, query: str | None) -> str:
    if not name or len(name) > LONGEST or not name.isprintable():
        return f"Give the view a name of 1 to {LONGEST} characters."
    return "These filters cannot be used: set them anew." if query is None else ""


def _filters(path: str, text: str) -> str | None:
    """The filters as they stand in the list's address; `None` where the list would not take them."""
    values = {name: value for name, value in parse_qsl(text) if name not in NO_FILTERS}
    schema = LISTS[path].query()
    return urlencode(values) if len(text) < 2_000 and not schema.validate(values) else None
