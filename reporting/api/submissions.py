"""Files of reports: sent, what became of each row, and the rows to mend."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.bodies import FILE_TYPES, limits, members, read_object, reason_of, sent_file, sent_object
from reporting.api.calls import Reply, address, call, next_link, own, problem_reply, service
from reporting.api.moments import instant, program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, file_body, json_body
from reporting.api.problems import Problem
from reporting.api.queries import OutcomesQuery, SubmitQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_download, table_bytes
from reporting.errors import BadCursor
from reporting.intake.accept import Options, Upload
from reporting.intake.answer import Answer as Taken
from reporting.intake.answer import Refused, show_outcome
from reporting.intake.learned import learned_headings
from reporting.intake.reading import heading_aliases
from reporting.intake.rejected import rejected_table
from reporting.intake.undo import undo
from reporting.intake.waiting import Waiting, receive
from reporting.store.engine import Store
from reporting.store.submissions import get_submission, outcome_page, outcomes_of
from reporting.sweep import assess_now

SECTION: Final = Section("submissions", __name__, description="Files of reports, row by row.")
ASSESSED_AT_ONCE: Final = 200
"""Systems that are judged anew in the call itself; more of them wait for the next scan."""
_TAKEN: Final = ref("Submission")


@SECTION.endpoint(
    "/v1/<slug:county>/submissions",
    method="POST",
    query=SubmitQuery,
    once=True,
    body=file_body(*FILE_TYPES),
    answers={
        200: Answer(tells="A dry run: this is what would become of the rows.", schema=_TAKEN),
        201: Answer(tells="All rows are in.", schema=_TAKEN, headers=("Location",)),
        202: Answer(
            tells="A long file: its rows are worked off, see its address.", schema=_TAKEN, headers=("Location",)
        ),
        207: Answer(tells="Some rows are in; see `outcomes`.", schema=_TAKEN, headers=("Location",)),
    },
    problems={422: "No row is in (the body has the members of the answer too), or the file cannot be read."},
)
def submit_file(query: dict[str, Any], county: str) -> Response:
    """Send a file of reports: CSV, XLSX or a JSON list. Every row ends in exactly one state.

    A long file is answered with 202 and worked off in the background; its address tells how far it is.
    """
    if query["historical"] and not call().is_staff:
        raise Problem(403, "forbidden", "Only the county's own keys may send backlog as historical.")
    if "received_on" in query and not call().is_staff:
        raise Problem(403, "forbidden", "Only the county's own keys may say when a report was received.")
    sent = sent_file()
    return change(sent, receiving(sent.upload, query))


def receiving(upload: Upload, query: Mapping[str, Any]) -> Callable[[Store], Reply]:
    """What takes a file in the caller's name, for `change`; also for its page. query: as `SubmitQuery` reads it."""

    def work(store: Store) -> Reply:
        program, _today = program_today(store)
        options = Options(limits=limits(), **query)
        taken = receive(
            store, program, call().sender, upload, call().now, service().signer, options,
            longest=service().config.rows_at_once,
        )  # fmt: skip
        if isinstance(taken, Waiting):
            return _waiting(store, taken)
        return _refused(taken) if isinstance(taken, Refused) else _taken(taken)

    return work


@SECTION.endpoint(
    "/v1/<slug:county>/submissions/<id:submission_id>",
    query=OutcomesQuery,
    answers={200: Answer(tells="Counts, and a page of the rows' outcomes.", schema=_TAKEN, headers=("Link",))},
)
def show_submission(query: dict[str, Any], county: str, submission_id: str) -> Response:
    """What became of each row. Counts are of the whole file, or so far; outcomes come in pages."""
    with service().database.reading(county) as store:
        body, cursor = seen_submission(store, submission_id, query)
    return Reply(status=200, body=body, headers=next_link(cursor)).response()


def seen_submission(store: Store, submission_id: str, query: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """A submission of the caller's with a page of its outcomes, and the next page's cursor; else the same 404.

    query: as `OutcomesQuery` reads it.
    """
    after, limit = _row_of(query.get("cursor")), query["limit"]
    submission = own(get_submission(store, submission_id))
    found = outcome_page(store, submission_id, after_row=after, limit=limit + 1, outcome=query.get("outcome"))
    page = found[:limit]
    body = {**_head(submission), "outcomes": [show_outcome(row) for row in page]}
    return body, _cursor_of(page[-1]["row"]) if len(found) > limit else None


@SECTION.endpoint(
    "/v1/<slug:county>/submissions/<id:submission_id>/rejected.csv",
    answers={200: Answer(tells="The rows to mend.", schema={"type": "string"}, types=("text/csv",))},
)
def rejected_rows(query: dict[str, Any], county: str, submission_id: str) -> Response:
    """The rejected rows as they came, with what is wrong in a column `errors`: mend them and send the file again."""
    with service().database.reading(county) as store:
        submission = own(get_submission(store, submission_id))
        rows = list(outcomes_of(store, submission_id, outcome="rejected"))
        program, _today = program_today(store)
        learned = learned_headings(store, submission["contractor_id"])
    headings = submission["columns"].get("headings", [])
    lines = rejected_table(headings, rows, heading_aliases(program), learned)
    return csv_download(f"rejected-{submission_id}.csv", table_bytes(lines))


@SECTION.endpoint(
    "/v1/<slug:county>/submissions/<id:submission_id>/undo",
    method="POST",
    once=True,
    body=json_body(ref("Void")),
    answers={200: Answer(tells="Taken back; the record keeps it.", schema=ref("Undone"))},
    problems={409: "The submission was undone before or was refused, or the Idempotency-Key is in use."},
)
def undo_submission(query: dict[str, Any], county: str, submission_id: str) -> Response:
    """Take back every report of a submission that stands, as if the file had never been sent; it can be sent again."""
    sent = sent_object()
    body = members(read_object(sent), "reason")

    def work(store: Store) -> Reply:
        own(get_submission(store, submission_id))
        undone = undo(store, call().sender, submission_id, reason_of(body), call().now, service().signer)
        if len(undone.systems) <= ASSESSED_AT_ONCE:
            program, today = program_today(store)
            assess_now(store, program, undone.systems, today, call().now)
        return Reply(status=200, body={"county": county, **undone.as_json()})

    return change(sent, work)


def _taken(taken: Taken) -> Reply:
    """The answer; when no row is in, it is a problem document with the answer's members beside the problem's own."""
    body = taken.as_json()
    headers = {} if taken.dry_run else {"Location": address("submissions", taken.id)}
    if taken.status < 400:
        return Reply(status=taken.status, body=body, headers=headers)
    errors = [issue.as_json() for outcome in taken.outcomes for issue in outcome.errors]
    detail = "No row was taken: `errors` says what to do about each."
    return problem_reply(Problem(taken.status, "validation", detail, errors=errors, extra=body, headers=headers))


def _waiting(store: Store, waiting: Waiting) -> Reply:
    submission = get_submission(store, waiting.id) or {}
    body = {**_head(submission), "outcomes": []}
    return Reply(status=202, body=body, headers={"Location": address("submissions", waiting.id), "Retry-After": "5"})


def _refused(refused: Refused) -> Reply:
    extra = {"headings": list(refused.headings)} if refused.headings else {}
    return problem_reply(Problem(refused.status, refused.code.replace("_", "-"), refused.detail, extra=extra))


def _head(submission: Mapping[str, Any]) -> dict[str, Any]:
    plain = ("file_name", "file_sha256", "dry_run", "atomic", "historical", "status", "next_row")
    counts = ("rows", "accepted", "duplicate", "rejected", "queued_for_review")
    refused, notes = (submission["columns"].get(name) for name in ("refused", "notes"))
    told = {k: v for k, v in submission["columns"].items() if k in ("unknown", "suggested", "missing")}
    return {
        "id": submission["id"],
        "county": call().tenant,
        "received_at": instant(submission["received_at"]),
        **{name: submission[name] for name in (*plain, *counts)},
        "columns": told,
        **({"notes": notes} if notes else {}),
        **({"refused": refused} if refused else {}),
    }


def _cursor_of(row: int) -> str:
    return urlsafe_b64encode(f"row {row}".encode()).decode().rstrip("=")


def _row_of(cursor: str | None) -> int:
    if cursor is None:
        return -1
    try:
        word, _, number = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
    except ValueError as error:
        raise BadCursor from error
    if word != "row" or not number.isascii() or not number.isdigit() or len(number) > 9:
        raise BadCursor
    return int(number)
