"""`pumper mail`, `pumper bounces` and `pumper deliver --dry-run` at a terminal."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from tests.notifications.bouncing import a_bounce, mailbox
from tests.reporting.cli.test_commands import Desk, desk, office, prepared  # noqa: F401 - fixtures
from tests.reporting.cli.test_notices import rows


@pytest.fixture
def scanned(office: Desk) -> Desk:  # noqa: F811
    """An office whose notices are queued."""
    assert office.run("scan").returncode == 0
    return office


def plan(at: Desk) -> dict[str, object]:
    found = json.loads(at.run("deliver", "--dry-run", "--json").stdout)
    return next(dict(one) for one in found if one["county"] == "ozaukee")


def test_a_pause_holds_and_is_shown_until_it_is_resumed(scanned: Desk) -> None:
    waiting = len(rows(scanned, "--state", "queued", "--channel", "mail"))
    assert waiting > 2
    assert len(plan(scanned)["going"]) == waiting  # type: ignore[arg-type]
    assert scanned.run("mail", "pause", "ozaukee").returncode == 2
    made = scanned.run("mail", "pause", "ozaukee", "--reason", "moving house")
    assert (made.returncode, f"; {waiting} mails are held" in made.stdout) == (0, True), made.stderr
    assert plan(scanned)["staying"]["paused"] == waiting  # type: ignore[index]
    said = scanned.run("deliver", "--dry-run").stdout
    assert re.search(rf"^ozaukee: 0 would go today; not: .*\b{waiting} paused$", said, re.M), said
    delivered = scanned.run("deliver")
    assert f"{waiting} held" in delivered.stdout
    status = scanned.run("mail", "status", "ozaukee").stdout
    assert "held: " in status
    assert "all mail since " in status
    assert "moving house" in scanned.run("mail", "pauses", "ozaukee").stdout
    wrong = scanned.run("mail", "resume", "ozaukee", "--kind", "receipt")
    assert (wrong.returncode, "No such pause holds now; pau_" in wrong.stderr) == (2, True)
    assert f"{waiting} mails may go" in scanned.run("mail", "resume", "ozaukee").stdout
    assert f"{waiting} sent" in scanned.run("deliver").stdout
    assert scanned.run("mail", "pauses", "ozaukee").stdout == "0 in all\n"
    assert "moving house, ended " in scanned.run("mail", "pauses", "ozaukee", "--ended").stdout


def test_a_trial_writes_to_one_address(scanned: Desk) -> None:
    trial = replace(scanned, environ={**scanned.environ, "PUMPER_MAIL_ONLY_TO": "trial@county.example"})
    assert trial.run("deliver").returncode == 0
    files = [
        message_from_bytes(path.read_bytes(), policy=policy.default) for path in (scanned.folder / "mail").iterdir()
    ]
    assert files
    assert {one["To"] for one in files} == {"trial@county.example"}
    assert all(one["Subject"].startswith(f"[for {one['X-Pumper-Recipient']}] ") for one in files)
    bad = replace(scanned, environ={**scanned.environ, "PUMPER_MAIL_ONLY_TO": "not an address"})
    assert "PUMPER_MAIL_ONLY_TO: must be one plain mail address" in bad.run("deliver").stderr


def test_bounces_are_read_from_a_file_and_from_a_pipe(scanned: Desk) -> None:
    assert scanned.run("deliver").returncode == 0
    sent = rows(scanned, "--state", "sent", "--channel", "mail")
    first, second = sent[0], next(row for row in sent if row["recipient"] != sent[0]["recipient"])
    path = Path(scanned.folder / "returned.mbox")
    path.write_bytes(mailbox(a_bounce(first), a_bounce(second, status="")))
    said = scanned.run("bounces", "read", str(path))
    assert said.returncode == 1
    assert f"ozaukee: {first['id']}: It bounced: 5.1.1 smtp; 550 5.1.1 No such mailbox; its address gets" in said.stdout
    assert "message 2 of the file: The report has no Status such as 5.1.1." in said.stdout
    assert "2 read: 1 permanent" in said.stdout
    piped = scanned.run("bounces", "read", "-", "--json", stdin=a_bounce(second).decode())
    assert (piped.returncode, json.loads(piped.stdout)["counts"]) == (0, {"permanent": 1})
    assert {row["id"] for row in rows(scanned, "--state", "failed")} == {first["id"], second["id"]}
    for words, stdin in (("begin with a header", "\x00\x01"), ("It is empty", "")):
        wrong = scanned.run("bounces", "read", "-", stdin=stdin)
        assert (wrong.returncode, words in wrong.stderr) == (2, True), wrong.stderr
    listed = scanned.run("mail", "suppressed", "ozaukee").stdout
    assert f"{first['recipient']}  bounce since " in listed
    assert "2 in all" in listed
    assert scanned.run("mail", "unsuppress", "ozaukee", first["recipient"], "--reason", "repaired").returncode == 0
    again = scanned.run("mail", "unsuppress", "ozaukee", first["recipient"], "--reason", "repaired")
    assert (again.returncode, "is not on the list of ozaukee" in again.stderr) == (2, True)
    by_hand = scanned.run(
        "mail", "suppress", "ozaukee", "x@y.example", "--reason", "unsubscribed", "--kind", "due_digest"
    )
    assert by_hand.stdout == "x@y.example is on the list\n"
    listed = json.loads(scanned.run("mail", "suppressed", "ozaukee", "--json").stdout)
    assert {(row["address"], row["kind"]) for row in listed} == {
        (second["recipient"], ""),
        ("x@y.example", "due_digest"),
    }
