"""Worked scenarios as data (`tests/cases`), as `reporting.worked` reads a county's own."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reporting.worked import read_examples
from reporting.worked import scenario_of as scenario_of
from reporting.worked import shortfalls as shortfalls

FOLDER = Path(__file__).parents[2] / "cases"


def load_cases(folder: Path = FOLDER) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Each case of every file: its program, its name and itself, with its system filled in."""
    for file in sorted(folder.glob("*.toml")):
        county, cases = read_examples(file.read_bytes(), file.name)
        yield from ((county, name, case) for name, case in cases)
