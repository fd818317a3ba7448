"""`pumper backup`, `restore`, `move`, `export --all`: exit codes and words, as people use them."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta

from tests.reporting.cli.test_commands import Desk, desk, office, prepared  # noqa: F401 - fixtures


def beats(office: Desk, *, alive: bool) -> None:  # noqa: F811
    """A worker that was seen just now, or one that has ended."""
    until = datetime.now(UTC) + timedelta(seconds=30 if alive else -1)
    with sqlite3.connect(office.folder / "pumper.db") as connection:
        connection.execute(
            "INSERT OR REPLACE INTO lease VALUES ('worker', 'me', ?, 1)", [f"{until:%Y-%m-%d %H:%M:%S.%f}"]
        )


def test_a_backup_is_restored_and_verified(office: Desk) -> None:  # noqa: F811
    target = office.folder / "backup.zip"
    run = office.run("backup", str(target), "--json")
    assert run.returncode == 0, run.stderr
    rows = json.loads(run.stdout)["rows"]
    run = office.run("backup", str(target))
    assert (run.returncode, "is there already" in run.stderr) == (2, True)
    run = office.run("restore", str(target))
    assert (run.returncode, "--replace" in run.stderr) == (2, True)
    beats(office, alive=True)
    run = office.run("restore", str(target), "--replace")
    assert (run.returncode, "stop it first" in run.stderr) == (2, True)
    beats(office, alive=False)
    run = office.run("restore", str(target), "--replace")
    assert run.returncode == 0, run.stderr
    assert "What was there before is in" in run.stdout
    assert office.run("verify").returncode == 0
    assert rows["system"] > 10
    run = office.run("restore", str(office.folder / "none"), "--replace")
    assert (run.returncode, "is no backup" in run.stderr, "Traceback" in run.stderr) == (2, True, False)


def test_a_moved_database_is_not_worked_on(office: Desk) -> None:  # noqa: F811
    other = f"sqlite:///{office.folder / 'other.db'}"
    assert office.run("move").returncode == 2
    assert office.run("move", "--to", other, "--cancel").returncode == 2
    assert office.run("move", "--to", office.environ["DATABASE_URL"]).returncode == 2
    assert office.run("move", "--to", "mysql://x/y").returncode == 2
    beats(office, alive=True)
    run = office.run("move", "--to", other)
    assert (run.returncode, "stop it first" in run.stderr) == (2, True)
    beats(office, alive=False)
    run = office.run("move", "--to", other)
    assert run.returncode == 0, run.stderr
    before = office.run("due", "ozaukee", "--json")
    assert (before.returncode, "was moved to sqlite:" in before.stderr) == (2, True)
    there = Desk(folder=office.folder, environ={**office.environ, "DATABASE_URL": other})
    assert there.run("verify").returncode == 0
    assert there.run("due", "ozaukee", "--json").returncode == 0
    assert office.run("move", "--cancel").returncode == 0
    assert office.run("due", "ozaukee", "--json").returncode == 0


def test_a_county_takes_everything_with_it(office: Desk) -> None:  # noqa: F811
    target = office.folder / "leaving"
    run = office.run("export", "ozaukee", "--all", str(target), "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["rows"]["system"] > 10
    assert (target / "tables" / "README.md").exists()
    assert office.run("verify", str(target)).returncode == 0
    assert office.run("export", "ozaukee", "--all", str(target)).returncode == 2
    assert office.run("export", "ozaukee", "--all", "a", "--log", "b").returncode == 2
    (target / "tables" / "system.csv").write_text("x")
    assert office.run("verify", str(target)).returncode == 1
