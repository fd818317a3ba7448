"""The page on webhooks says what the code does, and its receiver takes what the service sends, and nothing else."""

import re
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest

from notifications.calendars import ALARM_BEFORE
from notifications.webhooks import MOST, OVERLAP
from notifications.webhooks_addresses import read_allowed
from notifications.webhooks_delivery import BACKOFF, DISABLED_AFTER, KEPT
from notifications.webhooks_door import LIMIT_S, Door
from notifications.webhooks_kinds import AT_ONCE, KINDS
from notifications.webhooks_signing import headers_of, new_secret
from reporting.api.policy import POLICIES

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "webhooks.md").read_text(encoding="utf-8")
BODY = b'{"type":"report.late","data":{"report":"rep_1"}}'


def test_every_kind_is_told_of_as_the_code_has_it() -> None:
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in TEXT.splitlines() if "| `" in line]
    told = {cells[0].strip("`"): cells[1:] for cells in rows if len(cells) == 3 and "." in cells[1]}
    assert told == {kind.name: (kind.says, "both" if kind.for_business else "county") for kind in KINDS}


def test_its_figures_are_the_codes() -> None:
    minutes = [wait.total_seconds() / 60 for wait in BACKOFF]
    assert minutes == [5 / 60, 5, 30, *(60 * hours for hours in (2, 5, 10, 14, 20, 24))]
    assert "5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours" in TEXT
    assert (10, *(timedelta(days=days) for days in (3, 90, 7))) == (LIMIT_S, DISABLED_AFTER, KEPT, OVERLAP)
    assert (10, 100, timedelta(hours=16)) == (MOST, AT_ONCE, ALARM_BEFORE)
    for figure in ("within 10 seconds", "goes back 90 days", "for seven days", "at most ten", "at most 100 a message"):
        assert figure in TEXT, figure


def test_every_address_of_it_is_there() -> None:
    named = {name.partition(".")[2] for name in POLICIES if name.startswith("webhooks.")}
    assert len(named) == 14
    for word in ("/secret", "/test", "/enable", "/deliveries", "/v1/contractors/me/webhooks", "/v1/{county}/webhooks"):
        assert word in TEXT, word


@pytest.fixture
def page() -> dict[str, Any]:
    """What the page's receiver defines."""
    [code] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    found: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, "docs/webhooks.md", "exec"), found)
    return found


@pytest.fixture
def served(page: dict[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    """Its receiver as a server: its address, its secret, and what it has taken."""
    taken: list[Any] = []
    secret = new_secret()
    page["SECRETS"][:] = [new_secret(), secret]
    page["Hook"].take = lambda self, message: taken.append(message)
    page["Hook"].log_message = lambda *words: None
    server = HTTPServer(("127.0.0.1", 0), page["Hook"])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", secret, taken
    server.shutdown()
    server.server_close()
    thread.join()


def test_its_receiver_takes_what_is_sent_once(served: tuple[str, str, list[Any]]) -> None:
    origin, secret, taken = served
    door, now = Door(allow=read_allowed(origin), limit_s=5), datetime.fromtimestamp(time.time(), UTC)
    headers = headers_of([new_secret(), secret], "dlv_1", now, BODY)
    for _ in range(2):
        assert door.post(f"{origin}/", BODY, headers).status == 204
    assert taken == [{"type": "report.late", "data": {"report": "rep_1"}}]


def test_its_receiver_refuses_what_is_not_ours(served: tuple[str, str, list[Any]]) -> None:
    origin, secret, taken = served
    door, now = Door(allow=read_allowed(origin), limit_s=5), datetime.fromtimestamp(time.time(), UTC)
    right = headers_of([secret], "dlv_1", now, BODY)
    old = headers_of([secret], "dlv_1", now - timedelta(seconds=310), BODY)
    for body, headers in (
        (BODY + b" ", right),
        (BODY, headers_of([new_secret()], "dlv_1", now, BODY)),
        (BODY, {**right, "webhook-id": "dlv_2"}),
        (BODY, {**right, "webhook-timestamp": str(int(right["webhook-timestamp"]) + 1)}),
        (BODY, {**right, "webhook-signature": ""}),
        (BODY, {**right, "webhook-timestamp": "soon"}),
        (BODY, old),
        (BODY, {}),
    ):
        assert door.post(f"{origin}/", body, headers).status == 401, headers
    assert taken == []
