"""The threat model names tests and promises that there are, and stays on one page."""

import re
from pathlib import Path

from tests.promises.finding import promises

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
POLICY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def known_tests() -> set[str]:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in sources for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}


def test_every_test_that_is_named_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 25
    assert named - known_tests() == set()


def test_every_promise_that_is_named_has_a_proof() -> None:
    named = set(re.findall(r"\bP[0-9]+\b", PAGE + POLICY))
    assert named >= {"P10", "P11", "P12", "P16", "P25"}
    assert named - set(promises()) == set()


def test_every_threat_says_what_shows_that_it_is_stopped() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 12
    assert [row for row in rows if not re.search(r"\bP[0-9]+\b|`test_", row.rsplit("|", 2)[1])] == []


def test_it_is_one_page() -> None:
    assert len(PAGE.splitlines()) <= 60
