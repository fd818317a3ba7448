"""Where the link of a reminder leads: a page with a choice, and the one click of mail programs (RFC 8058)."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from notifications.unsubscribe import Asked, Choice, choose, read_path
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, service
from reporting.api.entering import server_secret
from reporting.api.forms import as_pages, form, page, paragraph, wants_page
from reporting.api.members import choice_member
from reporting.api.openapi import Answer, Section, form_body
from reporting.api.problems import absent, unprocessable
from reporting.api.shapes import ref
from schemas.loader import shipped_program

SECTION: Final = Section("unsubscribe", __name__, description="Mail choices, by the link of a reminder.")
ONE_CLICK: Final = "List-Unsubscribe"
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_RULE: Final = "/unsubscribe/<slug:county>/<id:path>"
_LAW: Final = "Notices that the law or an ordinance asks for still come: they cannot be refused."
_DONE: Final = {
    Choice.KIND: "You get no more mails of this kind.",
    Choice.REMINDERS: "You get no more reminders by mail.",
    Choice.AGAIN: "You get reminders by mail again.",
}


@SECTION.endpoint(_RULE, answers={200: Answer(tells="A page.", schema={"type": "string"}, types=("text/html",))})
@as_pages
def show_unsubscribe(query: dict[str, Any], county: str, path: str) -> Response:
    """Where a reminder's link leads: buttons. Looking at it changes nothing, whoever or whatever looks."""
    asked, name, action = _asked(county, path), shipped_program(county).name, f"/unsubscribe/{county}/{path}"
    return page(
        f"Mail from {name}",
        paragraph(f"You get mails about: {asked.title}."),
        form(action, "Stop mails of this kind", hidden={"choice": Choice.KIND}),
        form(action, "Stop all reminders", hidden={"choice": Choice.REMINDERS}),
        form(action, "Send me reminders again", hidden={"choice": Choice.AGAIN}),
        paragraph(_LAW),
    )


@SECTION.endpoint(
    _RULE,
    method="POST",
    body=form_body(ref("MailChoice")),
    answers={
        200: Answer(tells="Done.", schema=ref("MailChosen"), types=("application/json", "text/html")),
    },
    pages=True,
)
@as_pages
def unsubscribe(query: dict[str, Any], county: str, path: str) -> Response:
    """Stop the reminders that the link is of, at once and without a session: the link itself is what allows it."""
    choice = _choice()
    asked = _asked(county, path)
    with service().database.transaction(county) as store:
        choose(store, asked, choice, call().now)
    if wants_page():
        return page("Done", paragraph(_DONE[choice]), paragraph(_LAW))
    return Reply(status=200, body={"choice": str(choice)}).response()


def _asked(county: str, path: str) -> Asked:
    with service().database.reading(county) as store:
        asked = read_path(store, server_secret(), path)
    if asked is None:
        raise absent()
    return asked


def _choice() -> Choice:
    """What was chosen; a mail program's one click stops the kind."""
    if request.mimetype in _FORMS:
        body: dict[str, Any] = dict(request.form.items())
    else:
        body = read_object(sent_object())
    if "choice" in body:
        return Choice(choice_member(body, "choice", list(Choice)))
    if body.get(ONE_CLICK) != "One-Click":
        raise unprocessable("Say what you choose: kind, reminders or again.")
    return Choice.KIND
