"""The facts of one system as they count on one day: which reports stand, which component they are of, who did what with which right."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from reporting.domain.records import (
    INACTIVE_STATES,
    INSPECTION_TYPES,
    PUMPING_TYPES,
    TREATMENT_TANKS,
    Component,
    Event,
    History,
    System,
)
from schemas.acts import Act, WhoMay
from schemas.calendar import Calendar, local_date
from schemas.program import Program, Provision


def standing_events(events: Iterable[Event], known_at: dt.datetime | None) -> tuple[Event, ...]:
    """The reports that stand at `known_at`: received by then, not voided by then, not corrected by a report that stands.

    A correction keeps its first report's receipt (`first_received_at`): lateness is judged by it. A report of no receipt is a baseline and
    always known. In order of service date, then receipt, then as given.
    """
    known = [e for e in events if known_at is None or e.received_at is None or e.received_at <= known_at]
    alive = [e for e in known if not _is_voided(e, known_at)]
    first = {e.id: e.first_received_at or e.received_at for e in known}
    before = {e.id: e.supersedes for e in known}
    replaced = {e.supersedes for e in alive if e.supersedes}
    stand = [replace(e, first_received_at=_first_receipt(e.id, before, first)) for e in alive if e.id not in replaced]
    return tuple(
        sorted(stand, key=lambda e: (e.service_date, e.received_at.timestamp() if e.received_at else float("-inf")))
    )


def _is_voided(event: Event, known_at: dt.datetime | None) -> bool:
    if not event.voided:
        return False
    return known_at is None or event.voided_at is None or event.voided_at <= known_at


def _first_receipt(event_id: str, before: dict[str, str], first: dict[str, dt.datetime | None]) -> dt.datetime | None:
    found, seen = first.get(event_id), set()
    while before.get(event_id) and event_id not in seen:
        seen.add(event_id)
        event_id = before[event_id]
        found = first.get(event_id) or found
    return found


@dataclass(frozen=True, kw_only=True)
class Service:
    """Work that counts: what was done (`pump`, `inspect`, `inspect_dispersal`), by which report, and from when it counts."""

    activity: str
    event: Event
    on: dt.date


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Work that does not count, by which provision, and why."""

    activity: str
    event: Event
    provision: Provision[WhoMay]
    expired: bool


@dataclass(frozen=True, kw_only=True)
class View:
    """One system seen on `as_of` with what was known at `known_at`, under one program."""

    program: Program
    system: System
    history: History
    as_of: dt.date
    known_at: dt.datetime | None

    @cached_property
    def calendar(self) -> Calendar:
        """The county's way of counting time."""
        return self.program.calendar

    @cached_property
    def reports(self) -> tuple[Event, ...]:
        """The reports that stand, of services on or before `as_of`."""
        return tuple(e for e in standing_events(self.history.events, self.known_at) if e.service_date <= self.as_of)

    @cached_property
    def facts_ahead(self) -> tuple[dt.date, ...]:
        """Days after `as_of` on which a fact that is on file already begins to count."""
        events = standing_events(self.history.events, self.known_at)
        days = [e.service_date for e in events] + [d for e in events if (d := self.receipt(e)) is not None]
        days += [d for e in events if (d := e.defects_corrected_on) is not None]
        days += [n.on for n in self.history.owner_notices] + [s.received_on for s in self.history.statements]
        days += [d for c in self.system.cases for d in c.dates.values()] + [
            g.granted_on for g in self.system.exemptions
        ]
        days += [d for c in self.system.contracts or () for d in (c.from_on, c.filed_on) if d is not None]
        return tuple(d for d in days if d > self.as_of)

    def receipt(self, event: Event) -> dt.date | None:
        """The county's local date on which the report was first received; None for a baseline."""
        return local_date(event.first_received_at, self.program.timezone) if event.first_received_at else None

    def is_received(self, event: Event) -> bool:
        """Whether the report was in the county's hands by the end of `as_of` (for facts about filing)."""
        day = self.receipt(event)
        return day is None or day <= self.as_of

    @property
    def active_components(self) -> tuple[Component, ...]:
        """The components whose schedule runs; none when the system is abandoned, sewered or removed."""
        if self.system.status in INACTIVE_STATES and (
            self.system.status_since is None or self.system.status_since <= self.as_of
        ):
            return ()
        return tuple(c for c in self.components if c.status not in INACTIVE_STATES and not self._is_abandoned(c))

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The system's components; one with a treatment tank has a dispersal component, named or not."""
        given = self.system.components
        if any(c.kind in TREATMENT_TANKS for c in given) and not any(c.kind == "dispersal" for c in given):
            return (*given, Component(kind="dispersal"))
        return given

    def _is_abandoned(self, component: Component) -> bool:
        ended = [e for e in self.reports if e.event_type == "abandonment"]
        return any(self.is_of(e, component) or (component.kind == "dispersal" and not e.component) for e in ended)

    def is_of(self, event: Event, component: Component) -> bool:
        """Whether a report is of that component: by kind and name; one that names none is of the main tank.

        A report that does not say which of several like tanks it served is of none of them: no tank is credited with another's service.
        """
        kind = event.component or (self.system.main_tank.kind if self.system.main_tank else "")
        if kind != component.kind:
            return False
        alike = [c for c in self.components if c.kind == kind]
        if component.kind == "dispersal" or len(alike) == 1:
            return (
                not event.component_ref
                or not component.ref
                or event.component_ref == component.ref
                or component.kind == "dispersal"
            )
        return event.component_ref == component.ref

    def component_of(self, event: Event) -> Component | None:
        """The component that a report is of, or None where it cannot be told."""
        return next((c for c in self.components if self.is_of(event, c)), None)

    def applies(self, act: Act, component: Component | None = None, event: Event | None = None) -> bool:
        """Whether an act's own narrowing lets it act here."""
        if act.components and (component is None or component.kind not in act.components):
            return False
        if act.events and event is not None and event.event_type not in act.events:
            return False
        if act.buildings and self.system.building not in act.buildings:
            return False
        if act.uses and self.system.use not in act.uses:
            return False
        if act.flags and not set(act.flags) & set(self.system.flags):
            return False
        return act.since is None or (event.service_date if event else self.as_of) >= act.since

    def who_may(self, activity: str, component: Component, event: Event) -> Provision[WhoMay] | None:
        """The provision that says who is entitled to an activity: the county's own before the state's."""
        for p in self.program.at(event.service_date).of(WhoMay):
            if p.act.activity == activity and self.applies(p.act, component, event):
                return p
        return None

    def claims(self, component: Component) -> tuple[Service | Refusal, ...]:
        """All work reported on a component: what counts, and what does not for want of a credential. In order of date."""
        if (known := self._claims_by_component.get(component)) is not None:
            return known
        found: list[Service | Refusal] = []
        for event in self.reports:
            if self.is_of(event, component):
                found += [self._claim(event, component, activity) for activity in self._activities(event, component)]
        self._claims_by_component[component] = tuple(found)
        return tuple(found)

    @cached_property
    def _claims_by_component(self) -> dict[Component, tuple[Service | Refusal, ...]]:
        return {}

    def _activities(self, event: Event, component: Component) -> list[str]:
        if component.kind == "dispersal":
            return ["inspect_dispersal"] if event.event_type in INSPECTION_TYPES else []
        done = []
        if event.is_pumping:
            done.append("pump")
        if event.is_inspection or (event.event_type in PUMPING_TYPES and event.tank_condition and event.ponding):
            done.append("inspect")
        if event.event_type == "evaluation":
            done.append("evaluate")
        return done

    def _claim(self, event: Event, component: Component, activity: str) -> Service | Refusal:
        service = Service(activity=activity, event=event, on=event.service_date)
        provision = self.who_may(activity, component, event)
        if event.baseline or provision is None:
            return service
        credential = event.credential_kind
        if activity != "pump" and event.inspector_credential_kind:
            credential = event.inspector_credential_kind
        if credential and credential not in provision.act.credentials:
            return Refusal(activity=activity, event=event, provision=provision, expired=False)
        expired = event.credential_expires_on is not None and event.credential_expires_on < event.service_date
        if expired and credential == event.credential_kind:
            return Refusal(activity=activity, event=event, provision=provision, expired=True)
        return service

    def services(self, component: Component, *activities: str) -> tuple[Service, ...]:
        """The work on a component that counts, of those kinds."""
        return tuple(c for c in self.claims(component) if isinstance(c, Service) and c.activity in activities)

    def exemption_end(self, kind: str, months: int, granted_on: dt.date, ends_on: dt.date | None) -> dt.date:
        """The last day of a certificate: its own, or the ordinance's term."""
        own = self.calendar.deadline_after_months(granted_on, months, filing=False, prior=True).due_on
        return min(own, ends_on) if ends_on else own
