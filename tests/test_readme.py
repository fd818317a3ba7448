"""README says what the code does: its parts that come from the code are as the code is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("part", ["demo", "rules", "coverage", "commands", "endpoints"])
def test_a_part_of_readme_is_as_the_code_is(part: str) -> None:
    command = [sys.executable, "docs/readme.py", "--check", part]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr


def test_readme_opens_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = text.index("```")
    assert "make demo" in text[first : first + 200]
    assert "make test" in text[first : first + 300]


def test_the_parts_are_not_empty() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for part in ("demo", "rules", "coverage", "commands", "endpoints"):
        inside = text.split(f"<!-- {part} -->")[1].split(f"<!-- /{part} -->")[0]
        assert len(inside) > 500, part
