"""Files of reports: sent, what became of each row, and the rows to mend."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.bodies import FILE_TYPES, limits, sent_file
from reporting.api.calls import Reply, address, call, next_link, own, problem_reply, service
from reporting.api.documents import ref
from reporting.api.moments import instant, program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, file_body
from reporting.api.problems import Problem
from reporting.api.queries import OutcomesQuery, SubmitQuery
from reporting.api.sheets import csv_response
from reporting.errors import BadCursor
from reporting.intake.accept import Options, submit
from reporting.intake.answer import Answer as Taken
from reporting.intake.answer import Refused, short_receipt
from reporting.intake.headings import match_headings
from reporting.intake.reading import heading_aliases
from reporting.receipts import Receipt
from reporting.store.engine import Store
from reporting.store.submissions import get_submission, outcome_page, outcomes_of

SECTION: Final = Section("submissions", __name__, description="Files of reports, row by row.")
ERRORS: Final = "errors"
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
        207: Answer(tells="Some rows are in; see `outcomes`.", schema=_TAKEN, headers=("Location",)),
    },
    problems={422: "No row is in (the body has the members of the answer too), or the file cannot be read."},
)
def submit_file(query: dict[str, Any], county: str) -> Response:
    """Send a file of reports: CSV, XLSX or a JSON list. Every row ends in exactly one state."""
    if query["historical"] and not call().is_staff:
        raise Problem(403, "forbidden", "Only the county's own keys may send backlog as historical.")
    sent = sent_file()

    def work(store: Store) -> Reply:
        program, _today = program_today(store)
        options = Options(limits=limits(), **query)
        taken = submit(store, program, call().sender, sent.upload, call().now, service().signer, options)
        return _refused(taken) if isinstance(taken, Refused) else _taken(taken)

    return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/submissions/<id:submission_id>",
    query=OutcomesQuery,
    answers={200: Answer(tells="Counts, and a page of the rows' outcomes.", schema=_TAKEN, headers=("Link",))},
)
def show_submission(query: dict[str, Any], county: str, submission_id: str) -> Response:
    """What became of each row. Counts are of the whole file; outcomes come in pages."""
    after, limit = _row_of(query.get("cursor")), query["limit"]
    with service().database.reading(county) as store:
        submission = own(get_submission(store, submission_id))
        found = outcome_page(store, submission_id, after_row=after, limit=limit + 1, outcome=query.get("outcome"))
    page = found[:limit]
    body = {**_head(submission), "outcomes": [_outcome(row) for row in page]}
    cursor = _cursor_of(page[-1]["row"]) if len(found) > limit else None
    return Reply(status=200, body=body, headers=next_link(cursor)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/submissions/<id:submission_id>/rejected.csv",
    answers={200: Answer(tells="The rows to mend.", schema={"type": "string"}, types=("text/csv",))},
)
def rejected_rows(query: dict[str, Any], county: str, submission_id: str) -> Response:
    """The rejected rows as they came, with what is wrong in a column `errors`: mend them and send the file again."""
    with service().database.reading(county) as store:
        own(get_submission(store, submission_id))
        rows = list(outcomes_of(store, submission_id, outcome="rejected"))
        program, _today = program_today(store)
    aliases = heading_aliases(program)
    headings = _merged_order(row["cells"] for row in rows)
    covered = set(match_headings(headings, aliases).mapping.values())
    asked = dict.fromkeys(error["field"] for row in rows for error in row["errors"] if error["field"] in aliases)
    columns = [*headings, *(name for name in asked if name not in covered), ERRORS]
    shown = [{**row["cells"], ERRORS: _errors_text(row["errors"])} for row in rows]
    return csv_response(f"rejected-{submission_id}.csv", columns, shown)


def _taken(taken: Taken) -> Reply:
    """The answer; when no row is in, it is a problem document with the answer's members beside the problem's own."""
    body = taken.as_json()
    headers = {} if taken.dry_run else {"Location": address("submissions", taken.id)}
    if taken.status < 400:
        return Reply(status=taken.status, body=body, headers=headers)
    errors = [issue.as_json() for outcome in taken.outcomes for issue in outcome.errors]
    detail = "No row was taken: `errors` says what to do about each."
    return problem_reply(Problem(taken.status, "validation", detail, errors=errors, extra=body, headers=headers))


def _refused(refused: Refused) -> Reply:
    extra = {"headings": list(refused.headings)} if refused.headings else {}
    return problem_reply(Problem(refused.status, refused.code.replace("_", "-"), refused.detail, extra=extra))


def _head(submission: Mapping[str, Any]) -> dict[str, Any]:
    plain = ("file_name", "file_sha256", "dry_run", "atomic", "historical", "status")
    counts = ("rows", "accepted", "duplicate", "rejected", "queued_for_review")
    columns = dict(submission["columns"])
    refused = columns.pop("refused", None)
    return {
        "id": submission["id"],
        "county": call().tenant,
        "received_at": instant(submission["received_at"]),
        **{name: submission[name] for name in (*plain, *counts)},
        "columns": columns,
        **({"refused": refused} if refused else {}),
    }


def _outcome(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = ("row", "outcome", "report_id", "permit_number", "findings", "errors", "warnings")
    receipt = Receipt.from_json(row["receipt"]) if row["receipt"] else None
    shown = {**{name: row[name] for name in plain}, "receipt": short_receipt(receipt)}
    return {**shown, "duplicate_of": row["duplicate_of"]} if row["duplicate_of"] else shown


def _errors_text(errors: Iterable[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{error['field']}: {error['message']}" if error["field"] else error["message"] for error in errors
    )


def _merged_order(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """The headings of all rows in the file's order: a row names only the columns that it fills."""
    order: list[str] = []
    for cells in rows:
        at = 0
        for heading in cells:
            if heading == ERRORS:
                continue  # from the time before
            if heading in order:
                at = order.index(heading) + 1
            else:
                order.insert(at, heading)
                at += 1
    return order


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
