"""`docs/new-county.md` is true: its commands are run one after the other, as a county's staff would."""

import csv
import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reporting.api.server import application
from reporting.cli.main import pumper
from reporting.config import Config
from schemas.loader import use_folder

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "new-county.md").read_text("utf-8")
PROGRAMS = ROOT / "examples" / "programs"
COMMANDS = [
    line
    for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("pumper ")
]
DIFF = "pumper programs diff tamarack drafts/tamarack-next.toml --against tamarack"
MONTHS = "service_interval months"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a county's own, and a service without data that takes programs from it."""
    own = tmp_path / "programs"
    shutil.copytree(PROGRAMS / "worked", own / "worked")
    monkeypatch.chdir(own)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/pumper.db")
    monkeypatch.setenv("PUMPER_SIGNING_KEY_FILE", str(tmp_path / "signing.key"))
    monkeypatch.setenv("PUMPER_PROGRAMS", str(own))
    yield own
    use_folder(None)


def run(command: str, code: int = 0) -> Result:
    use_folder(None)  # each command is a process of its own
    done = CliRunner().invoke(pumper, shlex.split(command)[1:])
    assert done.exit_code == code, f"{command}: {done.output}"
    return done


def test_every_command_of_the_page_does_what_the_page_says(desk: Path) -> None:
    assert len(COMMANDS) >= 15
    told: dict[str, str] = {}
    for command in COMMANDS:
        if command.startswith("pumper programs try"):  # the draft is filled in by now
            shutil.copy(PROGRAMS / "tamarack.toml", desk / "tamarack.toml")
        if command.endswith("check drafts/tamarack-next.toml"):
            text = (desk / "tamarack.toml").read_text("utf-8")
            (desk / "drafts").mkdir()
            (desk / "drafts" / "tamarack-next.toml").write_text(text.replace("months = 36", "months = 24"), "utf-8")
        refused = 1 if command.startswith("pumper submit") else 0  # one of the two reports lacks its gallons
        told[command] = run(command, refused).output
    said = "\n".join(told.values())
    assert "14 of 14 examples hold" in said
    assert "3 rows: 3 systems added" in said
    assert "Give the gallons pumped: every such report holds it. [14.06(2)]" in said
    assert "TA1, 14.05(1)" in told["pumper status tamarack --permit TA-101"]
    assert len(json.loads(told["pumper evaluate worked/tamarack.toml"])) == 14
    diff = told[DIFF]
    assert "TA1 [14.05(1)] changed: service_interval months: 36 → 24" in diff
    rows = list(csv.DictReader(io.StringIO(told[f"{DIFF} --csv"])))
    assert {row["change_of_rule"] for row in rows} == {"TA1 [14.05(1)] changed: service_interval months: 36 → 24"}
    assert {row["permit_number"] for row in rows} == {"TA-101", "TA-103"}
    whole = json.loads(run(f"{DIFF} --as-of 2026-11-15 --json").output)
    assert whole["standings"] == [{"from": "compliant", "to": "overdue", "systems": 1}]
    assert [rule["fields"] for rule in whole["rules"]] == [[{"name": MONTHS, "before": 36, "after": 24}]]
    assert "TA2 [14.06] changed: report_deadline days: 30 → 15" in said
    assert '"2027-01-01" in place of ""; entered' in told["pumper settings list tamarack"]
    _is_served(desk)


def _is_served(desk: Path) -> None:
    """The county is there over HTTP as well, without a line of code."""
    config = Config.from_environment({"PUMPER_PROGRAMS": str(desk), "DATABASE_URL": "sqlite://"})
    answer: Any = application(config).test_client().get("/v1/programs", headers={"Host": "127.0.0.1:8000"}).json
    counties = [one["county"] for one in answer["programs"]]
    assert counties == ["lake-beulah", "ozaukee", "portage", "tamarack", "winnebago"]


def test_a_program_of_no_use_is_told_in_a_sentence_and_stops_nobody_from_checking_it(desk: Path) -> None:
    text = (PROGRAMS / "tamarack.toml").read_text("utf-8")
    (desk / "larch.toml").write_text(text, "utf-8")
    assert "larch.toml: slug: the file is named for 'larch'" in run("pumper init", 2).stderr
    assert "larch.toml: slug: the file is named for 'larch'" in run("pumper serve", 2).stderr
    (desk / "larch.toml").write_text(text.replace('cite = "14.05(1)"\n', ""), "utf-8")
    assert "larch.toml: rule TA1: cite: this key is missing" in run("pumper programs list", 2).stderr
    assert "larch.toml: rule TA1: cite: this key is missing" in run("pumper programs check larch.toml", 1).output
    (desk / "larch.toml").rename(desk / "state.toml")
    assert "state.toml: the state baseline binds every county" in run("pumper programs list", 2).stderr


def test_an_example_that_differs_is_told_with_what_the_program_says(desk: Path) -> None:
    text = (PROGRAMS / "worked" / "tamarack.toml").read_text("utf-8")
    (desk / "wrong.toml").write_text(text.replace('expect.standing = "violation"', 'expect.standing = "compliant"'))
    shutil.copy(PROGRAMS / "tamarack.toml", desk / "tamarack.toml")
    told = run("pumper programs try tamarack.toml wrong.toml", 1).output
    assert "differs  TA5: the day after it is a violation" in told
    assert "standing violation; " in told
    assert "13 of 14 examples hold" in told
    rows = json.loads(run("pumper programs try tamarack.toml wrong.toml --json", 1).output)
    assert [row["name"][:3] for row in rows if row["lacks"]] == ["TA5"]
    for changed, said in (
        (text.replace('county = "tamarack"', 'county = "larch"'), "is of 'larch', the program is of 'tamarack'"),
        (text.replace('system = "septic"', 'system = "sceptic"'), "there is no [systems.sceptic]"),
        (text.replace("expect.standing", "expect.standin"), "expect.standin is not known"),
        (text.replace("as_of = 2026-05-04\n", ""), "as_of is missing"),
        ("county = 1", "write county ="),
        ("county = ", "this is not TOML"),
    ):
        (desk / "wrong.toml").write_text(changed, "utf-8")
        assert said in run("pumper programs try tamarack.toml wrong.toml", 2).output


def test_what_cannot_be_compared_is_refused(desk: Path) -> None:
    run("pumper init")
    for words, said in (
        ("nowhere portage", "nowhere is neither a .toml file nor one of"),
        ("portage nowhere.toml", "nowhere.toml cannot be read"),
        ("portage@July portage", "'July' is no day"),
    ):
        assert said in run(f"pumper programs diff {words} --against portage", 2).output
    empty = run("pumper programs diff portage portage --against portage").output
    assert "The programs say the same." in empty
    (desk / "drafts").mkdir()
    (desk / "drafts" / "wrong.toml").write_text("slug = 1\n", "utf-8")
    assert "there is no [[rule]]" in run("pumper programs diff portage drafts/wrong.toml --against portage", 2).output
