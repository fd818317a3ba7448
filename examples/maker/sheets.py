"""Sample files as values: what goes into them under which headings, and what each row should come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from maker.columns import Row, text
from maker.contractors import licence
from maker.county import County, Track
from maker.tickets import pumped


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of a report file, by field name, and what to expect of it when it is received on AS_OF.

    `outcome` is accepted, duplicate, rejected or queued_for_review; `field` the column a rejection names; `findings`
    the kinds that come of the event itself.
    """

    cells: Row
    why: str
    outcome: str = "accepted"
    field: str | None = None
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A report file: `headings` pairs the hauler's own words with the keys of the cells."""

    name: str
    county: str
    about: str
    headings: Sequence[tuple[str, str]]
    lines: Sequence[Line]
    kind: str = "csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    show: Callable[[object], object] = text


def us_text(value: object) -> str:
    """Write a value as American office software exports it: 7/2/2026, and thousands with a comma."""
    if isinstance(value, date):
        return f"{value.month}/{value.day}/{value.year}"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1000:
        return f"{value:,}"
    return text(value)


def native(value: object) -> object:
    """Leave days and numbers as they are, for real Excel cells and JSON numbers."""
    return None if value is None else value if isinstance(value, (bool, int, float, date)) else str(value)


@dataclass
class Stock:
    """The systems of a county that no sample report has used yet."""

    county: County
    used: set[str]

    def septic(self, *, last_before: date = date(2023, 9, 5), last_after: date = date(2022, 1, 1)) -> Row:
        """Take the next active one-tank septic system that was last pumped in that time, and so is due about now."""
        reported = {str(report["permit_number"]): report["service_date"] for report in self.county.history}
        for row in self.county.inventory:
            permit = str(row["permit_number"])
            last_on = reported.get(permit, row.get("last_pumped_on"))
            if (
                row["component"] != "septic"
                or row["status"] != "active"
                or row.get("component_ref")
                or row.get("exemption_kind")
            ):
                continue
            if permit not in self.used and isinstance(last_on, date) and last_after <= last_on <= last_before:
                self.used.add(permit)
                return row
        raise LookupError(f"{self.county.place.slug}: no septic system left for a report")

    def holding(
        self, on: date, by: tuple[str, ...], building: str = "dwelling", least: float = 0.5, flag: str | None = None
    ) -> Track:
        """Take the next metered tank contracted to one of those licences that is at `least` that full by then."""
        for track in self.county.tracks:
            tank, permit = track.tank, str(track.tank["permit_number"])
            share = track.gallons_per_day * (on - track.last_on).days / int(str(tank["capacity_gallons"]))
            fits = tank["building"] == building and tank.get("flags") == flag and least <= share <= 1.0
            if fits and permit not in self.used and tank["designated_license_number"] in by:
                self.used.add(permit)
                return track
        raise LookupError(f"{self.county.place.slug}: no holding tank left for a report on {on}")


def next_pumping(track: Track, on: date, number: str | None = None, **found: object) -> Row:
    """Report the next pumping of a holding tank, its meter read on by the usual use; by its designated hauler."""
    who = licence(number or str(track.tank["designated_license_number"]))
    used = track.gallons_per_day * (on - track.last_on).days
    usual: Row = {
        "meter_reading": round(track.reading + used) % 1_000_000,
        "meter_unit": track.tank["meter_unit"],
        "meter_serial": track.tank["meter_serial"],
        "work_description": "Pumped holding tank",
    }
    return pumped(track.tank, on, who, round(used / 50) * 50, **(usual | found))
