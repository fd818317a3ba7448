"""A county's mail, for its staff: how it stands, what it holds back, which addresses get none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from notifications.outbox import MessageState, count_messages, list_messages, oldest_waiting
from notifications.pauses import (
    LONGEST_REASON,
    AlreadyPaused,
    Hand,
    PauseRefused,
    pause_json,
    pause_mail,
    resume_mail,
)
from notifications.records import Channel
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, service
from reporting.api.members import refuse_unknown, text_member
from reporting.api.moments import instant
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, unprocessable
from reporting.api.shapes import ref
from reporting.store import mail
from reporting.store.engine import Store

SECTION: Final = Section("mailing", __name__, description="A county's mail: standing, pauses, addresses.")
_PAUSES: Final = "/v1/<slug:county>/mail-pauses"


@SECTION.endpoint(
    "/v1/<slug:county>/mail",
    answers={200: Answer(tells="Counts, what is held, what failed.", schema=ref("MailStanding"))},
)
def show_mail(query: dict[str, Any], county: str) -> Response:
    """How the county's mail stands: what waits and since when, what is held, failed or may have arrived."""
    with service().database.reading(county) as store:
        oldest = oldest_waiting(store, call().now)
        body = {
            "counts": count_messages(store),
            "held": mail.count_held(store),
            "oldest_waiting": instant(oldest) if oldest else None,
            "failed": _troubles(store, MessageState.FAILED),
            "uncertain": _troubles(store, MessageState.UNCERTAIN),
        }
    return Reply(status=200, body=body).response()


@SECTION.endpoint(_PAUSES, answers={200: Answer(tells="The pauses that hold now.", schema=ref("MailPauses"))})
def list_mail_pauses(query: dict[str, Any], county: str) -> Response:
    """The county's pauses, and how many mails of each kind they hold."""
    with service().database.reading(county) as store:
        body = {"pauses": [pause_json(row) for row in mail.list_pauses(store)], "held": mail.count_held(store)}
    return Reply(status=200, body=body).response()


@SECTION.endpoint(
    _PAUSES,
    method="POST",
    once=True,
    body=json_body(ref("NewMailPause")),
    answers={201: Answer(tells="Held from now on.", schema=ref("MailPause"), headers=("Location",))},
    problems={409: "That is paused already, or the key is in use."},
)
def pause_county_mail(query: dict[str, Any], county: str) -> Response:
    """Hold all mail of the county, a kind, or what goes to one recipient; it stays queued until the pause ends."""
    sent = sent_object()
    body = read_object(sent)
    refuse_unknown(body, "kind", "recipient", "reason")
    reason = text_member(body, "reason", longest=LONGEST_REASON, required=True)
    kind, recipient = text_member(body, "kind"), text_member(body, "recipient", longest=254)

    def work(store: Store) -> Reply:
        made = pause_mail(store, _hand(), reason, kind=kind, recipient=recipient)
        [row] = [row for row in mail.list_pauses(store) if row["id"] == made]
        return Reply(status=201, body=pause_json(row), headers={"Location": f"/v1/{county}/mail-pauses/{made}"})

    try:
        return change(sent, work)
    except AlreadyPaused as paused:
        raise Problem(409, "already-paused", paused.message) from paused
    except PauseRefused as refused:
        raise unprocessable(refused.detail, code="pause-refused") from refused


@SECTION.endpoint(
    f"{_PAUSES}/<id:pause_id>",
    method="DELETE",
    answers={200: Answer(tells="Ended; what it held is judged again and goes.", schema=ref("EndedMailPause"))},
)
def resume_county_mail(query: dict[str, Any], county: str, pause_id: str) -> Response:
    """End a pause."""
    with service().database.transaction(county) as store:
        free = resume_mail(store, _hand(), pause_id)
    return Reply(status=200, body={"id": pause_id, "free": free}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/mail-suppressions",
    answers={200: Answer(tells="Addresses with their reasons.", schema=ref("MailSuppressions"))},
)
def list_mail_suppressions(query: dict[str, Any], county: str) -> Response:
    """Addresses that get no mail of the county (bounce, complaint), or no reminders (unsubscribed)."""
    with service().database.reading(county) as store:
        rows = mail.list_suppressions(store)
    names = ("address", "reason", "detail", "message")
    shown = [
        {**{name: row[name] for name in names}, "kind": row["kind"] or None, "since": instant(row["since"])}
        for row in rows
    ]
    return Reply(status=200, body={"suppressions": shown}).response()


def _hand() -> Hand:
    return Hand(by=call().keyholder.key_id, now=call().now)


def _troubles(store: Store, state: MessageState) -> list[dict[str, Any]]:
    return [_trouble(row) for row in list_messages(store, [state], channel=Channel.MAIL)]


def _trouble(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("id", "kind", "recipient", "system")},
        "reason": row["last_error"],
        "created_at": instant(row["created_at"]),
        "sent_at": instant(row["sent_at"]) if row["sent_at"] else None,
    }
