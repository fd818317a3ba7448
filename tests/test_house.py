"""The house itself: locks without addresses, files without machines' paths, the commands that are promised."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ["requirements/run.txt", "requirements/dev.txt"]
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?P<rest>.*(?:\n[ \t]+.*)*)", re.MULTILINE)

# Written so that these lines do not match themselves.
MACHINE_PATH = re.compile(r"(?<![\w.}>])/(?:work|root|home|Users)/[\w.]")
REGISTRY = re.compile(
    r"\bpy(?:pi|thonhosted)\.org\b|\bregistry\.npm|\bdeb\.debian\.org\b|--(?:extra-)?index[-]url|--find[-]links"
)
IGNORED_FOLDERS = {".git", ".venv", ".tools", "var", "dist", "build", "__pycache__"}


def pins(lock: str) -> dict[str, str]:
    """Locked versions by name."""
    text = (ROOT / lock).read_text()
    return {canonicalize_name(match["name"]): match["version"] for match in PIN.finditer(text)}


def project_files() -> Iterator[Path]:
    """The tracked and the new files; where git is absent, all but what is made here."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout.decode()
        paths = [ROOT / name for name in listed.split("\0") if name]
    except (FileNotFoundError, subprocess.CalledProcessError):
        paths = [
            path
            for path in ROOT.rglob("*")
            if not any(
                part in IGNORED_FOLDERS or part.endswith((".egg-info", "_cache"))
                for part in path.relative_to(ROOT).parts
            )
        ]
    return (path for path in paths if path.is_file())


def offending_lines(pattern: re.Pattern[str]) -> list[str]:
    """`file:line: text` of every line of a text file that the pattern finds."""
    found = []
    for path in project_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # a picture, a workbook, a sample in another encoding
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
            for number, line in enumerate(lines, start=1)
            if pattern.search(line)
        ]
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_address(lock: str) -> None:
    assert re.findall(r"^.*(?:://|\bfile:|^-|^\s+--(?!hash=)| @ ).*$", (ROOT / lock).read_text(), re.MULTILINE) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert len(pins(lock)) > 20
    assert [match["name"] for match in PIN.finditer(text) if "--hash=sha256:" not in match["rest"]] == []


def test_tests_run_on_the_versions_that_users_run() -> None:
    development = pins("requirements/dev.txt")
    assert {name: development.get(name) for name in pins("requirements/run.txt")} == pins("requirements/run.txt")


def test_locked_versions_keep_the_floors() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = pins("requirements/run.txt")
    wanted = [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["postgres"]]
    assert [str(need) for need in wanted if locked.get(canonicalize_name(need.name)) not in need.specifier] == []


def test_no_file_names_a_machines_path() -> None:
    assert offending_lines(MACHINE_PATH) == []


def test_no_file_names_a_registry() -> None:
    assert offending_lines(REGISTRY) == []


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("cd " + "/".join(["", "home", "ann", "x"]), MACHINE_PATH), ("https://" + ".".join(["pypi", "org"]), REGISTRY)],
)
def test_the_search_finds_what_it_looks_for(text: str, pattern: re.Pattern[str]) -> None:
    assert pattern.search(text)


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("demo", ".venv/bin/pumper demo"),
        ("serve", ".venv/bin/pumper serve --demo"),
        ("test", "-m pytest"),
        ("prove", "-m tests.promises.prove"),
        ("check", ".venv/bin/mypy"),
        ("format", ".venv/bin/ruff format"),
        ("lock", "--generate-hashes"),
        ("clean", "rm -rf .venv"),
    ],
)
def test_make_knows_its_targets(target: str, command: str) -> None:
    told = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert command in told.stdout


@pytest.mark.parametrize("script", [".ci/run", ".ci/bootstrap.sh"])
def test_scripts_are_well_formed(script: str) -> None:
    shell = (ROOT / script).read_text().splitlines()[0].split("/")[-1].split()[-1]
    checked = subprocess.run([shell, "-n", str(ROOT / script)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert os.access(ROOT / script, os.X_OK)
