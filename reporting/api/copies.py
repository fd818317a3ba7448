"""A report's copy of record, as a page and as plain text."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape
from typing import Any, Final

from flask import Response

from reporting.api.calls import call, own, service
from reporting.api.moments import program_today
from reporting.api.openapi import Answer, Section
from reporting.api.pages import STYLE
from reporting.copies import TITLE, Copy, Part, copy_of_record
from reporting.store.facts import load_events

SECTION: Final = Section("copies", __name__, description="Copies of record, for people.")
_STYLE_HASH: Final = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/copy",
    answers={200: Answer(tells="A page.", schema={"type": "string"}, types=("text/html",))},
)
def copy_page(query: dict[str, Any], county: str, report_id: str) -> Response:
    """The copy of record: what was sent, what was understood, who answers for it, receipt and checkpoint."""
    response = Response(_page(_copy(county, report_id)), mimetype="text/html")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/copy.txt",
    answers={200: Answer(tells="Plain text.", schema={"type": "string"}, types=("text/plain",))},
)
def copy_text(query: dict[str, Any], county: str, report_id: str) -> Response:
    """The copy of record as plain text, to print or to file."""
    response = Response(_copy(county, report_id).as_text(), mimetype="text/plain")
    response.headers["Content-Disposition"] = f'attachment; filename="{report_id}.txt"'
    return response


def _copy(county: str, report_id: str) -> Copy:
    with service().database.reading(county) as store:
        own(load_events(store, [report_id]).get(report_id))
        program, _today = program_today(store)
        return copy_of_record(store, program, report_id, call().now)


def _page(copy: Copy) -> str:
    title = escape(f"Copy of record: {copy.heading}")
    body = "\n".join(_part(part) for part in copy.parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<p><strong>{TITLE}</strong></p>\n"
        f"<h1>{escape(copy.heading)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _part(part: Part) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>\n" for name, value in part.values)
    values = f"<dl>\n{rows}</dl>\n" if rows else ""
    lines = f"<pre>{escape(chr(10).join(part.lines))}</pre>\n" if part.lines else ""
    return f"<section>\n<h2>{escape(part.title)}</h2>\n{values}{lines}</section>"
