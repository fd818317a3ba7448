"""The page for haulers' offices says what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.haulers import PAGE, REFUSALS, written
from reporting.api.server import application
from reporting.config import Config
from reporting.intake.accept import Options
from reporting.intake.outcomes import Outcome
from reporting.intake.places import Doubt
from reporting.intake.sheet import Limits
from reporting.intake.waiting import OPEN
from schemas.fields import FIELDS
from schemas.issues import CODES, VALUE_CODES, WARNING_CODES

ROOT = Path(__file__).resolve().parents[1]
TEXT = PAGE.read_text(encoding="utf-8")
_RAISED = re.compile(r"(?:FileRefused|_refuse)\(\s*(?:# [^\n]*\n\s*)?\"([a-z_0-9]+)\"")


def words() -> set[str]:
    return set(re.findall(r"`([a-z_0-9]+)`", TEXT))


def test_its_tables_are_the_code_s() -> None:
    assert written(TEXT) == TEXT, "run docs/haulers.py"
    done = subprocess.run([sys.executable, "docs/haulers.py", "--check"], cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0


def test_a_stale_page_is_found_out() -> None:
    assert written(TEXT.replace("`ref_conflict`", "`ref_conflicts`")) != TEXT.replace(
        "`ref_conflict`", "`ref_conflicts`"
    )
    with pytest.raises(ValueError, match="no place"):
        written(TEXT.replace("<!-- /fields -->", ""))


def test_every_field_code_outcome_and_reason_is_named() -> None:
    wanted = {*FIELDS, *map(str, CODES), *VALUE_CODES, *WARNING_CODES, *REFUSALS}
    wanted |= {outcome.value for outcome in Outcome} | {doubt.value for doubt in Doubt} | {*OPEN, "done"}
    assert wanted <= words(), sorted(wanted - words())


def test_every_refusal_in_the_code_is_told_of() -> None:
    raised = {
        code
        for path in (ROOT / "reporting" / "intake").glob("*.py")
        for code in _RAISED.findall(path.read_text(encoding="utf-8"))
    }
    assert raised == REFUSALS.keys(), raised ^ REFUSALS.keys()


def test_its_figures_are_the_defaults() -> None:
    config = Config.from_environment({})
    assert f"more than {config.rows_at_once:,} rows" in TEXT
    assert f"Up to {config.max_upload_bytes // 1_000_000} MB and {config.max_rows:,} rows" in TEXT
    assert f"more than {Limits().max_columns} columns" in TEXT
    assert {"dry_run", "atomic"} <= set(Options.__dataclass_fields__)
    assert "?dry_run=true" in TEXT
    assert "?atomic=true" in TEXT


def test_every_address_and_endpoint_that_it_names_is_there() -> None:
    app = application(Config.from_environment({"DATABASE_URL": "sqlite://"}))
    rules = list(app.url_map.iter_rules())
    shown = {rule.rule for rule in rules if "GET" in (rule.methods or ())}
    named = set(re.findall(r"`(/(?!v1/)[a-z-]+(?:/[a-z-]+)*)`", TEXT))
    assert {"/work", "/report", "/waiting", "/files", "/reports", "/service-log", "/office/keys", "/signin"} <= named
    assert named <= shown, named - shown
    asked = set(re.findall(r"(GET|POST) +(?:…|/v1/)([\w/.-]+)", TEXT))
    assert len(asked) >= 7
    there = {
        (method, re.sub(r"<[^>]+>", "*", rule.rule).removeprefix("/v1/"))
        for rule in rules
        for method in rule.methods or ()
    }
    for method, path in asked:
        wanted = re.sub(r"COUNTY|ID", "*", path)
        assert any(way == method and one.endswith(wanted) for way, one in there), (method, path)


def test_a_log_of_service_is_kept_for_as_long_as_it_says() -> None:
    page = (ROOT / "reporting" / "web" / "templates" / "hauler" / "service_log.html").read_text(encoding="utf-8")
    assert "A log is kept for five years." in page
