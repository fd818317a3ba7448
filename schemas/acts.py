"""What a rule of a program does: one frozen value per effect, read from the program file's `[[rule.act]]` tables.

The file names the effect (`effect = "service_interval"`), the value carries its parameters, `reporting.domain` carries
it out. A county's law changes by changing these values; only a wholly new *kind* of effect needs code. Every act may
narrow itself to texts of the ordinance (`texts`), to components, events, buildings, uses or flags, and may name a
subsection of its own (`cite`).
"""

from __future__ import annotations

import datetime as dt

import msgspec

from schemas.words import ACTIVITIES as ACTIVITIES
from schemas.words import BUILDINGS as BUILDINGS
from schemas.words import COMPONENTS as COMPONENTS
from schemas.words import CREDENTIALS as CREDENTIALS
from schemas.words import EVENT_TYPES as EVENT_TYPES
from schemas.words import FEATURES as FEATURES
from schemas.words import OBLIGATION_KINDS as OBLIGATION_KINDS
from schemas.words import SYSTEM_DATES as SYSTEM_DATES
from schemas.words import USES as USES


class Act(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="effect"):
    """What every act may say: the texts it stands in, where it applies, and what differs from its rule: a closer
    citation, another's duty, filing or not."""

    texts: tuple[str, ...] = ()
    cite: str = ""
    note: str = ""
    duty_of: str = ""
    filing: bool | None = None
    since: dt.date | None = None
    components: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    buildings: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Systems by the date of their permit or installation: `before` a day (existing) or `on_or_after` it (new)."""

    before: dt.date | None = None
    on_or_after: dt.date | None = None


class ServiceInterval(Act, frozen=True, tag="service_interval", kw_only=True):
    """A duty of service that comes back every `months`, counted from the last service that meets it or a first basis.

    `from_occupancy`: the first interval runs from occupancy where that is later. `inspection_below`: an inspection that
    finds less than this share of sludge and scum meets the cycle. `defects_hold`: a service with an uncorrected defect
    meets nothing before the correction. `fallback`: acts only for a component to which no other interval applies.
    `only_contractor_setting`: name of the setting that holds the only contractor who counts.
    """

    kind: str
    months: int
    group: Group | None = None
    from_occupancy: bool = False
    inspection_below: str = ""
    defects_hold: bool = False
    fallback: bool = False
    only_contractor_setting: str = ""


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


class ReportDeadline(Act, frozen=True, tag="report_deadline", kw_only=True):
    """A report of an event is due within `days` of it.

    `exemption`: only while the system holds an exemption of that kind. `contractor_setting` with `contractor_is`
    (`this`, `other`): only for (all but) the contractor named by that setting; while it is unset, for everybody.
    `date_sent_counts`: a paper copy is in time by the date on which it was sent.
    """

    days: int
    exemption: str = ""
    contractor_setting: str = ""
    contractor_is: str = ""
    date_sent_counts: bool = False


class ServicedNotice(Act, frozen=True, tag="serviced_notice", kw_only=True):
    """An owner's notice of service with no contractor's report by the report's deadline opens `missing_report`."""


class Designation(Act, frozen=True, tag="designation", kw_only=True):
    """The owner names the contractor who is told when the component needs service; none on file is a finding."""


class Tampering(Act, frozen=True, tag="tampering", kw_only=True):
    """A report of tampering is a finding to the county."""


class Defective(Act, frozen=True, tag="defective", kw_only=True):
    """A defect reported and not corrected is a finding that proposes a case to the county."""


class NoAccess(Act, frozen=True, tag="no_access", kw_only=True):
    """A hauler's report that there was no access is a finding."""


class FailureCodes(Act, frozen=True, tag="failure_codes", kw_only=True):
    """The conditions that make a system a failing one; a report of one of them is a finding that proposes a case.

    `surface`: the condition that a report of surface discharge means which names no condition.
    """

    codes: dict[str, str]
    surface: str = ""


class PumpingGap(Act, frozen=True, tag="pumping_gap", kw_only=True):
    """A gap between pumpings longer than `ratio_setting` times the usual interval is an advisory finding."""

    ratio_setting: str
    last: int
    at_least: int


class CaseDeadline(Act, frozen=True, tag="case_deadline", kw_only=True):
    """A case of one of `cases` gives the duty `kind`, `days` after the first date on file of `counted_from`.

    `counted_from`: case dates in order of preference. `met_by`: the case dates of which one ends the duty. `after`: a
    case date that must be on file first. `own_period`: the county sets the date on the case (`due_on`); with no days
    here, there is no duty without it. `components`: only where the system's main tank is one of them.
    """

    cases: tuple[str, ...]
    kind: str
    counted_from: tuple[str, ...]
    met_by: tuple[str, ...]
    days: int | None = None
    after: str = ""
    own_period: bool = False


class SystemDeadline(Act, frozen=True, tag="system_deadline", kw_only=True):
    """The system's date `counted_from` opens the duty `kind`, due `months` later, until the system is out of use."""

    kind: str
    counted_from: str
    months: int


class Suspension(Act, frozen=True, tag="suspension", kw_only=True):
    """A case of one of `cases` suspends the duties of service while it is open."""

    cases: tuple[str, ...]


class PeriodReport(Act, frozen=True, tag="period_report", kw_only=True):
    """A reporting period (`half_year`, `year`) with neither event nor statement opens `period_report`, due the days of
    `days_setting` after its end."""

    period: str
    days_setting: str
    finding_rule: str


class YearlyService(Act, frozen=True, tag="yearly_service", kw_only=True):
    """At least one service in each calendar year: due on December 31, `due_soon` within `lead_setting` days."""

    kind: str
    lead_setting: str


class ContractRenewal(Act, frozen=True, tag="contract_renewal", kw_only=True):
    """A contract is renewed before it expires; the duty never rolls."""


class ContractChange(Act, frozen=True, tag="contract_change", kw_only=True):
    """Service by somebody who is not the contracted one: a new contract is filed within `business_days` of it."""

    business_days: int


class ContractNeeded(Act, frozen=True, tag="contract_needed", kw_only=True):
    """A running contract is on file; none is a finding.

    `plan_within_months`: only where the plan asks for service or inspection that often. `kinds`: of which kind it is.
    """

    plan_months: tuple[str, ...] = ()
    plan_within_months: int | None = None
    kinds: tuple[str, ...] = ()


class Exemption(Act, frozen=True, tag="exemption", kw_only=True):
    """An exemption of kind `exemption`: whether it suspends the duties of service, and which rule sets its term.

    `ends_with_pumping`: a pumping by the contractor whom `contractor_setting` names (by anybody while it is unset)
    voids it from that day on.
    """

    exemption: str
    suspends: bool
    months_rule: str
    ends_with_pumping: bool = False
    contractor_setting: str = ""


class ExemptionTerm(Act, frozen=True, tag="exemption_term", kw_only=True):
    """How many months a certificate of exemption runs; its end is a finding."""

    months: int


class YearlyCertification(Act, frozen=True, tag="yearly_certification", kw_only=True):
    """While an exemption of kind `exemption` runs, a certification is filed by December 31 of each year."""

    exemption: str


class ServiceLevel(Act, frozen=True, tag="service_level", kw_only=True):
    """A holding tank is serviced when it holds this share of its capacity; the forecast of that day is a duty."""

    fraction_setting: str


class MeterChecks(Act, frozen=True, tag="meter_checks", kw_only=True):
    """Readings are compared: decreases, rollovers, and the water balance between the bounds that the county sets."""

    low_setting: str
    high_setting: str


class FlowLimit(Act, frozen=True, tag="flow_limit", kw_only=True):
    """Measured use above `gallons_per_day` on average between two readings is an advisory finding."""

    gallons_per_day: int


class RequiredFields(Act, frozen=True, tag="required_fields", kw_only=True):
    """Fields that a report must hold. `any_of`: at least one whole list of them. `with_field`: only if it is given."""

    fields: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    with_field: str = ""
    metered: bool = False


class AcceptedValues(Act, frozen=True, tag="accepted_values", kw_only=True):
    """How a reported value is to be read (for instance meter readings in multiples of a step are exact)."""

    field: str
    step: int


class Submitter(Act, frozen=True, tag="submitter", kw_only=True):
    """Who may file the report besides the contractor (`owner`), or must (`licensed_individual`)."""

    who: tuple[str, ...]


class Feature(Act, frozen=True, tag="feature", kw_only=True):
    """A part of the service that carries the rule out (`accept_unknown_system`, …), and cites it where it does."""

    feature: str


class Pending(Act, frozen=True, tag="pending", kw_only=True):
    """The rule is written down and does nothing yet."""


AnyAct = (
    ServiceInterval
    | PlanIntervals
    | Deferral
    | FullTank
    | NotNecessary
    | WhoMay
    | ReportDeadline
    | ServicedNotice
    | Designation
    | Tampering
    | Defective
    | NoAccess
    | FailureCodes
    | PumpingGap
    | CaseDeadline
    | SystemDeadline
    | Suspension
    | PeriodReport
    | YearlyService
    | ContractRenewal
    | ContractChange
    | ContractNeeded
    | Exemption
    | ExemptionTerm
    | YearlyCertification
    | ServiceLevel
    | MeterChecks
    | FlowLimit
    | RequiredFields
    | AcceptedValues
    | Submitter
    | Feature
    | Pending
)
