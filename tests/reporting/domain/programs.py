"""Every program file there is: those that ship, and the examples of a county's own (`examples/programs`)."""

from pathlib import Path
from typing import Any, Final

from reporting import scenario
from schemas.loader import load_file, shipped_program, shipped_slugs
from schemas.program import Program

EXAMPLES: Final = Path(__file__).parents[3] / "examples" / "programs"
PROGRAMS: Final[dict[str, Program]] = {
    **{slug: shipped_program(slug) for slug in shipped_slugs()},
    **{path.stem: load_file(path) for path in sorted(EXAMPLES.glob("*.toml"))},
}


def evaluate(raw: dict[str, Any], *, show_met: bool = False) -> dict[str, Any]:
    """The answer of a scenario under the program of its county, shipped or not."""
    return scenario.evaluate(raw, show_met=show_met, program=PROGRAMS[raw["county"]])
