"""The shapes of webhooks and their logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from notifications.webhooks_kinds import KINDS, TEST_KIND
from reporting.api.shapes import COUNT, INSTANT, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict

_MAYBE_INSTANT: Final = {"type": ["string", "null"], "format": "date-time"}
_KINDS: Final = {"enum": [kind.name for kind in KINDS]}
_HOOK: Final[dict[str, Json]] = {
    "id": TEXT,
    "url": TEXT,
    "label": TEXT,
    "kinds": {**list_of(_KINDS), "description": "Empty: all that you may have."},
    "state": {"enum": ["active", "disabled"]},
    "because": {**MAYBE_TEXT, "description": "Why it was disabled."},
    "failures": {**COUNT, "description": "In a row, since the last message that was taken."},
    "failing_since": _MAYBE_INSTANT,
    "last_sent_at": _MAYBE_INSTANT,
    "last_error": MAYBE_TEXT,
    "former_secret_until": {**_MAYBE_INSTANT, "description": "Until then two secrets sign."},
    "created_at": INSTANT,
    "created_by": TEXT,
}
_SECRET: Final = {**TEXT, "description": "`whsec_…`, shown this once."}

WEBHOOK_SCHEMAS: Final[Mapping[str, Json]] = {
    "NewWebhook": strict(
        "url",
        url={**TEXT, "minLength": 1, "maxLength": 2000, "description": "An https address on port 443, by name."},
        kinds={**list_of(_KINDS), "description": "Which kinds of event; by default all that you may have."},
        label={**TEXT, "maxLength": 100},
    ),
    "Webhook": an_object("id url kinds state", **_HOOK),
    "IssuedWebhook": an_object("id url kinds state secret", **_HOOK, secret=_SECRET),
    "Webhooks": an_object(
        "webhooks kinds",
        webhooks=list_of(ref("Webhook")),
        kinds={**list_of(_KINDS), "description": "The kinds that you may choose from."},
    ),
    "WebhookTest": an_object("delivery", delivery={**TEXT, "description": "Its id, which stands in the log."}),
    "Deliveries": an_object("deliveries", deliveries=list_of(ref("Delivery"))),
    "Delivery": an_object(
        "id kind state attempts created_at",
        id={**TEXT, "description": "The message's `webhook-id`."},
        kind={"enum": [*_KINDS["enum"], TEST_KIND]},
        county=MAYBE_TEXT,
        state={"enum": ["queued", "sending", "sent", "failed", "cancelled"]},
        attempts=COUNT,
        status={"type": ["integer", "null"], "description": "Of the receiver's last answer."},
        last_error=MAYBE_TEXT,
        created_at=INSTANT,
        next_at={**_MAYBE_INSTANT, "description": "When it goes again at the earliest."},
        tried_at=_MAYBE_INSTANT,
        sent_at=_MAYBE_INSTANT,
        body={"type": "object", "description": "What is sent."},
    ),
}
