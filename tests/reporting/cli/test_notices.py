"""`pumper notices` and `pumper windows`: how notices read, which were made, and a district's windows."""

from __future__ import annotations

import json
import re
from email import message_from_bytes, policy
from typing import Any

import pytest

from notifications.records import NoticeKind
from tests.reporting.cli.test_commands import EXAMPLES, Desk, desk, office, prepared  # noqa: F401 - fixtures

DAY = "2026-07-13"


def rows(at: Desk, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        at.run("notices", "list", "ozaukee", "--json", "--limit", "10000", *words).stdout
    )
    return found


@pytest.mark.parametrize("kind", ["due_digest", "owner_reminder", "case_opened", "weekly_summary", "receipt"])
def test_a_kind_is_previewed_without_a_database(desk: Desk, kind: str) -> None:  # noqa: F811
    said = desk.run("notices", "preview", kind, "--county", "ozaukee", "--as-of", DAY)
    assert said.returncode == 0, said.stderr
    assert "HOW TO ANSWER" in said.stdout
    assert "Ozaukee County" in said.stdout
    html = desk.run("notices", "preview", kind, "--county", "ozaukee", "--as-of", DAY, "--html").stdout
    assert html.count("<!DOCTYPE html>") == said.stdout.count("Subject: ")


def test_a_preview_speaks_for_its_county_and_shows_its_files(desk: Desk) -> None:  # noqa: F811
    said = desk.run("notices", "preview", "window_notice", "--county", "lake-beulah", "--as-of", DAY).stdout
    assert said.startswith("By letter to: Laverne Lor, N5551 County Road K, Saukville, WI 53080\n")
    assert "Rule: LB2, 4.02" in said
    files = desk.run("notices", "preview", "due_digest", "--county", "ozaukee", "--as-of", DAY, "--files").stdout
    assert "--- due-ozaukee-2026-07-13.csv (text/csv)" in files
    assert "BEGIN:VCALENDAR" in files


def test_without_a_county_one_that_has_such_a_rule_is_shown(desk: Desk) -> None:  # noqa: F811
    assert "Rule: LB3, 4.03" in desk.run("notices", "preview", "area_notice", "--as-of", DAY).stdout


def test_what_cannot_be_previewed_is_said(desk: Desk) -> None:  # noqa: F811
    none = desk.run("notices", "preview", "window_notice", "--county", "ozaukee")
    assert none.returncode == 2
    assert "Ozaukee County has no rule for this kind of notice" in none.stderr
    assert desk.run("notices", "preview", "spam").returncode == 2
    assert desk.run("notices", "preview", "receipt", "--county", "dane").returncode == 2


def test_the_kinds_are_listed_with_what_asks_for_them(desk: Desk) -> None:  # noqa: F811
    said = desk.run("notices", "kinds", "--county", "lake-beulah").stdout
    assert len(said.splitlines()) == 2 * len(NoticeKind)
    assert re.search(
        r"^delinquent_owner +of law +to owner, by post too: .*\n +lake-beulah: SPS 383\.255\(2\)\(b\)4$", said, re.M
    )
    assert re.search(r"^window_notice .*\n +lake-beulah: 4\.02; 4\.04$", said, re.M)
    assert re.search(r"^window_notice .*\n(.*\n)* +ozaukee: no such rule$", desk.run("notices", "kinds").stdout, re.M)
    told = {row["kind"]: row for row in json.loads(desk.run("notices", "kinds", "--json").stdout)}
    assert told["owner_reminder"]["legal"] is False
    assert set(told) == set(map(str, NoticeKind))


def test_what_was_made_is_listed_and_shown_with_its_proof(office: Desk) -> None:  # noqa: F811
    office.run("scan")  # today: a designation holds from the day of its import
    queued = rows(office)
    assert {row["state"] for row in queued} == {"queued"}
    kinds = {row["kind"] for row in queued}
    assert {"due_digest", "delinquent_owner"} <= kinds
    assert {row["channel"] for row in rows(office, "--kind", "delinquent_owner")} == {"letter", "mail"}
    by_post = {row["kind"] for row in rows(office, "--channel", "letter")}
    assert by_post <= {"delinquent_owner", "owner_reminder", "contract_expiring"}
    assert rows(office, "--state", "sent") == []
    assert office.run("deliver").returncode == 0
    [digest, *_] = rows(office, "--kind", "due_digest", "--state", "sent")
    shown = office.run("notices", "show", "ozaukee", digest["id"])
    assert "This is the text that was sent." in shown.stdout
    assert "due for service" in shown.stdout
    told = json.loads(office.run("notices", "show", "ozaukee", digest["id"], "--json").stdout)
    assert told["same_as_sent"] is True
    assert set(told["proof"]["files_sha256"]) == {
        name for name in told["proof"]["files_sha256"] if "due-ozaukee" in name
    }
    mails = [message_from_bytes(path.read_bytes(), policy=policy.default) for path in office.folder.glob("mail/*.eml")]
    digests = [mail for mail in mails if "due for service" in str(mail["Subject"])]
    assert digests
    assert all(len(list(mail.iter_attachments())) == 2 for mail in digests)
    line = office.run("notices", "list", "ozaukee", "--kind", "due_digest").stdout
    assert re.search(rf"^{digest['id']}  \d{{4}}-\d\d-\d\d \d\d:\d\d  sent      mail   due_digest ", line, re.M)


def test_a_systems_own_notices_are_found_by_its_permit(office: Desk) -> None:  # noqa: F811
    office.run("scan", "--as-of", DAY)
    every = [row for row in rows(office) if row["system"]]
    due = json.loads(office.run("due", "ozaukee", "--state", "overdue", "--json").stdout)
    permit = next(row["permit_number"] for row in due if row["permit_number"])
    mine = rows(office, "--permit", permit)
    assert mine
    assert len({row["system"] for row in mine}) == 1
    assert len(mine) < len(every)


def test_a_notice_that_is_not_there(office: Desk) -> None:  # noqa: F811
    said = office.run("notices", "show", "ozaukee", "msg_none")
    assert (said.returncode, said.stdout) == (1, "")
    assert "There is no notice 'msg_none'" in said.stderr


def test_a_window_is_set_listed_and_called_off(office: Desk) -> None:  # noqa: F811
    words = ("windows", "set", "lake-beulah", "--from", "2027-06-01", "--area", "2", "--json")
    told = json.loads(office.run(*words).stdout)
    assert told["receipt"]["seq"] >= 1
    [row] = json.loads(office.run("windows", "list", "lake-beulah", "--json").stdout)
    assert row == {"id": told["id"], "from": "2027-06-01", "area": 2}
    wrong = office.run("windows", "set", "lake-beulah", "--from", "2027-06-01", "--to", "2027-05-01")
    assert wrong.returncode == 2
    assert "not before from" in wrong.stderr
    assert office.run("windows", "call-off", "lake-beulah", told["id"]).returncode == 0
    again = office.run("windows", "call-off", "lake-beulah", told["id"])
    assert again.returncode == 1
    assert "There is no window" in again.stderr
    assert office.run("windows", "list", "lake-beulah").stdout == "0 in all\n"
    assert office.run("verify").returncode == 0
