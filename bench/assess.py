"""How long one assessment takes: systems of every program with 50 events each, and the slowest of them.

    python bench/assess.py [--events 50] [--rounds 200]

The habit of the house is under one millisecond for a system with 50 events. CPU time of this process, no database.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
import time
from fractions import Fraction
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from reporting.domain.assess import assess  # noqa: E402
from reporting.domain.records import Component, Event, History, Meter, System  # noqa: E402
from schemas.loader import shipped_program, shipped_slugs  # noqa: E402

TODAY = dt.date(2026, 7, 13)


def a_system(kind: str, count: int) -> tuple[System, History]:
    """A system of that kind with so many reports: a metered holding tank pumped monthly, else a septic tank."""
    tank = Component(kind=kind, capacity_gallons=2000, meter=Meter(unit="gal", digits=7, serial="A1"))
    system = System(components=(tank,), installed_on=dt.date(2001, 6, 1), permit_issued_on=dt.date(2001, 5, 1))
    apart = 25 if kind == "holding" else 60
    events = []
    for n in range(count):
        day = TODAY - dt.timedelta(days=apart * (count - n))
        done = "pumping" if kind == "holding" or n % 18 == 0 else "inspection"
        events.append(
            Event(
                id=f"E{n:03}",
                event_type=done,
                service_date=day,
                received_at=dt.datetime.combine(day + dt.timedelta(days=n % 14), dt.time(18), dt.UTC),
                component=kind,
                credential_kind="septage_operator" if done == "pumping" else "powts_inspector",
                license_number="00412",
                gallons_pumped=1200 if done == "pumping" else None,
                tank_condition="good",
                ponding="none",
                meter_reading=Fraction(1250 * n) if kind == "holding" else None,
            )
        )
    return system, History(events=tuple(events))


def timed(slug: str, kind: str, events: int, rounds: int) -> tuple[float, float]:
    """The median and the slowest of many assessments, in milliseconds of CPU time."""
    program = shipped_program(slug)
    system, history = a_system(kind, events)
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        assess(system, history, program, TODAY, include_met=False)
        taken.append((time.process_time() - start) * 1000)
    return median(taken), max(taken)


def main() -> None:
    """Print a line for each program and kind of tank."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=200)
    asked = parser.parse_args()
    for slug in shipped_slugs():
        for kind in ("septic", "holding"):
            usual, slowest = timed(slug, kind, asked.events, asked.rounds)
            print(f"{slug:<12} {kind:<8} {asked.events} events: {usual:.3f} ms at the median, {slowest:.3f} ms at most")


if __name__ == "__main__":
    main()
