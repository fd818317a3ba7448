"""What the house promises of itself and no other tool checks: sizes, doors, no county in code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from schemas.loader import shipped_program, shipped_slugs

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("schemas", "reporting", "notifications")
SOURCES = sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py"))
CLOCKS = re.compile(r"\b(?:date\.today|datetime\.now|datetime\.utcnow|time\.time)\(")
ALONE = ("reporting/export_verifier.py",)
"""One file that goes out by itself: whoever checks an export has nothing else of ours."""
CLOCK_DOORS = ("reporting/cli/words.py", "reporting/api/server.py", "notifications/worker.py")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_module_is_of_readable_size_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= (600 if _name(path) in ALONE else 320), "split it"
    assert ast.get_docstring(ast.parse(text)), "say in a line what it is"


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_public_functions_and_classes_have_docstrings(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert not bare


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_only_entry_points_read_a_clock(path: Path) -> None:
    if _name(path) not in CLOCK_DOORS:
        assert not CLOCKS.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_no_county_in_code(path: Path) -> None:
    """A county's name in code would be a rule outside of the program files. The demonstration names what it shows."""
    if _name(path) == "reporting/cli/demo.py":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(n.body[0].value) for n in ast.walk(tree) if _has_docstring(n)}  # type: ignore[attr-defined]
    names = {word for slug in shipped_slugs() for word in (slug, shipped_program(slug).name)}
    said = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
    assert not [text for text in said for name in names if name.lower() in text.lower()]


def _has_docstring(node: ast.AST) -> bool:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        return False
    return ast.get_docstring(node) is not None


def test_os_environ_has_its_door() -> None:
    users = [_name(p) for p in SOURCES if re.search(r"\bos\.(environ|getenv)\b", p.read_text(encoding="utf-8"))]
    assert set(users) <= {"reporting/config.py", "reporting/cli/operate.py", "reporting/cli/demo.py"}


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = sorted(int(p.name[:4]) for p in (ROOT / "migrations" / "versions").glob("[0-9]*.py"))
    assert numbers == list(range(1, len(numbers) + 1))
