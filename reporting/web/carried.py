"""A file between its trial and its sending: chosen in a form, then packed into the page where it is small enough."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from typing import Final

from flask import request

from reporting.api.calls import service
from reporting.intake.accept import Upload
from reporting.intake.reading import keepable

PACKED: Final = 80_000
"""Characters of a packed file that a page carries."""


def chosen_file() -> Upload | None:
    """The one file that the form has in its field `file`; nothing where none or several were chosen."""
    files = [one for one in request.files.getlist("file") if one.filename]
    if len(files) != 1:
        return None
    data = files[0].read(service().config.max_upload_bytes + 1)
    return Upload(data=data, file_name=_name(files[0].filename or ""), content_type=files[0].content_type or None)


def carried_file() -> Upload | None:
    """The file as the page carries it; nothing where it was not carried or is not what was packed."""
    text = request.form.get("packed", "")
    try:
        unpack = zlib.decompressobj()
        data = unpack.decompress(b64decode(text, validate=True), service().config.max_upload_bytes + 1)
    except (ValueError, zlib.error):
        return None
    if not data or not unpack.eof:
        return None
    return Upload(
        data=data, file_name=_name(request.form.get("name", "")), content_type=request.form.get("type") or None
    )


def pack_file(upload: Upload) -> str:
    """What a page carries of a file; "" where it is too large, so that it has to be chosen again."""
    packed = b64encode(zlib.compress(upload.data, 9)).decode()
    return packed if len(packed) <= PACKED else ""


def _name(text: str) -> str | None:
    return keepable(text).replace("\ufffd", "").strip()[:200] or None
