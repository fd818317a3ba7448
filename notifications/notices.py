"""From a domain event to notices, or to the counted reason why there is none. Pure.

`make_notices` gives, for every role that the event concerns, a `Notice` (a message of its own), a `Line` (a tank in
somebody's digest) or a `NoNotice`. Who is told what: `programs.md`, section 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from notifications.addresses import AddressField, one_line
from notifications.facts import office_facts, receipt_facts, tank_facts
from notifications.records import (
    Contractor,
    DomainEvent,
    EventKind,
    Line,
    NoNotice,
    Notice,
    NoticeKind,
    Occasion,
    SkipReason,
    SystemNow,
    Told,
)

REMINDERS: Final = frozenset({EventKind.SERVICE_DUE, EventKind.NEEDS_SERVICE})
"""Told only while the tank is in service, not exempt and not on hold (`programs.md`, section 8, last paragraph)."""

_INACTIVE: Final = frozenset({"abandoned", "sewered", "removed"})
DUE: Final = frozenset({"due_soon", "overdue"})
"""The states of a duty that somebody is told of."""


def make_notices(event: DomainEvent, system: SystemNow | None, occasion: Occasion) -> list[Told]:
    """All that follows from one event; raises `KeyError`, `TypeError` or `ValueError` for content without sense."""
    live_from = occasion.program.day("live_from")
    if event.kind not in set(EventKind):
        return [NoNotice(reason=SkipReason.UNKNOWN_EVENT, cause_key=event.cause_key)]
    if live_from is not None and occasion.today < live_from:
        return [NoNotice(reason=SkipReason.NOT_LIVE_YET, cause_key=event.cause_key)]
    reason = reason_to_skip(event.kind, event.cause_key, system)
    if reason is not None:
        return [NoNotice(reason=reason, cause_key=event.cause_key)]
    makers = {
        EventKind.RECEIPT: _receipt,
        EventKind.SERVICE_DUE: _due,
        EventKind.NEEDS_SERVICE: _due,
        EventKind.LATE_REPORT: _report_notice,
        EventKind.MISSING_REPORT: _report_notice,
    }
    return list(makers[EventKind(event.kind)](event, system or SystemNow(), occasion))


def reason_to_skip(kind: str, cause_key: str, system: SystemNow | None) -> SkipReason | None:
    """Why nobody is to be told of this cause any more, as the system is now; asked again before sending."""
    if system is None:
        return None
    if kind in REMINDERS:
        return _reason_against_reminder(kind, cause_key, system)
    if kind == EventKind.MISSING_REPORT and system.duties is not None:
        duty = cause_key.rpartition(":")[0]  # without the stage
        return None if system.duties.get(duty) in (*DUE, "upcoming") else SkipReason.REPORT_RECEIVED
    return None


def _reason_against_reminder(kind: str, cause_key: str, system: SystemNow) -> SkipReason | None:
    if system.status in _INACTIVE:
        return SkipReason.INACTIVE
    if system.on_hold:
        return SkipReason.ON_HOLD
    if system.duties is None or (kind == EventKind.NEEDS_SERVICE and _is_gap(cause_key)):
        if system.exempt:
            return SkipReason.EXEMPT
        serviced = kind == EventKind.NEEDS_SERVICE and system.needs_service is False
        return SkipReason.ALREADY_SERVICED if serviced else None
    state = system.duties.get(cause_key)
    if state in DUE:
        return None
    return {"suspended": SkipReason.EXEMPT, "upcoming": SkipReason.NO_LONGER_DUE}.get(
        str(state), SkipReason.ALREADY_SERVICED
    )


def _is_gap(cause_key: str) -> bool:
    """Whether a tank needs service for a gap in its pumping: that is advice, with no duty behind it to look up."""
    cycle = cause_key.split(":")[4:5]
    return cycle == ["gap"]


def _receipt(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    contractor = occasion.book.contractors.get(str(event.content.get("contractor_id") or ""))
    if contractor is None:  # a clerk of the county or an administrator, who saw the answer on the screen
        yield NoNotice(reason=SkipReason.NO_SUBMITTER_ADDRESS, cause_key=event.cause_key)
        return
    context = {**office_facts(occasion), **receipt_facts(event.content), "addressee": contractor.name}
    yield from _to_each(NoticeKind.RECEIPT, event, contractor.mail, context, SkipReason.NO_ADDRESS)


def _due(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    line = tank_facts(event, system, occasion)
    contractor = occasion.book.contractor_of(event.content)
    if contractor is None:
        named = bool(event.content.get("contractor_license"))
        reason = SkipReason.UNKNOWN_CONTRACTOR if named else SkipReason.NO_CONTRACTOR
        yield NoNotice(reason=reason, cause_key=event.cause_key)
    else:
        yield from _refused(contractor.mail, event)
        for address in contractor.mail.addresses:
            yield Line(
                kind=NoticeKind.DUE_DIGEST,
                recipient=address,
                group=contractor.id,
                addressee=one_line(contractor.name),
                context=line,
            )
        reason = SkipReason.NO_ADDRESS
        if not contractor.mail.addresses:
            yield NoNotice(reason=reason, cause_key=event.cause_key)
    if event.kind == EventKind.NEEDS_SERVICE and (contractor is None or not contractor.mail.addresses):
        yield from _to_county(event, {**line, "not_told": reason.value}, occasion)


def _to_county(event: DomainEvent, line: Mapping[str, Any], occasion: Occasion) -> Iterator[Told]:
    """Ozaukee 9.029(4)(b)2: a holding tank whose contractor cannot be told; so the county is."""
    yield from _refused(occasion.book.county, event)
    if not occasion.book.county.addresses:
        yield NoNotice(reason=SkipReason.NO_COUNTY_ADDRESS, cause_key=event.cause_key)
    for address in occasion.book.county.addresses:
        yield Line(
            kind=NoticeKind.UNDESIGNATED_DIGEST,
            recipient=address,
            group="county",
            addressee=occasion.program.governmental_unit,
            context=line,
        )


def _report_notice(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    late = event.kind == EventKind.LATE_REPORT
    kind = NoticeKind.LATE_REPORT if late else NoticeKind.MISSING_REPORT
    copy = NoticeKind.LATE_REPORT_COPY if late else NoticeKind.MISSING_REPORT_COPY
    contractor = occasion.book.contractor_of(event.content)
    context = {
        **office_facts(occasion),
        "tank": tank_facts(event, system, occasion),
        "contractor": one_line(contractor.name) if contractor else "",
        "contractor_license": one_line(event.content.get("contractor_license") or ""),
        "stage": _stage(event),
    }
    if contractor is None:
        named = event.content.get("contractor_license") or event.content.get("contractor_id")
        reason = SkipReason.UNKNOWN_CONTRACTOR if named else SkipReason.NO_CONTRACTOR
        yield NoNotice(reason=reason, cause_key=event.cause_key)
    else:
        mine = {**context, "addressee": one_line(contractor.name), "audience": "contractor"}
        yield from _to_each(kind, event, contractor.mail, mine, SkipReason.NO_ADDRESS)
    unit = occasion.program.governmental_unit
    theirs = {**context, "addressee": unit, "audience": "county", "contractor_told": _can_be_told(contractor)}
    yield from _to_each(copy, event, occasion.book.county, theirs, SkipReason.NO_COUNTY_ADDRESS)


def _to_each(
    kind: NoticeKind, event: DomainEvent, mail: AddressField, context: Mapping[str, Any], absent: SkipReason
) -> Iterator[Told]:
    yield from _refused(mail, event)
    if not mail.addresses:
        yield NoNotice(reason=absent, cause_key=event.cause_key)
    for address in mail.addresses:
        key = f"{kind}|{event.cause_key}|{address}"
        about = {"event_kind": event.kind, "cause_key": event.cause_key, "system": event.system}
        yield Notice(kind=kind, recipient=address, dedupe_key=key, context={**about, **context})


def _refused(mail: AddressField, event: DomainEvent) -> Iterator[NoNotice]:
    yield from (NoNotice(reason=SkipReason.BAD_ADDRESS, cause_key=event.cause_key) for _ in mail.refused)


def _can_be_told(contractor: Contractor | None) -> bool:
    return contractor is not None and bool(contractor.mail.addresses)


def _stage(event: DomainEvent) -> int:
    if event.kind != EventKind.MISSING_REPORT:
        return 1
    return int(event.content.get("stage") or event.cause_key.rpartition(":")[2])
