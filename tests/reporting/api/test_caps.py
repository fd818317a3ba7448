"""How much one call may bring or ask for, on both sides of each limit; over a real server where it is the server's."""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from reporting import tables
from reporting.api.bodies import LARGEST_REPORT
from reporting.api.workers import BODY_SECONDS, HEAD_SECONDS, SLOWEST, _length
from reporting.config import Config
from reporting.intake.sheet import Limits
from reporting.store.engine import Database
from reporting.store.paging import LARGEST_PAGE
from tests.reporting.api.test_server import free_port, serving
from tests.reporting.api.world import HOME, World, a_report, make_world
from tests.reporting.counties import csv_of
from tests.services.databases import DatabaseUrls, copied_sqlite

JSON = {"content_type": "application/json"}
FORM = "multipart/form-data; boundary=part"


def test_the_caps_are_those_that_were_promised() -> None:
    config = Config.from_environment({})
    assert (config.max_upload_bytes, config.max_rows, Limits().max_columns) == (10_000_000, 20_000, 64)
    assert (Limits().max_bytes, Limits().max_rows, LARGEST_PAGE, LARGEST_REPORT) == (10_000_000, 20_000, 200, 1_000_000)


def padded(size: int) -> bytes:
    """A report of so many bytes; blanks between the members of an object mean nothing."""
    body = json.dumps(a_report()).encode()
    return body[:-1] + b" " * (size - len(body)) + b"}"


def test_one_report_may_have_a_megabyte(world: World) -> None:
    taken = world.call("POST", f"/v1/{HOME}/reports", data=padded(LARGEST_REPORT), **JSON)
    refused = world.call("POST", f"/v1/{HOME}/reports", data=padded(LARGEST_REPORT + 1), **JSON)
    assert (taken.status_code, refused.status_code) == (201, 413)
    assert refused.json["type"] == "urn:pumper:problem:too-big"


def test_blank_lines_are_cheap_at_the_end_and_few_within(world: World) -> None:
    """A million blank rows below the reports, as spreadsheets leave them, are nothing; above them too many."""

    def send(lines: int, *, within: bool) -> tuple[int, float]:
        blank, rows = b",,,,,\r\n" * lines, csv_of(a_report(), a_report(report_ref="T-2", gallons_pumped=901))
        heading, _, rest = rows.partition(b"\n")
        data = heading + b"\n" + blank + rest if within else rows + blank
        begun = time.monotonic()
        status = world.send(HOME, data, query="?dry_run=true").status_code
        return status, time.monotonic() - begun

    assert send(1_000_000, within=False)[0] == 200
    assert send(1_000, within=True)[0] == 200
    status, seconds = send(250_000, within=True)
    assert status == 413
    assert seconds < 10  # a hang guard: it is refused before a line is looked at


def blank_file(size: int) -> bytes:
    """A file of so many bytes in which nothing stands but its heading."""
    return b"report_ref,service_date\n" + b"\n" * (size - 24)


def a_form(file: bytes, more: int = 0) -> bytes:
    """A form with the file, and so many fields more."""
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="reports.csv"\r\n\r\n'
    others = b"".join(b'--part\r\nContent-Disposition: form-data; name="f%d"\r\n\r\nx\r\n' % n for n in range(more))
    return others + head + file + b"\r\n--part--\r\n"


@pytest.mark.parametrize("form", [False, True])
def test_a_file_may_have_ten_megabytes(world: World, form: bool) -> None:
    def send(size: int) -> int:
        data = blank_file(size)
        if not form:
            return world.send(HOME, data).status_code
        return world.call("POST", f"/v1/{HOME}/submissions", data=a_form(data), content_type=FORM).status_code

    assert (send(10_000_000), send(10_000_001)) == (422, 413)  # it is read, and holds no report


def test_a_form_has_few_parts(world: World) -> None:
    def send(parts: int) -> int:
        data = a_form(csv_of(a_report()), parts - 1)
        path = f"/v1/{HOME}/submissions?dry_run=true"
        return world.call("POST", path, data=data, content_type=FORM).status_code

    assert (send(16), send(17)) == (200, 413)


def test_a_file_may_have_so_many_rows(database: DatabaseUrls, tmp_path: Path) -> None:
    world = make_world(database, tmp_path, PUMPER_MAX_ROWS="5")
    reports = [a_report(report_ref=f"T-{n}", gallons_pumped=900 + n) for n in range(6)]
    for kind, make in (("text/csv", lambda rows: csv_of(*rows)), ("application/json", lambda rows: json.dumps(rows))):
        sent = [world.send(HOME, make(reports[:n]), query="?dry_run=true", content_type=kind) for n in (5, 6)]
        assert [answer.status_code for answer in sent] == [200, 413], kind
        assert sent[1].json["type"] == "urn:pumper:problem:too-many-rows"
    world.database.dispose()


def test_a_file_may_have_64_columns(world: World) -> None:
    report = a_report()
    wide = {**report, **{f"Column {n}": "x" for n in range(64 - len(report))}}
    assert len(wide) == 64
    sent = [world.send(HOME, csv_of(row), query="?dry_run=true") for row in (wide, {**wide, "One more": "x"})]
    assert [answer.status_code for answer in sent] == [200, 422]
    assert sent[1].json["type"] == "urn:pumper:problem:too-many-columns"


@pytest.mark.parametrize("path", ["systems", "obligations", "reviews"])
def test_a_page_has_at_most_200(world: World, path: str) -> None:
    asked = [world.get(f"/v1/{HOME}/{path}?limit={limit}", "county").status_code for limit in (1, 200, 201, 0)]
    assert asked == [200, 200, 422, 422]


def test_a_cursor_is_short(world: World) -> None:
    for size, code in ((2_000, "not one that this list"), (2_001, "Length")):
        answer = world.get(f"/v1/{HOME}/systems?cursor={'a' * size}", "county")
        assert (answer.status_code, code in answer.json["detail"]) == (422, True), answer.json


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[tuple[World, int]]:
    """gunicorn as it is run, but with short times for slow senders."""
    folder = tmp_path_factory.mktemp("caps")
    world = make_world(copied_sqlite(sqlite_template, folder), folder)
    world.database.dispose()
    port = free_port()
    code = (
        "from reporting.api import workers\n"
        "workers.HEAD_SECONDS = workers.BODY_SECONDS = 1.5; workers.SLOWEST = 10**9\n"
        "from reporting.config import read; from reporting.api.server import serve\n"
        f"serve(read(), workers=1, bind='127.0.0.1:{port}')"
    )
    with serving(world, [sys.executable, "-c", code], port):
        yield world, port


def status_of(port: int, request: bytes) -> int:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(request)
        return int(client.recv(65_536).split(b" ")[1])


def test_the_address_line_has_its_length(server: tuple[World, int]) -> None:
    def ask(size: int) -> int:
        start, end = b"GET /healthz?x=", b" HTTP/1.1"
        return status_of(server[1], start + b"a" * (size - len(start + end)) + end + b"\r\nHost: x\r\n\r\n")

    assert (ask(4_094), ask(4_096)) == (422, 414)  # 422: there is no parameter x


def test_the_header_fields_have_their_number_and_length(server: tuple[World, int]) -> None:
    def ask(*fields: bytes) -> int:
        return status_of(server[1], b"GET /healthz HTTP/1.1\r\n" + b"".join(f + b"\r\n" for f in fields) + b"\r\n")

    many = [b"Host: x", *(b"X-%d: y" % number for number in range(64))]
    assert (ask(*many[:64]), ask(*many)) == (200, 431)
    assert (ask(b"Host: x", b"X: " + b"y" * 8_000), ask(b"Host: x", b"X: " + b"y" * 8_300)) == (200, 431)


def test_a_body_in_chunks_has_the_same_cap(server: tuple[World, int]) -> None:
    world, port = server
    head = (
        f"POST /v1/{HOME}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
        f"Authorization: Bearer {world.keys['contractor']}\r\nTransfer-Encoding: chunked\r\n\r\n"
    ).encode()
    for size, status in ((LARGEST_REPORT, 201), (LARGEST_REPORT + 1, 413)):
        body = padded(size)
        assert status_of(port, head + b"%x\r\n" % size + body + b"\r\n0\r\n\r\n") == status


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("form", [False, True])
def test_a_file_that_ends_early_is_not_taken(server: tuple[World, int], chunked: bool, form: bool) -> None:
    """The sender hangs up after half of the rows: no row is taken, and it is told if it still listens."""
    world, port = server
    file = csv_of(a_report(report_ref="E-1"), a_report(report_ref="E-2", gallons_pumped=901))
    data, cut = (a_form(file), a_form(file).index(b"E-2")) if form else (file, file.index(b"E-2"))
    head = f"POST /v1/{HOME}/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM if form else 'text/csv'}\r\n"
    head += f"Authorization: Bearer {world.keys['contractor']}\r\nConnection: close\r\n"
    head += "Transfer-Encoding: chunked\r\n\r\n" if chunked else f"Content-Length: {len(data)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(head.encode() + (b"%x\r\n" % len(data) if chunked else b"") + data[:cut])
        client.shutdown(socket.SHUT_WR)
        answer = client.recv(65_536)
    assert answer == b"" or answer.split(b" ")[1] == b"400", answer
    database = Database.connect(world.config.database_url)
    with database.reading(HOME) as store:
        found = store.connection.execute(select(tables.event.c.report_ref)).scalars().all()
    database.dispose()
    assert {"E-1", "E-2"} & set(found) == set()


def closes_within(client: socket.socket, seconds: float) -> bool:
    client.settimeout(seconds)
    try:
        while client.recv(65_536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


@pytest.mark.parametrize("body", [False, True])
def test_who_sends_slowly_keeps_no_thread(server: tuple[World, int], body: bool) -> None:
    """Twice as many as there are threads send a byte now and then; others are answered meanwhile, and these ended."""
    world, port = server
    key = world.keys["contractor"]
    head = f"POST /v1/{HOME}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {key}\r\nContent-Length: 1000\r\n\r\n{{" if body else "X-Slow: "
    clients = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(16)]
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.3):
            for client in clients:
                try:
                    client.send(b" ")
                except OSError:
                    continue

    for client in clients:
        client.sendall(head.encode())
    thread = threading.Thread(target=drip)
    thread.start()
    try:
        begun = time.monotonic()
        assert status_of(port, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") == 200
        assert time.monotonic() - begun < 20  # ten times the usual
        assert all(closes_within(client, 20) for client in clients)
    finally:
        stop.set()
        thread.join()
        for client in clients:
            client.close()


def test_how_long_a_body_may_take() -> None:
    """A file of 10 MB from a bad line is still taken; a body that hides its length has no more time than that."""
    assert (HEAD_SECONDS, BODY_SECONDS, SLOWEST) == (15.0, 20.0, 16_000)
    assert _length([("CONTENT-LENGTH", "1000")]) == 1_000
    for headers in ([], [("CONTENT-LENGTH", "99999999999")], [("CONTENT-LENGTH", "x")], [("TRANSFER-ENCODING", "x")]):
        assert _length(headers) == 10_000_000
