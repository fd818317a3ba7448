"""Reports in doubt: what waits for the county, one beside the systems it might be of, and what is decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, next_link, service
from reporting.api.moments import instant, program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, field_error, unprocessable
from reporting.api.queries import ReviewsQuery
from reporting.api.shapes import ref
from reporting.errors import AlreadyDecided, DecisionRefused
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.words import normalize_license
from reporting.reviews.decisions import Decided, Decider, Decision, Verdict
from reporting.reviews.placing import move, send_back
from reporting.reviews.reading import list_reviews as read_reviews
from reporting.reviews.reading import show_review as read_review
from reporting.reviews.resolving import forget_match, resolve
from reporting.store.engine import Store
from reporting.store.matching import PERMIT, find_by_identifiers
from reporting.store.reviews import OPEN, ReviewFilter
from reporting.sweep import assess_now
from schemas.acts import COMPONENTS

SECTION: Final = Section("reviews", __name__, description="Reports whose system is not certain: the county decides.")
_LONGEST: Final = 2_000
_TEXTS: Final = ("system", "permit_number", "component", "component_ref", "reason")
_DECIDED: Final = Answer(tells="Decided; signed for.", schema=ref("Decided"))
_LATE: Final = {409: "Somebody has decided it before, the report was amended or taken back, or the key is in use."}


@SECTION.endpoint(
    "/v1/<slug:county>/reviews",
    query=ReviewsQuery,
    answers={200: Answer(tells="A page of reviews, oldest first.", schema=ref("Reviews"), headers=("Link",))},
)
def list_reviews(query: dict[str, Any], county: str) -> Response:
    """Reports that wait for the county to say which system they are of, oldest first."""
    with service().database.reading(county) as store:
        page = read_reviews(store, review_filter(query), query.get("cursor"), query["limit"])
    rows = [{**row, "received_at": instant(row["received_at"])} for row in page.rows]
    return Reply(status=200, body={"reviews": rows}, headers=next_link(page.next_cursor)).response()


def review_filter(query: Mapping[str, Any]) -> ReviewFilter:
    """Which reviews are listed; query: as `ReviewsQuery` reads it. Without a state those that are open."""
    number = query.get("license")
    return ReviewFilter(
        state=query.get("state", (OPEN,)),
        reason=query.get("reason", ()),
        license_norm=normalize_license(number) if number else None,
        system=query.get("system"),
    )


@SECTION.endpoint(
    "/v1/<slug:county>/reviews/<id:review_id>",
    answers={200: Answer(tells="The report beside the systems it might be of.", schema=ref("Review"))},
)
def show_review(query: dict[str, Any], county: str, review_id: str) -> Response:
    """One report in doubt as it was sent, the systems it might be of with scores and what differs, what was decided."""
    with service().database.reading(county) as store:
        shown = read_review(store, review_id)
    report = shown["report"]
    times = {name: instant(report[name]) for name in ("received_at", "first_received_at")}
    return Reply(status=200, body={**shown, "report": {**report, **times}}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/reviews/<id:review_id>/resolution",
    method="POST",
    once=True,
    body=json_body(ref("Resolution")),
    answers={200: _DECIDED},
    problems=_LATE,
)
def resolve_review(query: dict[str, Any], county: str, review_id: str) -> Response:
    """Decide a review: `match` with a system, `new_system` for one that the inventory lacks, `void` for none of here.

    A match is kept in mind (`remember`): the same numbers from the same business go there by themselves from then on.
    """
    choices = {"match": Verdict.MATCHED, "new_system": Verdict.NEW_SYSTEM, "void": Verdict.VOIDED}
    names = ("decision", "system", "permit_number", "component", "component_ref", "all_reports", "remember", "reason")
    return _decide(
        names,
        lambda store, body, decider: resolve(store, review_id, _decision(store, body, choices), decider),
    )


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/placement",
    method="POST",
    once=True,
    body=json_body(ref("Placement")),
    answers={200: _DECIDED},
    problems=_LATE,
)
def place_report(query: dict[str, Any], county: str, report_id: str) -> Response:
    """Undo a wrong match: `move` the report to another system or tank, or send it `back` to be reviewed."""
    choices = {"move": Verdict.MATCHED, "back": None}
    names = ("decision", "system", "permit_number", "component", "component_ref", "remember", "reason")

    def work(store: Store, body: Mapping[str, Any], decider: Decider) -> Decided:
        if body.get("decision") == "back":
            return send_back(store, report_id, decider)
        return move(store, report_id, _decision(store, body, choices), decider)

    return _decide(names, work)


@SECTION.endpoint(
    "/v1/<slug:county>/reviews/<id:review_id>/forget",
    method="POST",
    once=True,
    body=json_body(ref("Void")),
    answers={200: Answer(tells="Forgotten; signed for.", schema=ref("Told"))},
)
def forget_review(query: dict[str, Any], county: str, review_id: str) -> Response:
    """Forget what was kept in mind of a review: the same numbers wait for a person again. The report stays."""
    sent = sent_object()
    body = _members(read_object(sent), ("reason",))

    def work(store: Store) -> Reply:
        receipt = forget_match(store, review_id, _decider(body))
        return Reply(status=200, body={"id": review_id, "county": county, "receipt": receipt.to_json()})

    return change(sent, work)


def _decide(names: tuple[str, ...], decide: Callable[[Store, Mapping[str, Any], Decider], Decided]) -> Response:
    """Carry a decision out and judge the systems that it touches, so that lists and dates agree at once."""
    sent = sent_object()
    body = _members(read_object(sent), names)

    def work(store: Store) -> Reply:
        try:
            done = decide(store, body, _decider(body))
        except DecisionRefused as refused:
            raise unprocessable(refused.detail, [field_error("decision", "bad_value", refused.detail)]) from refused
        except AlreadyDecided as late:
            raise Problem(409, "already-decided", late.message) from late
        program, today = program_today(store)
        assess_now(store, program, done.systems, today, call().now)
        return Reply(status=200, body=_shown(done))

    return change(sent, work)


def _shown(done: Decided) -> dict[str, Any]:
    return {
        "county": call().tenant,
        "system": done.system,
        "reports": [{"was": was, "report_id": now} for was, now in done.reports.items()],
        "reviews": list(done.reviews),
        "judged_anew": list(done.systems),
        "remembered": done.remembered,
        "forgotten": done.forgotten,
        "receipt": done.receipt.to_json(),
    }


def _decider(body: Mapping[str, Any]) -> Decider:
    return Decider(by=call().keyholder.key_id, now=call().now, reason=body["reason"].strip(), signer=service().signer)


def _decision(store: Store, body: Mapping[str, Any], choices: Mapping[str, Verdict | None]) -> Decision:
    verdict = choices.get(body.get("decision", ""))
    if verdict is None:
        message = f"Say what you decide: {', '.join(choices)}."
        raise unprocessable(message, [field_error("decision", "not_a_choice", message, body.get("decision"))])
    if body.get("component") and body["component"] not in COMPONENTS:
        message = f"Give one of {', '.join(COMPONENTS)}."
        raise unprocessable(message, [field_error("component", "not_a_choice", message, body["component"])])
    return Decision(
        verdict=verdict,
        system=_system(store, body) if verdict is Verdict.MATCHED else "",
        component=body.get("component") or "",
        ref=body.get("component_ref") or "",
        all_reports=body.get("all_reports", False),
        keep_in_mind=body.get("remember", True),
    )


def _system(store: Store, body: Mapping[str, Any]) -> str:
    """The system that a body names: by id, or by a permit number that one system has."""
    if body.get("system"):
        return str(body["system"])
    norm = normalize_identifier(body.get("permit_number") or "")
    found = find_by_identifiers(store, [(PERMIT, norm)]).get((PERMIT, norm), []) if norm else []
    systems = sorted({system for system, _component in found})
    if len(systems) == 1:
        return systems[0]
    message = (
        f"{len(systems)} systems have this permit number: give the id of the one (system)."
        if systems
        else "Say which system: its id (system) or its permit_number."
    )
    raise unprocessable(message, [field_error("system", "required", message, body.get("permit_number"))])


def _members(body: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    """A body with just these members, texts and switches as they must be; else a problem that names all that is
    wrong.
    """
    errors = [field_error(n, "unknown_field", f"Leave out {n[:60]!r}.") for n in body if n not in names]
    for name in names:
        value = body.get(name)
        if name in ("all_reports", "remember") and name in body and not isinstance(value, bool):
            errors.append(field_error(name, "bad_value", "Write true or false."))
        if (
            name in (*_TEXTS, "decision")
            and value is not None
            and not (isinstance(value, str) and len(value) <= _LONGEST)
        ):
            errors.append(field_error(name, "not_text", f"Give a text of at most {_LONGEST:,} characters."))
    reason = body.get("reason")
    if reason is None or (isinstance(reason, str) and not reason.strip()):
        errors.append(field_error("reason", "required", "Say why."))
    if errors:
        raise unprocessable("The body cannot be used: " + errors[0]["message"], errors)
    return body
