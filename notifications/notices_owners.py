"""What the owner of a system is told of its duties: that a service comes due, that one or its report is overdue. Pure.

All that one system is due for on a day goes into one message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from notifications.addresses import one_line
from notifications.addressing import owner_routes
from notifications.facts import tank_facts
from notifications.reasons import stage_of
from notifications.records import DomainEvent, EventKind, Line, NoNotice, NoticeKind, Occasion, SystemNow, Told

_PROBLEMS: Final = {
    "missing_report": "the report of a service is missing",
    "period_report": "the report for a period is missing",
}
_WORK: Final = {
    "pump": "pumping",
    "inspect_tank": "inspection of the tank",
    "pump_or_inspect": "pumping or inspection",
    "pump_and_inspect": "pumping and inspection",
    "inspect_dispersal": "inspection of the dispersal component",
    "area_pumping": "pumping in the window of its area",
    "service_holding": "pumping",
    "missing_report": "the report of a service",
    "period_report": "the report for a period",
}


def tell_owner(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """A line of the owner's message: a reminder by mail (else by post), a delinquency as the settings have it."""
    reminding = event.kind == EventKind.OWNER_REMINDER
    kind = NoticeKind.OWNER_REMINDER if reminding else NoticeKind.DELINQUENT_OWNER
    obligation = str(event.content["obligation"])
    line = {
        **tank_facts(event, system, occasion),
        "work": _WORK.get(obligation, obligation.replace("_", " ")),
        "problem": "" if reminding else _PROBLEMS.get(obligation, "the service is overdue"),
        "stage": stage_of(event.cause_key)[1],
    }
    for one in owner_routes(kind, event, system, occasion, post=False if reminding else None):
        if isinstance(one, NoNotice):
            yield one
            continue
        yield Line(
            kind=kind,
            recipient=one.recipient,
            group=str(event.system),
            addressee=owner_of(system),
            context=line,
            channel=one.channel,
            system=event.system,
            audience="owner",
        )


def owner_of(system: SystemNow) -> str:
    """How the owner is addressed."""
    return one_line(system.owner_name) or "To the owner"
