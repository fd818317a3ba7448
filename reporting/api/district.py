"""A district's year over HTTP: windows, the year at a glance, mailings, requests for another window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, service
from reporting.api.moments import program_today
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import absent
from reporting.api.queries_records import DeferralsQuery, MailingsQuery
from reporting.api.shapes import ref
from reporting.api.telling import tell
from reporting.forms import Form
from reporting.owners import NotTold, Teller, Told
from reporting.service_year.deferrals import file_deferral, list_deferrals
from reporting.service_year.glance import year_at_a_glance
from reporting.service_year.mailings import answer_mailing, correct_mailing, file_mailing, list_mailings
from reporting.store.engine import Store
from reporting.windows import call_off_window, list_windows, set_window
from schemas.acts import ServiceAreas

SECTION: Final = Section("district", __name__, description="Service areas: windows, mailings, deferrals, the year.")
_SIGNED: Final = {201: Answer(tells="Kept; signed for.", schema=ref("Told"))}
_STALE: Final = {409: "It cannot be changed so any more, or the key is in use."}


@SECTION.endpoint(
    "/v1/<slug:county>/windows", answers={200: Answer(tells="The windows that are set.", schema=ref("Windows"))}
)
def list_pumping_windows(query: dict[str, Any], county: str) -> Response:
    """The windows in which service areas are pumped, in order of their first day; none that was called off."""
    with service().database.reading(county) as store:
        rows = list_windows(store)
    return Reply(status=200, body={"county": county, "windows": rows}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/windows", method="POST", once=True, body=json_body(ref("NewWindow")), answers=_SIGNED
)
def set_pumping_window(query: dict[str, Any], county: str) -> Response:
    """Set a window; its notices are written with the next scans, and every system is judged again."""
    return tell(set_window)


@SECTION.endpoint(
    "/v1/<slug:county>/windows/<id:window_id>/calling-off",
    method="POST",
    once=True,
    body=json_body(ref("Nothing")),
    answers=_SIGNED,
)
def call_off_pumping_window(query: dict[str, Any], county: str, window_id: str) -> Response:
    """Take a window back: that it was set stays known, and notices not yet mailed are not mailed."""

    def call_off(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
        form = Form(values=values, today=teller.today)
        form.refuse_unknown(())
        return NotTold(issues=tuple(form.issues)) if form.issues else call_off_window(store, teller, window_id)

    return tell(call_off)


@SECTION.endpoint(
    "/v1/<slug:county>/year/<id:year>", answers={200: Answer(tells="The year.", schema=ref("ServiceYear"))}
)
def show_year(query: dict[str, Any], county: str, year: str) -> Response:
    """A year at a glance: the area served, windows with their last mailing day, letters, deferrals, certificates, fees.

    Only where the county's ordinance has service areas.
    """
    if not re.fullmatch("(19|20|21)[0-9]{2}", year, re.ASCII):
        raise absent()
    with service().database.reading(county) as store:
        program, today = program_today(store)
        if not program.at(today).of(ServiceAreas):
            raise absent()
        body = year_at_a_glance(store, program, int(year), today)
    return Reply(status=200, body=body).response()


@SECTION.endpoint(
    "/v1/<slug:county>/mailings",
    query=MailingsQuery,
    answers={200: Answer(tells="The mailings.", schema=ref("Mailings"))},
)
def list_owner_mailings(query: dict[str, Any], county: str) -> Response:
    """Notices, questionnaires and inquiries mailed, newest first: which are late, and which nobody has answered."""
    with service().database.reading(county) as store:
        program, today = program_today(store)
        rows = list_mailings(store, program, today, query.get("kind", ()), query.get("state", ()))
    return Reply(status=200, body={"county": county, "mailings": rows}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/mailings", method="POST", once=True, body=json_body(ref("NewMailing")), answers=_SIGNED
)
def file_owner_mailing(query: dict[str, Any], county: str) -> Response:
    """File what was mailed by other means than a print run, to one owner or a whole area: its days count from then."""
    return tell(file_mailing)


@SECTION.endpoint(
    "/v1/<slug:county>/mailings/<id:mailing_id>/correction",
    method="POST",
    once=True,
    body=json_body(ref("MailingCorrection")),
    answers=_SIGNED,
    problems=_STALE,
)
def correct_owner_mailing(query: dict[str, Any], county: str, mailing_id: str) -> Response:
    """Correct what was filed wrong of a mailing, and say why; as it was it stays known."""
    return tell(lambda store, teller, values: correct_mailing(store, teller, mailing_id, values))


@SECTION.endpoint(
    "/v1/<slug:county>/mailings/<id:mailing_id>/answer",
    method="POST",
    once=True,
    body=json_body(ref("MailingAnswer")),
    answers=_SIGNED,
    problems=_STALE,
)
def answer_owner_mailing(query: dict[str, Any], county: str, mailing_id: str) -> Response:
    """Note the day on which an owner answered a questionnaire or an inquiry."""
    return tell(lambda store, teller, values: answer_mailing(store, teller, mailing_id, values))


@SECTION.endpoint(
    "/v1/<slug:county>/deferrals",
    query=DeferralsQuery,
    answers={200: Answer(tells="The requests.", schema=ref("Deferrals"))},
)
def list_window_deferrals(query: dict[str, Any], county: str) -> Response:
    """Requests for another window with what was answered, newest first."""
    with service().database.reading(county) as store:
        rows = list_deferrals(store, query.get("year"))
    return Reply(status=200, body={"county": county, "deferrals": rows}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/deferrals",
    method="POST",
    once=True,
    body=json_body(ref("NewDeferral")),
    answers={201: Answer(tells="Kept and answered; signed for.", schema=ref("AnsweredDeferral"))},
)
def file_window_deferral(query: dict[str, Any], county: str) -> Response:
    """A request for another window: granted or refused at once, by the ordinance; the owner is told in writing."""
    return tell(file_deferral)
