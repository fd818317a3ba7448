"""The columns of an inventory file (contract.md, "Inventory and contractor files"): names and parsers.

The other headings that mean them, those of the statewide parcel map among them, are data: `headings.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

from reporting.intake.moments import parse_date, parse_month_day
from reporting.intake.numbers import parse_latitude, parse_longitude, parse_whole
from reporting.intake.sheet import Cell
from reporting.intake.values import LONG, SHORT, BadValue, clean_text, parse_text, raw_value
from reporting.intake.words import is_none_word, parse_choice, parse_emails, parse_license
from schemas.fields import FIELDS

Parser = Callable[[Cell, "Day"], Any]
"""What a cell says as a plain JSON value (dates as ISO text, decimals as text), or `BadValue`."""


@dataclass(frozen=True, kw_only=True)
class Day:
    """When and where a file is read: the county's local date and its time zone."""

    today: date
    time_zone: str


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. `lenient`: a value that cannot be read is left out with a warning and does not reject the row."""

    name: str
    parse: Parser
    aliases: tuple[str, ...] = ()
    lenient: bool = False

    @cached_property
    def repeats(self) -> bool:
        """Whether few different texts stand in the column, so that it pays to remember what each means."""
        return self.parse not in (_text, _long_text, _emails, _latitude, _longitude)


def _plain_choices(*values: str, **words: str) -> dict[str, str]:
    own = {value: value for value in values} | {value.replace("_", " "): value for value in values}
    return own | {word.replace("_", " "): value for word, value in words.items()}


def _field_choices(name: str) -> Mapping[str, str]:
    return FIELDS[name].choices or {}


_USES: Final = _plain_choices("year_round", "seasonal", "intermittent", full_time="year_round", cottage="seasonal")
_BUILDINGS: Final = _plain_choices(
    "dwelling", "commercial", "industrial", "event_grounds", "public",
    residential="dwelling", residence="dwelling", house="dwelling", business="commercial",
    festival_grounds="event_grounds",
)  # fmt: skip
_STATES: Final = _plain_choices("active", "abandoned", "sewered", "removed", in_use="active", closed="abandoned")
_EXEMPTIONS: Final = _plain_choices("commercial", "vacant", "infrequent_use", "inspection_only")


def _text(cell: Cell, day: Day) -> str:
    # A number that Excel keeps is taken as it is shown: `53012` and not `53012.0`.
    return " ".join(clean_text(_shown(cell), max_length=SHORT).split())


def _long_text(cell: Cell, day: Day) -> str:
    return parse_text(_shown(cell), max_length=LONG)


def _shown(cell: Cell) -> str:
    raw_value(cell)  # raises for a faulty cell
    return cell.text


def _date(cell: Cell, day: Day) -> str:
    return parse_date(raw_value(cell), today=day.today, time_zone=day.time_zone).isoformat()


def _past_date(cell: Cell, day: Day) -> str:
    found = parse_date(raw_value(cell), today=day.today, time_zone=day.time_zone)
    if found > day.today:
        raise BadValue("in_future", f"This day is still to come ({found}): check it.")
    return found.isoformat()


def _month_day(cell: Cell, day: Day) -> str:
    return parse_month_day(raw_value(cell))


def _whole(minimum: int, maximum: int) -> Parser:
    def parse(cell: Cell, day: Day) -> int:
        return parse_whole(raw_value(cell), minimum=minimum, maximum=maximum)

    return parse


def _choice(choices: Mapping[str, str]) -> Parser:
    def parse(cell: Cell, day: Day) -> str:
        return parse_choice(raw_value(cell), choices)

    return parse


def _license(cell: Cell, day: Day) -> str:
    parse_license(raw_value(cell))
    return clean_text(_shown(cell))


def _emails(cell: Cell, day: Day) -> str:
    return "; ".join(parse_emails(raw_value(cell)))


def _latitude(cell: Cell, day: Day) -> str:
    return str(parse_latitude(raw_value(cell)))


def _longitude(cell: Cell, day: Day) -> str:
    return str(parse_longitude(raw_value(cell)))


def _flags(cell: Cell, day: Day) -> list[str] | None:
    words = ("_".join(part.casefold().split()) for part in _text(cell, day).replace(",", ";").split(";"))
    return list(dict.fromkeys(word for word in words if word and not is_none_word(word))) or None


def read_headings(text: str) -> dict[str, tuple[str, ...]]:
    """The headings that mean each column besides its own name: column → headings, from the text of `headings.toml`."""
    told = tomllib.loads(text)
    found: dict[str, list[str]] = {name: list(words) for name, words in told["own"].items()}
    for heading, name in told["statewide"].items():
        found.setdefault(name, []).append(heading)
    return {name: tuple(words) for name, words in found.items()}


_MONTHS: Final = _whole(1, 1_200)
_PARSERS: Final[Mapping[str, Parser]] = {
    "permit_number": _text,
    "parcel_number": _text,
    "site_address": _text,
    "municipality": _text,
    "postcode": _text,
    "legal_description": _long_text,
    "owner_name": _text,
    "owner_name_2": _text,
    "owner_since": _past_date,
    "owner_email": _emails,
    "owner_phone": _text,
    "owner_mailing_address": _long_text,
    "component": _choice(_field_choices("component")),
    "capacity_gallons": _whole(0, 1_000_000),
    "use": _choice(_USES),
    "season_from": _month_day,
    "season_to": _month_day,
    "building": _choice(_BUILDINGS),
    "status": _choice(_STATES),
    "status_since": _past_date,
    "permit_issued_on": _date,
    "installed_on": _date,
    "occupied_on": _date,
    "sewer_available_on": _date,
    "design_flow_gpd": _whole(0, 10_000_000),
    "service_area": _whole(0, 10_000),
    "plan_pump_months": _MONTHS,
    "plan_inspect_months": _MONTHS,
    "plan_dispersal_months": _MONTHS,
    "meter_serial": _text,
    "meter_since": _past_date,
    "meter_unit": _choice(_field_choices("meter_unit")),
    "meter_digits": _whole(1, 15),
    "component_ref": _text,
    "agreement_recorded_on": _date,
    "exemption_kind": _choice(_EXEMPTIONS),
    "exemption_granted_on": _date,
    "designated_license_number": _license,
    "contract_from": _date,
    "contract_to": _date,
    "last_pumped_on": _past_date,
    "last_inspected_on": _past_date,
    "assigned_due_on": _date,
    "latitude": _latitude,
    "longitude": _longitude,
    "access_notes": _long_text,
    "flags": _flags,
}
_LENIENT: Final = frozenset({"postcode", "owner_email", "owner_phone", "latitude", "longitude"})
"""What no duty hangs on: a value that cannot be read is left out, and the row taken."""
ALIASES: Final = read_headings(files("reporting.inventory").joinpath("headings.toml").read_text("utf-8"))
COLUMNS: Final[Mapping[str, Column]] = {
    name: Column(name=name, parse=parse, aliases=ALIASES.get(name, ()), lenient=name in _LENIENT)
    for name, parse in _PARSERS.items()
}
