"""Invented systems and what happened to them, for property tests."""

import datetime as dt
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from reporting.domain.answers import Assessment
from reporting.domain.dealings import Dealings, DeferralRequest, Document, Mailing, Payment, Window
from reporting.domain.records import (
    Case,
    Component,
    Contract,
    Credential,
    Event,
    ExemptionGrant,
    History,
    Meter,
    OwnerNotice,
    Plan,
    Statement,
    System,
)
from schemas.loader import shipped_program, shipped_slugs
from schemas.program import Program

FIRST, LAST = dt.date(2018, 1, 1), dt.date(2029, 12, 31)
LICENSES = ("00412", "00777")
HELD = (Credential(kind="soil_tester"), Credential(kind="septage_operator", expires_on=dt.date(2025, 6, 30)))


def days() -> st.SearchStrategy[dt.date]:
    return st.dates(FIRST, LAST)


def maybe(strategy: st.SearchStrategy[dt.date]) -> st.SearchStrategy[dt.date | None]:
    return st.none() | strategy


@dataclass(frozen=True)
class County:
    """A shipped program under settings of the county's own, short to print."""

    slug: str
    values: tuple[tuple[str, object], ...]

    @property
    def program(self) -> Program:
        return shipped_program(self.slug).with_settings(dict(self.values))


@st.composite
def counties(draw: st.DrawFn) -> County:
    slug = draw(st.sampled_from(shipped_slugs()))
    values: dict[str, object] = {}
    if draw(st.booleans()):
        values["records_from"] = draw(days())
    if draw(st.booleans()):
        values["lead_days"] = draw(st.integers(0, 400))
    if "district_contractor" in shipped_program(slug).settings and draw(st.booleans()):
        values["district_contractor"] = LICENSES[0]
    if "base_year" in shipped_program(slug).settings and draw(st.booleans()):
        values["base_year"] = draw(st.integers(2016, 2020))
    return County(slug, tuple(values.items()))


@st.composite
def systems(draw: st.DrawFn) -> System:
    kind = draw(st.sampled_from(["septic", "holding", "holding", "pretreatment"]))
    main = Component(
        kind=kind, capacity_gallons=draw(st.sampled_from([None, 1000, 2000])), meter=Meter(digits=6, serial="A1")
    )
    others = draw(st.sampled_from([(), (Component(kind="dispersal"),), (Component(kind="holding", ref="2"),)]))
    months = st.none() | st.integers(1, 60)
    season = draw(st.sampled_from([(None, None), ((5, 1), (10, 31)), ((11, 1), (3, 15))]))
    return System(
        components=(main, *others),
        use=draw(st.sampled_from(["year_round", "seasonal", "intermittent"])),
        building=draw(st.sampled_from(["dwelling", "commercial", "event_grounds"])),
        status=draw(st.sampled_from(["active", "active", "active", "abandoned"])),
        status_since=draw(maybe(days())),
        permit_issued_on=draw(maybe(st.dates(dt.date(1995, 1, 1), LAST))),
        installed_on=draw(maybe(st.dates(dt.date(1995, 1, 1), LAST))),
        occupied_on=draw(maybe(days())),
        assigned_due_on=draw(maybe(days())),
        sewer_available_on=draw(maybe(days())),
        service_area=draw(st.sampled_from([None, 1, 2, 3, 4])),
        design_flow_gpd=draw(st.sampled_from([None, 450, 1000, 12000])),
        agreement_recorded_on=draw(maybe(days())),
        plan=draw(st.none() | st.builds(Plan, pump_months=months, inspect_months=months, dispersal_months=months)),
        flags=draw(st.sampled_from([(), ("temporary",), ("meter_ordered",)])),
        season_from=season[0],
        season_to=season[1],
        designated_contractor=draw(st.sampled_from(["", "00412"])),
        designation_known=draw(st.booleans()),
        contracts=draw(st.none() | st.lists(contracts(), max_size=3).map(tuple)),
        exemptions=draw(st.lists(exemptions(), max_size=2).map(tuple)),
        cases=draw(st.lists(cases(), max_size=2).map(tuple)),
    )


def contracts() -> st.SearchStrategy[Contract]:
    return st.builds(
        Contract,
        license_number=st.sampled_from(LICENSES),
        from_on=maybe(days()),
        to_on=maybe(days()),
        filed_on=maybe(days()),
        kind=st.sampled_from(["", "servicing", "maintenance"]),
    )


def exemptions() -> st.SearchStrategy[ExemptionGrant]:
    kinds = st.sampled_from(["commercial", "vacant", "infrequent_use", "inspection_only"])
    return st.builds(ExemptionGrant, kind=kinds, granted_on=days(), ends_on=maybe(days()))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    steps = (
        "opened_on",
        "notified_on",
        "reported_on",
        "verified_notified_on",
        "answered_on",
        "closed_on",
        "inquired_on",
    )
    steps = (*steps, "meeting_requested_on", "met_on", "verified_on", "handed_over_on", "paid_on", "invoiced_on")
    kinds = ["order", "noncompliance", "hold", "failed", "failed", "tampering", "inquiry", "nuisance", "reinspection"]
    return Case(
        kind=draw(st.sampled_from([*kinds, "sewer_order", "records_request", "event_over"])),
        not_taken=draw(st.sampled_from([frozenset(), frozenset({"verified_on"})])),
        dates={name: day for name in steps if (day := draw(maybe(days()))) is not None},
        due_on=draw(maybe(days())),
    )


@st.composite
def events(draw: st.DrawFn, name: str = "E1") -> Event:
    service = draw(days())
    received = draw(st.none() | st.integers(0, 120))
    kinds = ["pumping", "pumping", "inspection", "pumping_and_inspection", "maintenance", "meter_reading"]
    return Event(
        id=name,
        event_type=draw(st.sampled_from([*kinds, "evaluation", "abandonment", "no_service_statement"])),
        service_date=service,
        received_at=None if received is None else _noon(service + dt.timedelta(days=received)),
        component=draw(st.sampled_from(["", "", "septic", "holding", "dispersal"])),
        component_ref=draw(st.sampled_from(["", "", "2"])),
        credential_kind=draw(
            st.sampled_from(["", "septage_operator", "powts_inspector", "registered_owner", "soil_tester"])
        ),
        license_number=draw(st.sampled_from(["", *LICENSES])),
        gallons_pumped=draw(st.sampled_from([None, 0, 500, 1800])),
        partial=draw(st.booleans()),
        sludge_scum_fraction=draw(st.sampled_from([None, Fraction(1, 5), Fraction(1, 3), Fraction(1, 2)])),
        tank_condition=draw(st.sampled_from(["", "good"])),
        ponding=draw(st.sampled_from(["", "none"])),
        meter_reading=draw(st.none() | st.integers(0, 999_999).map(Fraction)),
        meter_serial=draw(st.sampled_from(["", "B2"])),
        meter_estimated=draw(st.booleans()),
        defects=draw(st.sampled_from([(), ("baffle missing",)])),
        defects_corrected_on=draw(maybe(days())),
        next_pump_date=draw(maybe(days())),
        failure_condition=draw(st.sampled_from(["", "a", "z"])),
        tampering=draw(st.booleans()),
        no_access=draw(st.booleans()),
        sent_on=draw(maybe(days())),
        historical=draw(st.booleans()),
        submitter=draw(st.sampled_from(["", "", "owner", "agent", "contractor"])),
        own_tank=draw(st.sampled_from([None, True, False])),
        credentials=draw(st.sampled_from([(), HELD])),
        verification_asked_on=draw(st.none() | st.integers(0, 90).map(lambda n: service + dt.timedelta(days=n))),
        peak_daily_gallons=draw(st.sampled_from([None, 90, 120])),
    )


def _noon(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(18), dt.UTC)


@st.composite
def histories(draw: st.DrawFn, most: int = 6) -> History:
    found = [draw(events(f"E{i}")) for i in range(draw(st.integers(0, most)))]
    for i in range(1, len(found)):
        if draw(st.integers(0, 5)) == 0:
            found[i] = replace(found[i], supersedes=found[i - 1].id)
        if draw(st.integers(0, 8)) == 0:
            found[i] = replace(found[i], voided=True)
    notices = st.builds(OwnerNotice, on=days(), kind=st.sampled_from(["serviced", "alarm", "full"]))
    periods = st.sampled_from(["2025", "2026", "2026-H1", "2025-H2", "2027"])
    statements = st.builds(Statement, period=periods, received_on=days(), kind=st.sampled_from(["", "certification"]))
    return History(
        events=tuple(found),
        owner_notices=tuple(draw(st.lists(notices, max_size=3))),
        statements=tuple(draw(st.lists(statements, max_size=3))),
        dealings=draw(dealings()),
    )


@st.composite
def dealings(draw: st.DrawFn) -> Dealings:
    areas = st.sampled_from([None, None, 1, 2, 3])
    windows = st.builds(Window, from_on=days(), to_on=maybe(days()), area=areas, mailed_on=maybe(days()))
    mailings = st.builds(
        Mailing,
        kind=st.sampled_from(["", "window_notice", "area_notice", "questionnaire", "inquiry"]),
        on=days(),
        mail_class=st.sampled_from(["", "first_class"]),
        area=areas,
        received_on=maybe(days()),
        answered_on=maybe(days()),
    )
    deferrals = st.builds(
        DeferralRequest,
        requested_on=days(),
        from_on=maybe(days()),
        to_on=maybe(days()),
        paid=st.sampled_from([None, True, False]),
    )
    paid = st.sampled_from(["", "annual", "deferral", "certificate", "reporting_fee"])
    years = st.none() | st.integers(2018, 2029)
    payments = st.builds(Payment, kind=paid, year=years, on=maybe(days()))
    filed = st.sampled_from(["agreement", "certification", "contract", "questionnaire", "reconnection_permit"])
    recorded = st.sampled_from([None, True, False])
    documents = st.builds(Document, kind=filed, year=years, on=maybe(days()), recorded=recorded)
    return Dealings(
        windows=tuple(draw(st.lists(windows, max_size=3))),
        mailings=draw(st.none() | st.lists(mailings, max_size=3).map(tuple)),
        deferrals=tuple(draw(st.lists(deferrals, max_size=2))),
        payments=draw(st.none() | st.lists(payments, max_size=3).map(tuple)),
        documents=draw(st.none() | st.lists(documents, max_size=3).map(tuple)),
    )


def gist(answer: Assessment) -> tuple[object, ...]:
    """What of an answer changes only on days that it names: all but days late and what is in the tank today."""
    return (
        answer.standing,
        sorted(
            (o.kind, o.rule, o.component, o.component_ref, o.period, o.cycle, o.state, o.due_on, o.last_day)
            for o in answer.obligations
        ),
        sorted((f.kind, f.rule, f.event, f.component, f.component_ref, f.period) for f in answer.findings),
        answer.needs_service.value,
        answer.forecast.full_on,
        sorted((name, remark.value) for name, remark in answer.remarks.items()),
    )
