"""Webhooks from stored events to a receiver that took them: who is told, once, signed, tried again, given up."""

import base64
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from sqlalchemy import select

from notifications.records import EventKind
from notifications.webhooks import (
    MOST,
    HookOrder,
    HookRefused,
    IssuedHook,
    add_hook,
    enable_hook,
    queue_test,
    remove_hook,
    rotate_secret,
)
from notifications.webhooks_addresses import Origin, read_allowed
from notifications.webhooks_delivery import (
    BACKOFF,
    KEPT,
    LEASE,
    HookCounts,
    forget_old_deliveries,
    next_wait,
    send_hooks,
    send_one,
)
from notifications.webhooks_door import Door
from notifications.webhooks_kinds import AT_ONCE, KINDS, kinds_for
from notifications.webhooks_queue import queue_hooks
from notifications.webhooks_signing import signature
from reporting import tables
from reporting.access.entries import log_of
from reporting.access.secret import Secret
from reporting.store.engine import Database
from reporting.store.events_out import record_domain_events
from reporting.store.hook_deliveries import claim_delivery, recent_deliveries
from reporting.store.matching import insert_reviews
from reporting.store.people import upsert_contractors, upsert_credentials
from reporting.store.submissions import insert_outcomes, insert_submission
from reporting.store.webhooks import get_webhook
from tests.reporting.store.builders import a_submission
from tests.services.databases import DatabaseUrls
from tests.services.receivers import Receiver, answer, receiving

HOME, AWAY = "ozaukee", "portage"
NOW = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)
SECRET = Secret(key=b"k" * 32)


@dataclass
class Desk:
    """A database with two businesses, a clock moved by hand, and what the tests ask of webhooks."""

    database: Database
    now: datetime = NOW

    def clock(self) -> datetime:
        return self.now

    def add(self, url: str, county: str | None = HOME, business: str | None = None, *kinds: str) -> IssuedHook:
        order = HookOrder(url=url, county=county, contractor_id=business, kinds=kinds)
        allow = frozenset({_origin(url)}) if url.startswith("http://") else frozenset()
        with self.database.transaction(log_of(county)) as store:
            return add_hook(store, order, SECRET, allow, "me", self.now)

    def hook(self, made: IssuedHook) -> dict[str, Any]:
        with self.database.reading(None) as store:
            found = get_webhook(store, made.id)
        assert found is not None
        return found

    def tell(self, kind: str, key: str, county: str = HOME, **content: Any) -> None:
        row = {"id": f"evt_{county}_{key}", "kind": kind, "cause_key": key, "occurred_at": self.now}
        with self.database.transaction(county) as store:
            record_domain_events(store, [{**row, "content": content}])

    def queue(self, county: str = HOME) -> int:
        return queue_hooks(self.database, county, self.now)

    def send(self, *receivers: Receiver, lanes: int = 4, counties: tuple[str, ...] = (HOME,)) -> HookCounts:
        return send_hooks(self.database, counties, door(*receivers), SECRET, self.clock, lanes=lanes)

    def log(self, made: IssuedHook, county: str = HOME) -> list[dict[str, Any]]:
        with self.database.reading(county) as store:
            return recent_deliveries(store, made.id, 1000)


def _origin(url: str) -> Origin:
    scheme, _, rest = url.partition("://")
    host, _, port = rest.partition("/")[0].partition(":")
    return Origin(scheme=scheme, host=host, port=int(port))


def door(*receivers: Receiver) -> Door:
    return Door(allow=read_allowed(",".join(one.origin for one in receivers)), limit_s=3)


@pytest.fixture
def desk(database: DatabaseUrls) -> Iterator[Desk]:
    opened = Database.connect(database.app_url)
    with opened.transaction(None) as store:
        named = {"con_a": "Kettle Septic", "con_b": "Ridge Pumping"}
        upsert_contractors(
            store, [{"id": key, "business_name": name, "created_at": NOW} for key, name in named.items()]
        )
        held = {"00412": "con_a", "00555": "con_b"}
        upsert_credentials(
            store,
            [{"license_norm": n, "license_number": n, "kind": "x", "contractor_id": c} for n, c in held.items()],
        )
    yield Desk(database=opened)
    opened.dispose()


LATE = {
    "system": "sys_1", "permit_number": "SP-1", "site_address": "N1 Oak St", "owner_name": "Laverne Lor",
    "component": "septic", "component_ref": "Lor's tank", "rule": "OZ5", "cite": "9.029(5)(b)", "due_on": "2026-07-08",
    "last_day": "2026-07-10", "event": "rep_1", "report_ref": "Lor 1", "contractor_id": "con_a", "because": "Lor said",
}  # fmt: skip


def test_a_message_is_signed_minimal_and_sent_once(desk: Desk) -> None:
    with receiving() as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "late:1", **LATE)
        assert (desk.queue(), desk.queue()) == (1, 0)
        assert desk.send(receiver) == HookCounts(sent=1)
        assert desk.send(receiver) == HookCounts()
    [heard] = receiver.heard
    assert json.loads(heard.body) == {
        "type": "report.late",
        "timestamp": "2026-07-13T15:00:00Z",
        "data": {
            "event": "evt_ozaukee_late:1", "county": "ozaukee", "system": "sys_1", "permit_number": "SP-1",
            "component": "septic", "rule": "OZ5", "cite": "9.029(5)(b)", "due_on": "2026-07-08",
            "last_day": "2026-07-10", "report": "rep_1",
        },
    }  # fmt: skip
    assert b"Lor" not in heard.body
    assert b"Oak" not in heard.body
    [line] = desk.log(made)
    assert (line["state"], line["attempts"], line["status"], line["id"]) == (
        "sent",
        1,
        204,
        heard.headers["webhook-id"],
    )
    assert heard.headers["webhook-timestamp"] == str(int(NOW.timestamp()))
    # By hand, as the standard has it: HMAC-SHA256 with the decoded secret over `id.timestamp.body`.
    key = base64.b64decode(made.secret.removeprefix("whsec_"))
    signed = f"{line['id']}.{int(NOW.timestamp())}.".encode() + heard.body
    mac = base64.b64encode(hmac.new(key, signed, "sha256").digest()).decode()
    assert heard.headers["webhook-signature"] == f"v1,{mac}"
    assert len(key) == 32


def test_the_signature_is_that_of_the_standards_example() -> None:
    """The worked example of Standard Webhooks 1.0."""
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    found = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    with pytest.raises(ValueError, match="whsec_"):
        signature("MfKQ", "m", 1, b"")


def test_two_secrets_sign_while_both_are_live(desk: Desk) -> None:
    with receiving() as receiver:
        made = desk.add(receiver.url())
        with desk.database.transaction(HOME) as store:
            new = rotate_secret(store, desk.hook(made), SECRET, "me", desk.now, timedelta(days=7))
        for days in (0, 8):
            desk.now = NOW + timedelta(days=days)
            desk.tell("late_report", f"late:{days}", **LATE)
            desk.queue()
            assert desk.send(receiver).sent == 1
    both, one = receiver.heard

    def signed(heard: Any, secret: str) -> str:
        stamp = int(heard.headers["webhook-timestamp"])
        return signature(secret, heard.headers["webhook-id"], stamp, heard.body)

    assert both.headers["webhook-signature"].split() == [signed(both, new.secret), signed(both, made.secret)]
    assert one.headers["webhook-signature"].split() == [signed(one, new.secret)]


def test_secrets_are_kept_sealed_and_destroyed(desk: Desk) -> None:
    made = desk.add("https://hooks.example.org/x")
    key = base64.b64decode(made.secret.removeprefix("whsec_"))
    row = desk.hook(made)
    assert made.secret.encode() not in row["secret"]
    assert key not in row["secret"]
    with desk.database.transaction(HOME) as store:
        remove_hook(store, row, "me", desk.now)
    with desk.database.reading(HOME) as store:
        left = store.connection.execute(select(tables.webhook.c.secret, tables.webhook.c.state)).one()
        entries = store.connection.execute(select(tables.log_entry.c.type)).scalars().all()
        written = repr(store.connection.execute(select(tables.log_entry)).all())
    assert (left.secret, left.state) == (b"", "removed")
    assert list(entries)[-2:] == ["webhook_added", "webhook_removed"]
    assert "whsec_" not in written
    assert "hooks.example.org" not in written


def test_a_county_hears_its_own_and_a_business_what_names_it(desk: Desk) -> None:
    with receiving() as receiver:
        hooks = {
            "county": desk.add(receiver.url(path="/county")),
            "away": desk.add(receiver.url(path="/away"), AWAY),
            "a": desk.add(receiver.url(path="/a"), None, "con_a"),
            "b": desk.add(receiver.url(path="/b"), None, "con_b"),
        }
        desk.tell("late_report", "1", **LATE)
        desk.tell("late_report", "2", AWAY, **LATE)
        desk.tell("service_due", "3", contractor_license="00-555", system="sys_1")
        desk.tell("service_due", "4", system="sys_1")  # names nobody
        desk.tell("case_opened", "5", system="sys_1", case="c", contractor_id="con_a")
        desk.tell("delinquent_owner", "6", system="sys_1", contractor_id="con_a")
        desk.tell("owner_reminder", "7", system="sys_1", contractor_id="con_a")  # the owner's own
        desk.tell("something_new", "8", contractor_id="con_a")
        for county in (HOME, AWAY):
            queue_hooks(desk.database, county, desk.now)
        desk.send(receiver, counties=(HOME, AWAY))
    heard = {name: sorted(json.loads(one.body)["data"]["event"].rpartition("_")[2] for one in receiver.heard
                          if one.path == f"/{name}") for name in hooks}  # fmt: skip
    assert heard == {"county": ["1", "3", "4", "5", "6"], "away": ["2"], "a": ["1", "2"], "b": ["3"]}


def test_only_the_kinds_asked_for_and_nothing_from_before(desk: Desk) -> None:
    desk.tell("late_report", "before", **LATE)
    desk.now += timedelta(minutes=1)
    made = desk.add("https://hooks.example.org/", HOME, None, "report.late")
    desk.tell("late_report", "after", **LATE)
    desk.tell("service_due", "other", system="sys_1")
    assert desk.queue() == 1
    assert [line["source"] for line in desk.log(made)] == ["evt_ozaukee_after:report.late"]


def test_a_submissions_reports_are_told_in_parts(desk: Desk) -> None:
    made = desk.add("https://hooks.example.org/")
    count = AT_ONCE + 1
    with desk.database.transaction(HOME) as store:
        insert_submission(store, a_submission("sub_1"))
        rows = [{"submission": "sub_1", "row": n, "outcome": "accepted", "report_id": f"rep_{n}"} for n in range(count)]
        doubted = {"submission": "sub_1", "row": 900, "outcome": "queued_for_review", "report_id": "rep_900"}
        insert_outcomes(store, [*rows, doubted, {"submission": "sub_1", "row": 901, "outcome": "rejected"}])
        review = {"id": "rev_1", "event": "rep_900", "state": "open", "reason": "", "candidates": [], "created_seq": 1}
        insert_reviews(store, [review])
    desk.tell("receipt", "r", submission="sub_1", counts={"rows": count + 2, "accepted": count}, file_name="Lor.csv")
    assert desk.queue() == 4
    said = {line["kind"]: [] for line in desk.log(made)}
    for line in desk.log(made):
        said[line["kind"]].append(line["content"]["data"])
    assert sorted(len(data["reports"]) for data in said["report.accepted"]) == [1, AT_ONCE]
    assert [data["reviews"] for data in said["review.opened"]] == [[{"review": "rev_1", "report": "rep_900"}]]
    [receipt] = said["receipt"]
    assert (receipt["submission"], receipt["counts"]) == ("sub_1", {"rows": count + 2, "accepted": count})
    assert "Lor" not in json.dumps(said)


def test_an_event_that_cannot_be_read_stops_no_other(desk: Desk) -> None:
    made = desk.add("https://hooks.example.org/")
    desk.tell("receipt", "1", counts={"rows": "many"})
    desk.tell("late_report", "2", **LATE)
    assert desk.queue() == 1
    assert [line["kind"] for line in desk.log(made)] == ["report.late"]
    desk.tell("late_report", "3", **LATE)
    assert desk.queue() == 1


def test_what_is_not_taken_goes_again_under_the_same_id(desk: Desk) -> None:
    with receiving(answer(503)) as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "1", **LATE)
        desk.queue()
        for wait in BACKOFF[:3]:
            assert desk.send(receiver).waiting == 1
            assert desk.send(receiver).waiting == 0  # not before its time
            desk.now += wait - timedelta(seconds=1)
            assert desk.send(receiver).waiting == 0
            desk.now += timedelta(seconds=1)
        receiver.reply = answer(200)
        assert desk.send(receiver).sent == 1
    assert len(receiver.heard) == 4
    assert len({one.headers["webhook-id"] for one in receiver.heard}) == 1
    assert len({one.body for one in receiver.heard}) == 1
    assert len({one.headers["webhook-timestamp"] for one in receiver.heard}) == 4
    row = desk.hook(made)
    assert (row["failures"], row["failing_since"], row["last_error"], row["state"]) == (0, None, None, "active")


def test_three_days_of_failures_disable_it_and_say_so(desk: Desk) -> None:
    assert timedelta(days=3) < sum(BACKOFF, timedelta()) < timedelta(days=4)
    assert (next_wait(len(BACKOFF)), next_wait(len(BACKOFF) + 1)) == (BACKOFF[-1], None)
    with receiving(answer(500)) as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "1", **LATE)
        desk.queue()
        for wait in BACKOFF:
            assert desk.send(receiver).waiting == 1
            assert desk.hook(made)["state"] == "active"
            desk.now += wait
        desk.tell("late_report", "2", **LATE)
        desk.queue()
        done = desk.send(receiver)
        assert (done.failed, done.disabled) == (1, 1)
        calls = len(receiver.heard)
        row = desk.hook(made)
        assert (row["state"], row["ended_because"]) == ("disabled", "It took nothing since 2026-07-13 15:00 UTC.")
        desk.tell("late_report", "3", **LATE)
        assert desk.queue() == 0  # what happens meanwhile is not kept for it
        desk.now += timedelta(days=1)
        desk.send(receiver)
        assert len(receiver.heard) == calls
        assert sorted(line["state"] for line in desk.log(made)) == ["cancelled", "failed"]
        receiver.reply = answer(204)
        with desk.database.transaction(HOME) as store:
            enable_hook(store, row, "me", desk.now)
        desk.tell("late_report", "4", **LATE)
        desk.queue()
        assert desk.send(receiver).sent == 1


def test_one_message_that_is_never_taken_does_not_disable_it(desk: Desk) -> None:
    """A receiver that takes others is well: it has only no use for this one."""

    def picky(handler: BaseHTTPRequestHandler) -> None:
        answer(400 if b"sys_bad" in receiver.heard[-1].body else 200)(handler)

    with receiving(picky) as receiver:
        made = desk.add(receiver.url())
        desk.tell("service_due", "bad", system="sys_bad")
        desk.queue()
        failed = 0
        for n, wait in enumerate((*BACKOFF, timedelta(0))):
            failed += desk.send(receiver).failed
            desk.now += wait
            desk.tell("service_due", f"good {n}", system="sys_good")
            desk.queue()
            failed += desk.send(receiver).failed
            desk.now += timedelta(seconds=10)
        assert (failed, desk.hook(made)["state"]) == (1, "active")


def test_gone_disables_at_once(desk: Desk) -> None:
    with receiving(answer(410)) as receiver:
        made = desk.add(receiver.url())
        for key in ("1", "2"):
            desk.tell("late_report", key, **LATE)
        desk.queue()
        done = desk.send(receiver)
        assert (done.failed, done.disabled, len(receiver.heard)) == (1, 1, 1)
        row = desk.hook(made)
        assert (row["state"], row["ended_because"]) == ("disabled", "It answered 410: gone.")
        desk.send(receiver)
        assert sorted(line["state"] for line in desk.log(made)) == ["cancelled", "failed"]


def slow(gate: threading.Event) -> Callable[[BaseHTTPRequestHandler], None]:
    """Says nothing until the gate opens."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        gate.wait(20)

    return reply


def test_a_slow_receiver_keeps_no_other_waiting(desk: Desk) -> None:
    gate = threading.Event()
    with receiving(slow(gate)) as stuck, receiving() as quick:
        for path in ("/1", "/2"):
            desk.add(stuck.url(path=path))
        desk.add(quick.url())
        for n in range(10):
            desk.tell("late_report", str(n), **LATE)
        desk.queue()
        done: list[HookCounts] = []
        run = threading.Thread(target=lambda: done.append(desk.send(stuck, quick)))
        run.start()
        begun = time.monotonic()
        while len(quick.heard) < 10 and time.monotonic() - begun < 2.5:
            time.sleep(0.02)
        assert len(quick.heard) == 10  # while both slow ones are still waited for (limit 3 s)
        assert len(stuck.heard) == 2  # one thing at a time
        run.join()
        gate.set()
    assert (done[0].sent, done[0].waiting) == (10, 2)
    assert len(stuck.heard) == 2  # left alone after its failure


def test_several_workers_send_each_thing_once(desk: Desk) -> None:
    with receiving() as receiver:
        for path in ("/1", "/2", "/3"):
            desk.add(receiver.url(path=path))
        for n in range(12):
            desk.tell("late_report", str(n), **LATE)
        queued: list[int] = []
        threads = [threading.Thread(target=lambda: queued.append(desk.queue())) for _ in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert sum(queued) == 36
        done: list[HookCounts] = []
        threads = [threading.Thread(target=lambda: done.append(desk.send(receiver, lanes=2))) for _ in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    assert sum(one.sent for one in done) == 36
    assert len({one.headers["webhook-id"] for one in receiver.heard}) == len(receiver.heard) == 36


def test_a_sender_that_died_is_followed_by_another(desk: Desk) -> None:
    with receiving() as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "1", **LATE)
        desk.queue()
        with desk.database.transaction(HOME) as store:
            claim = claim_delivery(store, desk.now, LEASE)
        assert claim is not None
        desk.now += LEASE - timedelta(seconds=1)
        assert desk.send(receiver).sent == 0
        desk.now += timedelta(seconds=1)
        assert desk.send(receiver).sent == 1
    [line] = desk.log(made)
    assert (line["state"], line["attempts"], line["id"]) == ("sent", 2, claim.id)


def test_an_outcome_after_the_lease_changes_nothing(desk: Desk) -> None:
    """The first sender hangs past its lease; the second one's outcome is the one that stands."""
    gate = threading.Event()
    with receiving(slow(gate)) as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "1", **LATE)
        desk.queue()
        done: list[HookCounts] = []
        first = threading.Thread(target=lambda: done.append(desk.send(receiver, lanes=1)))
        first.start()
        while not receiver.heard:
            time.sleep(0.01)
        receiver.reply = answer(200)
        desk.now += LEASE
        assert desk.send(receiver, lanes=1).sent == 1
        gate.set()
        first.join()
    assert (done[0].lost, done[0].waiting) == (1, 0)
    [line] = desk.log(made)
    assert (line["state"], line["status"]) == ("sent", 200)
    assert desk.hook(made)["failures"] == 0


def test_a_test_message_is_sent_at_once(desk: Desk) -> None:
    with receiving() as receiver:
        made = desk.add(receiver.url(), None, "con_a", "receipt")
        with desk.database.transaction(HOME) as store:
            delivery = queue_test(store, desk.hook(made), desk.now)
        said = send_one(desk.database, HOME, delivery, door(receiver), SECRET, desk.clock)
    assert said is not None
    assert said.ok
    assert json.loads(receiver.heard[0].body) == {
        "type": "test", "timestamp": "2026-07-13T15:00:00Z", "data": {"webhook": made.id},
    }  # fmt: skip


def test_under_another_secret_of_the_service_nothing_is_sent_unsigned(desk: Desk) -> None:
    with receiving() as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "1", **LATE)
        desk.queue()
        send_hooks(desk.database, (HOME,), door(receiver), Secret(key=b"o" * 32), desk.clock)
    assert receiver.heard == []
    assert "rotate the secret" in desk.hook(made)["last_error"]


def test_what_is_refused(desk: Desk) -> None:
    for url in ("http://hooks.example.org/", "https://127.0.0.1/", "https://localhost/"):
        order = HookOrder(url=url, county=HOME)
        with desk.database.transaction(HOME) as store, pytest.raises(HookRefused) as refused:
            add_hook(store, order, SECRET, frozenset(), "me", NOW)
        assert refused.value.member == "url"
    for kinds, business in ((("moon.landed",), None), (("case.opened",), "con_a")):
        with pytest.raises(HookRefused, match="none of the kinds"):
            desk.add("https://hooks.example.org/", None if business else HOME, business, *kinds)
    for n in range(MOST):
        desk.add(f"https://hooks.example.org/{n}")
    with pytest.raises(HookRefused, match="10 webhooks already"):
        desk.add("https://hooks.example.org/more")
    desk.add("https://hooks.example.org/", AWAY)  # another's are counted apart
    desk.add("https://hooks.example.org/", None, "con_a")


def test_the_log_is_kept_for_a_while(desk: Desk) -> None:
    with receiving() as receiver:
        made = desk.add(receiver.url())
        desk.tell("late_report", "1", **LATE)
        desk.queue()
        desk.send(receiver)
        desk.tell("late_report", "2", **LATE)
        desk.queue()
    assert forget_old_deliveries(desk.database, [HOME], NOW + KEPT) == 0
    assert forget_old_deliveries(desk.database, [HOME], NOW + KEPT + timedelta(seconds=1)) == 1
    assert [line["state"] for line in desk.log(made)] == ["queued"]


def test_kinds_are_named_once_and_a_business_has_fewer() -> None:
    names = [kind.name for kind in KINDS]
    assert {event for kind in KINDS for event in kind.events} <= set(EventKind)
    assert len(set(names)) == len(names) == len(kinds_for(business=False)) > len(kinds_for(business=True)) > 5
