"""Lists of the desk that no endpoint has: reports received, mails with what became of them, questions about reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from notifications.kinds import KINDS
from notifications.outbox import MessageState
from reporting.api.calls import call, next_link, service
from reporting.api.mailing import list_mail_pauses, pause_county_mail, resume_county_mail
from reporting.store.received import Became
from reporting.verifications import STATES
from reporting.web.asking import Listed, Told, ask, form_values, go, in_own_county, next_address, query_of, tell
from reporting.web.desk_lists import LISTS, filters_asked
from reporting.web.desk_views import listed
from reporting.web.desk_words import place_words, render_desk, sentence

MAILS: Final = "/desk/mails"
BECAME: Final[Mapping[str, str]] = {
    Became.KEPT: "in the record",
    Became.LATE: "came late",
    Became.WAITING: "waits to be placed",
    Became.ENDED: "corrected or taken back",
}


@in_own_county
def show_received() -> AnyResponse:
    """Reports as they came in, newest first, with what became of each."""
    found = _read("reports")
    return render_desk(
        "received",
        rows=[{**row, "place": place_words(row)} for row in found.body["rows"]],
        more=found.more,
        asked=filters_asked(),
        listed=listed("reports"),
        states=[(one.value, sentence(words)) for one, words in zip(Became, BECAME.values(), strict=True)],
        became=BECAME,
    )


@in_own_county
def show_questions() -> AnyResponse:
    """What was asked of reports and is not closed; the unanswered ones by the address."""
    found = _read("verifications")
    return render_desk(
        "questions",
        rows=found.body["rows"],
        more=found.more,
        asked=filters_asked(),
        listed=listed("verifications"),
        states=[(one, sentence(one)) for one in STATES],
    )


@in_own_county
def show_mails() -> AnyResponse:
    """Mails, those written last first: to whom, about what, and why one failed."""
    return _mails({}, None)


@in_own_county
def hold_mails() -> AnyResponse:
    """Hold what goes to one address, or all mail."""
    values = form_values()
    told = tell(pause_county_mail, {name: value for name, value in values.items() if value != ""})
    return go(f"{MAILS}#pauses", "held") if told.ok else _mails(values, told)


@in_own_county
def release_mails(pause_id: str) -> AnyResponse:
    """End a pause."""
    told = tell(resume_county_mail, {}, pause_id=pause_id)
    return go(f"{MAILS}#pauses", "let_go") if told.ok else _mails({}, told)


def _mails(values: Mapping[str, Any], told: Told | None) -> AnyResponse:
    found = _read("mails")
    return render_desk(
        "mails",
        status=told.status if told else 200,
        rows=found.body["rows"],
        more=found.more,
        asked=filters_asked(),
        listed=listed("mails"),
        states=[(one.value, sentence(one.value)) for one in MessageState if one is not MessageState.PRINTED],
        kinds=[(kind.value, sentence(about.title)) for kind, about in KINDS.items()],
        pauses=ask(list_mail_pauses).body["pauses"],
        values={"recipient": request.args.get("q", ""), **values},
        told=told,
    )


def _read(path: str) -> Listed:
    """A page of a list as its files have it, for what the address asks."""
    found = LISTS[path]
    query = {**found.usual, **query_of(found.query)}
    turn = found.open(query)
    with service().database.reading(call().tenant) as store:
        page = turn(store, query.get("cursor"), query["limit"])
    return Listed(body={"rows": page.rows}, more=next_address(next_link(page.next_cursor).get("Link", "")))
