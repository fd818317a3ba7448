"""`pumper cases`: a clerk at a terminal goes from a proposal to the sheet (OZ8, OZ23)."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reporting.cli.main import pumper
from reporting.store.engine import Database
from reporting.sweep import sweep
from tests.notifications.letters import read_pdf
from tests.reporting.api.world import HOME
from tests.reporting.counties import a_report, a_row, load, the_system

LAST_WEEK = (datetime.now(UTC) - timedelta(days=8)).date()
"""Whatever day of the week it is today: the day after it, moved past a weekend or a holiday, is over."""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/pumper.db")
    monkeypatch.setenv("PUMPER_SIGNING_KEY_FILE", str(tmp_path / "signing.key"))
    found = CliRunner()
    assert found.invoke(pumper, ["init"]).exit_code == 0
    database = Database.connect(f"sqlite:///{tmp_path}/pumper.db")
    now = datetime.now(UTC)
    load(database, a_row("SP-1", component="holding"), a_row("SP-2", component="holding"), county=HOME, now=now)
    content = {"gallons_pumped": 1000, "tampering": True}
    with database.transaction(HOME) as store:
        for permit in ("SP-1", "SP-2"):
            system, key = the_system(store, permit).system_id, f"rep_{permit}"
            a_report(store, system, key, LAST_WEEK, at=now, component="holding", content=content)
    sweep(database, HOME, now.date(), now)
    database.dispose()
    return found


def run(runner: CliRunner, *words: str, code: int = 0) -> str:
    done = runner.invoke(pumper, ["cases", *words])
    assert done.exit_code == code, done.output
    return done.output


def as_json(runner: CliRunner, *words: str) -> Any:
    return json.loads(run(runner, *words, "--json"))


def test_from_the_proposal_to_the_sheet(runner: CliRunner, tmp_path: Path) -> None:
    first, second = as_json(runner, "proposals", HOME)
    assert "case tampering, SP-1" in run(runner, "proposals", HOME)
    case = as_json(runner, "confirm", HOME, first["key"], "--set", f"notified_on={LAST_WEEK}")["id"]
    assert "confirmed before" in run(runner, "confirm", HOME, first["key"], code=1)
    run(runner, "dismiss", HOME, second["key"], "--reason", "A new float")
    # at once, says OZ9: the day after the notice it is for the Corporation Counsel
    [late] = as_json(runner, "proposals", HOME)
    assert (late["step"], late["case"], late["proposed_by"]) == ("referred_on", case, "OZ23")
    assert f"days past {LAST_WEEK}" in run(runner, "list", HOME, "--open", "--overdue")
    assert case in run(runner, "list", HOME, "--csv")
    run(runner, "step", HOME, case, "--set", "note=Called the owner")
    assert "Called the owner" in run(runner, "show", HOME, case)
    assert "Give one of" in run(runner, "open", HOME, "--permit", "SP-1", "--kind", "parking", code=2)
    assert "names no amount of penalty" in run(runner, "sheet", HOME, case)
    run(runner, "sheet", HOME, first["system"], "--pdf", str(tmp_path / "sheet.pdf"))
    assert "Called the owner" in read_pdf((tmp_path / "sheet.pdf").read_bytes()).pages[0].extract_text()
    assert "No such rule" in run(runner, "permit-hold", HOME, "--permit", "SP-1")
    assert as_json(runner, "show", HOME, case)["cause"]["event"] == "rep_SP-1"
    assert runner.invoke(pumper, ["verify"]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", HOME, "case_none"), "there is no case"),
        (("sheet", HOME, "case_none"), "neither a case nor a system"),
        (("confirm", HOME, "none"), "no such case or proposal"),
        (("step", HOME, "case_none", "--set", "closed"), "is no NAME=VALUE"),
        (("permit-hold", HOME), "give --parcel"),
    ],
)
def test_what_cannot_be_done_is_said(runner: CliRunner, words: tuple[str, ...], said: str) -> None:
    assert said in run(runner, *words, code=2)
