"""The pictures on a system's page: water by the meter, and gallons pumped, from the same figures as its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from reporting.web.desk_charts import Chart, number, over_time


def meter_charts(tanks: Sequence[Mapping[str, Any]]) -> list[Chart]:
    """For each tank with a meter: gallons a day between readings, with the limit where the law sets one.

    tanks: as `GET /v1/{county}/systems/{id}/meters` gives them.
    """
    found = []
    for place, tank in enumerate(tanks):
        name = f", tank {tank['component_ref']}" if tank["component_ref"] else ""
        rows = tank["readings"]
        points = [
            (date.fromisoformat(row["on"]), row["gallons_since"] / row["days_since"])
            for row in rows
            if row["gallons_since"] is not None and row["days_since"]
        ]
        table = [("Day", "Reading", "Gallons since", "Days", "Gallons a day"), *(_reading(row) for row in rows)]
        limit = tank["use"]["limit_gallons_per_day"]
        describes = "A dot for each reading: the water used since the one before, for each day."
        describes += f" The broken line is the limit of {number(limit)} gallons a day." if limit else ""
        chart = over_time(f"meter-{place}", f"Water by the meter, gallons a day{name}", points, table, describes,
                          limit=limit)  # fmt: skip
        found += [chart] if chart else []
    return found


def pumped_chart(services: Sequence[Mapping[str, Any]]) -> Chart | None:
    """Gallons pumped on each day, all tanks together; services: of the system's service record."""
    sums: dict[str, int] = {}
    for row in services:
        if row.get("gallons_pumped") is not None:
            sums[row["service_date"]] = sums.get(row["service_date"], 0) + int(row["gallons_pumped"])
    points = [(date.fromisoformat(day), float(gallons)) for day, gallons in sorted(sums.items())]
    table = [("Day", "Gallons"), *((day, number(gallons)) for day, gallons in sorted(sums.items()))]
    return over_time("pumped", "Gallons pumped", points, table, "A bar for each day on which it was pumped.", bars=True)


def _reading(row: Mapping[str, Any]) -> tuple[str, ...]:
    gallons, days = row["gallons_since"], row["days_since"]
    reading = f"{number(row['reading'])} {row['unit']}{' (estimated)' if row['estimated'] else ''}"
    a_day = gallons / days if gallons is not None and days else None
    return row["on"], reading, number(gallons), number(days), number(a_day)
