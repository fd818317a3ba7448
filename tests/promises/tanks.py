"""The tanks of P22's walks, as the inventory has them, and where its mails go."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from tests.promises.model import MONTHS
from tests.reporting.counties import a_row, inspected


def mail_to(folder: Path) -> dict[str, str]:
    """The setting by which mails go to a folder."""
    made = folder / "mail"
    made.mkdir(exist_ok=True)
    return {"PUMPER_MAIL_DIR": str(made)}


def tank_rows(permit: str, pumped: date) -> list[dict[str, Any]]:
    """A septic system's rows in the inventory."""
    tank = {"installed_on": "2001-06-01", "last_pumped_on": pumped.isoformat(), "designated_license_number": "00412"}
    return [a_row(permit, **tank), inspected(permit, **tank)]


def long_ago(today: date, pick: Random) -> date:
    """A day some three years ago: the tank falls due within days, or has been due for weeks."""
    day = today.replace(year=today.year - MONTHS // 12, day=min(today.day, 28))
    return day + timedelta(days=pick.choice([-30, -2, 0, 1, 2, 5, 60]))
