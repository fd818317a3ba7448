"""From a domain event to notices, or to the counted reason why there is none. Pure.

`make_notices` gives, for every role that the event concerns, a `Notice` (a message of its own), a `Line` (a tank in
somebody's digest) or a `NoNotice`. Who is told what: `programs.md`, section 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from notifications.addresses import one_line, read_addresses
from notifications.addressing import is_refusing, refused, to_each
from notifications.facts import note_lines, office_facts, receipt_facts, tank_facts
from notifications.notices_cases import tell_of_case
from notifications.notices_endings import tell_of_contract, tell_of_exemption, tell_of_licence, tell_of_window
from notifications.notices_owners import tell_owner
from notifications.notices_requests import (
    copy_of_report,
    tell_of_change,
    tell_of_contact,
    tell_of_deferral,
    tell_of_exemption_answer,
)
from notifications.reasons import reason_to_skip
from notifications.records import (
    Contractor,
    DomainEvent,
    EventKind,
    Line,
    NoNotice,
    NoticeKind,
    Occasion,
    SkipReason,
    SystemNow,
    Told,
)


def make_notices(event: DomainEvent, system: SystemNow | None, occasion: Occasion) -> list[Told]:
    """All that follows from one event; raises `KeyError`, `TypeError` or `ValueError` for content without sense."""
    live_from = occasion.program.day("live_from")
    if event.kind not in set(EventKind):
        return [NoNotice(reason=SkipReason.UNKNOWN_EVENT, cause_key=event.cause_key)]
    if live_from is not None and occasion.today < live_from:
        return [NoNotice(reason=SkipReason.NOT_LIVE_YET, cause_key=event.cause_key)]
    reason = reason_to_skip(event.kind, event.cause_key, system, str(event.content.get("due_on") or ""))
    if reason is not None:
        return [NoNotice(reason=reason, cause_key=event.cause_key)]
    return list(_MAKERS[EventKind(event.kind)](event, system or SystemNow(), occasion))


def _receipt(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    contractor = occasion.book.contractors.get(str(event.content.get("contractor_id") or ""))
    if contractor is None:  # a clerk of the county or an administrator, who saw the answer on the screen
        yield NoNotice(reason=SkipReason.NO_SUBMITTER_ADDRESS, cause_key=event.cause_key)
        return
    context = {**office_facts(occasion), **receipt_facts(event.content), "addressee": one_line(contractor.name)}
    yield from to_each(NoticeKind.RECEIPT, event, contractor.mail, context, SkipReason.NO_ADDRESS)


def _checkpoint(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The day's signed head of the county's log, for the clerk to keep outside of the service."""
    content = event.content
    context = {
        **office_facts(occasion),
        "addressee": occasion.program.governmental_unit,
        "size": int(content["size"]),
        "key_id": one_line(content["key_id"]),
        "note": note_lines(content["note"]),
        "service_note": note_lines(content.get("service_note")),
    }
    clerk = read_addresses(occasion.program.text_of("clerk_email"))
    yield from to_each(NoticeKind.CHECKPOINT, event, clerk, context, SkipReason.NO_CLERK_ADDRESS)


def _due(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    line = tank_facts(event, system, occasion)
    contractor = occasion.book.contractor_of(event.content)
    if contractor is None:
        named = bool(event.content.get("contractor_license"))
        reason = SkipReason.UNKNOWN_CONTRACTOR if named else SkipReason.NO_CONTRACTOR
        yield NoNotice(reason=reason, cause_key=event.cause_key)
    else:
        yield from refused(contractor.mail, event)
        for address in contractor.mail.addresses:
            if is_refusing(address, NoticeKind.DUE_DIGEST, occasion) and not line["required_by"]:
                yield NoNotice(reason=SkipReason.OPTED_OUT, cause_key=event.cause_key)
                continue
            yield Line(
                kind=NoticeKind.DUE_DIGEST,
                recipient=address,
                group=contractor.id,
                addressee=one_line(contractor.name),
                context=line,
            )
        reason = SkipReason.NO_ADDRESS
        if not contractor.mail.addresses and not contractor.mail.suppressed:
            yield NoNotice(reason=reason, cause_key=event.cause_key)
    if event.kind == EventKind.NEEDS_SERVICE and (contractor is None or not contractor.mail.addresses):
        yield from _to_county(event, {**line, "not_told": reason.value}, occasion)


def _to_county(event: DomainEvent, line: Mapping[str, Any], occasion: Occasion) -> Iterator[Told]:
    """Ozaukee 9.029(4)(b)2: a holding tank whose contractor cannot be told; so the county is."""
    yield from refused(occasion.book.county, event)
    if not occasion.book.county.addresses and not occasion.book.county.suppressed:
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
        # Whoever sends a report of a tank is not by that one whom it names: no owner, no way in.
        tank = {**context["tank"], "owner_name": "", "access_notes": ""}
        mine = {**context, "tank": tank, "addressee": one_line(contractor.name), "audience": "contractor"}
        yield from to_each(kind, event, contractor.mail, mine, SkipReason.NO_ADDRESS)
    unit = occasion.program.governmental_unit
    theirs = {**context, "addressee": unit, "audience": "county", "contractor_told": _can_be_told(contractor)}
    yield from to_each(copy, event, occasion.book.county, theirs, SkipReason.NO_COUNTY_ADDRESS)


def _verification(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """What the county asks a business of its own report (SPS 383.55(4)); the owner is no part of it."""
    contractor = occasion.book.contractor_of(event.content)
    if contractor is None:
        yield NoNotice(reason=SkipReason.UNKNOWN_CONTRACTOR, cause_key=event.cause_key)
        return
    context = {
        **office_facts(occasion),
        "tank": {**tank_facts(event, system, occasion), "owner_name": "", "access_notes": ""},
        "addressee": one_line(contractor.name),
        "audience": "contractor",
        "report": str(event.content["event"]),
        "message": one_line(event.content["message"], longest=2_000),
        "fields": [one_line(name).replace("_", " ") for name in event.content.get("fields") or ()],
        "answer_by": str(event.content.get("answer_by") or ""),
    }
    yield from to_each(NoticeKind.VERIFICATION_REQUESTED, event, contractor.mail, context, SkipReason.NO_ADDRESS)


def _can_be_told(contractor: Contractor | None) -> bool:
    return contractor is not None and bool(contractor.mail.addresses)


def _stage(event: DomainEvent) -> int:
    if event.kind != EventKind.MISSING_REPORT:
        return 1
    return int(event.content.get("stage") or event.cause_key.rpartition(":")[2])


_MAKERS: Final[Mapping[EventKind, Callable[[DomainEvent, SystemNow, Occasion], Iterator[Told]]]] = {
    EventKind.RECEIPT: _receipt,
    EventKind.SERVICE_DUE: _due,
    EventKind.NEEDS_SERVICE: _due,
    EventKind.LATE_REPORT: _report_notice,
    EventKind.MISSING_REPORT: _report_notice,
    EventKind.VERIFICATION_REQUESTED: _verification,
    EventKind.CHECKPOINT: _checkpoint,
    EventKind.OWNER_REMINDER: tell_owner,
    EventKind.DELINQUENT_OWNER: tell_owner,
    EventKind.CONTRACT_EXPIRING: tell_of_contract,
    EventKind.CREDENTIAL_EXPIRING: tell_of_licence,
    EventKind.EXEMPTION_EXPIRING: tell_of_exemption,
    EventKind.WINDOW_NOTICE: tell_of_window,
    EventKind.AREA_NOTICE: tell_of_window,
    EventKind.DEFERRAL_ANSWERED: tell_of_deferral,
    EventKind.EXEMPTION_ANSWERED: tell_of_exemption_answer,
    EventKind.EXEMPTION_CHANGED: tell_of_change,
    EventKind.CONTACT_CHANGED: tell_of_contact,
    EventKind.REPORT_COPY: copy_of_report,
    EventKind.CASE_OPENED: tell_of_case,
    EventKind.CASE_STEP: tell_of_case,
    EventKind.CASE_OVERDUE: tell_of_case,
    EventKind.CASE_HANDED_OVER: tell_of_case,
    EventKind.CASE_CLOSED: tell_of_case,
}
