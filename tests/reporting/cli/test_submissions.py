"""Long files at the command line and in the worker, `pumper submission undo`, `pumper headings`."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from click.testing import CliRunner, Result

from notifications.worker import WorkerOptions, take_turn
from reporting.cli.main import pumper
from reporting.cli.running import jobs_of
from reporting.config import Config
from reporting.intake.accept import Options, Upload
from reporting.intake.waiting import Waiting, receive, waiting_files
from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.store.submissions import drop_file, keep_file, kept_file
from schemas.loader import shipped_program
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system
from tests.reporting.store.builders import ON_SQLITE
from tests.services.databases import DatabaseUrls


@pytest.fixture
def environ(database: DatabaseUrls, tmp_path: Path) -> dict[str, str]:
    return {
        "DATABASE_URL": database.app_url,
        "PUMPER_SIGNING_KEY_FILE": str(tmp_path / "signing.key"),
        "LOG_LEVEL": "ERROR",
    }


@pytest.fixture
def desk(environ: dict[str, str]) -> Iterator[Desk]:
    config = Config.from_environment(environ)
    kept = Database.connect(config.database_url)
    found = Desk(database=kept, signer=Signer.load(config.signing_key_file))
    found.stock(a_system("SP-1"), a_system("SP-2"))
    yield found
    kept.dispose()


def run(environ: dict[str, str], *words: str) -> Result:
    with time_machine.travel(NOW, tick=False):
        return CliRunner().invoke(pumper, list(words), env=environ)


def hand_in(desk: Desk, rows: list[dict[str, Any]]) -> str:
    with desk.database.transaction("ozaukee") as store:
        upload, program = Upload(data=csv_of(*rows), file_name="x.csv"), shipped_program("ozaukee")
        taken = receive(store, program, STAFF, upload, NOW, desk.signer, Options(), longest=1)
    assert isinstance(taken, Waiting)
    return taken.id


def tick(desk: Desk, environ: dict[str, str], jobs: list[Any] | None = None) -> None:
    found = jobs or jobs_of(Config.from_environment(environ), desk.database)
    [job] = [job for job in found if job.name == "long files"]
    assert take_turn(desk.database, job, WorkerOptions(name="w"), lambda: NOW)


def test_the_worker_works_off_what_waits(desk: Desk, environ: dict[str, str]) -> None:
    for week in ("A", "B"):
        hand_in(desk, [a_report(f"{week}-{n}", gallons_pumped=str(900 + n)) for n in range(3)])
    tick(desk, environ)
    assert len(desk.events()) == 6
    assert {s["status"] for s in desk.rows("submission")} == {"done"}


def test_a_file_that_fails_does_not_stop_those_behind_it(desk: Desk, environ: dict[str, str]) -> None:
    broken = hand_in(desk, [a_report("A-1"), a_report("A-2")])
    hand_in(desk, [a_report("B-1"), a_report("B-2", "SP-2")])
    with desk.database.transaction("ozaukee") as store:
        kept = kept_file(store, broken)
        assert kept is not None
        drop_file(store, broken)
        keep_file(store, broken, b"\x00", kept[1])  # as if a disk had lost it
    jobs = jobs_of(Config.from_environment(environ), desk.database)
    tick(desk, environ, jobs)
    assert [e["report_ref"] for e in desk.events()] == ["B-1", "B-2"]
    assert waiting_files(desk.database, "ozaukee") == [broken]
    tick(desk, environ, jobs)  # it is left alone for a while
    assert waiting_files(desk.database, "ozaukee") == [broken]


@ON_SQLITE
def test_a_long_file_at_the_command_line_is_done_when_it_returns(
    desk: Desk, environ: dict[str, str], tmp_path: Path
) -> None:
    days = [(date(1990, 1, 1) + timedelta(days=n)).isoformat() for n in range(201)]
    rows = [a_report(f"T-{n}", f"SP-{n % 2 + 1}", service_date=days[n // 2]) for n in range(402)]
    rows[5]["gallons_pumped"] = "~5"
    path = tmp_path / "years.csv"
    path.write_bytes(csv_of(*rows))
    said = run({**environ, "PUMPER_MAX_ROWS": "400"}, "submit", "ozaukee", str(path), "--historical", "--json")
    body = json.loads(said.stdout)
    assert (said.exit_code, body["rows"], body["rejected"]) == (1, len(rows), 1)
    assert body["accepted"] + body["duplicate"] == len(rows) - 1
    assert len(body["outcomes"]) == len(rows)
    [stored] = desk.rows("submission")
    assert (stored["status"], stored["next_row"], stored["accepted"]) == ("done", len(rows) + 2, body["accepted"])
    assert waiting_files(desk.database, "ozaukee") == []


def test_a_submission_is_undone_by_its_id(desk: Desk, environ: dict[str, str]) -> None:
    sent = desk.take(a_report(), a_report("T-2", "SP-2"))
    assert run(environ, "submission", "undo", "ozaukee", sent.id).exit_code == 2
    assert len(desk.events()) == 2
    said = run(environ, "submission", "undo", "ozaukee", sent.id, "--reason", "wrong file")
    assert (said.exit_code, said.stdout) == (0, "2 reports of 2 systems taken back\n")
    assert desk.events() == []
    again = run(environ, "submission", "undo", "ozaukee", sent.id, "--reason", "wrong file", "--json")
    assert again.exit_code == 2
    assert "undone before" in again.stderr
    assert run(environ, "submission", "undo", "portage", sent.id, "--reason", "x").exit_code == 2


def test_headings_are_taught_and_listed(desk: Desk, environ: dict[str, str]) -> None:
    said = run(environ, "headings", "set", "ozaukee", "--license", "00-412", "Amt out=gallons_pumped", "Truck=")
    assert (said.exit_code, said.stdout) == (0, "2 headings taught; the business has 2\n")
    listed = run(environ, "headings", "list", "ozaukee", "--license", "PM-2207")
    assert listed.stdout == "Amt out = gallons_pumped\nTruck = (no field)\n"
    body = json.loads(run(environ, "headings", "list", "ozaukee", "--license", "00412", "--json").stdout)
    assert body["headings"] == {"Amt out": "gallons_pumped", "Truck": None}
    row = {{"gallons_pumped": "Amt out"}.get(name, name): value for name, value in a_report().items()} | {"Truck": "7"}
    taken = desk.take(row, sender=desk.business())
    assert (taken.columns["unknown"], taken.counts["accepted"]) == ([], 1)
    assert desk.rows("outcome")[0]["cells"]["Truck"] == "7"


@pytest.mark.parametrize(
    "words",
    [
        ("set", "ozaukee", "--license", "00412", "Amt=galons"),
        ("set", "ozaukee", "--license", "00412", "Amt"),
        ("set", "ozaukee", "--license", "99999", "Amt=gallons_pumped"),
        ("set", "ozaukee", "Amt=gallons_pumped"),
        ("list", "nowhere", "--license", "00412"),
    ],
)
def test_wrong_usage_is_told_and_nothing_kept(desk: Desk, environ: dict[str, str], words: tuple[str, ...]) -> None:
    said = run(environ, "headings", *words)
    assert said.exit_code == 2
    assert said.stderr
    assert [f for f in desk.rows("fact") if f["kind"] == "heading_mapping"] == []
