"""`pumper settings`: what a county sets at a terminal."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reporting.cli.main import pumper
from tests.reporting.api.world import HOME
from tests.reporting.counties import a_row, csv_of, inspected


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/pumper.db")
    monkeypatch.setenv("PUMPER_SIGNING_KEY_FILE", str(tmp_path / "signing.key"))
    found = CliRunner()
    assert found.invoke(pumper, ["init"]).exit_code == 0
    return found


def listed(runner: CliRunner) -> dict[str, dict[str, Any]]:
    done = runner.invoke(pumper, ["settings", "list", HOME, "--json"])
    assert done.exit_code == 0, done.output
    return {row["name"]: row for row in json.loads(done.output)}


def test_numbers_lists_truth_and_texts_are_read_as_what_they_are(runner: CliRunner) -> None:
    given = {
        "lead_days": ("90", 90),
        "notice_lead_days": ("[30, 7]", [30, 7]),
        "offices_closed_saturdays": ("false", False),
        "records_from": ("2020-01-01", "2020-01-01"),
        "office_address": ("121 W Main St\\nPort Washington, WI 53074", "121 W Main St\nPort Washington, WI 53074"),
    }
    for name, (text, _) in given.items():
        done = runner.invoke(pumper, ["settings", "set", HOME, name, text, "--from", "2026-01-01"])
        assert done.exit_code == 0, done.output
        assert "2026-01-01" in done.output
    rows = listed(runner)
    for name, (_, value) in given.items():
        (own,) = rows[name]["own"]
        assert (own["value"], own["valid_from"], own["before"]) == (value, "2026-01-01", rows[name]["of_program"]), name
    told = runner.invoke(pumper, ["settings", "list", HOME]).output
    assert "lead_days = 90  (the county’s own)" in told
    assert "from 2026-01-01: 90 in place of 60; entered 20" in told
    assert "by command line" in told


def test_what_cannot_be_set_is_said_and_nothing_is_kept(runner: CliRunner) -> None:
    for name, text in (("lead_days", "soon"), ("no_such", "1")):
        done = runner.invoke(pumper, ["settings", "set", HOME, name, text])
        assert done.exit_code == 2
        assert name in done.output
    assert not any(row["own"] for row in listed(runner).values())


def test_a_change_that_is_to_come_acts_from_its_day_and_not_before(runner: CliRunner, tmp_path: Path) -> None:
    """Pumped 2025-01-15 + 36 months = 2028-01-15: 90 days before it is 2027-10-17, 30 days 2027-12-16."""
    row = a_row("SP-9", installed_on="1998-05-01", last_pumped_on="2025-01-15")
    (tmp_path / "one.csv").write_bytes(csv_of(row, inspected("SP-9", installed_on="1998-05-01")))
    assert runner.invoke(pumper, ["inventory", "import", HOME, str(tmp_path / "one.csv")]).exit_code == 0
    for value, first in (("90", "2027-01-01"), ("30", "2027-11-01")):
        assert runner.invoke(pumper, ["settings", "set", HOME, "lead_days", value, "--from", first]).exit_code == 0
    for day, state in (("2027-10-16", "upcoming"), ("2027-10-17", "due_soon"), ("2027-10-31", "due_soon"),
                       ("2027-11-01", "upcoming"), ("2027-12-16", "due_soon")):  # fmt: skip
        done = runner.invoke(pumper, ["status", HOME, "--permit", "SP-9", "--as-of", day, "--json"])
        duties = json.loads(done.output)[0]["obligations"]
        assert [one["state"] for one in duties if one["kind"] == "pump_or_inspect"] == [state], day
    [first, second] = listed(runner)["lead_days"]["own"]
    assert (first["before"], first["value"], second["before"], second["value"]) == (60, 90, 90, 30)
