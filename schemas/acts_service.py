"""Acts on service: who does it how often, what tanks and meters tell of it, what suspends it."""

from __future__ import annotations

from typing import Literal

from schemas.acts_base import Act, Group


class ServiceInterval(Act, frozen=True, tag="service_interval", kw_only=True):
    """A duty of service that comes back every `months`, counted from the last service that meets it or a first basis.

    `from_occupancy`: the first interval runs from occupancy where that is later. `inspection_below`: an inspection that
    finds less than this share of sludge and scum meets the cycle. `defects_hold`: a service with an uncorrected defect
    meets nothing before the correction. `fallback`: acts only for a component to which no other interval applies.
    `only_contractor_setting`: name of the setting that holds the only contractor who counts. `until_window`: not due
    before the end of a window of which the owner had notice.
    """

    kind: str
    months: int
    group: Group | None = None
    from_occupancy: bool = False
    inspection_below: str = ""
    defects_hold: bool = False
    fallback: bool = False
    only_contractor_setting: str = ""
    until_window: bool = False


class PlanIntervals(Act, frozen=True, tag="plan_intervals", kw_only=True):
    """Service as the system's own management plan says; without a plan, every `months_without_plan`, in the name of
    the rule `rule_without_plan`."""

    months_without_plan: int
    rule_without_plan: str
    group: Group | None = None
    defects_hold: bool = False


class Deferral(Act, frozen=True, tag="deferral", kw_only=True):
    """An inspection that finds less than `below` moves the duty `kind` to at least `months` after it."""

    kind: str
    below: str
    months: int


class FullTank(Act, frozen=True, tag="full_tank", kw_only=True):
    """An inspection that finds `at_least` of sludge and scum, and no pumping, makes the duty `kind` due on that day."""

    kind: str
    at_least: str


class NotNecessary(Act, frozen=True, tag="not_necessary", kw_only=True):
    """A report that pumping was not necessary opens the duty `kind` on the next date that it gives."""

    kind: str


class WhoMay(Act, frozen=True, tag="who_may", kw_only=True):
    """Which credentials entitle to an activity (`pump`, `inspect`, `inspect_dispersal`, `evaluate`)."""

    activity: str
    credentials: tuple[str, ...]


class PumpingGap(Act, frozen=True, tag="pumping_gap", kw_only=True):
    """A gap between pumpings longer than `ratio_setting` times the usual interval is an advisory finding."""

    ratio_setting: str
    last: int
    at_least: int


class YearlyService(Act, frozen=True, tag="yearly_service", kw_only=True):
    """At least one service in each calendar year: due on December 31, `due_soon` within `lead_setting` days."""

    kind: str
    lead_setting: str


class ServiceLevel(Act, frozen=True, tag="service_level", kw_only=True):
    """A holding tank is serviced when it holds this share of its capacity; the forecast of that day is a duty."""

    fraction_setting: str


class MeterChecks(Act, frozen=True, tag="meter_checks", kw_only=True):
    """Readings are compared: decreases, rollovers, and the water balance between the bounds that the county sets.

    The balance of the last intervals together (`trend_intervals_setting`) has bounds of its own, for what is too small
    to be seen in one.
    """

    low_setting: str
    high_setting: str
    trend_low_setting: str = ""
    trend_high_setting: str = ""
    trend_intervals_setting: str = ""


class FlowLimit(Act, frozen=True, tag="flow_limit", kw_only=True):
    """Measured use above `gallons_per_day` on average between two readings is an advisory finding."""

    gallons_per_day: int


class Suspension(Act, frozen=True, tag="suspension", kw_only=True):
    """A case of one of `cases` suspends the duties of service while it is open."""

    cases: tuple[str, ...]


class Exemption(Act, frozen=True, tag="exemption", kw_only=True):
    """An exemption of kind `exemption`: whether it suspends the duties of service, and which rule sets its term.

    `ends_with_pumping`: a pumping by the contractor whom `contractor_setting` names (by anybody while it is unset)
    voids it from that day on. `yearly_fee`: whether its holder pays the yearly fee (`pays`, `none`, or only in the
    area's `service_year`).
    """

    exemption: str
    suspends: bool
    months_rule: str
    ends_with_pumping: bool = False
    contractor_setting: str = ""
    yearly_fee: Literal["pays", "none", "service_year"] = "pays"


class ExemptionTerm(Act, frozen=True, tag="exemption_term", kw_only=True):
    """How many months a certificate of exemption runs; its end is a finding.

    `notice_days`: days of written notice with which the county can end one before; 0: it cannot.
    """

    months: int
    notice_days: int = 0


class ExemptionConditions(Act, frozen=True, tag="exemption_conditions", kw_only=True):
    """What an application for an exemption of kind `exemption` has to show before a certificate can be granted.

    `affidavit`: a sworn one is asked for; `people`, `weeks`: at most so many persons for so many weeks a year;
    `serviced_months`: inspected or pumped within so many months; `verified`: the contractor has verified it,
    the one whom `contractor_setting` names where that is set.
    `components` and `buildings`, as of every act, say for which systems there is such an exemption.
    """

    exemption: str
    affidavit: bool = False
    people: int = 0
    weeks: int = 0
    serviced_months: int = 0
    verified: bool = False
    contractor_setting: str = ""


class SizeClasses(Act, frozen=True, tag="size_classes", kw_only=True):
    """The class of a system by its design flow: each by the gallons a day from which it begins."""

    classes: dict[str, int]
