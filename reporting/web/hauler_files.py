"""For a business: files of reports, tried before they are sent; headings of its own are taught once.

What is sent takes the way of `POST /v1/{county}/submissions`. Between the trial and the sending the file is in the
page, packed, where it is small enough; else it is chosen again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.bodies import Sent, limits
from reporting.api.calls import Reply, call, own_business, service
from reporting.api.moments import county_today
from reporting.api.once import change_once
from reporting.api.problems import absent
from reporting.api.submissions import receiving
from reporting.histories import county_program
from reporting.intake.accept import Upload
from reporting.intake.headings import match_headings
from reporting.intake.learned import learn_headings, learned_headings
from reporting.intake.opening import open_file
from reporting.intake.reading import heading_aliases
from reporting.store.engine import Store
from reporting.web.carried import carried_file, chosen_file, pack_file
from reporting.web.hauler_chosen import new_once, once_of
from reporting.web.hauler_fields import title_of
from reporting.web.hauler_find import my_counties
from reporting.web.places import today_in
from reporting.web.rendering import render
from schemas.fields import FIELDS
from schemas.program import Program

SHOWN: Final = 25
"""How many wrong rows a trial shows; the list of rejected rows has all once the file was sent."""
ASKED: Final = 20
"""Of how many unknown headings a trial asks at once."""
_NAMING: Final = ("permit_number", "site_address", "service_date", "report_ref")
"""What a row is known by; it stands behind the columns with wrong cells, which a phone has to show first."""
_TRIAL: Final = {"dry_run": True, "atomic": False, "historical": False}
_NO_FIELD: Final = "-"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What would become of a file: the answer, and its headings that mean nothing yet with the fields they may mean."""

    reply: Reply
    unknown: Sequence[tuple[str, str]]
    rows: Sequence[Mapping[str, Any]] = ()
    columns: Sequence[str] = ()
    heading_of: Mapping[str, str] | None = None


def my_files() -> AnyResponse:
    """The counties that a file can be for; straight to the one where there is no other."""
    names = my_counties()
    return redirect(f"/files/{next(iter(names))}", 303) if len(names) == 1 else render("hauler/files", names=names)


def show_file_form(county: str) -> Response:
    """A file to choose, for one county."""
    _refuse_county(county)
    return _choose(county, "")


def take_file(county: str) -> AnyResponse:
    """A file is tried, its headings are taught and it is tried again, or it is sent, once."""
    _refuse_county(county)
    step = request.form.get("step", "")
    upload = chosen_file() or carried_file()
    if upload is None:
        again = "Choose the same file once more." if step else "Choose a file: CSV, XLSX or JSON."
        return _choose(county, again)
    if step == "send":
        return _send(county, upload)
    return _preview(county, upload, _teach(county) if step == "teach" else "")


def _refuse_county(county: str) -> None:
    if county not in my_counties():
        raise absent()


def _send(county: str, upload: Upload) -> AnyResponse:
    fingerprint = hashlib.sha256(upload.data + b"\0" + (upload.file_name or "").encode()).hexdigest()
    sent = Sent(upload=upload, fingerprint=fingerprint)
    reply, _headers = change_once(sent, receiving(upload, {**_TRIAL, "dry_run": False}), once_of(request.form))
    if "id" in reply.body:
        return redirect(f"/sent/{county}/{reply.body['id']}", 303)
    return _choose(county, str(reply.body["detail"]))


def _choose(county: str, wrong: str) -> Response:
    return render("hauler/file", status=422 if wrong else 200, county=county, wrong=wrong)


def _preview(county: str, upload: Upload, wrong: str = "") -> Response:
    trial = _try(county, upload)
    body = trial.reply.body
    return render(
        "hauler/preview",
        status=422 if wrong or "outcomes" not in body else 200,
        county=county,
        upload=upload,
        told=body,
        wrong=wrong or ("" if "outcomes" in body else body["detail"]),
        unknown=trial.unknown[:ASKED],
        fields=[(name, title_of(name)) for name in FIELDS],
        no_field=_NO_FIELD,
        rows=trial.rows,
        columns=trial.columns,
        heading_of=trial.heading_of or {},
        lacking=any("" in row["at"] for row in trial.rows),
        late=sum(bool(one["findings"]) for one in body.get("outcomes", ())),
        packed=pack_file(upload),
        once=new_once(),
    )


def _try(county: str, upload: Upload) -> Trial:
    with service().database.reading(county) as store:
        reply = receiving(upload, _TRIAL)(store)
        program = county_program(store, county, on=county_today())
        learned = learned_headings(store, own_business())
        if "outcomes" not in reply.body:
            headings = [str(one) for one in reply.body.get("headings", ())]
            match = match_headings(headings, heading_aliases(program), learned=learned)
            return Trial(reply=reply, unknown=[(one, match.suggested.get(one, "")) for one in match.unknown])
        return _seen(program, upload, reply, learned)


def _seen(program: Program, upload: Upload, reply: Reply, learned: Mapping[str, str | None]) -> Trial:
    """The trial with the cells of the first wrong rows, as they stand in the file."""
    file = open_file(
        program, upload.data, upload.file_name, upload.content_type, limits(), today_in(program.slug), learned=learned
    )
    wrong = {one["row"]: one for one in reply.body["outcomes"] if one["errors"]}
    first = sorted(wrong)[:SHOWN]
    heading_of = {name: heading for heading, name in file.match.mapping.items()}
    at_fault = {str(error["field"]) for number in first for error in wrong[number]["errors"]}
    wrong_ones = [name for name in FIELDS if name in heading_of and name in at_fault]
    columns = [*wrong_ones, *(name for name in _NAMING if name in heading_of and name not in at_fault)]
    rows = []
    for row in file.rows():
        if row.number in first:
            rows.append({**_by_field(wrong[row.number], columns), "cells": row.cells, "number": row.number})
        if len(rows) == len(first):
            break
    told = reply.body["columns"]
    unknown = [(heading, told["suggested"].get(heading, "")) for heading in told["unknown"]]
    return Trial(reply=reply, unknown=unknown, rows=rows, columns=columns, heading_of=heading_of)


def _by_field(outcome: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """The errors of a row by the column that they stand in, and those that stand in none."""
    at: dict[str, list[Any]] = {}
    for error in outcome["errors"]:
        at.setdefault(error["field"] if error["field"] in columns else "", []).append(error)
    return {"at": at}


def _teach(county: str) -> str:
    """Keep what the headings mean, for this and every later file of the business; gives what is wrong."""
    told: dict[str, str | None] = {}
    for number in range(len(request.form)):
        heading, name = request.form.get(f"heading-{number}"), request.form.get(f"field-{number}")
        if heading and name:
            told[heading] = None if name == _NO_FIELD else name
    if not told:
        return "Say what at least one heading means."
    with service().database.transaction(county) as store:
        issues = _learn(store, told)
    return " ".join(issue.message for issue in issues)


def _learn(store: Store, told: Mapping[str, object]) -> Sequence[Any]:
    return learn_headings(store, own_business(), told, call().keyholder.key_id, call().now)
