"""The enforcement sheet of a case or of a system: as JSON, as text, as a PDF."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from notifications.enforcement_sheet import sheet_pdf, sheet_text
from notifications.letters_pdf import LettersUnavailable
from reporting.api.calls import Reply, service
from reporting.api.cases import case_system
from reporting.api.moments import program_today
from reporting.api.openapi import Answer, Section
from reporting.api.problems import Problem, absent
from reporting.api.shapes import ref
from reporting.cases.sheet import enforcement_sheet
from reporting.errors import RecordNotFound
from schemas.program import Program

SECTION: Final = Section("enforcement", __name__, description="What the record says of a violation, with its sources.")
_JSON: Final = {200: Answer(tells="The sheet.", schema=ref("EnforcementSheet"))}
_TEXT: Final = {200: Answer(tells="The sheet.", schema={"type": "string"}, types=("text/plain",))}
_PDF: Final = {200: Answer(tells="To print or to keep.", schema={"type": "string"}, types=("application/pdf",))}
_ABSENT: Final = {503: "The typesetter is not installed, or the database is busy."}


@SECTION.endpoint("/v1/<slug:county>/cases/<id:case_id>/sheet", answers=_JSON)
def case_sheet(query: dict[str, Any], county: str, case_id: str) -> Response:
    """Of one case: facts with sources, rules in force, days counted, forfeiture, costs, who prosecutes, appeal."""
    return Reply(status=200, body=_sheet(county, case_id=case_id)[0]).response()


@SECTION.endpoint("/v1/<slug:county>/cases/<id:case_id>/sheet.txt", answers=_TEXT)
def case_sheet_text(query: dict[str, Any], county: str, case_id: str) -> Response:
    """The same as plain text."""
    return _as_text(*_sheet(county, case_id=case_id))


@SECTION.endpoint("/v1/<slug:county>/cases/<id:case_id>/sheet.pdf", answers=_PDF, problems=_ABSENT)
def case_sheet_pdf(query: dict[str, Any], county: str, case_id: str) -> Response:
    """The same as an accessible PDF (PDF/UA-1)."""
    return _as_pdf(*_sheet(county, case_id=case_id))


@SECTION.endpoint("/v1/<slug:county>/systems/<id:system_id>/sheet", answers=_JSON)
def system_sheet(query: dict[str, Any], county: str, system_id: str) -> Response:
    """Of all that stands against a system: its cases, services and reports past their last day."""
    return Reply(status=200, body=_sheet(county, system_id=system_id)[0]).response()


@SECTION.endpoint("/v1/<slug:county>/systems/<id:system_id>/sheet.txt", answers=_TEXT)
def system_sheet_text(query: dict[str, Any], county: str, system_id: str) -> Response:
    """The same as plain text."""
    return _as_text(*_sheet(county, system_id=system_id))


@SECTION.endpoint("/v1/<slug:county>/systems/<id:system_id>/sheet.pdf", answers=_PDF, problems=_ABSENT)
def system_sheet_pdf(query: dict[str, Any], county: str, system_id: str) -> Response:
    """The same as an accessible PDF (PDF/UA-1)."""
    return _as_pdf(*_sheet(county, system_id=system_id))


def _sheet(county: str, *, case_id: str | None = None, system_id: str | None = None) -> tuple[dict[str, Any], Program]:
    with service().database.reading(county) as store:
        program, today = program_today(store)
        system = case_system(store, case_id) if case_id else system_id or ""
        try:
            return enforcement_sheet(store, program, system, today, case_id), program
        except RecordNotFound as missing:
            raise absent() from missing


def _as_text(sheet: dict[str, Any], program: Program) -> Response:
    return Response(sheet_text(sheet, program), content_type="text/plain; charset=utf-8")


def _as_pdf(sheet: dict[str, Any], program: Program) -> Response:
    try:
        data = sheet_pdf(sheet, program)
    except LettersUnavailable as error:
        raise Problem(503, "no-typesetter", str(error)) from error
    response = Response(data, mimetype="application/pdf")
    name = f"enforcement-sheet-{program.slug}-{sheet['case'] or sheet['system']}.pdf"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
