"""Keys for programs on pages: a county's own and a business's own; made, shown once, followed by another, ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.access.keys import LONGEST_DAYS
from reporting.api import keys
from reporting.api.calls import call
from reporting.store.keys import KEY_LIFE
from reporting.store.roles import SCOPES_OF_KEYS, Role
from reporting.web.asking import DONE, Told, ask, form_values, go, in_own_county, tell, without_county
from reporting.web.desk_users import SCOPE_WORDS
from reporting.web.desk_words import render_desk
from reporting.web.rendering import render

View = Callable[..., Response]


@dataclass(frozen=True, kw_only=True)
class Ring:
    """Whose keys a page is about: where it stands, the endpoints that it asks, the most that a key of it may."""

    path: str
    keys: View
    create: View
    rotate: View
    revoke: View
    role: Role


COUNTY: Final = Ring(
    path="/desk/keys",
    keys=keys.list_county_keys,
    create=keys.create_county_key,
    rotate=keys.rotate_county_key,
    revoke=keys.revoke_county_key,
    role=Role.COUNTY,
)
BUSINESS: Final = Ring(
    path="/office/keys",
    keys=without_county(keys.list_my_keys),
    create=without_county(keys.create_my_key),
    rotate=without_county(keys.rotate_my_key),
    revoke=without_county(keys.revoke_my_key),
    role=Role.CONTRACTOR,
)


@in_own_county
def show_keys() -> AnyResponse:
    """The county's keys, and the form to make one."""
    return _page(COUNTY, {}, None)


@in_own_county
def make_key() -> AnyResponse:
    """Make a key of the county; it is on this page and on no other."""
    return _make(COUNTY)


@in_own_county
def rotate_one_key(key_id: str) -> AnyResponse:
    """Make the key that takes another's place; it is on this page and on no other."""
    return _rotate(COUNTY, key_id)


@in_own_county
def end_one_key(key_id: str) -> AnyResponse:
    """End a key of the county at once."""
    return _end(COUNTY, key_id)


def show_my_keys() -> AnyResponse:
    """The business's keys, for its office."""
    return _page(BUSINESS, {}, None)


def make_my_key() -> AnyResponse:
    """Make a key of the business; it is on this page and on no other."""
    return _make(BUSINESS)


def rotate_my_own_key(key_id: str) -> AnyResponse:
    """Make the key that takes another's place; it is on this page and on no other."""
    return _rotate(BUSINESS, key_id)


def end_my_key(key_id: str) -> AnyResponse:
    """End a key of the business at once."""
    return _end(BUSINESS, key_id)


def _make(of: Ring) -> AnyResponse:
    values = form_values()
    days = str(values.get("days", "")).strip()
    body: dict[str, Any] = {"label": values.get("label", "")}
    if days:
        body["days"] = int(days) if days.isascii() and days.isdecimal() and len(days) < 6 else days
    scopes = request.form.getlist("scopes")
    if scopes:
        body["scopes"] = scopes
    told = tell(of.create, body)
    return _page(of, {} if told.ok else {**values, "scopes": scopes}, told)


def _rotate(of: Ring, key_id: str) -> AnyResponse:
    return _page(of, {}, tell(of.rotate, {}, key_id=key_id))


def _end(of: Ring, key_id: str) -> AnyResponse:
    told = tell(of.revoke, {}, key_id=key_id)
    return go(of.path, "key_ended") if told.ok else _page(of, {}, told)


def _page(of: Ring, values: Mapping[str, Any], told: Told | None) -> Response:
    """The list; with a key that was just made, whole, this once."""
    rows = ask(of.keys).body["keys"]
    made = told.body if told and told.ok and "key" in told.body else None
    shared: dict[str, Any] = {
        "of": of,
        "status": told.status if told and not told.ok else 200,
        "live": [row for row in rows if row["live"]],
        "ended": [row for row in reversed(rows) if not row["live"]],
        "made": made,
        "scopes": sorted(str(scope) for scope in SCOPES_OF_KEYS[of.role] & call().keyholder.scopes),
        "scope_words": SCOPE_WORDS,
        "usual": KEY_LIFE.days,
        "longest": LONGEST_DAYS,
        "values": values,
        "told": told,
    }
    if of.role is Role.COUNTY:
        return render_desk("keys", **shared)
    return render("desk/keys", done=request.args.get(DONE, ""), who=str, county_name="", **shared)
