"""What a call brings along: one JSON object, read strictly, or a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from flask import g, request
from werkzeug.exceptions import ClientDisconnected, HTTPException, RequestEntityTooLarge

from reporting.api.calls import service
from reporting.api.problems import Problem, encode_bytes, field_error, of_refusal, unprocessable
from reporting.intake.accept import Upload
from reporting.intake.csv_rows import decode
from reporting.intake.json_rows import load_json
from reporting.intake.sheet import FileRefused, Limits

LARGEST_REPORT: Final = 1_000_000
"""Bytes of one JSON object: a report with an image of a signature."""
FILE_TYPES: Final = (
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/json",
    "application/octet-stream",
)
_TAKEN: Final = frozenset(
    {*FILE_TYPES, "", "application/csv", "application/vnd.ms-excel", "text/plain", "text/tab-separated-values"}
)
_FORM: Final = "multipart/form-data"


@dataclass(frozen=True, kw_only=True)
class Sent:
    """The bytes of a body, and what makes two calls the same one (`fingerprint`, SHA-256 in hex)."""

    upload: Upload
    fingerprint: str


def give_object(values: Mapping[str, Any]) -> None:
    """Let the rest of the call read this for the body's JSON object: what a page's form said, put into its members."""
    g.given_object = dict(values)


def sent_object() -> Sent:
    """The body as it came, where one JSON object is expected; of a page, the object that its form stands for."""
    given = g.get("given_object")
    if given is not None:
        return _sent(Upload(data=encode_bytes(given), file_name=None, content_type="application/json"))
    if not _is_json():
        raise Problem(415, "media-type", "Send one JSON object with Content-Type: application/json.")
    data = _body(LARGEST_REPORT)
    return _sent(Upload(data=data, file_name=None, content_type="application/json"))


def sent_file() -> Sent:
    """The file of a body: the body itself, or the field `file` of a form."""
    kind = request.mimetype
    if kind == _FORM:
        return _sent(_form_file())
    if kind not in _TAKEN and not kind.endswith("+json"):
        detail = f"Send the file as {', '.join(FILE_TYPES[:3])}, or as the field `file` of {_FORM}."
        raise Problem(415, "media-type", detail)
    generic = kind in ("", "application/octet-stream", "application/vnd.ms-excel")
    data = _body(service().config.max_upload_bytes)
    return _sent(Upload(data=data, file_name=None, content_type=None if generic else kind))


def read_object(sent: Sent) -> dict[str, Any]:
    """The body as a JSON object: no name twice, no NaN, no half characters, not nested deeply, else a problem."""
    try:
        text, _encoding = decode(sent.upload.data)
        value = load_json(text)
    except FileRefused as refusal:
        raise of_refusal(refusal) from refusal
    if not isinstance(value, dict):
        raise unprocessable("Send one JSON object.", code="not-an-object")
    if any(not _is_clean(text) for text in _texts(value)):
        raise unprocessable("A text holds a character that stands for nothing (NUL or half a character).")
    return value


def members(body: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """A body with just these members; else a problem that names all that is wrong."""
    errors = [field_error(n, "unknown_field", f"Leave out {n[:60]!r}.") for n in body if n not in names]
    errors += [field_error(n, "required", f"Give {n}.") for n in names if body.get(n) in (None, "")]
    if errors:
        raise unprocessable("The body cannot be used: " + errors[0]["message"], errors)
    return body


def reason_of(body: Mapping[str, Any]) -> str:
    """The `reason` of a body, as a text; else a problem."""
    reason = body["reason"]
    if not isinstance(reason, str) or not reason.strip() or len(reason) > 2_000:
        message = "Say why, in a text of at most 2,000 characters."
        raise unprocessable(message, [field_error("reason", "bad_value", message)])
    return reason.strip()


def limits() -> Limits:
    """How large a file may be over HTTP."""
    config = service().config
    return Limits(max_bytes=config.max_upload_bytes, max_rows=config.max_rows)


def _form_file() -> Upload:
    # The parts around the file are small.
    _body(service().config.max_upload_bytes + 100_000, keep=True)
    with _from_the_wire():
        files = request.files.getlist("file")
    if len(files) != 1:
        raise unprocessable("Send one file in the field `file` of the form.", code="no-file")
    name = (files[0].filename or "").replace("\x00", "").strip()[:200]
    return Upload(data=files[0].read(), file_name=name or None, content_type=files[0].content_type or None)


def _body(largest: int, *, keep: bool = False) -> bytes:
    """The whole body or a problem: the framework alone takes what came until then for the whole.

    It cuts a body in chunks off at the limit, and has no word for a sender who hung up before the end.
    """
    _refuse_packed()
    request.max_content_length = largest + 1
    with _from_the_wire():
        data = request.get_data(cache=keep)
    if len(data) > largest:
        raise RequestEntityTooLarge
    if request.content_length not in (None, len(data)):
        raise _broken_off()
    return data


@contextmanager
def _from_the_wire() -> Iterator[None]:
    """Reading a body: one that breaks off or is not framed as its headers say is the sender's mistake.

    Every server that reads the socket has errors of its own for that, which is why they cannot be named here.
    """
    try:
        yield
    except ClientDisconnected as error:
        raise _broken_off() from error
    except (HTTPException, MemoryError, OSError):
        raise  # an OSError is a disk's, where a large form is laid aside: the socket's have become the line above
    except Exception as error:
        raise _broken_off() from error


def _broken_off() -> Problem:
    detail = "The body broke off or is not framed as its headers say: send the whole call again."
    return Problem(400, "body-unreadable", detail)


def _refuse_packed() -> None:
    if request.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        raise Problem(415, "content-encoding", "Send the body as it is, not packed (no Content-Encoding).")


def _is_json() -> bool:
    return request.mimetype == "application/json" or request.mimetype.endswith("+json")


def _sent(upload: Upload) -> Sent:
    head = [request.method, sorted(request.args.items(multi=True)), upload.file_name, upload.content_type]
    digest = hashlib.sha256(json.dumps(head).encode() + b"\x00" + upload.data)
    return Sent(upload=upload, fingerprint=digest.hexdigest())


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _is_clean(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
