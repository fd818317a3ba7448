"""Reports in doubt on pages: the queue, one beside the systems it might be of, the decision, and the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.problems import Problem
from reporting.api.queries import ReviewsQuery
from reporting.api.reviews import list_reviews, place_report, resolve_review, show_review
from reporting.intake.signatures import FIELDS_SIGNED
from reporting.reviews.reading import REASONS, STATES
from reporting.web.asking import Told, ask, form_values, go, in_own_county, query_of, tell
from reporting.web.desk_views import listed
from reporting.web.desk_words import place_words, render_desk, sentence
from reporting.web.rendering import words

LIST: Final = "/desk/reviews"
_COMPARED: Final = ("permit_number", "parcel_number", "site_address", "owner_name", "municipality")
_SHOWN_FIRST: Final = (
    "event_type", "service_date", "component", "component_ref", "gallons_pumped", "business_name", "license_number",
    "technician_name", "report_ref",
)  # fmt: skip
_DONE: Final = {"match": "placed", "new_system": "new_system", "void": "voided"}


@in_own_county
def show_reviews() -> AnyResponse:
    """The queue, oldest first; other states by the address."""
    found = ask(list_reviews, query_of(ReviewsQuery))
    return render_desk(
        "reviews",
        reviews=[{**row, "place": place_words(row)} for row in found.body["reviews"]],
        more=found.more,
        states=[(one, sentence(one)) for one in STATES],
        reasons=[(one, sentence(one)) for one in REASONS],
        asked=request.args,
        listed=listed("reviews"),
    )


@in_own_county
def show_one_review(review_id: str) -> AnyResponse:
    """One report beside its candidates, with the form that decides it."""
    return _page(review_id, {}, None)


@in_own_county
def decide_review(review_id: str) -> AnyResponse:
    """Decide a review as over HTTP, and go on to the next one that waits."""
    values = form_values()
    told = tell(resolve_review, _decision(values), review_id=review_id)
    if not told.ok:
        return _page(review_id, values, told)
    rest = ask(list_reviews, {"limit": 1}).body["reviews"]
    decision = str(_decision(values).get("decision"))
    return go(f"{LIST}/{rest[0]['id']}" if rest else LIST, _DONE.get(decision, "placed"))


@in_own_county
def send_review_back(review_id: str) -> AnyResponse:
    """Undo a placement: the report waits to be placed again."""
    values = form_values()
    now = ask(show_review, review_id=review_id).body["now"]
    if now is None:
        raise Problem(409, "report-ended", "This report was taken back, so there is nothing to place again.")
    told = tell(place_report, {**values, "decision": "back"}, report_id=now["report_id"])
    if not told.ok:
        return _page(review_id, values, told)
    return go(f"{LIST}/{told.body['reviews'][0]}" if told.body["reviews"] else LIST, "sent_back")


def _page(review_id: str, values: Mapping[str, Any], told: Told | None) -> AnyResponse:
    review = ask(show_review, review_id=review_id).body
    content = review["report"]["content"]
    return render_desk(
        "review",
        status=told.status if told else 200,
        review=review,
        place=place_words(content),
        compared=[(name, content.get(name)) for name in _COMPARED],
        facts=[(name, content[name]) for name in _SHOWN_FIRST if content.get(name)],
        more_facts=[(n, v) for n, v in content.items() if v and n not in (*_SHOWN_FIRST, *_COMPARED, *FIELDS_SIGNED)],
        candidates=[{**one, "choices": list(_choices(one, content)), "rows": _rows(one, content)}
                    for one in review["candidates"]],
        values=values,
        told=told,
    )  # fmt: skip


def _decision(values: Mapping[str, Any]) -> dict[str, Any]:
    """The form as the endpoint's body: a candidate's button names its system and tank, and boxes are sent if ticked."""
    if "decision" in values:
        return dict(values)
    kind, _, rest = str(values.get("choice", "")).partition("|")
    body = {"reason": values.get("reason"), **{name: values.get(name) == "on" for name in ("all_reports", "remember")}}
    if kind == "match":
        body |= zip(("system", "component", "component_ref"), rest.split("|"), strict=False)
    if kind == "permit":
        return {**body, "decision": "match", "permit_number": values.get("permit_number", "")}
    return {**body, "decision": kind}


def _choices(one: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The buttons of a candidate: one, or one for each of its tanks where it is not certain which is meant."""
    number = f"permit {one['permit_number']}" if one["permit_number"] else place_words(one)
    tanks = [part for part in one["components"] if part["component"] == content.get("component")] or one["components"]
    if one["tank"] or len(tanks) < 2:
        tank = one["tank"] or {}
        yield _choice(one, tank), f"It is of {number}"
        return
    for tank in tanks:
        name = f"{words(tank['component'])} {tank['component_ref'] or ''}".rstrip()
        yield _choice(one, tank), f"It is of {number}, {name}"


def _choice(one: Mapping[str, Any], tank: Mapping[str, Any]) -> str:
    return "|".join(("match", one["system"], tank.get("component") or "", tank.get("component_ref") or "")).rstrip("|")


def _rows(one: Mapping[str, Any], content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Field by field what the report says and what is on file, and in words whether they fit."""
    differing = {row["field"] for row in one["differences"]}
    rows = []
    for name in _COMPARED:
        sent, filed = content.get(name), one.get(name)
        if sent or filed:
            verdict = "differs" if name in differing else "fits" if sent and filed else "not said" if filed else ""
            rows.append({"name": name, "sent": sent, "filed": filed, "verdict": verdict or "differs"})
    return rows
