"""For a business: what became of what it sent, its reports, and how one is corrected or taken back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.bodies import Sent
from reporting.api.calls import own_business, service
from reporting.api.once import change_once
from reporting.api.problems import absent
from reporting.api.reports import amending, seen_report, voiding
from reporting.api.submissions import seen_submission
from reporting.intake.accept import Upload
from reporting.intake.reading import keepable
from reporting.store.derived import findings_of
from reporting.store.engine import Store
from reporting.store.reviews import open_reviews, standing_versions
from reporting.store.services import reports_before
from reporting.store.verifications import verifications_of
from reporting.verifications import REQUESTED
from reporting.web.hauler_chosen import Errors, errors_of, said, summary_of
from reporting.web.hauler_fields import plain_controls, seen_values, shown_value
from reporting.web.rendering import county_names, render
from schemas.fields import FIELDS
from schemas.loader import shipped_slugs

PAGE: Final = 50
_OUTCOMES: Final = 100
_LONGEST: Final = 2_000
_ID: Final = re.compile(r"rep_[0-9a-z]{1,40}", re.ASCII)
_STATES: Final = {
    "stands": "stands",
    "waiting": "waits for the county to look at it",
    "replaced": "was corrected by a later one",
    "void": "was taken back",
    "verification_requested": "the county asks you to confirm it",
}


def show_sent(county: str, submission_id: str) -> Response:
    """What became of one report or of a file: what was kept, its receipt, what was found of it."""
    query = {"limit": _OUTCOMES, "cursor": request.args.get("cursor") or None}
    with service().database.reading(county) as store:
        body, cursor = seen_submission(store, submission_id, query)
    one = body["outcomes"][0] if body["rows"] == 1 and body["outcomes"] and not body["file_name"] else None
    working = body["status"] in ("waiting", "working")
    if one is not None and one["report_id"] is None:
        one = None
    template = "hauler/sent" if one else "hauler/sent_file"
    return render(template, county=county, sent=body, one=one, cursor=cursor, working=working)


def my_reports() -> Response:
    """The business's reports in all counties, newest first."""
    before = request.args.get("before") or None
    county = request.args.get("county", "")
    unknown = set(request.args) - {"before", "county"}
    if unknown or (county and county not in shipped_slugs()) or (before and not _ID.fullmatch(before)):
        raise absent()
    rows: list[dict[str, Any]] = []
    for slug in [county] if county else shipped_slugs():
        with service().database.reading(slug) as store:
            found = reports_before(store, own_business(), before, PAGE + 1)
            rows += _with_states(store, slug, found)
    rows.sort(key=lambda row: str(row["id"]), reverse=True)
    more = rows[PAGE - 1]["id"] if len(rows) > PAGE else None
    return render("hauler/reports", rows=rows[:PAGE], more=more, county=county, names=county_names(), first=not before)


def my_report(county: str, report_id: str) -> Response:
    """One report: all that it says, how it stands, its receipt; with the means to correct it or to take it back."""
    return _report(county, report_id, {})


def show_amend(county: str, report_id: str) -> Response:
    """The report's fields, to be corrected."""
    with service().database.reading(county) as store:
        body = seen_report(store, report_id)
    values = {name: shown_value(name, value) for name, value in body["content"].items() if name in FIELDS}
    return _amend(county, body, values, {})


def take_amend(county: str, report_id: str) -> AnyResponse:
    """What was changed goes the way of `POST …/amendments`; the corrected report takes the first one's place."""
    with service().database.reading(county) as store:
        body = seen_report(store, report_id)
    before = {name: shown_value(name, value) for name, value in body["content"].items() if name in FIELDS}
    given = {name: _text(name) for name in FIELDS if name in request.form}
    changes = {name: text or None for name, text in given.items() if text != before.get(name, "")}
    errors = _reason_errors()
    if not changes:
        message = "Nothing was changed: change what is wrong, or leave the report as it is."
        errors[""] = [said(message)]
    if not errors:
        reply, _headers = change_once(_sent(), amending(report_id, changes, _text("reason")), None)
        errors = errors_of(reply.body.get("errors", ())) if reply.status >= 400 else {}
        if reply.status < 400:
            return redirect(f"/reports/{county}/{reply.body['id']}", 303)
    return _amend(county, body, {**before, **given}, errors)


def take_void(county: str, report_id: str) -> AnyResponse:
    """The report is taken back as `POST …/void` does, once it is confirmed."""
    with service().database.reading(county) as store:
        seen_report(store, report_id)
    errors = _reason_errors()
    if request.form.get("confirm") != "yes":
        errors["confirm"] = [said("Say that you want to take this report back.")]
    if errors:
        return _report(county, report_id, errors)
    change_once(_sent(), voiding(report_id, _text("reason")), None)
    return redirect(f"/reports/{county}/{report_id}", 303)


def _report(county: str, report_id: str, errors: Errors) -> Response:
    with service().database.reading(county) as store:
        body = seen_report(store, report_id)
        waits = bool(open_reviews(store, events=[report_id]))
    state = body["state"]
    if state == "ended":
        state = "replaced" if body.get("replaced_by") else "void"
    elif state == "stands" and waits:
        state = "waiting"
    return render(
        "hauler/report",
        status=422 if errors else 200,
        county=county,
        report=body,
        state=state,
        told=_STATES[state],
        rows=seen_values(body["content"]),
        errors=errors,
        summary_rows=summary_of(errors),
        reason=_text("reason"),
    )


def _amend(county: str, body: Mapping[str, Any], values: Mapping[str, str], errors: Errors) -> Response:
    names = {name for name in (*body["content"], *errors) if name in FIELDS} | {"notes", "report_ref"}
    return render(
        "hauler/amend",
        status=422 if errors else 200,
        county=county,
        report=body,
        controls=plain_controls(sorted(names)),
        others=plain_controls(sorted(set(FIELDS) - names)),
        values=values,
        errors=errors,
        summary_rows=summary_of(errors),
        reason=_text("reason"),
    )


def _with_states(store: Store, county: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = [row["id"] for row in rows]
    stands = standing_versions(store, ids)
    waiting = {row["event"] for row in open_reviews(store, events=ids)}
    asked = verifications_of(store, ids)
    findings = findings_of(store, {row["system"] for row in rows if row["system"]})
    return [
        {
            **row,
            "county": county,
            "state": _STATES[_state(row, stands.get(row["id"]), asked.get(row["id"]), waits=row["id"] in waiting)],
            "findings": [f for f in findings.get(row["system"] or "", ()) if f["event"] == row["id"]],
        }
        for row in rows
    ]


def _state(
    row: Mapping[str, Any], stands: Mapping[str, Any] | None, asked: Mapping[str, Any] | None, *, waits: bool
) -> str:
    if row["ended_seq"] is not None:
        return "replaced" if stands is not None else "void"
    if asked is not None and asked["content"]["state"] == REQUESTED:
        return "verification_requested"
    return "waiting" if waits else "stands"


def _reason_errors() -> Errors:
    text = _text("reason")
    if text and len(text) <= _LONGEST:
        return {}
    return {"reason": [said(f"Say why, in a text of at most {_LONGEST:,} characters.")]}


def _text(name: str) -> str:
    return keepable(request.form.get(name, "")).replace("\r\n", "\n").strip()


def _sent() -> Sent:
    """A correction needs no key against a double press: what ended once cannot be ended again."""
    return Sent(upload=Upload(data=b""), fingerprint="")
