"""Webhooks over HTTP: a county's own, and a business's own. A secret is shown once, in the answer that makes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from notifications.webhooks import (
    LONGEST_LABEL,
    HookOrder,
    HookRefused,
    IssuedHook,
    add_hook,
    enable_hook,
    queue_test,
    remove_hook,
    rotate_secret,
)
from notifications.webhooks_addresses import LONGEST_URL, read_allowed
from notifications.webhooks_kinds import TEST_KIND, kinds_for
from reporting.access.entries import log_of
from reporting.access.secret import Secret
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, own_business, service
from reporting.api.members import refuse_unknown, text_member
from reporting.api.moments import instant
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, absent, field_error, unprocessable
from reporting.api.shapes import ref
from reporting.store.engine import Store
from reporting.store.hook_deliveries import recent_deliveries
from reporting.store.webhooks import ACTIVE, get_webhook, list_webhooks
from schemas.loader import shipped_slugs

SECTION: Final = Section("webhooks", __name__, description="What a program of yours is told, over HTTPS.")
LOG_LINES: Final = 100
"""Of the newest messages of one webhook."""
_COUNTY: Final = "/v1/<slug:county>/webhooks"
_MINE: Final = "/v1/contractors/me/webhooks"
_ONE: Final = "/<id:webhook_id>"
_LISTED: Final = {200: Answer(tells="The webhooks, without their secrets.", schema=ref("Webhooks"))}
_MADE: Final = {201: Answer(tells="The webhook, with its secret, this once.", schema=ref("IssuedWebhook"))}
_SHOWN: Final = {200: Answer(tells="The webhook as it is now.", schema=ref("Webhook"))}
_QUEUED: Final = {202: Answer(tells="A message was queued; the log tells what comes of it.", schema=ref("WebhookTest"))}
_LOG: Final = {200: Answer(tells="The newest messages first, at most 100.", schema=ref("Deliveries"))}
_OFF: Final = {404: "There is no such webhook.", 409: "It is disabled, or a test waits already."}
_WAITS: Final = ("queued", "sending")
_NONE: Final = {404: "There is no such webhook."}


@SECTION.endpoint(_COUNTY, answers=_LISTED)
def list_county_webhooks(query: dict[str, Any], county: str) -> Response:
    """The county's webhooks, and which kinds of event there are."""
    return _list(county, None)


@SECTION.endpoint(_COUNTY, method="POST", body=json_body(ref("NewWebhook")), answers=_MADE)
def add_county_webhook(query: dict[str, Any], county: str) -> Response:
    """Have a program of the county told of what happens, from now on. A repeat makes another."""
    return _add(county, None)


@SECTION.endpoint(_COUNTY + _ONE, method="DELETE", answers=_SHOWN)
def remove_county_webhook(query: dict[str, Any], county: str, webhook_id: str) -> Response:
    """End it for good; what waits is not sent."""
    return _remove(webhook_id, county, None)


@SECTION.endpoint(f"{_COUNTY}{_ONE}/secret", method="POST", answers=_MADE)
def rotate_county_webhook(query: dict[str, Any], county: str, webhook_id: str) -> Response:
    """Give it a new secret; the one before signs beside it for seven days."""
    return _rotate(webhook_id, county, None)


@SECTION.endpoint(f"{_COUNTY}{_ONE}/test", method="POST", answers=_QUEUED, problems=_OFF)
def test_county_webhook(query: dict[str, Any], county: str, webhook_id: str) -> Response:
    """Send a message that tells nothing."""
    return _test(webhook_id, county, None)


@SECTION.endpoint(f"{_COUNTY}{_ONE}/enable", method="POST", answers=_SHOWN)
def enable_county_webhook(query: dict[str, Any], county: str, webhook_id: str) -> Response:
    """Call it again after it was disabled; what happened meanwhile is not told again."""
    return _enable(webhook_id, county, None)


@SECTION.endpoint(f"{_COUNTY}{_ONE}/deliveries", answers=_LOG)
def list_county_deliveries(query: dict[str, Any], county: str, webhook_id: str) -> Response:
    """What was sent to it, how often, and what it answered."""
    return _log(webhook_id, county, None)


@SECTION.endpoint(_MINE, answers=_LISTED)
def list_my_webhooks(query: dict[str, Any]) -> Response:
    """The business's webhooks, and which kinds of event it may choose from."""
    return _list(None, own_business())


@SECTION.endpoint(_MINE, method="POST", body=json_body(ref("NewWebhook")), answers=_MADE)
def add_my_webhook(query: dict[str, Any]) -> Response:
    """Have a program of the business told of what names it, in whatever county, from now on."""
    return _add(None, own_business())


@SECTION.endpoint(_MINE + _ONE, method="DELETE", answers=_SHOWN, problems=_NONE)
def remove_my_webhook(query: dict[str, Any], webhook_id: str) -> Response:
    """End it for good; what waits is not sent."""
    return _remove(webhook_id, None, own_business())


@SECTION.endpoint(f"{_MINE}{_ONE}/secret", method="POST", answers=_MADE, problems=_NONE)
def rotate_my_webhook(query: dict[str, Any], webhook_id: str) -> Response:
    """Give it a new secret; the one before signs beside it for seven days."""
    return _rotate(webhook_id, None, own_business())


@SECTION.endpoint(f"{_MINE}{_ONE}/test", method="POST", answers=_QUEUED, problems=_OFF)
def test_my_webhook(query: dict[str, Any], webhook_id: str) -> Response:
    """Send a message that tells nothing."""
    return _test(webhook_id, None, own_business())


@SECTION.endpoint(f"{_MINE}{_ONE}/enable", method="POST", answers=_SHOWN, problems=_NONE)
def enable_my_webhook(query: dict[str, Any], webhook_id: str) -> Response:
    """Call it again after it was disabled; what happened meanwhile is not told again."""
    return _enable(webhook_id, None, own_business())


@SECTION.endpoint(f"{_MINE}{_ONE}/deliveries", answers=_LOG, problems=_NONE)
def list_my_deliveries(query: dict[str, Any], webhook_id: str) -> Response:
    """What was sent to it of every county, how often, and what it answered."""
    return _log(webhook_id, None, own_business())


def _list(county: str | None, business: str | None) -> Response:
    with service().database.reading(None) as store:
        rows = list_webhooks(store, county=county, contractor_id=business)
    body = {"webhooks": [_shown(row) for row in rows], "kinds": kinds_for(business=county is None)}
    return Reply(status=200, body=body).response()


def _add(county: str | None, business: str | None) -> Response:
    body = read_object(sent_object())
    refuse_unknown(body, "url", "kinds", "label")
    kinds = body.get("kinds", [])
    if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
        message = f"Give a list of kinds; there are: {', '.join(kinds_for(business=county is None))}."
        raise unprocessable(message, [field_error("kinds", "bad_value", message)])
    order = HookOrder(
        url=text_member(body, "url", longest=LONGEST_URL, required=True),
        county=county,
        contractor_id=business,
        kinds=kinds,
        label=text_member(body, "label", longest=LONGEST_LABEL),
    )
    config, secret = service().config, Secret.of(service().config)
    try:
        # Not by `change`: what is kept under an Idempotency-Key would be the secret itself.
        with service().database.transaction(log_of(county)) as store:
            allow = read_allowed(config.webhook_allow)
            made = add_hook(store, order, secret, allow, call().keyholder.key_id, call().now)
            return _issued(store, made)
    except HookRefused as refused:
        raise unprocessable(refused.detail, [field_error(refused.member, "bad_value", refused.detail)]) from refused


def _issued(store: Store, made: IssuedHook) -> Response:
    row = get_webhook(store, made.id)
    assert row is not None
    return Reply(status=201, body={**_shown(row), "secret": made.secret}).response()


def _own(store: Store, webhook: str, county: str | None, business: str | None) -> Mapping[str, Any]:
    row = get_webhook(store, webhook)
    if row is None or (row["county"], row["contractor_id"]) != (county, business):
        raise absent()
    return row


def _remove(webhook: str, county: str | None, business: str | None) -> Response:
    with service().database.transaction(log_of(county)) as store:
        row = _own(store, webhook, county, business)
        remove_hook(store, row, call().keyholder.key_id, call().now)
    ended = {"state": "disabled", "ended_because": "Removed."}
    return Reply(status=200, body=_shown({**row, **ended})).response()


def _rotate(webhook: str, county: str | None, business: str | None) -> Response:
    with service().database.transaction(log_of(county)) as store:
        row = _own(store, webhook, county, business)
        by, secret = call().keyholder.key_id, Secret.of(service().config)
        return _issued(store, rotate_secret(store, row, secret, by, call().now))


def _enable(webhook: str, county: str | None, business: str | None) -> Response:
    with service().database.transaction(log_of(county)) as store:
        enable_hook(store, _own(store, webhook, county, business), call().keyholder.key_id, call().now)
        row = _own(store, webhook, county, business)
    return Reply(status=200, body=_shown(row)).response()


def _test(webhook: str, county: str | None, business: str | None) -> Response:
    # What is queued stands in some county's queue; a business's test, which tells of none, in the first one's.
    with service().database.transaction(county or shipped_slugs()[0]) as store:
        row = _own(store, webhook, county, business)
        if row["state"] != ACTIVE:
            raise Problem(409, "webhook-disabled", "It is disabled: enable it first.")
        if any(line["kind"] == TEST_KIND and line["state"] in _WAITS for line in recent_deliveries(store, webhook, 9)):
            raise Problem(409, "test-waits", "A test waits already: see the log for what comes of it.")
        made = queue_test(store, row, call().now)
    return Reply(status=202, body={"delivery": made}).response()


def _log(webhook: str, county: str | None, business: str | None) -> Response:
    with service().database.reading(None) as store:
        _own(store, webhook, county, business)
    rows: list[dict[str, Any]] = []
    for slug in [county] if county else shipped_slugs():
        with service().database.reading(slug) as store:
            rows += recent_deliveries(store, webhook, LOG_LINES)
    newest = sorted(rows, key=lambda row: (row["created_at"], row["id"]), reverse=True)[:LOG_LINES]
    return Reply(status=200, body={"deliveries": [_line(row) for row in newest]}).response()


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    former = row["former_ends_at"] if row["former_secret"] and row["former_ends_at"] > call().now else None
    return {
        **{name: row[name] for name in ("id", "url", "label", "kinds", "state", "failures", "last_error")},
        "because": row["ended_because"],
        "former_secret_until": _instant(former),
        **{name: _instant(row[name]) for name in ("created_at", "failing_since", "last_sent_at")},
        "created_by": row["created_by"],
    }


def _line(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("id", "kind", "state", "attempts", "status", "last_error")},
        "county": None if row["kind"] == TEST_KIND else row["county"],
        **{name: _instant(row[name]) for name in ("created_at", "tried_at", "sent_at")},
        "next_at": _instant(row["not_before"]) if row["state"] == "queued" else None,
        "body": row["content"],
    }


def _instant(moment: dt.datetime | None) -> str | None:
    return None if moment is None else instant(moment)
