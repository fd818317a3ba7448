"""Everything that is to be quick, measured beside what people would use instead, in one run on this machine.

    python bench/run.py [STEP …] [--write]

Without a STEP, all of them. Medians of five, ours and the baseline in turn; files, scans and mail are
measured once. Only ratios compare between machines. --write puts the table into README.md and bench/figures.json.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.measuring import Figure, table  # noqa: E402

STEPS = ("starting", "checking", "files", "single", "assessing", "scanning", "looking", "mailing")
KEPT, PAGE = ROOT / "bench" / "figures.json", ROOT / "README.md"


def main() -> None:
    """Measure, print, and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--write", action="store_true", help="keep the figures in README.md and bench/figures.json")
    asked = parser.parse_args()
    kept = {name: found for name, found in read().items() if name in STEPS}
    for name in asked.steps or STEPS:
        begun = time.monotonic()
        kept[name] = list(importlib.import_module(f"bench.steps.{name}").measured())
        print(f"\n{name}: {time.monotonic() - begun:.0f} s\n{table(kept[name])}", flush=True)
        if asked.write:
            write(kept)


def read() -> dict[str, list[Figure]]:
    """The figures kept, by step."""
    found = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return {name: [Figure(**one) for one in those] for name, those in found.items()}


def write(kept: dict[str, list[Figure]]) -> None:
    """Keep the figures, and put their table where README has its place."""
    ordered = {name: kept[name] for name in STEPS if name in kept}
    data = {name: [asdict(one) for one in those] for name, those in ordered.items()}
    KEPT.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), [f for those in ordered.values() for f in those]))


def written(page: str, figures: Sequence[Figure]) -> str:
    """The page with the table in its place; raises `ValueError` where there is none."""
    place = re.compile(r"(<!-- bench -->\n).*?(<!-- /bench -->)", re.DOTALL)
    if not place.search(page):
        raise ValueError(f"{PAGE.name} has no place for the figures")
    return place.sub(lambda found: f"{found[1]}{table(figures)}\n{found[2]}", page)


if __name__ == "__main__":
    main()
