"""`pumper letters` at a terminal: from the queue to the mail and its proof, and what goes wrong on the way."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from reporting.owners import Teller, set_setting
from reporting.store.engine import Database
from reporting.store.signing import Signer
from schemas.calendar import local_date
from schemas.loader import shipped_program
from tests.notifications.letters import OFFICE, queue_letter, read_pdf
from tests.reporting.cli.test_commands import Desk, desk, office, prepared  # noqa: F401 - fixtures
from tests.reporting.counties import the_system

NOW = datetime(2026, 1, 2, 15, 0, tzinfo=UTC)


@pytest.fixture
def clerk(office: Desk) -> Desk:  # noqa: F811
    """A desk whose county has its office's address, and two letters in the queue."""
    database = Database.connect(office.environ["DATABASE_URL"])
    signer = Signer.load(Path(office.environ["PUMPER_SIGNING_KEY_FILE"]))
    teller = Teller(program=shipped_program("ozaukee"), by="key_clerk", now=NOW, signer=signer)
    with database.transaction("ozaukee") as store:
        for name, value in OFFICE.items():
            set_setting(store, teller, name, value, date(2026, 1, 1))
        system = the_system(store, "SP-1987").system_id
        for number in (1, 2):
            queue_letter(store, number, now=NOW, system=system)
        queue_letter(store, 3, "Laverne Lor\n1 Oak St\nSaukville", now=NOW, system=None)
    database.dispose()
    return office


def printed(clerk: Desk) -> tuple[str, Path]:
    out = clerk.folder / "letters.pdf"
    run = clerk.run("letters", "print", "ozaukee", "--out", str(out))
    assert run.returncode == 0, run.stderr
    found = re.search(r"run (prn_\w+): 2 letters on 3 pages, in ", run.stdout)
    assert found, run.stdout
    assert f"pumper letters confirm ozaukee {found[1]} --mailed-on" in run.stdout
    assert "not printed, no postcode: msg_" in run.stdout
    return found[1], out


def today() -> str:
    return local_date(datetime.now(UTC), "America/Chicago").isoformat()


def test_from_the_queue_to_the_mailing_log(clerk: Desk) -> None:
    listed = clerk.run("letters", "list", "ozaukee").stdout
    assert "3 wait, 1 of them cannot be addressed" in listed
    assert "Laverne Lor, 1 Oak St, Saukville  cannot be addressed: no postcode" in listed
    run, out = printed(clerk)
    assert len(read_pdf(out.read_bytes()).pages) == 3
    assert (
        f"run {run} of {today()}, 2 letters: not confirmed as mailed" in clerk.run("letters", "list", "ozaukee").stdout
    )

    again = clerk.folder / "again.pdf"
    assert clerk.run("letters", "reprint", "ozaukee", run, "--out", str(again)).stdout == f"wrote {again}\n"
    assert again.read_bytes() == out.read_bytes()

    mailed = clerk.run("letters", "confirm", "ozaukee", run, "--mailed-on", today())
    assert mailed.returncode == 0, mailed.stderr
    assert f"2 letters mailed on {today()} as first class mail; entry " in mailed.stdout
    proof, table = clerk.folder / "proof.pdf", clerk.folder / "proof.csv"
    for path in (proof, table):
        assert clerk.run("letters", "proof", "ozaukee", run, "--out", str(path)).returncode == 0
    assert "Proof of mailing" in read_pdf(proof.read_bytes()).pages[0].extract_text()
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"))))
    assert [row["mailed_on"] for row in rows] == [today()] * 2
    log = clerk.run("letters", "log", "ozaukee", "--csv").stdout
    assert list(csv.DictReader(io.StringIO(log.removeprefix("\ufeff")))) == rows
    assert clerk.run("letters", "log", "ozaukee").stdout.endswith("2 in all\n")
    assert clerk.run("letters", "log", "ozaukee", "--to", "2020-01-01").stdout == "0 in all\n"
    assert clerk.run("verify").returncode == 0


def test_json_is_one_document(clerk: Desk) -> None:
    waiting = json.loads(clerk.run("letters", "list", "ozaukee", "--json").stdout)
    assert sorted(str(row["problem"]) for row in waiting["waiting"]) == ["None", "None", "no_postcode"]
    out = str(clerk.folder / "l.pdf")
    made = json.loads(clerk.run("letters", "print", "ozaukee", "--limit", "1", "--out", out, "--json").stdout)
    assert (made["letters"], made["file"]) == (1, out)
    words = ("letters", "confirm", "ozaukee", made["run"], "--mailed-on", today(), "--class", "certified", "--json")
    done = json.loads(clerk.run(*words).stdout)
    assert (done["letters"], done["receipt"]["county"]) == (1, "ozaukee")
    [line] = json.loads(clerk.run("letters", "log", "ozaukee", "--json").stdout)
    assert line["mail_class"] == "certified"


def test_a_cancelled_run_can_be_printed_again(clerk: Desk) -> None:
    run, _ = printed(clerk)
    assert clerk.run("letters", "cancel", "ozaukee", run).stdout == "cancelled: 2 letters wait again\n"
    again = clerk.run("letters", "cancel", "ozaukee", run)
    assert (again.returncode, "confirmed as mailed or cancelled before" in again.stderr) == (2, True)
    assert printed(clerk)[0] != run


def test_nothing_waits(office: Desk) -> None:  # noqa: F811
    refused = office.run("letters", "print", "ozaukee")
    assert (refused.returncode, "Set office_address first" in refused.stderr) == (2, True)
    assert office.run("letters", "list", "ozaukee").stdout == "0 wait, 0 of them cannot be addressed\n"


def test_wrong_usage_says_what_to_do(clerk: Desk) -> None:
    run, _ = printed(clerk)
    confirm = ("letters", "confirm", "ozaukee", run)
    for words, said in (
        (("letters", "print", "nowhere"), "there is no program"),
        (("letters", "print", "ozaukee", "--limit", "0"), "0 is not in the range"),
        (confirm, "--mailed-on"),
        ((*confirm, "--mailed-on", "yesterday"), "write it as 2026-07-13"),
        ((*confirm, "--mailed-on", "2999-01-01"), "that day is still to come"),
        ((*confirm, "--mailed-on", "2020-01-01"), "it was printed on"),
        ((*confirm, "--mailed-on", today(), "--class", "pigeon"), "'pigeon' is not one of"),
        (("letters", "confirm", "ozaukee", "prn_none", "--mailed-on", today()), "no such record"),
        (("letters", "proof", "ozaukee", run, "--out", "p.pdf"), "there is a proof once it is confirmed"),
        (("letters", "reprint", "ozaukee", run, "--out", str(clerk.folder / "no" / "p.pdf")), "cannot be written"),
    ):
        ran = clerk.run(*words)
        assert (ran.returncode, said in ran.stderr, "Traceback" in ran.stderr) == (2, True, False), (words, ran)


def test_a_file_that_cannot_be_written_does_not_lose_the_run(clerk: Desk) -> None:
    ran = clerk.run("letters", "print", "ozaukee", "--out", str(clerk.folder / "no" / "p.pdf"))
    assert ran.returncode == 2
    found = re.search(r"the run is kept as (prn_\w+): pumper letters reprint", ran.stderr)
    assert found, ran.stderr
    assert clerk.run("letters", "reprint", "ozaukee", found[1], "--out", str(clerk.folder / "p.pdf")).returncode == 0


def test_without_the_typesetter_one_sentence_says_how_to_install_it(
    clerk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notifications.letters_pdf._EXTRA", ("no_such_module",))
    ran = clerk.run("letters", "print", "ozaukee")
    assert (ran.returncode, "Traceback" in ran.stderr) == (2, False)
    assert ran.stderr == 'pumper: Letters need the typesetter: pip install "pumper-reporting[letters]".\n'
