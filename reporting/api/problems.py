"""Everything that goes wrong, as a problem document (RFC 9457), the same shape for every error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from flask import Response
from werkzeug.exceptions import HTTPException

from reporting.errors import (
    BadCursor,
    DatabaseUnavailable,
    PumperError,
    QueryTooSlow,
    ReasonMissing,
    RecordNotFound,
    ReportEnded,
    StorageFull,
    SubmissionEnded,
)
from reporting.intake.sheet import FileRefused
from reporting.store.encoding import encode_json

PROBLEM_JSON: Final = "application/problem+json"
_ABSENT: Final = "There is no such thing at this address, or it is not for this key to see."
_SENTENCES: Final[Mapping[int, str]] = {
    400: "The request could not be read.",
    404: _ABSENT,
    405: "This address does not take this method; the Allow header names those it takes.",
    413: "The body is larger than this address takes: send less at once.",
    415: "This address does not take a body of this type.",
    500: "Something went wrong on our side; the request was not carried out. Name the X-Request-Id when you ask.",
}
_RETRY_SOON: Final = {"Retry-After": "2"}


class Problem(Exception):
    """A request that cannot be answered as asked.

    code: short name, the end of the problem's `type`. errors: contract.md's `errors[]`. extra: further members.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})

    def as_json(self) -> dict[str, Any]:
        """The document's members."""
        shown: dict[str, Any] = {
            "type": f"urn:pumper:problem:{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.extra,
        }
        return {**shown, "errors": [dict(error) for error in self.errors]} if self.errors else shown

    def response(self) -> Response:
        """The document as an answer."""
        response = Response(encode_bytes(self.as_json()), self.status, mimetype=PROBLEM_JSON)
        response.headers.update(self.headers)
        return response


def absent() -> Problem:
    """The one answer for what is not there and for what belongs to somebody else."""
    return Problem(404, "not-found", _ABSENT)


def unprocessable(detail: str, errors: Sequence[Mapping[str, Any]] = (), code: str = "validation") -> Problem:
    """What was understood and cannot be taken."""
    return Problem(422, code, detail, errors=errors)


def field_error(field: str, code: str, message: str, value: object = None) -> dict[str, Any]:
    """One of `errors[]` for a member of a JSON body; of queries, `pointer` is empty."""
    return {
        "row": None,
        "field": field,
        "pointer": f"/{field}",
        "code": code,
        "message": message,
        "value": None if value is None else str(value)[:200],
        "cite": None,
    }


def encode_bytes(value: object) -> bytes:
    """A JSON body; half characters that somebody sent are shown escaped, so that every body is UTF-8."""
    return encode_json(value).encode("utf-8", "backslashreplace") + b"\n"


def of_error(error: PumperError) -> Problem:
    """What an error of the service means over HTTP; without the particulars, which may name what is not public."""
    if isinstance(error, RecordNotFound):
        return absent()
    if isinstance(error, ReportEnded):
        return Problem(409, "report-ended", error.message)
    if isinstance(error, SubmissionEnded):
        return Problem(409, "submission-ended", error.message)
    if isinstance(error, ReasonMissing):
        return unprocessable(error.message, [field_error("reason", "required", error.message)])
    if isinstance(error, BadCursor):
        return unprocessable(error.message, [{**field_error("cursor", "bad_value", error.message), "pointer": ""}])
    if isinstance(error, StorageFull):
        return Problem(507, "storage-full", error.message)
    if isinstance(error, DatabaseUnavailable):
        return Problem(503, "unavailable", error.message, headers=_RETRY_SOON)
    if isinstance(error, QueryTooSlow):
        return Problem(503, "too-slow", error.message, headers={"Retry-After": "30"})
    return Problem(500, "internal", _SENTENCES[500])


def of_refusal(refusal: FileRefused) -> Problem:
    """A body or file that cannot be read at all: `detail` says how to save it right."""
    extra = {"headings": list(refusal.headings)} if refusal.headings else {}
    return Problem(refusal.status, refusal.code.replace("_", "-"), refusal.detail, extra=extra)


def of_http(error: HTTPException) -> Problem:
    """What the framework refused."""
    status = error.code or 500
    headers = {}
    if status == 405 and (allowed := getattr(error, "valid_methods", None)):
        headers["Allow"] = ", ".join(sorted(allowed))
    code = {404: "not-found", 405: "method-not-allowed", 413: "too-big", 415: "media-type", 500: "internal"}
    sentence = _SENTENCES.get(status, HTTPStatus(status).phrase)
    return Problem(status, code.get(status, f"http-{status}"), sentence, headers=headers)
