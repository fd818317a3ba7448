"""The shapes of a county's mail: how it stands, pauses, addresses that get none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.shapes import COUNT, INSTANT, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict

_COUNTS: Final[Json] = {"type": "object", "additionalProperties": COUNT}
_MAYBE_INSTANT: Final[Json] = {**MAYBE_TEXT, "format": "date-time"}

MAIL: Final[Mapping[str, Json]] = {
    "MailStanding": an_object(
        "counts held oldest_waiting failed uncertain",
        counts={**_COUNTS, "description": "Mails by state."},
        held={**_COUNTS, "description": "Mails that a pause holds, by kind; notices of law too."},
        oldest_waiting={**_MAYBE_INSTANT, "description": "Since when the oldest that is due waits, pauses apart."},
        failed={**list_of(ref("FailedMail")), "description": "The newest hundred that did not arrive, or bounced."},
        uncertain={**list_of(ref("FailedMail")), "description": "Those that may have arrived; they go again."},
    ),
    "FailedMail": an_object(
        "id kind recipient reason created_at",
        id=TEXT,
        kind=TEXT,
        recipient=TEXT,
        system=MAYBE_TEXT,
        reason=MAYBE_TEXT,
        created_at=INSTANT,
        sent_at=_MAYBE_INSTANT,
    ),
    "NewMailPause": strict(
        "reason",
        kind={**TEXT, "description": "Only this kind of notice; left out: all."},
        recipient={**TEXT, "description": "Only this mail address; left out: everybody."},
        reason={**TEXT, "minLength": 1, "maxLength": 500, "description": "Goes into the record."},
    ),
    "MailPause": an_object(
        "id kind recipient reason created_at created_by",
        id=TEXT,
        kind={**MAYBE_TEXT, "description": "Null: every kind."},
        recipient={**MAYBE_TEXT, "description": "Null: everybody."},
        reason=TEXT,
        created_at=INSTANT,
        created_by=TEXT,
        ended_at=_MAYBE_INSTANT,
        ended_by=MAYBE_TEXT,
        end_reason=MAYBE_TEXT,
    ),
    "MailPauses": an_object("pauses held", pauses=list_of(ref("MailPause")), held=_COUNTS),
    "EndedMailPause": an_object("id free", id=TEXT, free={**COUNT, "description": "How many mails may go now."}),
    "MailSuppressions": an_object("suppressions", suppressions=list_of(ref("MailSuppression"))),
    "MailSuppression": an_object(
        "address reason since",
        address=TEXT,
        reason={"enum": ["bounce", "complaint", "unsubscribed"]},
        kind={**MAYBE_TEXT, "description": "Of `unsubscribed`: the one kind; null: all reminders."},
        since=INSTANT,
        detail=MAYBE_TEXT,
        message=MAYBE_TEXT,
    ),
    "MailChoice": an_object(
        "",
        choice={"enum": ["kind", "reminders", "again"], "description": "Left out: `kind`, as one click has it."},
        **{"List-Unsubscribe": {"const": "One-Click", "description": "RFC 8058: what mail programs send."}},
    ),
    "MailChosen": an_object("choice", choice={"enum": ["kind", "reminders", "again"]}),
}
