"""Who is told of requests for other days, of certificates of exemption, and who has copies of reports. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from notifications.addresses import one_line, read_addresses
from notifications.addressing import to_audience, to_owner
from notifications.facts import desk_of, office_facts, tank_facts
from notifications.notices_owners import owner_of
from notifications.records import DomainEvent, Line, NoNotice, NoticeKind, Occasion, SkipReason, SystemNow, Told
from schemas.acts import ReportCopies

_KINDS: Final = {
    "commercial": "commercial operation with holding tanks pumped as needed",
    "vacant": "vacant land",
    "infrequent_use": "infrequent use",
    "inspection_only": "inspection only, with a pumper of your own",
}
_WORK: Final = {
    "pumping_and_inspection": "pumping and inspection",
}


def tell_of_deferral(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The owner, whose request is answered in writing; the contractor of the other days that are granted."""
    content, kind = event.content, NoticeKind.DEFERRAL_ANSWER
    contractor = occasion.book.contractor_of(content)
    granted = content["answer"] == "granted"
    context = {
        **office_facts(occasion),
        "tank": tank_facts(event, system, occasion),
        "granted": granted,
        "asked_on": _day(content["asked_on"]),
        "was_from": _day(content["window_from"]),
        "was_to": _day(content["window_to"]),
        "opens_on": _day(content.get("from")),
        "until": _day(content.get("to")),
        "ask_by": _day(content["last_day_to_ask"]),
        "business_days": int(content["business_days"]),
        "reasons": [one_line(reason, longest=300) for reason in content.get("reasons") or ()],
        "contractor": one_line(contractor.name) if contractor else "",
    }
    yield from to_owner(kind, event, system, {**context, "addressee": owner_of(system)}, occasion)
    if granted and contractor is not None:
        theirs = {**context, "addressee": one_line(contractor.name)}
        yield from to_audience(kind, "contractor", event, contractor.mail, theirs, occasion)


def tell_of_exemption_answer(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The owner: a certificate was granted or refused, or ends before its term."""
    content = event.content
    context = {
        **office_facts(occasion),
        **_exemption(content),
        "tank": tank_facts(event, system, occasion),
        "addressee": owner_of(system),
        "decision": str(content["decision"]),
        "reason": one_line(content.get("reason") or "", longest=2_000),
        "granted_on": _day(content.get("granted_on")),
        "until": _day(content.get("until")),
        "notified_on": _day(content.get("notified_on")),
        "pumped_on": _day(content.get("pumped_on")),
        "notice_days": int(content.get("notice_days") or 0),
        "ground": str(content.get("ground") or ""),
    }
    yield from to_owner(NoticeKind.EXEMPTION_ANSWER, event, system, context, occasion)


def tell_of_change(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """The office that grants certificates: their holders report changes to it."""
    content = event.content
    context = {
        **office_facts(occasion),
        **_exemption(content),
        "tank": tank_facts(event, system, occasion),
        "addressee": desk_of(occasion.program),
        "certificate": one_line(content["certificate"]),
        "reported_on": _day(content["reported_on"]),
        "since": _day(content.get("since")),
        "conditions_met": bool(content["conditions_met"]),
        "note": one_line(content.get("note") or "", longest=2_000),
    }
    yield from to_audience(NoticeKind.EXEMPTION_CHANGE, "county", event, occasion.book.county, context, occasion)


def tell_of_contact(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """Whoever was reached until now: if it was somebody else who changed it, they hear of it."""
    content = event.content
    context = {
        **office_facts(occasion),
        "tank": {**tank_facts(event, system, occasion), "owner_name": ""},
        "addressee": "To the owner",
        "changed": [one_line(name).replace("_", " ") for name in content["changed"]],
        "changed_on": _day(content["changed_on"]),
    }
    former = read_addresses(str(content["former_email"]))
    yield from to_audience(NoticeKind.CONTACT_CHANGED, "owner", event, former, context, occasion)


def copy_of_report(event: DomainEvent, system: SystemNow, occasion: Occasion) -> Iterator[Told]:
    """A line of the day's copies, for the program's own office and for whom the ordinance names (LB19)."""
    content, program = event.content, occasion.program
    kind = str(content["event_type"])
    line = {
        **tank_facts(event, system, occasion),
        "access_notes": "",
        "event": str(content["event"]),
        "work": _WORK.get(kind, one_line(kind.replace("_", " "))),
        "found": _found(content),
        "business": one_line(content.get("business_name") or ""),
        "license": one_line(content.get("contractor_license") or ""),
        "corrects": bool(content.get("corrects")),
    }
    fields = {"county": (occasion.book.county, desk_of(program))}
    for p in program.at(occasion.today).of(ReportCopies):
        named = ((name, read_addresses(program.text_of(name))) for name in p.act.to_settings)
        fields |= {name: (mail, program.governmental_unit) for name, mail in named}
    for group, (mail, addressee) in fields.items():
        if not mail.addresses:
            yield NoNotice(reason=SkipReason.NO_COUNTY_ADDRESS, cause_key=event.cause_key)
        for address in mail.addresses:
            yield Line(kind=NoticeKind.REPORT_COPIES, recipient=address, group=group, addressee=addressee, context=line)


def _found(content: Any) -> str:
    """What a report found, in one line."""
    gallons = content.get("gallons_pumped")
    said = [f"{int(gallons):,} gallons"] if gallons is not None else []
    for name in ("tank_condition", "ponding"):
        said += [f"{name.replace('_', ' ')}: {one_line(content[name])}"] if content.get(name) else []
    return "; ".join(said)


def _exemption(content: Any) -> dict[str, str]:
    kind = str(content["exemption"])
    return {"exemption_words": _KINDS.get(kind, one_line(kind.replace("_", " ")))}


def _day(value: object) -> str:
    """A day as ISO text, "" for none. Raises ValueError."""
    return date.fromisoformat(str(value)).isoformat() if value else ""
