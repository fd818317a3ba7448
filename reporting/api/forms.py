"""Small pages with a form: plain HTML that works without script, with a keyboard alone and in every reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from html import escape
from typing import Any, Final

from flask import Response, current_app, request

from reporting.api.bodies import read_object, sent_object
from reporting.api.problems import Problem

_FORM: Final = "application/x-www-form-urlencoded"
FRAME: Final = "pumper-frame"
"""The extension that puts a title and HTML into the frame of all pages; `reporting.web` gives it."""
View = Callable[..., Response]
Frame = Callable[[str, str, int], Response]


def wants_page() -> bool:
    """Whether a person's browser asks: by the form that it sent, else by what it takes."""
    if request.mimetype == _FORM:
        return True
    kinds = ("application/json", "text/html")
    return request.accept_mimetypes.best_match(kinds, default=kinds[0]) == "text/html"


def form_or_object() -> dict[str, Any]:
    """What a form or a JSON object says; of a form without the empty fields."""
    if request.mimetype != _FORM:
        return read_object(sent_object())
    return {name: values[0] for name, values in request.form.lists() if len(values) == 1 and values[0] != ""}


def page(title: str, *parts: str, status: int = 200) -> Response:
    """A whole page. `parts` are HTML, with everything from outside escaped."""
    frame: Frame = current_app.extensions[FRAME]
    return frame(title, "".join([f"<h1>{escape(title)}</h1>", *parts]), status)


def as_pages(view: View) -> View:
    """Let an endpoint tell its problems on a page where a person's browser asks."""

    @wraps(view)
    def shown(*args: Any, **values: Any) -> Response:
        try:
            response = view(*args, **values)
        except Problem as problem:
            if not wants_page():
                raise
            response = problem_page(problem)
        response.headers["Cache-Control"] = "no-store"
        return response

    return shown


def problem_page(problem: Problem) -> Response:
    """What is wrong, at the top, and each field's trouble in a list."""
    told = [str(error["message"]) for error in problem.errors]
    listed = "".join(f"<li>{escape(text)}</li>" for text in told if text != problem.detail)
    more = f"<ul>{listed}</ul>" if listed else ""
    alert = f'<div class="alert alert-error" role="alert"><p>{escape(problem.detail)}</p>{more}'
    back = paragraph("Go back with your browser's back button and try again.")
    response = page("That did not work", f"{alert}</div>", back, status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def form(action: str, button: str, *fields: str, hidden: Mapping[str, str] | None = None) -> str:
    """A form that POSTs to an address of ours."""
    kept = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in (hidden or {}).items()
    )
    return (
        f'<form class="usa-form" method="post" action="{escape(action)}">{kept}{"".join(fields)}'
        f'<button class="usa-button" type="submit">{escape(button)}</button></form>'
    )


def field(name: str, label: str, kind: str = "text", *, complete: str = "off", hint: str = "", place: str = "") -> str:
    """A labelled field that must be filled in.

    complete: what the browser may fill in (HTML autocomplete). place: tells it from one of the same name on the page.
    """
    own = place + name
    told = f'<span class="usa-hint" id="{own}-hint">{escape(hint)}</span>' if hint else ""
    described = f' aria-describedby="{own}-hint"' if hint else ""
    return (
        f'<label class="usa-label" for="{own}">{escape(label)}</label>{told}'
        f'<input class="usa-input" id="{own}" name="{name}" type="{kind}" autocomplete="{complete}"'
        f" required{described}>"
    )


def choice(name: str, legend: str, options: Sequence[tuple[str, str]]) -> str:
    """One of several, each with its words."""
    listed = "".join(
        f'<div><label><input type="radio" name="{name}" value="{escape(value)}" required> {escape(words)}</label></div>'
        for value, words in options
    )
    return f"<fieldset><legend>{escape(legend)}</legend>{listed}</fieldset>"


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"
