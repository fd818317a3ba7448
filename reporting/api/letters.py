"""Letters on paper, for the county's staff: what waits, print runs as PDF, their mailing and its proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from flask import Response

from notifications.letters_correction import correct_run
from notifications.letters_draft import (
    USUAL_RUN,
    Addressed,
    Maker,
    RunRefused,
    address_letters,
    apart_of,
    draft_run,
)
from notifications.letters_mailing import (
    FIRST_CLASS,
    LOG_COLUMNS,
    Confirmer,
    Mailed,
    confirm_run,
    proof_pdf,
    proof_rows,
)
from notifications.letters_pdf import LettersUnavailable
from notifications.print_runs import RunEnded, RunOvertaken, cancel_run, keep_run, reprint, run_json
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, next_link, service
from reporting.api.members import count_member, refuse_unknown, text_member
from reporting.api.moments import instant, program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, unprocessable
from reporting.api.queries import LettersQuery, read_day
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.store import letters as queue
from reporting.store.engine import Store

SECTION: Final = Section("letters", __name__, description="Notices on paper: print runs, mailing, proof of mailing.")
_PDF: Final = "application/pdf"
_ENDED: Final = {409: "The run was confirmed as mailed or cancelled before, or the key is in use."}
_ABSENT: Final = {503: "The typesetter is not installed, or the database is busy."}
_FILE: Final = {"type": "string"}


@SECTION.endpoint(
    "/v1/<slug:county>/letters",
    query=LettersQuery,
    answers={200: Answer(tells="A page of letters.", schema=ref("Letters"), headers=("Link",))},
)
def list_letters(query: dict[str, Any], county: str) -> Response:
    """Letters by state: those that wait (each with what keeps it from being addressed), in a run, mailed."""
    with service().database.reading(county) as store:
        page = queue.page_letters(store, query.get("state", ()), query.get("cursor"), query["limit"])
        waiting = address_letters(store, [row for row in page.rows if row["state"] == queue.QUEUED])
    rows = [_letter(row, waiting.get(row["id"])) for row in page.rows]
    return Reply(status=200, body={"letters": rows}, headers=next_link(page.next_cursor)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs",
    answers={200: Answer(tells="The last hundred print runs, newest first.", schema=ref("PrintRuns"))},
)
def list_runs(query: dict[str, Any], county: str) -> Response:
    """Print runs: those that wait to be confirmed as mailed, mailed ones, cancelled ones."""
    with service().database.reading(county) as store:
        runs = [run_json(run) for run in queue.list_runs(store, ())]
    return Reply(status=200, body={"print_runs": runs}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs",
    method="POST",
    once=True,
    body=json_body(ref("NewPrintRun")),
    answers={
        201: Answer(tells="Printed; the file is at its address.", schema=ref("MadePrintRun"), headers=("Location",)),
        200: Answer(tells="There was nothing to print.", schema=ref("MadePrintRun")),
    },
    problems={**_ABSENT, 409: "Somebody else has printed some of these letters meanwhile, or the key is in use."},
)
def make_print_run(query: dict[str, Any], county: str) -> Response:
    """Make a print run of the letters that wait, oldest first; each is judged once more and may be dropped."""
    sent = sent_object()
    body = read_object(sent)
    refuse_unknown(body, "limit")
    limit = count_member(body, "limit", 1, USUAL_RUN, USUAL_RUN)

    with _refusals():
        with service().database.reading(county) as store:
            program, today = program_today(store)
            maker = Maker(
                program=program,
                by=call().keyholder.key_id,
                today=today,
                now=call().now,
                base_url=service().config.base_url,
            )
            draft = draft_run(store, maker, limit)

        def work(store: Store) -> Reply:
            made = keep_run(store, maker, draft)
            there = {"Location": f"/v1/{county}/print-runs/{made.run}.pdf"}
            created = made.run is not None
            return Reply(status=201 if created else 200, body=made.as_json(), headers=there if created else {})

        return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs/<id:run_id>.pdf",
    answers={200: Answer(tells="The letters, to be printed on both sides.", schema=_FILE, types=(_PDF,))},
    problems=_ABSENT,
)
def run_pdf(query: dict[str, Any], county: str, run_id: str) -> Response:
    """A run's letters as one accessible PDF (PDF/UA-1), for windowed #10 envelopes, in the order of their postcodes."""
    with _refusals(), service().database.reading(county) as store:
        pdf, _same = reprint(store, run_id)
    return _pdf(f"letters-{county}-{run_id}.pdf", pdf)


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs/<id:run_id>/confirm",
    method="POST",
    once=True,
    body=json_body(ref("RunMailed")),
    answers={200: Answer(tells="Mailed; signed for.", schema=ref("MailedRun"))},
    problems=_ENDED,
)
def confirm_print_run(query: dict[str, Any], county: str, run_id: str) -> Response:
    """Confirm that a run was mailed on a day: from it the ordinance's deadlines count."""
    sent = sent_object()
    body = read_object(sent)
    refuse_unknown(body, "mailed_on", "mail_class")
    mailed_on = read_day("mailed_on", body.get("mailed_on"))
    mail_class = text_member(body, "mail_class") or FIRST_CLASS

    def work(store: Store) -> Reply:
        return _mailed(confirm_run(store, run_id, mailed_on, _confirmer(store), mail_class))

    with _refusals():
        return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs/<id:run_id>/correction",
    method="POST",
    once=True,
    body=json_body(ref("RunCorrection")),
    answers={200: Answer(tells="Corrected; signed for.", schema=ref("MailedRun"))},
)
def correct_print_run(query: dict[str, Any], county: str, run_id: str) -> Response:
    """Correct the day or class with which a run was confirmed as mailed, and say why: its deadlines move with it."""
    sent = sent_object()
    body = read_object(sent)
    refuse_unknown(body, "mailed_on", "mail_class", "reason")
    reason = text_member(body, "reason", longest=2_000, required=True)
    mailed_on = read_day("mailed_on", body["mailed_on"]) if body.get("mailed_on") else None
    mail_class = text_member(body, "mail_class") or None

    def work(store: Store) -> Reply:
        who = _confirmer(store)
        return _mailed(correct_run(store, run_id, who, reason=reason, mailed_on=mailed_on, mail_class=mail_class))

    with _refusals():
        return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs/<id:run_id>/cancel",
    method="POST",
    once=True,
    body=json_body(ref("Nothing")),
    answers={200: Answer(tells="Cancelled; its letters wait again.", schema=ref("CancelledRun"))},
    problems=_ENDED,
)
def cancel_print_run(query: dict[str, Any], county: str, run_id: str) -> Response:
    """Cancel a run that was never mailed."""
    sent = sent_object()
    refuse_unknown(read_object(sent))

    def work(store: Store) -> Reply:
        count = cancel_run(store, run_id, call().keyholder.key_id, call().now)
        return Reply(status=200, body={"run": run_id, "letters": count})

    with _refusals():
        return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs/<id:run_id>/proof.pdf",
    answers={200: Answer(tells="The certificate, to be signed.", schema=_FILE, types=(_PDF,))},
    problems=_ABSENT,
)
def mailing_proof_pdf(query: dict[str, Any], county: str, run_id: str) -> Response:
    """The proof of a run's mailing: each letter with addressee, address, rule, day, class and hash; to be signed."""
    with _refusals(), service().database.reading(county) as store:
        program, _today = program_today(store)
        pdf = proof_pdf(store, program, run_id)
    return _pdf(f"proof-of-mailing-{county}-{run_id}.pdf", pdf)


@SECTION.endpoint(
    "/v1/<slug:county>/print-runs/<id:run_id>/proof.csv",
    answers={200: Answer(tells="The same as a table.", schema=_FILE, types=("text/csv",))},
)
def mailing_proof_csv(query: dict[str, Any], county: str, run_id: str) -> Response:
    """The proof of a run's mailing as a file for a spreadsheet."""
    with _refusals(), service().database.reading(county) as store:
        rows = proof_rows(store, run_id)
    return csv_response(f"proof-of-mailing-{county}-{run_id}.csv", LOG_COLUMNS, rows)


@contextmanager
def _refusals() -> Iterator[None]:
    """What cannot be done with letters, as problems."""
    try:
        yield
    except RunRefused as refused:
        raise unprocessable(refused.detail, code="letters-refused") from refused
    except RunOvertaken as overtaken:
        raise Problem(409, "run-overtaken", overtaken.message) from overtaken
    except RunEnded as ended:
        raise Problem(409, "run-ended", ended.message) from ended
    except LettersUnavailable as absent:
        raise Problem(503, "letters-unavailable", absent.message) from absent


def _confirmer(store: Store) -> Confirmer:
    """The caller as one who says what was mailed."""
    program, today = program_today(store)
    by, now = call().keyholder.key_id, call().now
    return Confirmer(program=program, by=by, today=today, now=now, signer=service().signer)


def _mailed(mailed: Mailed) -> Reply:
    told = {"run": mailed.run, "mailed_on": mailed.mailed_on.isoformat(), "letters": mailed.letters}
    return Reply(status=200, body={**told, "systems": list(mailed.systems), "receipt": mailed.receipt.to_json()})


def _letter(row: Mapping[str, Any], addressed: Addressed | None) -> dict[str, Any]:
    apart = apart_of(row, addressed) if addressed else None
    return {
        **{name: row[name] for name in ("id", "kind", "state", "system", "run", "position")},
        "recipient": addressed.text if addressed else row["recipient"],
        "text_sha256": row["text_sha256"],
        "problem": str(apart.reason) if apart else None,
        "created_at": instant(row["created_at"]),
        "mailed_on": row["mailed_on"].isoformat() if row["mailed_on"] else None,
        "reason": row["last_error"],
    }


def _pdf(name: str, data: bytes) -> Response:
    response = Response(data, content_type=_PDF)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
