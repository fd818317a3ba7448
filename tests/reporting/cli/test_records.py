"""`pumper checkpoint`, `verify`, `export --log`, `signing rotate`, `retention`, `repudiate`: as people use them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reporting.cli.test_commands import ROW, Desk, desk, office, prepared  # noqa: F401 - fixtures


def report(office: Desk) -> str:  # noqa: F811
    run = office.run("submit", "ozaukee", office.csv("july.csv", ROW), "--json")
    return str(json.loads(run.stdout)["outcomes"][0]["report_id"])


def kept(office: Desk, county: str = "ozaukee") -> str:  # noqa: F811
    run = office.run("checkpoint", county)
    assert run.returncode == 0, run.stderr
    return office.file(f"{county}.txt", run.stdout)


def delete_last(office: Desk) -> None:  # noqa: F811
    """The last entry is gone, and whoever took it has put the head right."""
    with sqlite3.connect(office.folder / "pumper.db") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        (last,) = connection.execute("SELECT max(seq) FROM log_entry WHERE county='ozaukee'").fetchone()
        for table in ("log_raw", "log_detail", "log_entry"):
            connection.execute(f"DELETE FROM {table} WHERE county='ozaukee' AND seq = ?", (last,))


def test_a_checkpoint_that_was_kept_finds_a_cut_tail(office: Desk) -> None:  # noqa: F811
    report(office)
    saved = kept(office)
    assert office.run("verify", "--against", saved).returncode == 0
    delete_last(office)
    run = office.run("verify", "--against", saved, "--json")
    assert run.returncode == 1
    [broken] = [one for one in json.loads(run.stdout) if not one["ok"]]
    assert (broken["county"], "cut" in {p["code"] for p in broken["problems"]}) == ("ozaukee", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "--county", "nowhere"), "there is no log"),
        (("verify", "--against", "{none}"), "no checkpoint in it"),
        (("verify", "--against", "absent.txt"), "cannot be read"),
        (("checkpoint", "nowhere"), "there is no log"),
        (("export", "ozaukee"), "--log"),
        (("retention", "schedule", "ozaukee", "--series", "cases", "--years", "3", "--authority", "x"), "19.21(5)(c)"),
        (("retention", "destroy", "ozaukee", "--schedule", "cases", "--dry-run"), "no schedule"),
        (("retention", "release", "ozaukee", "hold_1", "--reason", "x"), "no hold"),
        (("retention", "hold", "ozaukee", "--kind", "audit", "--reason", "x", "--system", "none"), "not in the inv"),
        (("repudiate", "ozaukee", "rep_none", "--by", "00412", "--reason", "x"), "pumper:"),
    ],
)
def test_what_cannot_be_done_is_said(office: Desk, words: tuple[str, ...], said: str) -> None:  # noqa: F811
    empty = office.file("none.txt", "nothing")
    run = office.run(*(word.format(none=empty) for word in words))
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_an_export_is_checked_by_the_file_in_it_and_by_the_command(office: Desk) -> None:  # noqa: F811
    report(office)
    saved, folder, archive = kept(office), office.folder / "export", office.folder / "export.zip"
    for path in (folder, archive):
        assert office.run("export", "ozaukee", "--log", str(path)).returncode == 0
        assert office.run("verify", str(path), "--against", saved).returncode == 0
    assert office.run("export", "ozaukee", "--log", str(folder)).returncode == 2
    command = [sys.executable, "-I", "-S", str(folder / "verify_export.py"), str(folder), "--checkpoint", saved]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    entries = folder / "entries.jsonl"
    entries.write_bytes(entries.read_bytes().replace(b'"type":"report"', b'"type":"rep0rt"'))
    run = office.run("verify", str(folder), "--json")
    assert (run.returncode, json.loads(run.stdout)["ok"]) == (1, False)


def test_keys_are_handed_over_and_receipts_of_before_stay_good(office: Desk) -> None:  # noqa: F811
    report(office)
    saved = kept(office)
    done = json.loads(office.run("signing", "rotate", "--json").stdout)
    assert done["ozaukee"]["entry"] > 0
    assert done["_service"]["entry"] is None
    more = office.csv("more.csv", {**ROW, "report_ref": "T-2", "gallons_pumped": "900"})
    assert office.run("submit", "ozaukee", more).returncode == 0
    assert office.run("verify", "--against", saved).returncode == 0
    assert len(list(office.folder.glob("signing.key.former-*"))) == 1


def test_schedules_and_holds_are_listed_and_nothing_new_is_destroyed(office: Desk) -> None:  # noqa: F811
    report(office)
    words = ("--series", "service_reports", "--years", "7", "--authority", "County Code 7.03")
    assert office.run("retention", "schedule", "ozaukee", *words).returncode == 0
    order = ("--kind", "audit", "--reason", "x", "--system", "SP-1987", "--json")
    held = json.loads(office.run("retention", "hold", "ozaukee", *order).stdout)
    listed = json.loads(office.run("retention", "list", "ozaukee", "--json").stdout)
    assert [one["years"] for one in listed["schedules"]] == [7]
    assert [one["id"] for one in listed["holds"]] == [held["id"]]
    assert "kept for good" in office.run("retention", "list", "ozaukee").stdout
    plan = json.loads(
        office.run("retention", "destroy", "ozaukee", "--schedule", "service_reports", "--dry-run", "--json").stdout
    )
    assert (plan["entries"], plan["destroyed"]) == ([], False)
    run = office.run("retention", "destroy", "ozaukee", "--schedule", "service_reports", "--notice-date", "2020-01-01")
    assert (run.returncode, "Nothing of" in run.stderr) == (2, True)
    assert office.run("retention", "release", "ozaukee", held["id"], "--reason", "done").returncode == 0
    assert json.loads(office.run("retention", "list", "ozaukee", "--json").stdout)["holds"] == []
    assert office.run("verify").returncode == 0


def test_the_office_enters_that_a_business_denies_a_report(office: Desk) -> None:  # noqa: F811
    name = report(office)
    words = ("--reason", "not our truck, said on the phone", "--json")
    assert office.run("repudiate", "ozaukee", name, "--by", "00518", *words).returncode == 2
    run = office.run("repudiate", "ozaukee", name, "--by", "00412", *words)
    assert run.returncode == 0, run.stderr
    review = json.loads(run.stdout)["review"]
    assert review in office.run("review", "list", "ozaukee", "--json").stdout
    receipt = office.file("receipt.json", json.dumps(json.loads(run.stdout)["receipt"]))
    assert office.run("verify", receipt).returncode == 0


def test_the_long_way_in_two_processes_says_the_same(office: Desk, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    from reporting.cli import verifying

    report(office)
    short = office.run("verify", "--json")
    monkeypatch.setattr(verifying, "_AT_ONCE", 1)
    assert json.loads(office.run("verify", "--json").stdout) == json.loads(short.stdout)
    delete_last(office)
    assert office.run("verify", "--json").returncode == 1


def test_a_path_is_never_written_over(office: Desk) -> None:  # noqa: F811
    path = Path(office.file("there.zip", "x"))
    run = office.run("export", "ozaukee", "--log", str(path))
    assert (run.returncode, path.read_text()) == (2, "x")
