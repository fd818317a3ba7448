"""Values that can be read and are hardly meant: said to the sender, and no reason to refuse a report. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from reporting.domain.records import System
from reporting.intake.reading import ReadRow
from reporting.intake.tanks import Tank

LARGEST_LOAD: Final = 20_000
"""Gallons of one service beyond which a figure is doubted where the tank's size is not known."""
MOST_OF_CAPACITY: Final = Fraction(3, 2)
"""How many times its capacity a tank may give at once: what flows back while it is pumped counts too."""


def gallons_warnings(row: ReadRow, system: System | None, tank: Tank) -> list[Mapping[str, object]]:
    """What to say of gallons that no such tank holds."""
    gallons = row.values.get("gallons_pumped")
    if not isinstance(gallons, int):
        return []
    capacity = _capacity(system, tank)
    if gallons <= (capacity * MOST_OF_CAPACITY if capacity else LARGEST_LOAD):
        return []
    held = f"the tank on file holds {capacity:,}" if capacity else f"more than {LARGEST_LOAD:,} is rare"
    message = f"Look at the gallons pumped: {gallons:,} is a lot, {held}. Amend the report if it is a slip."
    return [{"field": "gallons_pumped", "code": "implausible_gallons", "message": message, "value": str(gallons)}]


def _capacity(system: System | None, tank: Tank) -> int | None:
    """The capacity of the component that a report is of, or None where it is not certain or not on file."""
    if system is None or not tank.certain:
        return None
    fit = [c for c in system.components if c.kind == tank.kind and c.ref == tank.ref]
    return fit[0].capacity_gallons if len(fit) == 1 else None
