"""A county's mail over HTTP: standing, pauses, addresses; and the link out of reminders, without a session."""

from typing import Any

import pytest

from notifications.outbox import add_message
from notifications.records import Notice, NoticeKind
from notifications.unsubscribe import unsubscribe_path
from reporting.access.secret import Secret
from reporting.store import mail
from tests.notifications.builders import a_notice
from tests.reporting.api.world import AWAY, HOME, NOW, World

PAUSES = f"/v1/{HOME}/mail-pauses"
OWNER = "laverne@lor.example"
FORM = "application/x-www-form-urlencoded"


def queue(world: World, county: str = HOME, kind: NoticeKind = NoticeKind.RECEIPT, to: str = "a@x.example") -> str:
    notice = Notice(kind=kind, recipient=to, dedupe_key=f"{kind}|{to}", context={**a_notice().context, "lines": []})
    with world.database.transaction(county) as store:
        assert add_message(store, notice, NOW, "reports.example.org")
    with world.database.reading(county) as store:
        [row] = [row for row in mail.waiting_mails(store) if row["dedupe_key"] == notice.dedupe_key]
    return str(row["id"])


def test_from_the_pause_to_its_end(world: World) -> None:
    queue(world)
    made = world.post(PAUSES, {"kind": "receipt", "reason": "moving house"}, "county")
    assert made.status_code == 201, made.text
    assert (made.json["kind"], made.json["recipient"], made.json["reason"]) == ("receipt", None, "moving house")
    assert world.post(PAUSES, {"kind": "receipt", "reason": "again"}, "county").status_code == 409
    listed = world.get(PAUSES, "county").json
    assert (listed["pauses"], listed["held"]) == ([made.json], {"receipt": 1})
    standing = world.get(f"/v1/{HOME}/mail", "county").json
    assert (standing["counts"]["queued"], standing["held"], standing["oldest_waiting"]) == (1, {"receipt": 1}, None)
    ended = world.call("DELETE", made.headers["Location"], "county")
    assert (ended.status_code, ended.json) == (200, {"id": made.json["id"], "free": 1})
    assert world.call("DELETE", made.headers["Location"], "county").status_code == 404
    assert world.get(f"/v1/{HOME}/mail", "county").json["oldest_waiting"] == "2026-07-13T15:00:00Z"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "Give reason"),
        ({"reason": "x", "kind": "signin_link"}, "Give the kind as one of"),
        ({"reason": "x", "recipient": "a@x.org,b@x.org"}, "one plain mail address"),
        ({"reason": "x", "until": "2026-08-01"}, "Leave out 'until'"),
        ({"reason": "x" * 501}, "Give reason as a text of 1 to 500"),
    ],
)
def test_a_pause_that_makes_no_sense_is_refused(world: World, body: dict[str, Any], words: str) -> None:
    answer = world.post(PAUSES, body, "county")
    assert answer.status_code == 422
    assert words in answer.json["detail"]


def test_another_countys_pause_cannot_be_ended(world: World) -> None:
    made = world.post(f"/v1/{AWAY}/mail-pauses", {"reason": "x"}, "other county").json["id"]
    assert world.call("DELETE", f"{PAUSES}/{made}", "county").status_code == 404
    assert world.get(PAUSES, "county").json["pauses"] == []
    assert len(world.get(f"/v1/{AWAY}/mail-pauses", "other county").json["pauses"]) == 1


def link(world: World, message: str, county: str = HOME) -> str:
    path = unsubscribe_path(Secret.of(world.config), county, message)
    return f"/unsubscribe/{county}/{path}"


def suppressed(world: World) -> list[tuple[str, str, str | None]]:
    found = world.get(f"/v1/{HOME}/mail-suppressions", "county").json["suppressions"]
    return [(row["address"], row["reason"], row["kind"]) for row in found]


def test_looking_changes_nothing_and_one_click_stops_the_kind(world: World) -> None:
    """RFC 8058, section 3.2: a POST of just that body, without cookies, answered without a redirect."""
    address = link(world, queue(world, kind=NoticeKind.OWNER_REMINDER, to=OWNER))
    for _ in range(2):
        shown = world.get(address, "")
        assert (shown.status_code, shown.mimetype) == (200, "text/html")
    assert "service due soon" in shown.text
    assert shown.text.count('<form class="usa-form" method="post"') == 3
    assert suppressed(world) == []
    for kind in (FORM, "multipart/form-data"):
        done = world.call("POST", address, "", data={"List-Unsubscribe": "One-Click"}, content_type=kind)
        assert done.status_code == 200, done.text
        assert "Location" not in done.headers
        assert suppressed(world) == [(OWNER, "unsubscribed", "owner_reminder")]
    # From another site's page as well: mail programs are such pages, and the link alone allows it.
    elsewhere = {"Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site"}
    done = world.call("POST", address, "", data="choice=reminders", content_type=FORM, headers=elsewhere)
    assert done.status_code == 200
    assert suppressed(world) == [(OWNER, "unsubscribed", None), (OWNER, "unsubscribed", "owner_reminder")]
    assert world.post(address, {"choice": "again"}, "").json == {"choice": "again"}
    assert suppressed(world) == []


def test_a_link_that_is_not_ours_answers_like_none(world: World) -> None:
    reminder, law = queue(world, kind=NoticeKind.OWNER_REMINDER, to=OWNER), queue(world)
    good = link(world, reminder)
    wrong = [link(world, law), good[:-1] + ("a" if good[-1] != "a" else "q"), good.replace(HOME, AWAY)]
    for address in wrong:
        assert world.get(address, "").status_code == 404
        assert world.post(address, {"choice": "kind"}, "").status_code == 404
    for body in ({}, {"choice": "x"}, {"List-Unsubscribe": "No"}):
        assert world.post(good, body, "").status_code == 422
    assert suppressed(world) == []
