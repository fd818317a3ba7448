"""The columns of an inventory file (contract.md, "Inventory and contractor files"): names, aliases, parsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
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


_MONTHS: Final = _whole(1, 1_200)
_ALL: Final = (
    Column(name="permit_number", parse=_text, aliases=("permit", "sanitary permit", "sanitary permit number")),
    Column(name="parcel_number", parse=_text, aliases=("parcel", "parcel id", "tax parcel", "tax key")),
    Column(name="site_address", parse=_text, aliases=("address", "property address", "SITEADRESS", "SITEADDRESS")),
    Column(name="municipality", parse=_text, aliases=("town", "city village town", "PLACENAME")),
    Column(name="postcode", parse=_text, aliases=("zip", "zip code", "postal code", "ZIPCODE"), lenient=True),
    Column(name="legal_description", parse=_long_text, aliases=("legal", "LEGALAREA")),
    Column(name="owner_name", parse=_text, aliases=("owner", "property owner", "OWNERNME1")),
    Column(name="owner_email", parse=_emails, aliases=("email", "e-mail", "owner e-mail"), lenient=True),
    Column(name="owner_phone", parse=_text, aliases=("phone", "telephone"), lenient=True),
    Column(name="owner_mailing_address", parse=_long_text, aliases=("mailing address", "PSTLADRESS", "PSTLADDRESS")),
    Column(name="component", parse=_choice(_field_choices("component")), aliases=("tank type", "component type")),
    Column(name="capacity_gallons", parse=_whole(0, 1_000_000), aliases=("capacity", "tank size", "gallons")),
    Column(name="use", parse=_choice(_USES), aliases=("occupancy",)),
    Column(name="season_from", parse=_month_day),
    Column(name="season_to", parse=_month_day),
    Column(name="building", parse=_choice(_BUILDINGS), aliases=("building type",)),
    Column(name="status", parse=_choice(_STATES)),
    Column(name="permit_issued_on", parse=_date, aliases=("permit date", "issued", "date issued")),
    Column(name="installed_on", parse=_date, aliases=("installed", "install date", "installation date")),
    Column(name="occupied_on", parse=_date, aliases=("occupied",)),
    Column(name="design_flow_gpd", parse=_whole(0, 10_000_000), aliases=("design flow",)),
    Column(name="service_area", parse=_whole(0, 10_000), aliases=("area",)),
    Column(name="plan_pump_months", parse=_MONTHS),
    Column(name="plan_inspect_months", parse=_MONTHS),
    Column(name="plan_dispersal_months", parse=_MONTHS),
    Column(name="meter_serial", parse=_text, aliases=("meter", "meter no")),
    Column(name="meter_unit", parse=_choice(_field_choices("meter_unit"))),
    Column(name="meter_digits", parse=_whole(1, 15)),
    Column(name="component_ref", parse=_text, aliases=("tank", "tank no", "tank id")),
    Column(name="agreement_recorded_on", parse=_date),
    Column(name="exemption_kind", parse=_choice(_EXEMPTIONS)),
    Column(name="exemption_granted_on", parse=_date),
    Column(name="designated_license_number", parse=_license, aliases=("designated contractor", "designated license")),
    Column(name="contract_from", parse=_date),
    Column(name="contract_to", parse=_date),
    Column(name="last_pumped_on", parse=_past_date, aliases=("last pumped", "date last pumped")),
    Column(name="last_inspected_on", parse=_past_date, aliases=("last inspected", "date last inspected")),
    Column(name="assigned_due_on", parse=_date, aliases=("assigned due date",)),
    Column(name="latitude", parse=_latitude, aliases=("lat", "y"), lenient=True),
    Column(name="longitude", parse=_longitude, aliases=("lon", "long", "lng", "x"), lenient=True),
    Column(name="access_notes", parse=_long_text, aliases=("access", "notes")),
    Column(name="flags", parse=_flags),
)  # fmt: skip
COLUMNS: Final[Mapping[str, Column]] = {column.name: column for column in _ALL}
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {column.name: column.aliases for column in _ALL}
"""Column → the headings that mean it besides its own name, those of the statewide parcel map among them."""
