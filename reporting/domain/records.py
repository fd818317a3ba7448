"""What is known of one system, as the assessment reads it.

Frozen values; dates are the county's local dates, instants are aware.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from reporting.domain.dealings import Dealings

TANKS = ("septic", "holding", "pretreatment", "pump_chamber", "privy")
TREATMENT_TANKS = ("septic", "pretreatment")
INACTIVE_STATES = ("abandoned", "sewered", "removed")
PUMPING_TYPES = ("pumping", "pumping_and_inspection")
INSPECTION_TYPES = ("inspection", "pumping_and_inspection")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A management plan's intervals in months; None where the plan is silent."""

    pump_months: int | None = None
    inspect_months: int | None = None
    dispersal_months: int | None = None

    @property
    def is_on_file(self) -> bool:
        """A plan with no months at all counts as none on file."""
        return any((self.pump_months, self.inspect_months, self.dispersal_months))


@dataclass(frozen=True, kw_only=True)
class Meter:
    """A water meter: its unit (`gal`, `gal_x100`, `ft3`, `m3`), how many digits it shows, its serial number."""

    unit: str = "gal"
    digits: int | None = None
    serial: str = ""


@dataclass(frozen=True, kw_only=True)
class Component:
    """One part of a system that duties hang on. `ref` tells two of a kind apart."""

    kind: str
    ref: str = ""
    capacity_gallons: int | None = None
    plan: Plan | None = None
    meter: Meter | None = None
    status: str = "active"

    def __hash__(self) -> int:
        """By kind and name, which tell two components apart: it is asked for often."""
        return hash((self.kind, self.ref))


@dataclass(frozen=True, kw_only=True)
class Contract:
    """A maintenance agreement or servicing contract on file: with whom, from when to when, filed when, its kind."""

    license_number: str
    from_on: dt.date | None = None
    to_on: dt.date | None = None
    filed_on: dt.date | None = None
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class ExemptionGrant:
    """A certificate of exemption. `ends_on`: the last day, where it is not the ordinance's own term."""

    kind: str
    granted_on: dt.date
    ends_on: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class Extension:
    """A later day for one duty of a case, and since when it holds."""

    duty: str
    until: dt.date
    on: dt.date


@dataclass(frozen=True, kw_only=True)
class Case:
    """A case of the county's: an order, a hold, a failed system. `dates` has its steps by name (`notified_on`, …).

    `due_on`: the day by which the county itself asks for the correction. `not_taken`: steps of which it is on file that
    they have not been taken; one that is in neither is unknown. `extensions`: later days that the county has given, the
    last one for a duty holds. `waivers`: duty → the day since which the county does not ask for it any more.
    """

    kind: str
    dates: Mapping[str, dt.date]
    due_on: dt.date | None = None
    id: str = ""
    not_taken: frozenset[str] = frozenset()
    extensions: tuple[Extension, ...] = ()
    waivers: Mapping[str, dt.date] = field(default_factory=dict)

    def extension(self, duty: str, as_of: dt.date) -> Extension | None:
        """The extension of a duty that holds at the end of `as_of`."""
        given = [one for one in self.extensions if one.duty == duty and one.on <= as_of]
        return given[-1] if given else None

    def waived(self, duty: str, as_of: dt.date) -> dt.date | None:
        """Since when a duty has been waived, by the end of `as_of`."""
        day = self.waivers.get(duty)
        return day if day is not None and day <= as_of else None

    def step(self, name: str, as_of: dt.date) -> dt.date | None:
        """The date of a step if it has been taken by the end of `as_of`."""
        day = self.dates.get(name)
        return day if day is not None and day <= as_of else None

    def is_open(self, as_of: dt.date) -> bool:
        """Opened by the end of `as_of` and not closed by then."""
        opened = self.dates.get("opened_on") or self.dates.get("notified_on")
        return (opened is None or opened <= as_of) and self.step("closed_on", as_of) is None


@dataclass(frozen=True, kw_only=True)
class System:
    """One private onsite wastewater treatment system.

    `contracts` None and `designation_known` False mean unknown, not none.
    """

    id: str = ""
    components: tuple[Component, ...] = ()
    use: str = "year_round"
    building: str = "dwelling"
    status: str = "active"
    status_since: dt.date | None = None
    permit_issued_on: dt.date | None = None
    installed_on: dt.date | None = None
    occupied_on: dt.date | None = None
    assigned_due_on: dt.date | None = None
    sewer_available_on: dt.date | None = None
    design_flow_gpd: int | None = None
    service_area: int | None = None
    agreement_recorded_on: dt.date | None = None
    plan: Plan | None = None
    flags: tuple[str, ...] = ()
    season_from: tuple[int, int] | None = None
    season_to: tuple[int, int] | None = None
    designated_contractor: str = ""
    designation_known: bool = False
    contracts: tuple[Contract, ...] | None = None
    exemptions: tuple[ExemptionGrant, ...] = ()
    cases: tuple[Case, ...] = ()

    @property
    def main_tank(self) -> Component | None:
        """The tank that a report means which names no component."""
        for kind in ("septic", "holding", "pretreatment", "privy", "pump_chamber"):
            for component in self.components:
                if component.kind == kind:
                    return component
        return None


@dataclass(frozen=True, kw_only=True)
class Credential:
    """What a licence stands for, and its last day (None: nobody said)."""

    kind: str
    expires_on: dt.date | None = None

    def is_current(self, day: dt.date) -> bool:
        """Whether it holds on a day."""
        return self.expires_on is None or day <= self.expires_on


@dataclass(frozen=True, kw_only=True)
class Event:
    """One pumping, inspection, maintenance, reading or abandonment as reported.

    `received_at`: when this report (or its correction) was received; `first_received_at`: when the first of a chain of
    corrections was. None: never as a report (a baseline from the inventory), so never late. `historical`: backlog,
    judged for duties and never for lateness. `supersedes`: the id of the report that this one corrects. `submitter`:
    who handed it in; '' nobody said. `own_tank`: whether an owner worked on an own tank; None: nobody knows.
    `credentials`: of a licence that stands for several where the report does not say which, all of them; of the second
    person's `inspector_credentials`. `verification_asked_on`: since when the county waits for a verification, by when
    it asked for it.
    """

    id: str
    event_type: str
    service_date: dt.date
    received_at: dt.datetime | None = None
    first_received_at: dt.datetime | None = None
    component: str = ""
    component_ref: str = ""
    credential_kind: str = ""
    credential_expires_on: dt.date | None = None
    credentials: tuple[Credential, ...] = ()
    license_number: str = ""
    inspector_credential_kind: str = ""
    inspector_credential_expires_on: dt.date | None = None
    inspector_credentials: tuple[Credential, ...] = ()
    gallons_pumped: int | None = None
    partial: bool = False
    sludge_scum_fraction: Fraction | None = None
    tank_condition: str = ""
    ponding: str = ""
    meter_reading: Fraction | None = None
    meter_unit: str = ""
    meter_serial: str = ""
    meter_estimated: bool = False
    defects: tuple[str, ...] = ()
    defects_corrected_on: dt.date | None = None
    not_pumped_reason: str = ""
    next_pump_date: dt.date | None = None
    failure_condition: str = ""
    surface_discharge: bool = False
    tampering: bool = False
    no_access: bool = False
    peak_daily_gallons: int | None = None
    sent_on: dt.date | None = None
    submitter: str = ""
    own_tank: bool | None = None
    verification_asked_on: dt.date | None = None
    verification_answer_by: dt.date | None = None
    supersedes: str = ""
    voided: bool = False
    voided_at: dt.datetime | None = None
    historical: bool = False
    baseline: bool = False

    @property
    def first_receipt(self) -> dt.datetime | None:
        """When the first of a chain of corrections was received, or this report where it corrects none."""
        return self.first_received_at or self.received_at

    @property
    def is_pumping(self) -> bool:
        """Whether something was pumped at all (a report of no gallons is none)."""
        return self.event_type in PUMPING_TYPES and self.gallons_pumped != 0

    @property
    def is_emptying(self) -> bool:
        """Whether the tank was pumped, and not only partly."""
        return self.is_pumping and not self.partial

    @property
    def is_inspection(self) -> bool:
        """Whether the report is one of an inspection, by its type."""
        return self.event_type in INSPECTION_TYPES


@dataclass(frozen=True, kw_only=True)
class OwnerNotice:
    """What the owner told: `serviced`, `alarm` or `full`, on which day, serviced by whom, of which of several tanks.

    `recorded_at` None: recorded on the day itself.
    """

    on: dt.date
    kind: str
    license_number: str = ""
    component_ref: str = ""
    recorded_at: dt.datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement filed for a reporting period (`2026`, `2026-H1`).

    `kind`: `no_service` (why no service was needed), `certification` (a yearly one), or '' where nobody said: then it
    is what the program asks for. `recorded_at` None: recorded on the day of its receipt.
    """

    period: str
    received_on: dt.date
    reason: str = ""
    kind: str = "no_service"
    recorded_at: dt.datetime | None = None


@dataclass(frozen=True, kw_only=True)
class History:
    """All facts about one system that are not the system itself."""

    events: tuple[Event, ...] = ()
    owner_notices: tuple[OwnerNotice, ...] = ()
    statements: tuple[Statement, ...] = ()
    dealings: Dealings = field(default_factory=Dealings)
    notes: tuple[str, ...] = field(default=())
