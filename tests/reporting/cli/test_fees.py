"""`pumper fees`: a roll, a payment, a waiver and the tax bill at a terminal."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reporting.cli.main import pumper
from reporting.store.engine import Database
from tests.reporting.counties import a_row, csv_of, load

LAKE = "lake-beulah"


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    url = f"sqlite:///{tmp_path}/pumper.db"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("PUMPER_SIGNING_KEY_FILE", str(tmp_path / "signing.key"))
    found = CliRunner()
    assert found.invoke(pumper, ["init"]).exit_code == 0
    database = Database.connect(url)
    load(database, a_row("A1"), a_row("A2"), a_row("A3", status="abandoned"), county=LAKE)
    database.dispose()
    return found


def run(runner: CliRunner, *words: str, code: int = 0) -> Result:
    done = runner.invoke(pumper, ["fees", *words])
    assert done.exit_code == code, done.output
    return done


def test_a_year_of_fees_at_a_terminal(runner: CliRunner, tmp_path: Path) -> None:
    assert "2 would be charged: $80.00" in run(runner, "roll", LAKE, "2024", "--dry-run").output
    rolled = run(runner, "roll", LAKE, "2024").output
    assert "2 charged: $80.00" in rolled
    assert "1 free: abandoned (5.02, 5.04)" in rolled
    assert "0 charged: $0.00\n2 charged before: $80.00" in run(runner, "roll", LAKE, "2024").output
    pay = ("pay", LAKE, "--permit", "A1", "--fee", "annual", "--amount", "40.00", "--reference", "c-1")
    assert "kept; $0.00 left" in run(runner, *pay).output
    assert "entered before; nothing was added" in run(runner, *pay).output
    assert "dollars and cents" in run(runner, *pay[:-3], "forty", "--reference", "c-2", code=2).output
    listed = json.loads(run(runner, "list", LAKE, "--unpaid", "--json").output)
    [unpaid] = listed["fees"]
    assert (unpaid["permit_number"], listed["totals"]["left"]) == ("A2", 4000)
    file = tmp_path / "payments.csv"
    file.write_bytes(csv_of({"permit": "A2", "for": "annual", "amount": "10", "check no": "7"}, {"permit": "A9"}))
    sent = run(runner, "pay", LAKE, "--file", str(file), code=1).output
    assert "1 taken ($10.00), 0 duplicates, 1 rejected" in sent
    assert "row 3: " in sent
    assert "--authority" in run(runner, "waive", LAKE, unpaid["charge"], "--reason", "x", code=2).output
    relief = ("--reason", "burnt down", "--authority", "Board")
    assert "$0.00 left" in run(runner, "waive", LAKE, unpaid["charge"], *relief).output
    assert "$10.00 left" in run(runner, "refund", LAKE, unpaid["charge"], *relief).output
    run(runner, "waive", LAKE, "charge_none", *relief, code=1)
    told = run(runner, "statement", LAKE, "--permit", "A2").output
    assert "waiver   $    30.00" in told
    assert "left to pay: $10.00" in told
    charged = run(
        runner, "charge", LAKE, "--permit", "A2", "--rule", "LB7", "--cause", "window:2024-06-01", "--on", "2024-05-20"
    ).output
    assert "$20.00 charged" in charged
    bill = run(runner, "bill", LAKE, "2024", "--out", str(tmp_path / "roll.xlsx")).output
    assert "$30.00 left to pay" in bill
    assert (tmp_path / "roll.xlsx").read_bytes()[:2] == b"PK"
    assert "LB6" in run(runner, "list", LAKE, "--csv").output
    assert runner.invoke(pumper, ["verify", "--county", LAKE]).exit_code == 0
