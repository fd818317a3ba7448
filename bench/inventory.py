"""How long an inventory takes and how much memory: first import, the same file again, one column changed.

    python bench/inventory.py [--systems 100000] [--database sqlite|postgresql|both] [--profile]

It invents its own county file. Each step runs in a process of its own, so that the peak of memory is that step's own.
CPU time stands beside the time on the clock: on a shared machine the clock tells of the others too. PostgreSQL is a
server of our own with its usual durability; its CPU time is not in the figures.
"""

from __future__ import annotations

import argparse
import cProfile
import csv
import json
import pstats
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

COUNTY = "portage"
NOW = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)
STEPS = ("first", "again", "changed")
COLUMNS = (
    "permit_number", "parcel_number", "site_address", "municipality", "postcode", "owner_name", "owner_email",
    "owner_phone", "owner_mailing_address", "component", "capacity_gallons", "use", "building", "status",
    "permit_issued_on", "installed_on", "plan_pump_months", "meter_serial", "meter_unit", "meter_digits",
    "designated_license_number", "contract_from", "contract_to", "last_pumped_on", "last_inspected_on", "latitude",
    "longitude",
)  # fmt: skip
FIRST = ("Ann", "Bev", "Carl", "Dale", "Edna", "Floyd", "Gail", "Hank", "Ida", "Joel")
LAST = ("Amundson", "Brill", "Czarnecki", "Dorn", "Eckert", "Fromm", "Glodowski", "Hintz", "Iverson", "Jelinek")
ROADS = ("County Road K", "Cty Hwy DB", "State Highway 66", "Lake Shore Drive", "Old Mill Ln", "E Church St")
TOWNS = ("Town of Plover", "Town of Hull", "Town of Amherst", "Village of Rosholt", "Town of Sharon", "Town of Alban")


def main() -> None:
    """Run the steps and print a line for each."""
    options = _options()
    if options.step:
        _run_step(options)
        return
    with tempfile.TemporaryDirectory(prefix="pumper-bench-") as folder:
        path, changed = Path(folder) / "inventory.csv", Path(folder) / "changed.csv"
        rows = write_inventory(path, options.systems)
        write_inventory(changed, options.systems, plan="24")
        print(f"{options.systems:,} systems in {rows:,} rows, {path.stat().st_size / 1e6:.1f} MB of CSV")
        kinds = ("sqlite", "postgresql") if options.database == "both" else (options.database,)
        for kind in kinds:
            with _database(kind, Path(folder)) as url:
                for step in STEPS:
                    _measure(step, kind, url, changed if step == "changed" else path, options.profile)


def write_inventory(path: Path, systems: int, plan: str = "36") -> int:
    """Invent an inventory of so many systems, the same for the same number; gives how many rows it has."""
    dice = random.Random(383)
    rows = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for number in range(systems):
            for row in _system(dice, number, plan):
                writer.writerow(row)
                rows += 1
    return rows


def _system(dice: random.Random, number: int, plan: str) -> Iterator[dict[str, str]]:
    name = f"{dice.choice(FIRST)} {dice.choice(LAST)}"
    installed = date(1985, 1, 1) + timedelta(days=dice.randrange(14_000))
    pumped = date(2019, 1, 1) + timedelta(days=dice.randrange(2_600))
    road = f"{dice.randrange(100, 9_999)} {dice.choice(ROADS)}"
    holding = dice.random() < 0.2
    row = {
        "permit_number": f"PC-{1_000_000 + number}",
        "parcel_number": f"{number % 40:03}-{number // 40:05}-{number % 7:02}.{number % 100:02}",
        "site_address": road,
        "municipality": dice.choice(TOWNS),
        "postcode": f"544{number % 90 + 10}",
        "owner_name": name,
        "owner_email": f"{name.replace(' ', '.').lower()}.{number}@example.org" if dice.random() < 0.4 else "",
        "owner_phone": f"715-555-{number % 10_000:04}",
        "owner_mailing_address": f"{road}, Stevens Point, WI 544{number % 90 + 10}",
        "component": "holding" if holding else "septic",
        "capacity_gallons": dice.choice(("1000", "1,250", "1500", "2000")),
        "use": "seasonal" if dice.random() < 0.1 else "year_round",
        "building": "dwelling",
        "status": "active",
        "permit_issued_on": (installed - timedelta(days=40)).isoformat(),
        "installed_on": f"{installed.month}/{installed.day}/{installed.year}",
        "plan_pump_months": plan,
        "meter_serial": f"M{number}" if holding else "",
        "meter_unit": "gal" if holding else "",
        "meter_digits": "6" if holding else "",
        "designated_license_number": f"00{412 + number % 25}" if dice.random() < 0.6 else "",
        "last_pumped_on": pumped.isoformat(),
        "latitude": f"{44.3 + dice.random() / 3:.6f}",
        "longitude": f"{-89.7 + dice.random() / 2:.6f}",
    }
    if holding and row["designated_license_number"]:
        row |= {"contract_from": "2024-01-01", "contract_to": "2026-12-31"}
    yield row
    if not holding and dice.random() < 0.15:
        yield {**row, "component": "dispersal", "capacity_gallons": "", "last_inspected_on": pumped.isoformat()}


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str]:
    """A migrated database without data; its address."""
    from reporting.store.migrate import upgrade
    from tests.services.databases import migrated_postgres, urls_of
    from tests.services.postgres import running_postgres

    if kind == "sqlite":
        url = f"sqlite:///{folder / 'bench.sqlite'}"
        upgrade(url, app_role="pumper_app")
        yield url
        return
    with running_postgres({}) as server:
        copy = server.new_database(migrated_postgres(server).name)
        yield urls_of(copy).app_url


def _measure(step: str, kind: str, url: str, path: Path, profile: bool) -> None:
    command = [sys.executable, __file__, "--step", step, "--url", url, "--file", str(path)]
    done = subprocess.run([*command, *(["--profile"] if profile else [])], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    counts = "{added:,} added, {changed:,} changed, {untouched:,} untouched, {rejected:,} rejected".format(**found)
    print(
        f"{kind:<10} {step:<8} {found['wall']:6.1f} s on the clock, {found['cpu']:6.1f} s CPU, "
        f"peak {found['peak_mb']:4.0f} MB   {counts}"
    )
    sys.stderr.write(done.stderr)


def _run_step(options: argparse.Namespace) -> None:
    from reporting.inventory.importing import load_inventory
    from reporting.store.engine import Database
    from schemas.loader import shipped_program

    database, program = Database.connect(options.url), shipped_program(COUNTY)
    profile = cProfile.Profile()
    began, cpu = time.monotonic(), time.process_time()
    data = Path(options.file).read_bytes()
    if options.profile:
        profile.enable()
    answer = load_inventory(
        database, program, data, file_name="inventory.csv", content_type="text/csv", principal="bench", now=NOW
    )
    if options.profile:
        profile.disable()
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(45)
    found = {
        "wall": time.monotonic() - began,
        "cpu": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **{name: getattr(answer, name) for name in ("added", "changed", "untouched", "rejected")},
    }
    print(json.dumps(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=100_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--profile", action="store_true", help="say where the time goes (slower)")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
