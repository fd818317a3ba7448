"""`pumper review`: a report in doubt from the file to the decision and back, at a terminal."""

from __future__ import annotations

import json
import re

from tests.reporting.cli.test_commands import ROW, Desk, desk, office, prepared  # noqa: F401 - fixtures

WRONG = {**ROW, "permit_number": "SP-1978", "site_address": "9 Nowhere Lane", "service_date": "2025-06-28"}


def submit(at: Desk, *words: str, **fields: str) -> dict[str, str]:
    """Send one report with a wrong permit; what the list says of its review."""
    assert at.run("submit", "ozaukee", at.csv("r.csv", {**WRONG, **fields}), *words).returncode == 0
    rows = json.loads(at.run("review", "list", "ozaukee", "--json").stdout)
    assert isinstance(rows[-1], dict)
    return rows[-1]


def test_a_report_in_doubt_is_listed_looked_at_decided_and_undone(office: Desk) -> None:  # noqa: F811
    review = submit(office)
    listed = office.run("review", "list", "ozaukee").stdout
    assert f"{review['id']}  2025-06-28  SP-1978  (not_in_inventory; nearest" in listed
    assert listed.endswith("1 in all\n")
    shown = office.run("review", "show", "ozaukee", review["id"])
    assert shown.returncode == 0
    assert "permit_number: SP-1978" in shown.stdout
    assert re.search(r"1\. SP-1987 \(score 0\.\d\d\): the permit SP-1987 is one character away", shown.stdout)
    assert "site_address: sent '9 Nowhere Lane', on file 'N5555 County Road K'" in shown.stdout
    done = office.run("review", "resolve", "ozaukee", review["id"], "--system", "sp 1987", "--reason", "asked him")
    assert done.returncode == 0, done.stderr
    assert "kept in mind" in done.stdout
    status = office.run("status", "ozaukee", "--permit", "SP-1987").stdout
    assert "2025-06-28 pumping of septic" in status
    decided = office.run("review", "show", "ozaukee", review["id"]).stdout
    assert re.search(r"Decided .* by command line: matched .* \(asked him\)", decided)
    report = re.search(r"is (rep_\w+) now", done.stdout)
    assert report is not None
    back = office.run("review", "move", "ozaukee", report[1], "--back", "--reason", "it was another place")
    assert back.returncode == 0, back.stderr
    assert "forgotten" in back.stdout
    assert "2025-06-28" not in office.run("status", "ozaukee", "--permit", "SP-1987").stdout
    waiting = json.loads(office.run("review", "list", "ozaukee", "--json").stdout)
    assert [row["reason"] for row in waiting] == ["sent_back"]
    assert office.run("verify").returncode == 0


def test_what_is_kept_in_mind_can_be_forgotten(office: Desk) -> None:  # noqa: F811
    review = submit(office)
    words = ("review", "resolve", "ozaukee", review["id"], "--system", "SP-1987", "--reason", "x", "--json")
    assert json.loads(office.run(*words).stdout)["remembered"] is True
    forget = ("review", "forget", "ozaukee", review["id"], "--reason", "his office mended it")
    assert office.run(*forget).returncode == 0
    again = office.run(*forget)
    assert (again.returncode, again.stdout) == (2, "")
    assert "no such record" in again.stderr


def test_a_new_system_and_a_report_of_elsewhere(office: Desk) -> None:  # noqa: F811
    review = submit(office)
    assert office.run("review", "resolve", "ozaukee", review["id"], "--new", "--reason", "x").returncode == 0
    assert "Permit:   SP-1978" in office.run("status", "ozaukee", "--permit", "SP-1978").stdout
    other = submit(office, report_ref="T-2", permit_number="ZZ-1")
    assert office.run("review", "resolve", "ozaukee", other["id"], "--void", "--reason", "x").returncode == 0
    assert office.run("review", "list", "ozaukee").stdout == "0 in all\n"


def test_wrong_usage_says_what_to_do(office: Desk) -> None:  # noqa: F811
    review = submit(office)
    resolve = ("review", "resolve", "ozaukee", review["id"])
    for words, said in (
        ((*resolve, "--reason", "x"), "say one of --system PERMIT, --new and --void"),
        ((*resolve, "--new", "--void", "--reason", "x"), "say one of"),
        ((*resolve, "--new"), "--reason"),
        ((*resolve, "--system", "ZZ-1", "--reason", "x"), "There is no such system"),
        (("review", "resolve", "ozaukee", "rev_none", "--new", "--reason", "x"), "no such record"),
        (("review", "show", "ozaukee", "rev_none"), "no such record"),
        (("review", "move", "ozaukee", "rep_none", "--reason", "x"), "say one of --system PERMIT and --back"),
        (("review", "list", "nowhere"), "there is no program"),
    ):
        run = office.run(*words)
        assert (run.returncode, said in run.stderr, "Traceback" in run.stderr) == (2, True, False), (words, run)


def test_paper_is_entered_with_its_day_of_receipt(office: Desk) -> None:  # noqa: F811
    paper = {**ROW, "service_date": "2025-06-20"}
    in_time = office.run("submit", "ozaukee", office.csv("p.csv", paper), "--received-on", "2025-06-25", "--json")
    assert in_time.returncode == 0, in_time.stderr
    assert json.loads(in_time.stdout)["outcomes"][0]["findings"] == []
    late = office.run("submit", "ozaukee", office.csv("l.csv", {**paper, "report_ref": "T-9"}), "--json")
    assert [f["kind"] for f in json.loads(late.stdout)["outcomes"][0]["findings"]] == ["late_report"]
    early = office.run("submit", "ozaukee", office.csv("e.csv", paper), "--received-on", "2025-06-19")
    assert (early.returncode, "service_date" in early.stdout) == (1, True)
    ahead = office.run("submit", "ozaukee", office.csv("f.csv", paper), "--received-on", "2190-01-01")
    assert (ahead.returncode, "not in the future" in ahead.stdout) == (2, True)
