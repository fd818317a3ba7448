"""Keys over HTTP: a county's own, and a business's own. A key is shown once, in the answer that makes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response

from reporting.access.entries import log_of
from reporting.access.keys import LONGEST_DAYS, IssuedKey, KeyOrder, end_key, is_live, issue_key, rotate_key
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, own_business, service
from reporting.api.members import count_member, refuse_unknown, text_member
from reporting.api.moments import instant
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, absent, field_error, unprocessable
from reporting.api.shapes import ref
from reporting.errors import KeyNotAllowed, TooManyKeys
from reporting.store.engine import Store
from reporting.store.keys import KEY_LIFE, KeyKind, list_keys
from reporting.store.roles import SCOPES_OF_KEYS, Role, Scope

SECTION: Final = Section("keys", __name__, description="Keys for programs: made, listed, rotated, revoked.")
_COUNTY: Final = "/v1/<slug:county>/keys"
_MINE: Final = "/v1/contractors/me/keys"
_LISTED: Final = {200: Answer(tells="The keys, without their secrets.", schema=ref("Keys"))}
_MADE: Final = {201: Answer(tells="The key, whole, this once.", schema=ref("IssuedKey"))}
_ENDED: Final = {200: Answer(tells="The key, which opens nothing any more.", schema=ref("Key"))}
_NOTHING: Final = json_body({"type": "object", "additionalProperties": False})
_TOO_MANY: Final = {409: "The holder has as many live keys as it may."}


@SECTION.endpoint(_COUNTY, answers=_LISTED)
def list_county_keys(query: dict[str, Any], county: str) -> Response:
    """The county's keys, those that have ended too."""
    return _list(county, None)


@SECTION.endpoint(_COUNTY, method="POST", body=json_body(ref("NewKey")), answers=_MADE, problems=_TOO_MANY)
def create_county_key(query: dict[str, Any], county: str) -> Response:
    """Make a key of the county. It is in no answer but this one; a repeat makes another."""
    return _create(Role.COUNTY, county, None)


@SECTION.endpoint(f"{_COUNTY}/<id:key_id>", method="DELETE", answers=_ENDED)
def revoke_county_key(query: dict[str, Any], county: str, key_id: str) -> Response:
    """End a key of the county at once."""
    return _revoke(key_id, county, None)


@SECTION.endpoint(f"{_COUNTY}/<id:key_id>/rotation", method="POST", body=_NOTHING, answers=_MADE, problems=_TOO_MANY)
def rotate_county_key(query: dict[str, Any], county: str, key_id: str) -> Response:
    """Make the key that takes another's place; the old one ends after seven days."""
    return _rotate(key_id, county, None)


@SECTION.endpoint(_MINE, answers=_LISTED)
def list_my_keys(query: dict[str, Any]) -> Response:
    """The business's keys and feed tokens, those that have ended too."""
    return _list(None, own_business())


@SECTION.endpoint(_MINE, method="POST", body=json_body(ref("NewKey")), answers=_MADE, problems=_TOO_MANY)
def create_my_key(query: dict[str, Any]) -> Response:
    """Make a key of the business, or a token for its calendar feed. It is in no answer but this one."""
    return _create(Role.CONTRACTOR, None, own_business())


@SECTION.endpoint(f"{_MINE}/<id:key_id>", method="DELETE", answers=_ENDED, problems={404: "There is no such key."})
def revoke_my_key(query: dict[str, Any], key_id: str) -> Response:
    """End a key of the business at once."""
    return _revoke(key_id, None, own_business())


@SECTION.endpoint(
    f"{_MINE}/<id:key_id>/rotation",
    method="POST",
    body=_NOTHING,
    answers=_MADE,
    problems={404: "There is no such key.", **_TOO_MANY},
)
def rotate_my_key(query: dict[str, Any], key_id: str) -> Response:
    """Make the key that takes another's place; the old one ends after seven days."""
    return _rotate(key_id, None, own_business())


def _list(county: str | None, business: str | None) -> Response:
    with service().database.reading(None) as store:
        rows = list_keys(store, county=county, contractor_id=business)
    return Reply(status=200, body={"keys": [_shown(row) for row in rows]}).response()


def _create(role: Role, county: str | None, business: str | None) -> Response:
    order = _order(read_object(sent_object()), role, county, business)
    return _made(lambda store: issue_key(store, order, call().keyholder.key_id, call().now), county, business)


def _rotate(key_id: str, county: str | None, business: str | None) -> Response:
    """The same for one that is there: it may no more than who rotates it, as if it were made anew."""
    refuse_unknown(read_object(sent_object()))
    with service().database.reading(None) as store:
        rows = [row for row in list_keys(store, county=county, contractor_id=business) if row["id"] == key_id]
    if not rows or not is_live(rows[0], call().now):
        raise absent()
    [row] = rows
    held = frozenset() if row["kind"] == KeyKind.FEED else frozenset(row["scopes"] or SCOPES_OF_KEYS[Role(row["role"])])
    if not held <= call().keyholder.scopes:
        raise unprocessable("This key may more than you: let somebody rotate it who may as much.")
    return _made(lambda store: rotate_key(store, key_id, call().keyholder.key_id, call().now), county, business)


def _made(make: Callable[[Store], IssuedKey], county: str | None, business: str | None) -> Response:
    try:
        # Not by `change`: what is kept under an Idempotency-Key would be the key itself.
        with service().database.transaction(log_of(county)) as store:
            made = make(store)
    except TooManyKeys as error:
        raise Problem(409, "too-many-keys", error.detail) from error
    except KeyNotAllowed as error:
        raise unprocessable(str(error)) from error
    with service().database.reading(None) as store:
        [row] = [row for row in list_keys(store, county=county, contractor_id=business) if row["id"] == made.id]
    return Reply(status=201, body={**_shown(row), "key": made.key}).response()


def _order(body: Mapping[str, Any], role: Role, county: str | None, business: str | None) -> KeyOrder:
    refuse_unknown(body, "label", "scopes", "days", "kind")
    kind = body.get("kind", KeyKind.API.value)
    kinds = [KeyKind.API.value] if business is None else [one.value for one in KeyKind]
    if kind not in kinds:
        message = f"The kind is one of {', '.join(kinds)}."
        raise unprocessable(message, [field_error("kind", "bad_value", message, kind)])
    if kind == KeyKind.FEED and "scopes" in body:
        message = "Leave out the scopes: a feed's token opens the feed and nothing else."
        raise unprocessable(message, [field_error("scopes", "bad_value", message)])
    return KeyOrder(
        role=role,
        county=county,
        contractor_id=business,
        label=text_member(body, "label", longest=100, required=True),
        scopes=None if kind == KeyKind.FEED else _scopes(body, role),
        days=count_member(body, "days", 1, LONGEST_DAYS, KEY_LIFE.days),
        kind=KeyKind(kind),
    )


def _scopes(body: Mapping[str, Any], role: Role) -> list[Scope]:
    """What the key may: no more than who makes it, so that a key of little use makes none of more."""
    allowed = SCOPES_OF_KEYS[role] & call().keyholder.scopes
    given = body.get("scopes", sorted(allowed))
    words = sorted(str(scope) for scope in allowed)
    if not isinstance(given, list) or not given or any(scope not in words for scope in given):
        message = f"Give a list of these scopes: {', '.join(words)}."
        raise unprocessable(message, [field_error("scopes", "bad_value", message)])
    return [Scope(scope) for scope in given]


def _revoke(key_id: str, county: str | None, business: str | None) -> Response:
    with service().database.transaction(log_of(county)) as store:
        by = call().keyholder.key_id
        if not end_key(store, key_id, by, call().now, county=county, contractor_id=business):
            raise absent()
        [row] = [row for row in list_keys(store, county=county, contractor_id=business) if row["id"] == key_id]
    return Reply(status=200, body=_shown(row)).response()


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "kind": row["kind"],
        "label": row["label"],
        "scopes": row["scopes"],
        "live": is_live(dict(row), call().now),
        "last_used_on": row["last_used_on"],
        **{name: _instant(row[name]) for name in ("created_at", "expires_at", "revoked_at")},
        "created_by": row["created_by"],
    }


def _instant(moment: dt.datetime | None) -> str | None:
    return None if moment is None else instant(moment)
