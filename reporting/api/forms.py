"""Small pages with a form: plain HTML that works without script, with a keyboard alone and in every reader."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from html import escape
from typing import Any, Final

from flask import Response, request

from reporting.api.bodies import read_object, sent_object
from reporting.api.problems import Problem

_FORM: Final = "application/x-www-form-urlencoded"
_STYLE: Final = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 40rem; padding: 1rem; color: #1b1b1b }
label, .hint { display: block } label { font-weight: bold; margin-top: 1rem } .hint { color: #565c65 }
input[type=text], input[type=email], input[type=password] { box-sizing: border-box; font: inherit; max-width: 100%;
padding: .5rem; width: 30rem; border: 1px solid #565c65 }
button { font: inherit; font-weight: bold; margin-top: 1.5rem; padding: .75rem 1.25rem; color: #fff; border: 0;
background: #005ea2; border-radius: .25rem; cursor: pointer }
:focus { outline: .25rem solid #2491ff; outline-offset: 0 } a { color: #005ea2 }
.alert { border-left: .5rem solid #b50909; padding: .5rem 1rem; background: #f4e3db }
code { overflow-wrap: anywhere }
"""
_HASH: Final = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
View = Callable[..., Response]


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
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>\n"
    )
    response = Response(text, status, mimetype="text/html")
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Cache-Control"] = "no-store"
    return response


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
    alert = f'<div class="alert" role="alert"><p>{escape(problem.detail)}</p>{f"<ul>{listed}</ul>" if listed else ""}'
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
        f'<form method="post" action="{escape(action)}">{kept}{"".join(fields)}'
        f'<button type="submit">{escape(button)}</button></form>'
    )


def field(name: str, label: str, kind: str = "text", *, complete: str = "off", hint: str = "", place: str = "") -> str:
    """A labelled field that must be filled in.

    complete: what the browser may fill in (HTML autocomplete). place: tells it from one of the same name on the page.
    """
    own = place + name
    told = f'<span class="hint" id="{own}-hint">{escape(hint)}</span>' if hint else ""
    described = f' aria-describedby="{own}-hint"' if hint else ""
    return (
        f'<label for="{own}">{escape(label)}</label>{told}'
        f'<input id="{own}" name="{name}" type="{kind}" autocomplete="{complete}" required{described}>'
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
