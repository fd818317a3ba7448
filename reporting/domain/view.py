"""The facts of one system as they count on one day: which component a report is of, who did what with which right."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from reporting.domain.chains import standing_events
from reporting.domain.claims import Refusal as Refusal
from reporting.domain.claims import Service as Service
from reporting.domain.claims import activities, held_by
from reporting.domain.dealings import Document
from reporting.domain.records import (
    INACTIVE_STATES,
    TANKS,
    TREATMENT_TANKS,
    Component,
    Event,
    History,
    System,
)
from schemas.acts import CREDENTIALS, Act, Submitter, WhoMay
from schemas.calendar import Calendar, local_date
from schemas.program import Program, Provision, Text

_OF_FACTS: Final = (
    "all_reports", "reports", "components", "active_components", "_abandonments", "_by_name", "_in_use", "_main_kind",
    "_pumpings", "_reports_by_component",
)  # fmt: skip
_OF_CREDENTIALS: Final = ("_claims_by_component", "_refusals", "_refused", "_services")


@dataclass(frozen=True, kw_only=True)
class View:
    """One system seen on `as_of` with what was known at `known_at`, under one program."""

    program: Program
    system: System
    history: History
    as_of: dt.date
    known_at: dt.datetime | None

    def under(self, program: Program) -> View:
        """The same facts under another program. What hangs on the facts alone is not worked out again."""
        found = replace(self, program=program)
        known = (*_OF_FACTS, *(_OF_CREDENTIALS if program.credentials == self.program.credentials else ()))
        found.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
        return found

    @cached_property
    def calendar(self) -> Calendar:
        """The county's way of counting time."""
        return self.program.calendar

    @cached_property
    def all_reports(self) -> tuple[Event, ...]:
        """The reports that stand, also of services after `as_of`."""
        return standing_events(self.history.events, self.known_at)

    @cached_property
    def reports(self) -> tuple[Event, ...]:
        """The reports that stand, of services on or before `as_of`."""
        return tuple(e for e in self.all_reports if e.service_date <= self.as_of)

    def receipt(self, event: Event) -> dt.date | None:
        """The county's local date on which the report was first received; None for a baseline."""
        at = event.first_received_at or event.received_at
        if at is None:
            return None
        if (day := self._receipts.get(at)) is None:
            day = self._receipts[at] = local_date(at, self.program.timezone)
        return day

    @cached_property
    def _receipts(self) -> dict[dt.datetime, dt.date]:
        return {}

    def is_received(self, event: Event) -> bool:
        """Whether the report was in the county's hands by the end of `as_of` (for facts about filing)."""
        day = self.receipt(event)
        return day is None or day <= self.as_of

    @cached_property
    def active_components(self) -> tuple[Component, ...]:
        """The components whose schedule runs; none when the system is abandoned, sewered or removed."""
        since = self.system.status_since
        if self.system.status in INACTIVE_STATES and (since is None or since <= self.as_of):
            return ()
        in_use = [c for c in self.components if c.status not in INACTIVE_STATES and not self._is_abandoned(c)]
        for sources in (TREATMENT_TANKS, TANKS):  # what a dispersal component disperses comes from a tank
            if any(c.kind in sources for c in self.components) and not any(c.kind in sources for c in in_use):
                in_use = [c for c in in_use if c.kind != "dispersal"]
        return tuple(in_use)

    def _is_abandoned(self, component: Component) -> bool:
        return bool(self._abandonments) and any(e in self._abandonments for e in self.reports_of(component))

    @cached_property
    def _abandonments(self) -> tuple[Event, ...]:
        return tuple(e for e in self.reports if e.event_type == "abandonment")

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The system's components; one with a treatment tank has one dispersal component, named or not."""
        dispersal = [c for c in self.system.components if c.kind == "dispersal"][:1]
        if not dispersal and any(c.kind in TREATMENT_TANKS for c in self.system.components):
            dispersal = [Component(kind="dispersal")]
        return (*(c for c in self.system.components if c.kind != "dispersal"), *dispersal)

    def is_of(self, event: Event, component: Component) -> bool:
        """Whether a report is of that component: by kind and name; one that names none is of the main tank.

        A report that does not say which of several like tanks it served is of none of them: no tank is credited with
        another's service. A tank out of use does not make it doubtful.
        """
        return self._is_named(self._kind(event), event.component_ref, component)

    def _is_named(self, kind: str, ref: str, component: Component) -> bool:
        if kind != component.kind:
            return False
        if component.kind == "dispersal":
            return True
        if ref and component.ref:
            return ref == component.ref
        alike = self._in_use.get(component.kind, 0)
        return alike <= 1 and (not alike or component.status not in INACTIVE_STATES)

    def _named(self, event: Event) -> tuple[Component, ...]:
        """The components that a report is of by what it names, told once for all reports that name the same."""
        key = (event.component, event.component_ref)
        if (found := self._by_name.get(key)) is None:
            found = tuple(c for c in self.components if self.is_of(event, c))
            self._by_name[key] = found
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], tuple[Component, ...]]:
        return {}

    @cached_property
    def _in_use(self) -> Counter[str]:
        """How many components of each kind the inventory has in use."""
        return Counter(c.kind for c in self.components if c.status not in INACTIVE_STATES)

    def _kind(self, event: Event) -> str:
        return event.component or self._main_kind

    @cached_property
    def _main_kind(self) -> str:
        main = self.system.main_tank
        return main.kind if main else ""

    @cached_property
    def _reports_by_component(self) -> dict[Component, tuple[Event, ...]]:
        found: dict[Component, list[Event]] = {c: [] for c in self.components}
        for event in self.reports:
            for component in self._named(event):
                found[component].append(event)
        return {c: tuple(events) for c, events in found.items()}

    def reports_of(self, component: Component) -> tuple[Event, ...]:
        """The reports that stand of one component, in order of date."""
        return self._reports_by_component[component]

    def component_of(self, event: Event) -> Component | None:
        """The component that a report is of, or None where it cannot be told."""
        named = self._named(event)
        return named[0] if named else None

    def subject(self, event: Event) -> Component | None:
        """What a report is of where only the kind matters: the component, or one of the kind that it names."""
        kind = self._kind(event)
        return self.component_of(event) or (Component(kind=kind) if kind else None)

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
        text = self.program.at(event.service_date)
        key = (text, activity, component.kind, event.event_type)
        try:
            return self._entitled[key]
        except KeyError:
            every = text.entitling(activity)
            found = next((p for p in every if self.applies(p.act, component, event)), None)
            if all(p.act.since is None for p in every):  # else the day itself tells
                self._entitled[key] = found
            return found

    @cached_property
    def _entitled(self) -> dict[tuple[Text, str, str, str], Provision[WhoMay] | None]:
        return {}

    @cached_property
    def _claims_by_component(self) -> dict[Component, tuple[Service | Refusal, ...]]:
        claim = self._claim
        return {
            c: tuple([claim(e, c, done) for e in self.reports_of(c) for done in activities(e, c)])
            for c in self.components
        }

    def claims(self, component: Component) -> tuple[Service | Refusal, ...]:
        """All work reported on a component, in order of date: what counts, and what does not for want of a right."""
        return self._claims_by_component[component]

    @cached_property
    def _refusals(self) -> dict[tuple[str, str, str], tuple[Service | Refusal, ...]]:
        found: dict[tuple[str, str, str], tuple[Service | Refusal, ...]] = {}
        for component, claims in self._claims_by_component.items():
            if any(isinstance(c, Refusal) for c in claims):
                for c in claims:
                    key = (component.kind, component.ref, c.event.id)
                    found[key] = (*found.get(key, ()), c)
        return found

    @cached_property
    def _refused(self) -> frozenset[str]:
        claims = (c for of_one in self._refusals.values() for c in of_one)
        # a pumping report that states what was seen claims no inspection
        return frozenset(
            c.event.id for c in claims if isinstance(c, Refusal) and (c.activity != "inspect" or c.event.is_inspection)
        )

    def is_refused(self, event: Event) -> bool:
        """Whether some work that a report claims does not count."""
        return event.id in self._refused

    def claims_of(self, event: Event, component: Component) -> tuple[Service | Refusal, ...]:
        """What one report claims of a component on which some work does not count; nothing where all does."""
        return self._refusals.get((component.kind, component.ref, event.id), ())

    def _claim(self, event: Event, component: Component, activity: str) -> Service | Refusal:
        provision = self.who_may(activity, component, event)
        if provision is not None and not event.baseline:
            held = held_by(event, activity, provision.act)
            entitled = not held.kind or held.kind in provision.act.credentials
            if not entitled or not held.is_current(event.service_date):
                return Refusal(
                    activity=activity,
                    event=event,
                    provision=provision,
                    expired=entitled,
                    credential=held.kind,
                    expired_on=held.expires_on,
                )
            if event.own_tank is False and (own := self._own_only(held.kind, component, event)):
                return Refusal(
                    activity=activity, event=event, provision=own, expired=False, credential=held.kind, of_another=True
                )
        return Service(activity=activity, event=event, on=event.service_date)

    def _own_only(self, credential: str, component: Component, event: Event) -> Provision[Submitter] | None:
        """The closest provision by which a credential is one for the own tank, if it is."""
        for p in self.program.at(event.service_date).of(Submitter):
            if credential in p.act.who and credential in CREDENTIALS and self.applies(p.act, component, event):
                return p
        return None

    @cached_property
    def documents(self) -> tuple[Document, ...] | None:
        """The documents on file; None where nobody said what is, and the county does not keep them here."""
        told = self.history.dealings.documents
        return () if told is None and self.program.setting("documents_kept") is True else told

    def services(self, component: Component, *activities: str) -> tuple[Service, ...]:
        """The work on a component that counts, of those kinds."""
        key = (component, activities)
        if (found := self._services.get(key)) is None:
            found = tuple(c for c in self.claims(component) if isinstance(c, Service) and c.activity in activities)
            self._services[key] = found
        return found

    @cached_property
    def _services(self) -> dict[tuple[Component, tuple[str, ...]], tuple[Service, ...]]:
        return {}

    def pumpings(self, component: Component) -> tuple[Event, ...]:
        """The reports of a component by which something was pumped, in order of date."""
        if (found := self._pumpings.get(component)) is None:
            found = self._pumpings[component] = tuple(e for e in self.reports_of(component) if e.is_pumping)
        return found

    @cached_property
    def _pumpings(self) -> dict[Component, tuple[Event, ...]]:
        return {}
