"""The command line as people use it: real processes' exit codes and words, on a database of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from reporting.cli.main import pumper

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
ROW = {
    "report_ref": "T-1",
    "permit_number": "SP-1987",
    "site_address": "N5555 County Road K",
    "owner_name": "Laverne Lor",
    "component": "septic",
    "event_type": "pumping",
    "service_date": "2025-06-30",
    "gallons_pumped": "1,000",
    "work_description": "Pumped",
    "technician_name": "Dale Krueger",
    "license_number": "00412",
    "credential_kind": "septage_operator",
    "signature": "Dale Krueger",
}


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a command did."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A person's terminal: a folder, and the environment that configures the service."""

    folder: Path
    environ: Mapping[str, str]

    def run(self, *words: str, stdin: str = "") -> Ran:
        """The command in this process, as `pumper` runs it."""
        result = CliRunner().invoke(pumper, list(words), input=stdin, env=dict(self.environ))
        unexpected = result.exception is not None and not isinstance(result.exception, SystemExit)
        stderr = result.stderr + ("Traceback" if unexpected else "")
        return Ran(returncode=result.exit_code, stdout=result.stdout, stderr=stderr)

    def start(self, *words: str, stdin: str = "") -> Ran:
        """The command as a process of its own."""
        command = [sys.executable, "-m", "reporting.cli", *words]
        run = subprocess.run(
            command, cwd=ROOT, env=dict(self.environ), input=stdin, capture_output=True, text=True, timeout=120
        )
        return Ran(returncode=run.returncode, stdout=run.stdout, stderr=run.stderr)

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def csv(self, name: str, *rows: Mapping[str, str]) -> str:
        quoted = [",".join(f'"{v}"' for v in row.values()) for row in rows]
        return self.file(name, "\r\n".join([",".join(rows[0]), *quoted]) + "\r\n")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return _desk(tmp_path)


def _desk(tmp_path: Path) -> Desk:
    environ = {k: v for k, v in os.environ.items() if k not in ("SMTP_URL", "MIGRATION_DATABASE_URL")}
    own = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'pumper.db'}",
        "PUMPER_SIGNING_KEY_FILE": str(tmp_path / "signing.key"),
        "PUMPER_MAIL_DIR": str(tmp_path / "mail"),
    }
    return Desk(folder=tmp_path, environ={**environ, **own})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database that has the contractors and the inventory of one county, as the commands made it."""
    desk = _desk(tmp_path_factory.mktemp("office"))
    assert desk.run("init").returncode == 0
    assert desk.run("contractors", "import", str(EXAMPLES / "contractors.csv")).returncode == 0
    assert desk.run("inventory", "import", "ozaukee", str(EXAMPLES / "inventory" / "ozaukee.csv")).returncode == 0
    return desk.folder


@pytest.fixture
def office(desk: Desk, prepared: Path) -> Desk:
    """A desk with a copy of that database."""
    for name in ("pumper.db", "signing.key"):
        shutil.copy(prepared / name, desk.folder / name)
    return desk


def test_every_contract_command_is_there(desk: Desk) -> None:
    """Those of the published face; README lists all of them, held by its own test."""
    said = desk.run("--help").stdout
    listed = set(re.findall(r"^  ([a-z-]+) ", said, re.MULTILINE))
    assert listed >= {
        "config", "contractors", "deliver", "demo", "due", "evaluate", "export", "init", "inventory", "key", "programs",
        "scan", "serve", "status", "submit", "verify", "worker",
    }  # fmt: skip
    assert {"serve", "web", "worker"} <= set(listed)


def test_evaluate_needs_no_database_and_answers_a_list_with_a_list(desk: Desk) -> None:
    scenario = {
        "county": "winnebago",
        "as_of": "2026-06-02",
        "system": {"kind": "septic", "installed_on": "2012-05-01"},
        "events": [{"event_type": "pumping", "service_date": "2023-06-01", "credential_kind": "septage_operator"}],
    }
    one = desk.start("evaluate", "-", stdin=json.dumps(scenario))
    many = desk.run("evaluate", desk.file("scenarios.json", json.dumps([scenario, scenario])))
    assert (one.returncode, many.returncode) == (0, 0)
    answer = json.loads(one.stdout)
    assert answer["standing"] == "overdue"
    assert answer["obligations"][0]["due_on"] == "2026-06-01"
    assert json.loads(many.stdout) == [answer, answer]
    assert not (desk.folder / "pumper.db").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ('[{"county": "nowhere"}]', "scenario 1: county"),
        ('{"county": "ozaukee", "as_of": "2026-13-01"}', "as_of"),
        ('{"county": "ozaukee", "as_of": "2026-01-01", "events": [{"event_type": "pumping"}]}', "service_date"),
    ],
)
def test_a_scenario_that_cannot_be_read_names_its_key(desk: Desk, text: str, words: str) -> None:
    run = desk.run("evaluate", "-", stdin=text)
    assert run.returncode == 2
    assert words in run.stderr
    assert "Traceback" not in run.stderr


def test_without_init_a_command_says_what_to_do(desk: Desk) -> None:
    run = desk.start("due", "ozaukee")
    assert run.returncode == 2
    assert "pumper init" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("words", [("due", "nowhere"), ("status", "ozaukee"), ("submit", "ozaukee", "absent.csv")])
def test_wrong_usage_is_exit_code_2_and_a_sentence(office: Desk, words: tuple[str, ...]) -> None:
    run = office.run(*words)
    assert run.returncode == 2
    assert run.stderr.strip()
    assert "Traceback" not in run.stderr


def test_init_may_be_repeated(desk: Desk) -> None:
    assert [desk.run("init").returncode for _ in range(2)] == [0, 0]


def test_a_good_row_is_accepted_and_its_status_tells(office: Desk) -> None:
    sent = office.run("submit", "ozaukee", office.csv("july.csv", ROW), "--json")
    assert sent.returncode == 0, sent.stdout + sent.stderr
    answer = json.loads(sent.stdout)
    assert (answer["rows"], answer["accepted"]) == (1, 1)
    assert answer["outcomes"][0]["findings"][0]["kind"] == "late_report"
    told = office.run("status", "ozaukee", "--permit", "sp 1987", "--as-of", "2025-07-01", "--json")
    duties = {o["kind"]: o for o in json.loads(told.stdout)[0]["obligations"]}
    assert duties["pump_or_inspect"]["due_on"] == "2028-06-30"
    assert duties["pump_or_inspect"]["cite"] == "9.029(2)(a)1"
    assert "2028-06-30" in office.run("status", "ozaukee", "--permit", "SP-1987", "--as-of", "2025-07-01").stdout


def test_a_row_to_mend_is_exit_code_1_and_named(office: Desk) -> None:
    wrong = {**ROW, "report_ref": "T-2", "gallons_pumped": "~1500"}
    run = office.run("submit", "ozaukee", office.csv("two.csv", ROW, wrong))
    assert run.returncode == 1
    assert "1 accepted" in run.stdout
    assert "row 3, gallons_pumped: " in run.stdout


def test_all_or_nothing_and_dry_run_store_nothing(office: Desk) -> None:
    wrong = {**ROW, "report_ref": "T-2", "gallons_pumped": "~1500"}
    path = office.csv("two.csv", ROW, wrong)
    assert office.run("submit", "ozaukee", path, "--all-or-nothing").returncode == 1
    assert office.run("submit", "ozaukee", path, "--dry-run").returncode == 1
    again = json.loads(office.run("submit", "ozaukee", path, "--json").stdout)
    assert (again["accepted"], again["duplicate"], again["rejected"]) == (1, 0, 1)


@pytest.mark.parametrize("name", sorted(p.name for p in (EXAMPLES / "reports" / "wrong").iterdir()))
def test_a_wrong_file_is_refused_in_words(office: Desk, name: str) -> None:
    run = office.run("submit", "ozaukee", str(EXAMPLES / "reports" / "wrong" / name))
    assert run.returncode in (1, 2)
    assert len((run.stdout + run.stderr).strip()) > 20
    assert "Traceback" not in run.stderr


def test_scan_and_deliver_each_notice_once(office: Desk) -> None:
    office.run("submit", "ozaukee", office.csv("july.csv", ROW))
    first = json.loads(office.run("scan", "--as-of", "2026-07-13", "--json").stdout)
    queued = sum(sum(county["messages"].values()) for county in first)
    assert queued > 0
    second = json.loads(office.run("scan", "--as-of", "2026-07-13", "--json").stdout)
    assert sum(sum(county["messages"].values()) for county in second) == 0
    sent = json.loads(office.run("deliver", "--json").stdout)
    again = json.loads(office.run("deliver", "--json").stdout)
    assert sent["sent"] > 0
    assert again["sent"] == 0
    assert len(list((office.folder / "mail").glob("*.eml"))) == sent["sent"]


def test_due_as_csv_has_its_heading_and_rows(office: Desk) -> None:
    office.run("scan", "--as-of", "2026-07-13")
    lines = office.run("due", "ozaukee", "--state", "overdue", "--csv").stdout.splitlines()
    assert lines[0].startswith("permit_number,")
    assert len(lines) > 1
    assert all(",overdue," in line for line in lines[1:])


def test_keys_are_made_listed_and_revoked(office: Desk) -> None:
    made = json.loads(office.run("key", "create", "--role", "contractor", "--license", "00412", "--json").stdout)
    assert made["key"].startswith("pmp_")
    assert made["id"] in office.run("key", "list").stdout
    assert made["key"] not in office.run("key", "list").stdout
    assert office.run("key", "revoke", made["id"]).returncode == 0
    assert office.run("key", "revoke", made["id"]).returncode == 1
    assert office.run("key", "create", "--role", "county").returncode == 2
    assert office.run("key", "create", "--role", "contractor", "--license", "99999").returncode == 2


def test_verify_holds_and_finds_a_changed_entry(office: Desk) -> None:
    office.run("submit", "ozaukee", office.csv("july.csv", ROW))
    assert office.run("verify").returncode == 0
    with sqlite3.connect(office.folder / "pumper.db") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(
            "UPDATE log_entry SET entry = CAST(replace(entry, 'a', 'b') AS BLOB) WHERE county='ozaukee' AND seq=5"
        )
    run = office.run("verify", "--json")
    assert run.returncode == 1
    broken = [c for c in json.loads(run.stdout) if not c["ok"]]
    assert [(c["county"], c["first_bad"]) for c in broken] == [("ozaukee", 5)]


def test_config_lists_every_variable_and_hides_secrets(desk: Desk) -> None:
    secret = "an-invented-secret-of-more-than-32-characters"
    run = Desk(folder=desk.folder, environ={**desk.environ, "SECRET_KEY": secret}).run("config")
    assert run.returncode == 0
    for name in ("DATABASE_URL", "SMTP_URL", "MAIL_FROM", "BASE_URL", "SECRET_KEY", "PORT", "WEB_CONCURRENCY"):
        assert name in run.stdout
    assert secret not in run.stdout


def test_programs_are_listed_shown_and_checked(desk: Desk) -> None:
    assert desk.run("programs", "check").returncode == 0
    assert "winnebago" in desk.run("programs", "list").stdout
    shown = desk.run("programs", "show", "winnebago", "--on", "2026-06-30").stdout
    assert "text 2019" in shown
    assert "WI12" not in shown
    wrong = desk.file("wrong.toml", 'slug = "x"\nname = "X"\n[[rule]]\nid = "X1"\nmonhts = 3\n')
    run = desk.run("programs", "check", wrong)
    assert run.returncode == 1
    assert "wrong.toml" in run.stdout
    assert "monhts" in run.stdout


def test_two_records_are_merged_and_brought_back(office: Desk) -> None:
    place = {"site_address": "N1 Mill Road", "component": "septic", "capacity_gallons": "1000"}
    rows = [{"permit_number": f"DUP-{n}", "parcel_number": f"99-{n}", **place} for n in (1, 2)]
    assert office.run("inventory", "import", "ozaukee", office.csv("twice.csv", *rows)).returncode == 0
    words = ("inventory", "merge", "ozaukee", "DUP-1", "DUP-2")
    assert office.run(*words).returncode == 2  # no reason
    merged = office.run(*words, "--reason", "one tank, entered twice", "--json")
    assert merged.returncode == 0, merged.stderr
    answer = json.loads(merged.stdout)
    status = json.loads(office.run("status", "ozaukee", "--permit", "dup 2", "--json").stdout)
    assert answer["system"] in json.dumps(status)
    again = office.run("inventory", "import", "ozaukee", office.csv("twice.csv", *rows))
    assert "2 untouched" in again.stdout
    assert "merged into DUP-1" in again.stdout
    refused = office.run(*words, "--reason", "again")
    assert (refused.returncode, "Traceback" in refused.stderr) == (2, False)
    back = office.run("inventory", "unmerge", "ozaukee", answer["other"], "--reason", "two after all")
    assert (back.returncode, answer["other"] in back.stdout) == (0, True)


def test_a_dry_run_of_an_inventory_shows_the_first_differences(office: Desk) -> None:
    row = {"permit_number": "SP-1987", "component": "septic", "capacity_gallons": "1250"}
    file = office.csv("one.csv", row)
    told = office.run("inventory", "import", "ozaukee", file, "--dry-run")
    assert "1 changed" in told.stdout
    assert "row 2, SP-1987: septic: capacity_gallons: 1000 → 1250" in told.stdout
    assert "1 changed" in office.run("inventory", "import", "ozaukee", file).stdout
    assert "1 untouched" in office.run("inventory", "import", "ozaukee", file, "--dry-run").stdout
