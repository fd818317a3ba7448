"""Webhooks as their holders have them: added, tested, given a new secret, enabled, removed; each step in a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from notifications.webhooks_addresses import AddressRefused, Origin, read_address
from notifications.webhooks_kinds import TEST_KIND, body_of, kinds_for
from notifications.webhooks_signing import new_secret
from reporting.access.entries import log_of, note
from reporting.access.secret import Secret
from reporting.errors import PumperError
from reporting.ids import new_id
from reporting.store.engine import Store
from reporting.store.hook_deliveries import add_deliveries
from reporting.store.webhooks import (
    ACTIVE,
    REMOVED,
    change_webhook,
    hold_holder,
    insert_webhook,
    list_webhooks,
)

MOST: Final = 10
"""Subscriptions of one holder."""
OVERLAP: Final = timedelta(days=7)
"""How long a former secret signs beside the new one."""
LONGEST_LABEL: Final = 100
_PURPOSE: Final = "webhook"


class HookRefused(PumperError):
    """The webhook cannot be kept."""

    def __init__(self, member: str, detail: str) -> None:
        super().__init__(detail)
        self.member = member


@dataclass(frozen=True, kw_only=True)
class HookOrder:
    """A subscription as it is wanted, of a county or of a business. kinds: none for all that the holder may have."""

    url: str
    county: str | None = None
    contractor_id: str | None = None
    kinds: Sequence[str] = ()
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class IssuedHook:
    """A subscription just made, or its new secret: `secret` is shown this once."""

    id: str
    secret: str = field(repr=False)


def add_hook(
    store: Store, order: HookOrder, secret: Secret, allow: frozenset[Origin], by: str, now: datetime
) -> IssuedHook:
    """Keep a subscription, in a transaction of `log_of(order.county)`. Raises `HookRefused` that names the member."""
    _check(order, allow)
    hold_holder(store, order.county, order.contractor_id)
    there = list_webhooks(store, county=order.county, contractor_id=order.contractor_id)
    if len(there) >= MOST:
        raise HookRefused("url", f"There are {MOST} webhooks already: remove those that are no longer used.")
    made, signing = new_id("whk", now), new_secret()
    row = {
        "id": made,
        "county": order.county,
        "contractor_id": order.contractor_id,
        "url": order.url,
        "label": order.label,
        "kinds": sorted(set(order.kinds)),
        "state": ACTIVE,
        "secret": seal(secret, made, signing),
        "created_at": now,
        "created_by": by,
    }
    insert_webhook(store, row)
    _note(store, "webhook_added", row, by, now, {"url": order.url, "label": order.label})
    return IssuedHook(id=made, secret=signing)


def _check(order: HookOrder, allow: frozenset[Origin]) -> None:
    try:
        read_address(order.url, allow)
    except AddressRefused as refused:
        raise HookRefused("url", str(refused)) from refused
    known = kinds_for(business=order.county is None)
    wrong = [str(kind)[:60] for kind in order.kinds if kind not in known]
    if wrong:
        raise HookRefused("kinds", f"{wrong[0]!r} is none of the kinds; there are: {', '.join(known)}.")
    if len(order.label) > LONGEST_LABEL or not order.label.isprintable():
        raise HookRefused("label", f"A label is a text of at most {LONGEST_LABEL} characters in one line.")


def rotate_secret(
    store: Store, hook: Mapping[str, Any], secret: Secret, by: str, now: datetime, overlap: timedelta = OVERLAP
) -> IssuedHook:
    """Give a subscription a new secret; the one before signs beside it for the overlap, and none older."""
    made = new_secret()
    values = {
        "secret": seal(secret, hook["id"], made),
        "former_secret": hook["secret"],
        "former_ends_at": now + overlap,
    }
    change_webhook(store, hook["id"], **values)
    _note(store, "webhook_secret_rotated", hook, by, now)
    return IssuedHook(id=hook["id"], secret=made)


def enable_hook(store: Store, hook: Mapping[str, Any], by: str, now: datetime) -> None:
    """Call a receiver again from now on; what happened while it was disabled is not told again."""
    since = {"failures": 0, "failing_since": None, "rest_until": None, "busy_until": None}
    change_webhook(store, hook["id"], state=ACTIVE, ended_at=None, ended_because=None, **since)
    _note(store, "webhook_enabled", hook, by, now)


def remove_hook(store: Store, hook: Mapping[str, Any], by: str, now: datetime) -> None:
    """End a subscription for good; its secrets are destroyed, and what waits for it is not sent."""
    values = {"state": REMOVED, "ended_at": now, "ended_because": "Removed.", "secret": b"", "former_secret": None}
    change_webhook(store, hook["id"], **values)
    _note(store, "webhook_removed", hook, by, now)


def queue_test(store: Store, hook: Mapping[str, Any], now: datetime) -> str:
    """Queue a message that tells nothing, in a transaction of some county; gives its id."""
    made = new_id("dlv", now)
    body = body_of(TEST_KIND, now, {"webhook": hook["id"]})
    row = {"id": made, "webhook": hook["id"], "source": f"{TEST_KIND}:{made}", "kind": TEST_KIND, "content": body}
    add_deliveries(store, [row], now)
    return made


def seal(secret: Secret, hook: str, signing: str) -> bytes:
    """A signing secret as it is kept: it must be read again, so it is encrypted and not hashed."""
    return secret.seal(f"{_PURPOSE} {hook}", signing.encode())


def live_secrets(secret: Secret, hook: Mapping[str, Any], now: datetime) -> list[str]:
    """The secrets that sign now, the newest first; none where the service's own secret has changed since."""
    kept = [hook["secret"]]
    if hook["former_secret"] is not None and hook["former_ends_at"] > now:
        kept.append(hook["former_secret"])
    opened = [secret.unseal(f"{_PURPOSE} {hook['id']}", sealed) for sealed in kept]
    return [one.decode() for one in opened if one is not None]


def _note(
    store: Store, kind: str, hook: Mapping[str, Any], by: str, now: datetime, words: Mapping[str, Any] | None = None
) -> None:
    if store.tenant != log_of(hook["county"]):
        raise RuntimeError(f"a webhook of {hook['county'] or 'no county'} in a transaction of {store.tenant}")
    content = {"webhook": hook["id"], "contractor_id": hook["contractor_id"], "by": by}
    note(store, kind, content, now, words)
