"""What the headings of a business's own files mean, taught once."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from reporting.api.bodies import members, read_object, sent_object
from reporting.api.calls import Reply, call, problem_reply, service
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, field_error, unprocessable
from reporting.api.queries import LicenseQuery
from reporting.api.shapes import ref
from reporting.intake.learned import headings_of, learn_headings
from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.people import find_credentials

SECTION: Final = Section("headings", __name__, description="What the headings of a business's own files mean.")
_ADDRESS: Final = "/v1/<slug:county>/heading-mappings"


@SECTION.endpoint(_ADDRESS, query=LicenseQuery, answers={200: Answer(tells="The headings.", schema=ref("Headings"))})
def show_headings(query: dict[str, Any], county: str) -> Response:
    """What a business has taught of its own headings; the county's staff names it by a licence."""
    with service().database.reading(county) as store:
        business = _business(store, query.get("license"), "license")
        return Reply(status=200, body=_body(store, business)).response()


@SECTION.endpoint(
    _ADDRESS,
    method="POST",
    once=True,
    body=json_body(ref("NewHeadings")),
    answers={200: Answer(tells="All headings of the business, as they are now.", schema=ref("Headings"))},
)
def teach_headings(query: dict[str, Any], county: str) -> Response:
    """Teach what headings mean: a field of a report, or null for a column that means none. The others stay."""
    sent = sent_object()
    given = read_object(sent)
    body = members({"license_number": "-", **given}, "headings", "license_number")
    told = body["headings"]
    if not isinstance(told, dict):
        message = "Give an object with each heading and its field."
        raise unprocessable(message, [field_error("headings", "bad_value", message)])

    def work(store: Store) -> Reply:
        business = _business(store, given.get("license_number"), "license_number")
        issues = learn_headings(store, business, told, call().keyholder.key_id, call().now)
        if issues:
            detail = "Nothing was kept: " + issues[0].message
            return problem_reply(Problem(422, "validation", detail, errors=[issue.as_json() for issue in issues]))
        return Reply(status=200, body=_body(store, business))

    return change(sent, work)


def _body(store: Store, business: str) -> dict[str, Any]:
    return {"county": call().tenant, "contractor_id": business, "headings": headings_of(store, business)}


def _business(store: Store, number: object, name: str) -> str:
    """Whose headings: a business asks for its own, staff names one by a licence."""
    own = call().keyholder.contractor_id
    if own is not None:
        if number is None:
            return own
        held = find_credentials(store, [normalize_license(str(number))]).values()
        if any(row["contractor_id"] == own for rows in held for row in rows):
            return own
        message = "Give a licence of your own business, or none."
        raise unprocessable(message, [field_error(name, "license_not_yours", message, number)])
    message = "Name the business by one of its licences."
    if not isinstance(number, str) or not number.strip():
        raise unprocessable(message, [field_error(name, "required", message)])
    found = {
        row["contractor_id"] for rows in find_credentials(store, [normalize_license(number)]).values() for row in rows
    }
    if len(found) != 1:
        message = "This licence is not in the list of contractors." if not found else "Two businesses have this number."
        raise unprocessable(message, [field_error(name, "license_unknown", message, number)])
    return str(found.pop())
