"""The inputs that P10 names one by one, as requests over a socket: what is sent, and what the answer must be."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.files.faults import text
from tests.files.shapes import NAMES, USUAL
from tests.promises.mutating import ODD, monsters

JSON, CSV = "application/json", "text/csv"
REPORTS, FILES = "/v1/ozaukee/reports", "/v1/ozaukee/submissions"
DRY = f"{FILES}?dry_run=true"
IN, REFUSED = {200, 201, 207}, {400, 413, 415, 422}


@dataclass(frozen=True, kw_only=True)
class Seed:
    """One request by name. `raw`: the whole request as it goes over the socket, headers and all."""

    name: str
    path: str = DRY
    body: bytes = b""
    content_type: str = CSV
    headers: dict[str, str] = field(default_factory=dict)
    answers: set[int] = field(default_factory=lambda: IN | REFUSED)
    raw: bytes | None = None


def _report(name: str, answers: set[int], **values: Any) -> Seed:
    """One JSON report with odd values."""
    body = {**USUAL, "gallons_pumped": 1000, **values}
    return Seed(name=name, path=REPORTS, body=json.dumps(body).encode(), content_type=JSON, answers=answers)


def _raw_json(name: str, member: str) -> Seed:
    """A report whose JSON cannot be made by a writer of JSON."""
    body = json.dumps(USUAL)[:-1] + ", " + member + "}"
    return Seed(name=name, path=REPORTS, body=body.encode(), content_type=JSON, answers=REFUSED)


def _row(**values: str) -> str:
    return text([{**USUAL, **values}.get(name, "") for name in NAMES])


def numbers() -> Iterator[Seed]:
    """Numbers that no tank holds."""
    values: dict[str, Any] = {
        "2^63": 2**63, "-2^63": -(2**63), "1_000": "1_000", "Arabic digits": "١٢٣", "1.9 for whole": 1.9,
        "a number of 10,000 digits": "9" * 10_000,
    }  # fmt: skip
    for name, value in values.items():
        yield _report(f"{name}, JSON", REFUSED, gallons_pumped=value)
        yield Seed(name=f"{name}, CSV", body=_row(gallons_pumped=str(value)).encode(), answers=REFUSED)
    for number in ("1e999999", "NaN", "Infinity", "-Infinity"):
        yield _raw_json(f"{number}, JSON", f'"meter_reading": {number}')
        yield Seed(name=f"{number}, CSV", body=_row(gallons_pumped=number).encode(), answers=REFUSED)
    yield _raw_json("duplicate keys", '"notes": "a", "notes": "b"')


def days() -> Iterator[Seed]:
    """The first and last years, and 30 days into and before them; no report is of the year 1."""
    for day in ("0001-01-01", "0001-01-31", "9999-12-01", "9999-12-31", "0000-01-01", "2026-02-30"):
        yield _report(f"{day}, JSON", REFUSED, service_date=day)
        yield Seed(name=f"{day}, CSV", body=_row(service_date=day).encode(), answers=REFUSED)


def texts() -> Iterator[Seed]:
    """Text that breaks databases, terminals and spreadsheets; what can be kept is kept as it came."""
    yield _report("NUL, JSON", REFUSED, notes="a\x00b")
    yield Seed(name="NUL, CSV", body=_row(notes="a\x00b").encode())
    yield _report("a lone surrogate, JSON", REFUSED, notes="\ud800")
    yield _raw_json("half a surrogate pair, JSON", '"notes": "\\udc00x"')
    yield Seed(name="a surrogate's bytes, CSV", body=_row(notes="@").encode().replace(b"@", b"\xed\xa0\x80"))
    for name, value in {
        "=cmd|": "=cmd|' /C calc'!A0",
        "RTL": "\u202eevil\u202c",
        "zero-width": "a\u200bb\u200d",
    }.items():
        yield _report(f"{name}, JSON", {201}, report_ref=f"S-{name}", notes=value)
        yield Seed(name=f"{name}, CSV", body=_row(report_ref=f"C-{name}", notes=value).encode(), answers=IN)


def encodings() -> Iterator[Seed]:
    """Encodings and ends of line that offices' programs write."""
    good = _row(report_ref="E-1", owner_name="José Nuñez")
    for codec in ("utf-16", "utf-8-sig", "cp1252", "utf-8"):
        yield Seed(name=f"{codec}, CSV", body=good.encode(codec), answers=IN)
    yield Seed(name="UTF-16 without a mark, CSV", body=good.encode("utf-16-le"))
    yield Seed(name="CR only", body=good.replace("\r\n", "\r").encode(), answers=IN)
    yield Seed(name="a lone quote", body=good.replace("Pumped tank", 'Pumped "tank').encode())
    yield Seed(name="gzip bytes", body=gzip.compress(good.encode()), answers=REFUSED)
    yield Seed(name="gzip body", body=gzip.compress(good.encode()), headers={"Content-Encoding": "gzip"}, answers={415})


def deep() -> Iterator[Seed]:
    """Depth and size."""
    yield Seed(name="JSON 100,000 deep", body=b"[" * 100_000, content_type=JSON, answers=REFUSED)
    nested = b'{"notes": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001
    yield Seed(name="a report 100,000 deep", path=REPORTS, body=nested, content_type=JSON, answers=REFUSED)
    for number, data in enumerate(monsters()):
        yield Seed(name=f"monster {number} (5 MB cell, 10,000 columns, …)", body=data)
    yield Seed(name="11 MB", body=b"x" * 11_000_000, answers={413})


def each_odd_value_in_each_column() -> Iterator[Seed]:
    """A file a column, a row for each odd value."""
    for column in NAMES:
        rows = [{**USUAL, "report_ref": f"O-{n}", column: value} for n, value in enumerate(ODD)]
        lines = [[row.get(name, "") for name in NAMES] for row in rows]
        # A surrogate has no bytes; every other character has.
        yield Seed(name=f"odd values in {column}", body=text(*lines).encode("utf-8", "replace"))


def framings(key: str) -> Iterator[Seed]:
    """Requests whose frame is wrong: length too long, too short, none, two of them, not a number, chunks."""
    body = _row().encode()
    head = f"POST {DRY} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n"
    head += f"Content-Type: {CSV}\r\n"
    lengths = {
        "Content-Length too long": f"Content-Length: {len(body) + 100}",
        "Content-Length too short": f"Content-Length: {len(body) - 100}",
        "Content-Length negative": "Content-Length: -1",
        "Content-Length no number": "Content-Length: many",
        "Content-Length with _": "Content-Length: 1_0",
        "two Content-Lengths": f"Content-Length: {len(body)}\r\nContent-Length: 5",
        "length and chunks": f"Content-Length: {len(body)}\r\nTransfer-Encoding: chunked",
        "chunks that are none": "Transfer-Encoding: chunked",
        "no length": "X-None: 1",
    }
    for name, length in lengths.items():
        yield Seed(name=name, raw=f"{head}{length}\r\n\r\n".encode() + body)


def seeds() -> Iterator[Seed]:
    """All that are sent as whole requests; `framings` come beside them."""
    for some in (numbers, days, texts, encodings, deep, each_odd_value_in_each_column):
        yield from some()


def send_raw(port: int, data: bytes, patience: float) -> int:
    """The status of what is answered to bytes on a socket that is then half closed; 0: closed without an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while b"\r\n" not in answer and (more := connection.recv(65_536)):
                answer += more
        except ConnectionResetError:
            pass
    return int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/") else 0
