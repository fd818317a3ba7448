"""Acts on service areas: whose turn it is, the window and the notices of it, deferrals, questionnaires."""

from __future__ import annotations

from schemas.acts_base import Act, Positive


class ServiceAreas(Act, frozen=True, tag="service_areas", kw_only=True):
    """The systems lie in `areas` areas, one of which is served each year.

    Area a is served in the years for which (year - base year) mod `areas` = a - 1. The base year is a setting; while it
    is 0 nobody can say whose turn it is, and only windows tell.
    """

    areas: Positive
    base_setting: str


class AreaWindow(Act, frozen=True, tag="area_window", kw_only=True):
    """The window of the system's area opens the duty `kind`, due on its last day, met by a pumping since its first.

    `days`: how long a window is that names no last day. `not_under`: exemptions under which the window is not one of
    pumping. `contractor_setting`: the setting that names the only contractor who counts.
    """

    kind: str
    days: Positive
    not_under: tuple[str, ...] = ()
    contractor_setting: str = ""


class WindowNotice(Act, frozen=True, tag="window_notice", kw_only=True):
    """Owners receive notice at least `days` before their window opens, so many days of delivery after its mailing."""

    days: Positive
    delivery_setting: str


class AreaNotice(Act, frozen=True, tag="area_notice", kw_only=True):
    """The notice that an area is being pumped opens the duty `kind`, due `days` after the owner received it."""

    kind: str
    days: Positive
    delivery_setting: str
    contractor_setting: str = ""


class Presumption(Act, frozen=True, tag="presumption", kw_only=True):
    """A mailing of one of `classes` on a known day is presumed to have been received."""

    classes: tuple[str, ...]


class WindowDeferral(Act, frozen=True, tag="window_deferral", kw_only=True):
    """The owner may ask for another window: in writing, `business_days` before the first day, with a fee, in season."""

    business_days: Positive
    fee_cents: Positive
    season_from_setting: str
    season_to_setting: str


class Questionnaire(Act, frozen=True, tag="questionnaire", kw_only=True):
    """A questionnaire that was mailed opens the duty `kind` to answer it within `days` of mailing."""

    kind: str
    days: Positive


class ServiceYearInspection(Act, frozen=True, tag="service_year_inspection", kw_only=True):
    """While an exemption of kind `exemption` runs, the duty `kind` is due by the end of the area's service year."""

    exemption: str
    kind: str
