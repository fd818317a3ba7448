"""`pumper year`, `mailings`, `deferrals`, `exemptions`: a district's office at a terminal."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reporting.cli.main import pumper
from tests.reporting.counties import a_row, csv_of

DISTRICT = "lake-beulah"


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/pumper.db")
    monkeypatch.setenv("PUMPER_SIGNING_KEY_FILE", str(tmp_path / "signing.key"))
    found = CliRunner()
    assert found.invoke(pumper, ["init"]).exit_code == 0
    file = tmp_path / "systems.csv"
    file.write_bytes(csv_of(a_row("LB-1", service_area="1", last_pumped_on="2025-08-11")))
    assert found.invoke(pumper, ["inventory", "import", DISTRICT, str(file)]).exit_code == 0
    return found


def run(runner: CliRunner, *words: str, code: int = 0) -> str:
    done = runner.invoke(pumper, words)
    assert done.exit_code == code, done.output
    return done.output


def listed(runner: CliRunner, *words: str) -> Any:
    return json.loads(run(runner, *words, "--json"))


def test_a_districts_office_at_a_terminal(runner: CliRunner) -> None:
    run(runner, "windows", "set", DISTRICT, "--from", "2199-06-01", "--area", "1")
    about = ("--kind", "questionnaire", "--mailed-on", "2026-01-05", "--class", "first_class")
    run(runner, "mailings", "file", DISTRICT, "--area", "1", *about)
    assert "no area" not in run(runner, "mailings", "file", DISTRICT, "--area", "2", *about, code=2)
    [mailing] = listed(runner, "mailings", "list", DISTRICT, "--state", "late")
    assert mailing["last_day"] == "2026-01-26"
    run(runner, "mailings", "correct", DISTRICT, mailing["id"], "--mailed-on", "2026-01-06", "--reason", "postmark")
    run(runner, "mailings", "answer", DISTRICT, mailing["id"])
    assert "answered, last day 2026-01-27 (LB11, 3.02)" in run(runner, "mailings", "list", DISTRICT)
    assert "nothing of this id" in run(runner, "mailings", "answer", DISTRICT, "mailing_none", code=2)

    wish = ("--permit", "LB-1", "--from", "2199-07-01", "--paid")
    assert "granted: 2199-07-01 to 2199-07-20 (LB7, 5.03)" in run(runner, "deferrals", "file", DISTRICT, *wish)
    assert "granted, 2199-07-01 to 2199-07-20" in run(runner, "deferrals", "list", DISTRICT, "--year", "2199")

    output = run(runner, "exemptions", "apply", DISTRICT, "--permit", "LB-1", "--kind", "vacant", "--paid")
    assert "not met: The contractor has not verified it" in output
    one = listed(runner, "exemptions", "list", DISTRICT)[0]["id"]
    assert "has not verified it" in run(runner, "exemptions", "grant", DISTRICT, one, code=2)
    run(runner, "exemptions", "papers", DISTRICT, one, "--verified-on", "2026-01-05")
    certificate = json.loads(run(runner, "exemptions", "grant", DISTRICT, one, "--json"))["id"]
    run(runner, "exemptions", "change", DISTRICT, certificate, "--note", "a house", "--not-met")
    assert "its end is proposed (LB16, 7.03)" in run(runner, "exemptions", "list", DISTRICT)
    run(runner, "exemptions", "end", DISTRICT, certificate, "--ground", "conditions", "--reason", "a house")
    assert listed(runner, "exemptions", "list", DISTRICT, "--state", "ending")[0]["id"] == certificate

    output = run(runner, "year", DISTRICT, "2199")
    assert "set base_year (LB1, 4.01)" in output
    assert "window 2199-06-01 to 2199-06-20, area 1: mail by 2199-05-09" in output
    assert "deferrals: 1 asked, 1 granted, 0 refused (LB7, 5.03)" in output
    assert "no service areas" in run(runner, "year", "ozaukee", "2026", code=2)
