"""The county's inventory by file: tried first, nothing stored; then just what the trial showed, at once or by worker.

What is sent takes the way of `POST /v1/{county}/inventory`, in chunks where it is long.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.bodies import Sent, limits
from reporting.api.calls import Reply, call, service
from reporting.api.moments import program_today
from reporting.api.once import change_once
from reporting.api.problems import Problem, absent
from reporting.api.sheets import csv_download, table_bytes
from reporting.intake.accept import Upload
from reporting.intake.sheet import FileRefused
from reporting.inventory.answers import REJECTED, InventoryAnswer
from reporting.inventory.columns import COLUMNS
from reporting.inventory.filing import (
    OPEN,
    ImportState,
    Order,
    cells_of,
    day_of,
    file_import,
    rejected_lines,
    try_import,
)
from reporting.inventory.importing import open_inventory
from reporting.store.engine import Store
from reporting.store.imports import get_import, list_imports
from reporting.web.asking import in_own_county
from reporting.web.carried import carried_file, chosen_file, pack_file
from reporting.web.desk_words import render_desk
from reporting.web.hauler_chosen import new_once, once_of
from schemas.program import Program

SHOWN: Final = 25
"""How many wrong rows a trial shows; the list of rejected rows has all once the file was imported."""
RECENT: Final = 10
_NAMING: Final = ("permit_number", "site_address", "component")
"""What a row is known by; it stands behind the columns with wrong cells."""
_DIFFERS: Final = (
    "The record has changed since the trial, so that the file would do something else now. Nothing was imported: look "
    "at the new trial below."
)


@in_own_county
def show_import_form() -> AnyResponse:
    """A file to choose, and what became of the last ones."""
    return _choose("")


@in_own_county
def take_import() -> AnyResponse:
    """A file is tried, or imported as its trial showed it, once."""
    sending = request.form.get("step") == "import"
    upload = chosen_file() or carried_file()
    if upload is None:
        return _choose("Choose the same file once more." if sending else "Choose a file: CSV or XLSX.")
    return _send(upload) if sending else _preview(upload, "")


@in_own_county
def show_import(import_id: str) -> AnyResponse:
    """How far a file is, and what became of it."""
    with service().database.reading(call().tenant) as store:
        row = _row(store, import_id)
    return render_desk("import_done", sent=row, told=row["answer"], working=row["state"] in OPEN, shown=SHOWN)


@in_own_county
def rejected_of_import(import_id: str) -> Response:
    """The wrong rows as they came, with what is wrong in a column `errors`: mend them and import the file again."""
    with service().database.reading(call().tenant) as store:
        row = _row(store, import_id)
        program, _today = program_today(store)
    if row["state"] != ImportState.DONE:
        raise absent()
    return csv_download(f"rejected-{import_id}.csv", table_bytes(rejected_lines(row, program)))


def _row(store: Store, import_id: str) -> dict[str, Any]:
    row = get_import(store, import_id)
    if row is None:
        raise absent()
    return row


def _choose(wrong: str) -> Response:
    with service().database.reading(call().tenant) as store:
        recent = list_imports(store, RECENT)
    return render_desk("import", status=422 if wrong else 200, wrong=wrong, recent=recent, columns=list(COLUMNS))


def _send(upload: Upload) -> AnyResponse:
    plan = request.form.get("plan", "")
    fingerprint = hashlib.sha256(f"{plan}\0{upload.file_name}\0".encode() + upload.data).hexdigest()
    order = Order(upload=upload, plan_sha256=plan, by=call().keyholder.key_id, now=call().now, limits=limits())

    def work(store: Store) -> Reply:
        program, _today = program_today(store)
        try:
            done = file_import(store, program, order)
        except FileRefused as refusal:
            return Reply(status=422, body={"detail": refusal.detail})
        if isinstance(done, InventoryAnswer):
            return Reply(status=409, body={"detail": _DIFFERS})
        return Reply(status=201, body={"id": done})

    try:
        reply, _headers = change_once(Sent(upload=upload, fingerprint=fingerprint), work, once_of(request.form))
    except Problem as problem:  # the same form with another file
        return _preview(upload, problem.detail)
    if "id" in reply.body:
        return redirect(f"/desk/imports/{reply.body['id']}", 303)
    return _preview(upload, str(reply.body["detail"]))


def _preview(upload: Upload, wrong: str) -> Response:
    with service().database.reading(call().tenant) as store:
        program, _today = program_today(store)
        try:
            told = try_import(store, program, upload, call().keyholder.key_id, call().now, limits())
        except FileRefused as refusal:
            return _choose(refusal.detail)
    columns, heading_of, rows = _wrong_rows(program, upload, told)
    return render_desk(
        "import_preview",
        status=422 if wrong else 200,
        wrong=wrong,
        upload=upload,
        told=told,
        heading_of=heading_of,
        used=[(heading, name) for name, heading in heading_of.items()],
        unknown=[(heading, _suggested(told, heading)) for heading in _unknown(told)],
        rows=rows,
        columns=columns,
        lacking=any("" in row["at"] for row in rows),
        taken=told.rows - told.rejected,
        packed=pack_file(upload),
        once=new_once(),
        warnings=told.warnings[:SHOWN],
    )


def _wrong_rows(
    program: Program, upload: Upload, told: InventoryAnswer
) -> tuple[list[str], Mapping[str, str], list[dict[str, Any]]]:
    """The columns to show, the file's heading for each, and the first wrong rows with their cells and errors."""
    file = open_inventory(upload.data, day_of(program, call().now), upload.file_name, upload.content_type, limits())
    heading_of = {name: heading for heading, name in file.headings.mapping.items()}
    wrong = {one.row: one for one in told.outcomes if one.outcome == REJECTED}
    first = sorted(wrong)[:SHOWN]
    at_fault = {issue.field for number in first for issue in wrong[number].errors}
    columns = [name for name in COLUMNS if name in heading_of and name in at_fault]
    columns += [name for name in _NAMING if name in heading_of and name not in at_fault]
    rows = []
    for row in file.sheet.rows:
        if row.number in first:
            at: dict[str, list[Any]] = {}
            for issue in wrong[row.number].errors:
                at.setdefault(issue.field if issue.field in columns else "", []).append(issue)
            rows.append({"number": row.number, "cells": cells_of(row), "at": at})
        if len(rows) == len(first):
            break
    return columns, heading_of, rows


def _unknown(told: InventoryAnswer) -> Sequence[str]:
    found = told.columns["unknown"]
    return found if isinstance(found, list) else []


def _suggested(told: InventoryAnswer, heading: str) -> str:
    found = told.columns["suggested"]
    return str(found.get(heading, "")) if isinstance(found, dict) else ""
