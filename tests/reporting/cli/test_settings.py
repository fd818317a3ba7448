"""`pumper settings`: what a county sets at a terminal."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reporting.cli.main import pumper
from tests.reporting.api.world import HOME


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/pumper.db")
    monkeypatch.setenv("PUMPER_SIGNING_KEY_FILE", str(tmp_path / "signing.key"))
    found = CliRunner()
    assert found.invoke(pumper, ["init"]).exit_code == 0
    return found


def listed(runner: CliRunner) -> dict[str, dict[str, object]]:
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
        assert rows[name]["own"] == [{"value": value, "valid_from": "2026-01-01"}], name
    assert "(the county’s own)" in runner.invoke(pumper, ["settings", "list", HOME]).output


def test_what_cannot_be_set_is_said_and_nothing_is_kept(runner: CliRunner) -> None:
    for name, text in (("lead_days", "soon"), ("no_such", "1")):
        done = runner.invoke(pumper, ["settings", "set", HOME, name, text])
        assert done.exit_code == 2
        assert name in done.output
    assert not any(row["own"] for row in listed(runner).values())
