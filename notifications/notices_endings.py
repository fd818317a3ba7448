"""Who is told that a contract, a certificate or a license is about to end, and that a window is about to open. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from notifications.addresses import one_line
from notifications.addressing import to_audience, to_owner
from notifications.facts import desk_of, office_facts, tank_facts
from notifications.notices_owners import owner_of
from notifications.records import DomainEvent, EventKind, NoNotice, NoticeKind, Occasion, SkipReason, SystemNow, Told
from schemas.acts import AreaNotice, WindowNotice


def tell_of_contract(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The contractor with whom it is, and the owner, whose duty a new one is."""
    kind, contractor = NoticeKind.CONTRACT_EXPIRING, occasion.book.contractor_of(event.content)
    context = {
        **office_facts(occasion),
        "tank": tank_facts(event, system, occasion),
        "contractor": one_line(contractor.name) if contractor else "",
        "contractor_license": one_line(event.content.get("contractor_license") or ""),
    }
    if contractor is None:
        yield NoNotice(reason=SkipReason.UNKNOWN_CONTRACTOR, cause_key=event.cause_key)
    else:
        mine = {**context, "addressee": one_line(contractor.name)}
        yield from to_audience(kind, "contractor", event, contractor.mail, mine, occasion)
    yield from to_owner(kind, event, system, {**context, "addressee": owner_of(system)}, occasion, post=False)


def tell_of_exemption(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The owner who holds the certificate, and the office that grants it."""
    kind = NoticeKind.EXEMPTION_EXPIRING
    context = {**office_facts(occasion), "tank": tank_facts(event, system, occasion)}
    yield from to_owner(kind, event, system, {**context, "addressee": owner_of(system)}, occasion, post=False)
    yield from _to_office(kind, event, context, occasion)


def tell_of_licence(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The business whose license it is, and the county, whose list it stands on."""
    kind, content = NoticeKind.CREDENTIAL_EXPIRING, event.content
    contractor = occasion.book.contractor_of(content)
    rule = next((rule for rule in occasion.program.rules if rule.id == content["rule"]), None)
    licence = {
        "number": one_line(content["contractor_license"]),
        "credential": one_line(str(content["credential_kind"]).replace("_", " ")),
        "due_on": date.fromisoformat(content["due_on"]).isoformat(),
        "rule": str(content["rule"]),
        "cite": one_line(content["cite"]),
        "rule_title": rule.title if rule else "",
        "business": one_line(contractor.name) if contractor else "",
    }
    context = {**office_facts(occasion), "license": licence}
    if contractor is None:
        yield NoNotice(reason=SkipReason.UNKNOWN_CONTRACTOR, cause_key=event.cause_key)
    else:
        mine = {**context, "addressee": one_line(contractor.name)}
        yield from to_audience(kind, "contractor", event, contractor.mail, mine, occasion)
    yield from _to_office(kind, event, context, occasion)


def tell_of_window(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The owner, by first class mail as the ordinance has it; nobody once the window has opened."""
    content = event.content
    opens_on = date.fromisoformat(content["due_on"])
    if occasion.today >= opens_on:
        yield NoNotice(reason=SkipReason.NO_LONGER_DUE, cause_key=event.cause_key)
        return
    window = event.kind == EventKind.WINDOW_NOTICE
    text = occasion.program.at(occasion.today)
    days = {p.id: p.act.days for p in text.of(WindowNotice)} | {p.id: p.act.days for p in text.of(AreaNotice)}
    contractor = occasion.book.contractor_of(content)
    context = {
        **office_facts(occasion),
        "addressee": owner_of(system),
        "tank": tank_facts(event, system, occasion),
        "opens_on": opens_on.isoformat(),
        "until": date.fromisoformat(content["until"]).isoformat(),
        "mail_by": date.fromisoformat(content["mail_by"]).isoformat() if content.get("mail_by") else "",
        "days": days.get(str(content["rule"]), 0),
        "contractor": one_line(contractor.name) if contractor else "",
    }
    kind = NoticeKind.WINDOW_NOTICE if window else NoticeKind.AREA_NOTICE
    yield from to_owner(kind, event, system, context, occasion, post=True)


def _to_office(kind: NoticeKind, event: DomainEvent, context: Mapping[str, Any], occasion: Occasion) -> Iterator[Told]:
    theirs = {**context, "addressee": desk_of(occasion.program)}
    yield from to_audience(kind, "county", event, occasion.book.county, theirs, occasion)
