"""One report on a page, for the county: what it says, what was found, what was asked of it; placed anew where wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from werkzeug.wrappers import Response as AnyResponse

from reporting.api.moments import county_today
from reporting.api.reports import show_report
from reporting.api.reviews import place_report
from reporting.api.verifications import ask_verification, close_verification
from reporting.web.asking import Told, ask, form_values, go, in_own_county, tell
from reporting.web.desk_words import place_words, render_desk
from reporting.web.rendering import words
from schemas.fields import FIELDS, Type

_CHOICES: Final = frozenset(name for name, one in FIELDS.items() if one.type is Type.CHOICE)
_HIDDEN: Final = ("signature", "inspector_signature")


@in_own_county
def show_one_report(report_id: str) -> AnyResponse:
    """One report as it was sent, and what may be done about it."""
    return _page(report_id, {}, None)


@in_own_county
def ask_about_report(report_id: str) -> AnyResponse:
    """Ask the business to verify something in its report."""
    _there(report_id)
    values = form_values()
    told = tell(ask_verification, {n: v for n, v in values.items() if v}, report_id=report_id)
    return go(f"/desk/reports/{report_id}", "asked") if told.ok else _page(report_id, values, told)


@in_own_county
def close_question(report_id: str) -> AnyResponse:
    """The county is content with what it asked, answered or not."""
    _there(report_id)
    values = form_values()
    told = tell(close_verification, {n: v for n, v in values.items() if v}, report_id=report_id)
    return go(f"/desk/reports/{report_id}", "closed") if told.ok else _page(report_id, values, told)


@in_own_county
def send_report_back(report_id: str) -> AnyResponse:
    """The report is of another system: it waits to be placed again."""
    _there(report_id)
    values = form_values()
    told = tell(place_report, {**values, "decision": "back"}, report_id=report_id)
    if not told.ok:
        return _page(report_id, values, told)
    waiting = told.body["reviews"]
    return go(f"/desk/reviews/{waiting[0]}" if waiting else "/desk/reviews", "sent_back")


def _there(report_id: str) -> None:
    ask(show_report, report_id=report_id)


def _page(report_id: str, values: Mapping[str, Any], told: Told | None) -> AnyResponse:
    report = ask(show_report, report_id=report_id).body
    return render_desk(
        "report_shown",
        status=told.status if told else 200,
        report=report,
        place=place_words(report["content"]),
        facts=[
            (name, words(value) if name in _CHOICES else value)
            for name, value in report["content"].items()
            if value not in (None, "", []) and name not in _HIDDEN
        ],
        asked=report.get("verification"),
        today=county_today(),
        values=values,
        told=told,
    )
