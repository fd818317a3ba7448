"""What is measured: a county's systems and files of reports of them, the same from the same seed."""

from __future__ import annotations

import datetime as dt
import random
from functools import cache

from reporting.intake.sheet import Limits
from tests.reporting.api.world import HOME, a_report
from tests.reporting.counties import csv_of

COUNTY = HOME
CHECKED_ON = dt.date(2026, 7, 13)
NO_LIMITS = Limits(max_bytes=10**10, max_rows=10**9, max_cells=10**10)
"""A terminal's file may be longer than one over HTTP."""
SEED = 20_261_201
WRONG, REPEATED = 0.02, 0.03
"""Of the rows of a file: so many lack something or cannot be read, so many were sent before."""


@cache
def reports_csv(count: int, systems: int, seed: int = SEED) -> bytes:
    """A file of so many rows in twenty columns, of systems `P-0`, `P-1`, … in turn, on different days."""
    pick = random.Random(seed)
    rows: list[dict[str, object]] = []
    for number in range(count):
        if rows and pick.random() < REPEATED:
            rows.append(rows[pick.randrange(len(rows))])
            continue
        permit = f"P-{number % systems}"
        day = dt.date(2026, 1, 5) + dt.timedelta(days=(number // systems) * 9 + pick.randrange(9))
        report = a_report(
            report_ref=f"T-{seed}-{number}", permit_number=permit, parcel_number=f"08-{permit}",
            site_address=f"N{sum(permit.encode())} County Road K", gallons_pumped=pick.randrange(200, 1_000),
            service_date=f"{day.month}/{day.day}/{day.year}", signed_on=f"{day.month}/{day.day}/{day.year}",
        )  # fmt: skip
        if pick.random() < WRONG:
            report |= pick.choice(({"service_date": "soon"}, {"signature": ""}, {"gallons_pumped": "many"}))
        rows.append(report)
    return csv_of(*rows)
