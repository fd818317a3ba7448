"""What a report claims to have done, with which right: the work that counts, and the work that does not."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reporting.domain.records import INSPECTION_TYPES, PUMPING_TYPES, Component, Credential, Event
from schemas.acts import Act, WhoMay
from schemas.program import Provision


class Service(NamedTuple):
    """Work that counts: what was done (`pump`, `inspect`, `inspect_dispersal`), by which report, and from when.

    A tuple, as every report makes some.
    """

    activity: str
    event: Event
    on: dt.date


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Work that does not count, by which provision, and why. `of_another`: an owner's work on another owner's tank."""

    activity: str
    event: Event
    provision: Provision[Act]
    expired: bool
    credential: str = ""
    expired_on: dt.date | None = None
    of_another: bool = False


def held_by(event: Event, activity: str, act: WhoMay) -> Credential:
    """The credential with which work was done: the second person's where that one inspected; of several that one
    licence stands for, one that entitles and is current, else one that entitles."""
    named, several = _credential(event.credential_kind, event.credential_expires_on), event.credentials
    if activity != "pump" and (event.inspector_credential_kind or event.inspector_credentials):
        named = _credential(event.inspector_credential_kind, event.inspector_credential_expires_on)
        several = event.inspector_credentials
    if named.kind or not several:
        return named
    day = event.service_date
    return max(
        several, key=lambda c: (c.kind in act.credentials, c.is_current(day), c.expires_on or dt.date.max, c.kind)
    )


@lru_cache(maxsize=1024)  # a business's licence stands on all its reports
def _credential(kind: str, expires_on: dt.date | None) -> Credential:
    return Credential(kind=kind, expires_on=expires_on)


def activities(event: Event, component: Component) -> list[str]:
    """What a report claims to have done. A pumping that states condition and ponding is an inspection as well."""
    done = ["evaluate"] if event.event_type == "evaluation" else []
    if component.kind == "dispersal":
        return ["inspect_dispersal"] if event.event_type in INSPECTION_TYPES else done
    if event.is_pumping:
        done.append("pump")
    if event.is_inspection or (event.event_type in PUMPING_TYPES and event.tank_condition and event.ponding):
        done.append("inspect")
    return done
