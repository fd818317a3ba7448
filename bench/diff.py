"""How long `pumper programs diff` takes: a county of 20,000 systems with 5 services each under two programs.

    python bench/diff.py [--systems 20000] [--database sqlite|postgresql] [--processes 2]

Portage's program against itself with one interval changed: septic tanks pumped every 24 months and not every 36. Time
on the clock and the CPU time of this process and its children.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from inventory import COUNTY, NOW, _database, write_inventory  # noqa: E402

from reporting.comparison import compare_programs, moves  # noqa: E402
from reporting.inventory.importing import load_inventory  # noqa: E402
from reporting.store.engine import Database  # noqa: E402
from reporting.store.facts import insert_events, list_system_ids  # noqa: E402
from reporting.store.rows import chunks  # noqa: E402
from schemas.loader import load_program, shipped_program, shipped_text  # noqa: E402

TODAY = date(2026, 7, 13)
SERVICES = 4
"""Reported services of each system, beside the last one that the inventory names."""


def fill(url: str, folder: Path, systems: int) -> None:
    """An invented county: an inventory, and reports of services."""
    path = folder / "inventory.csv"
    write_inventory(path, systems)
    database = Database.connect(url)
    load_inventory(
        database, shipped_program(COUNTY), path.read_bytes(), file_name="inventory.csv", content_type="text/csv",
        principal="bench", now=NOW,
    )  # fmt: skip
    with database.transaction(COUNTY) as store:
        ids = list_system_ids(store)
    for part in chunks(ids, 5_000):
        with database.transaction(COUNTY) as store:
            insert_events(store, [an_event(key, n) for key in part for n in range(SERVICES)])
    database.dispose()


def an_event(system: str, n: int) -> dict[str, object]:
    """The n-th pumping of a system, years ago."""
    day = date(2015, 3, 1) + timedelta(days=1000 * n + hash_of(system) % 700)
    content = {
        "gallons_pumped": 1000,
        "tank_condition": "good",
        "ponding": "none",
        "credential_kind": "septage_operator",
    }
    return {
        "id": f"{system}_{n}", "seq": 1, "system": system, "component": "", "component_ref": "",
        "event_type": "pumping", "service_date": day, "license_number": "00412", "license_norm": "412",
        "received_at": NOW, "first_received_at": NOW, "identity": f"{system}_{n}", "content_sha": "",
        "historical": True, "content": content,
    }  # fmt: skip


def hash_of(text: str) -> int:
    """The same number for the same text in every run."""
    return sum(ord(c) * (i + 7) for i, c in enumerate(text))


def main() -> None:
    """Fill a database and compare; print one line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--systems", type=int, default=20_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    changed = shipped_text(COUNTY).replace(b'kind = "pump", months = 36', b'kind = "pump", months = 24')
    old, new = shipped_program(COUNTY), load_program(changed, f"{COUNTY}.toml")
    with tempfile.TemporaryDirectory(prefix="pumper-bench-") as name, _database(asked.database, Path(name)) as url:
        fill(url, Path(name), asked.systems)
        began, cpu = time.monotonic(), _cpu()
        found = compare_programs(url, COUNTY, old, new, TODAY, processes=asked.processes)
        wall, used = time.monotonic() - began, _cpu() - cpu
    told = "; ".join(f"{count:,} {a} to {b}" for a, b, count in moves(found.standings))
    print(
        f"{asked.database}, {found.systems:,} systems, {asked.processes} processes: {wall:.1f} s on the clock, "
        f"{used:.1f} s CPU; {len(found.changes):,} change ({told}); {len(found.not_judged)} not judged"
    )


def _cpu() -> float:
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


if __name__ == "__main__":
    main()
