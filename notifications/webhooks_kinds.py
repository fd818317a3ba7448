"""What webhooks tell of: the kinds, whom each is for, and the messages that an event becomes. Pure.

A message holds ids, kinds, days and the citation, nothing that people wrote and no owner's name or address: who needs
more asks for it by the id, with a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from reporting.intake.words import normalize_license

TEST_KIND: Final = "test"
AT_ONCE: Final = 100
"""How many reports one message names; a long file becomes several."""


@dataclass(frozen=True, kw_only=True)
class HookKind:
    """One kind that a subscriber may choose. events: the domain events it is made of.

    for_business: a business hears of those that name it; the others are the county's own.
    """

    name: str
    events: tuple[str, ...]
    says: str
    for_business: bool = True


KINDS: Final = (
    HookKind(name="receipt", events=("receipt",), says="A submission was worked off: how many rows came to what."),
    HookKind(name="report.accepted", events=("receipt",), says="Reports were accepted, at most 100 a message."),
    HookKind(name="review.opened", events=("receipt",), says="Reports wait for the county to say whose they are."),
    HookKind(name="report.late", events=("late_report",), says="A report came in after its last day."),
    HookKind(name="report.missing", events=("missing_report",), says="A report that was due is not there."),
    HookKind(name="verification.asked", events=("verification_requested",), says="The county asks to verify a report."),
    HookKind(name="service.due", events=("service_due",), says="A service is due soon or overdue."),
    HookKind(name="service.needed", events=("needs_service",), says="A holding tank needs service."),
    HookKind(name="contract.expiring", events=("contract_expiring",), says="A servicing contract ends."),
    HookKind(name="credential.expiring", events=("credential_expiring",), says="A licence ends."),
    HookKind(
        name="exemption.expiring", events=("exemption_expiring",), says="An exemption ends.", for_business=False
    ),
    HookKind(
        name="window.opening", events=("window_notice", "area_notice"), says="A window opens.", for_business=False
    ),
    HookKind(
        name="owner.delinquent", events=("delinquent_owner",), says="An owner's duty is past its day.",
        for_business=False,
    ),
    HookKind(name="case.opened", events=("case_opened",), says="A case was opened.", for_business=False),
    HookKind(name="case.step", events=("case_step",), says="A case took a further step.", for_business=False),
    HookKind(name="case.overdue", events=("case_overdue",), says="A case is past a deadline.", for_business=False),
    HookKind(name="case.handed_over", events=("case_handed_over",), says="A case was handed over.", for_business=False),
    HookKind(name="case.closed", events=("case_closed",), says="A case was closed.", for_business=False),
    HookKind(
        name="checkpoint", events=("checkpoint",), says="The day's signed head of the log.", for_business=False
    ),
)  # fmt: skip
_BY_EVENT: Final = {event: [k.name for k in KINDS if event in k.events] for k in KINDS for event in k.events}
_FOR_BUSINESS: Final = frozenset(kind.name for kind in KINDS if kind.for_business)
_SHOWN: Final = (
    "system", "permit_number", "component", "obligation", "rule", "cite", "duty_of", "due_on", "last_day", "until",
    "mail_by", "stage", "service_date", "received_on", "asked_on", "answer_by", "case", "case_kind", "step",
    "credential_kind", "submission", "historical", "size", "key_id",
)  # fmt: skip
"""Of an event's content; whatever else stands there stays here."""


@dataclass(frozen=True, kw_only=True)
class HookEvent:
    """A domain event as webhooks tell it. accepted, waiting: reports of a submission, and (review, report) pairs."""

    county: str
    id: str
    kind: str
    occurred_at: datetime
    content: Mapping[str, Any]
    accepted: Sequence[str] = ()
    waiting: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, kw_only=True)
class Subscriber:
    """Whoever has a subscription: a county, or a business with its normalised licences. kinds: none for all it may."""

    webhook: str
    county: str | None
    contractor_id: str | None
    kinds: frozenset[str]
    since: datetime
    licences: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class HookMessage:
    """One message. source: names it among all of its county, so that it is queued once for a subscriber."""

    kind: str
    source: str
    body: Mapping[str, Any]


def kinds_for(*, business: bool) -> list[str]:
    """The names of the kinds that such a holder may choose."""
    return [kind.name for kind in KINDS if kind.for_business or not business]


def hears(subscriber: Subscriber, event: HookEvent, kind: str) -> bool:
    """Whether a subscriber is told: its own county's or, of a business, what names it; nothing from before it asked."""
    if event.occurred_at < subscriber.since or (subscriber.kinds and kind not in subscriber.kinds):
        return False
    if subscriber.county is not None:
        return subscriber.county == event.county
    return kind in _FOR_BUSINESS and _names(event.content, subscriber)


def _names(content: Mapping[str, Any], business: Subscriber) -> bool:
    if content.get("contractor_id"):
        return str(content["contractor_id"]) == business.contractor_id
    return normalize_license(str(content.get("contractor_license") or "")) in business.licences - {""}


def messages_of(event: HookEvent) -> Iterator[HookMessage]:
    """What an event becomes; nothing for one of a kind that webhooks do not tell of."""
    for kind in _BY_EVENT.get(event.kind, ()):
        if kind == "report.accepted":
            yield from _in_parts(event, kind, "reports", list(event.accepted))
        elif kind == "review.opened":
            pairs = [{"review": review, "report": report} for review, report in event.waiting]
            yield from _in_parts(event, kind, "reviews", pairs)
        else:
            more = {"counts": _counts(event.content)} if kind == "receipt" else {}
            yield _message(event, kind, kind, more)


def _in_parts(event: HookEvent, kind: str, name: str, items: Sequence[Any]) -> Iterator[HookMessage]:
    for at in range(0, len(items), AT_ONCE):
        yield _message(event, kind, f"{kind}:{at // AT_ONCE}", {name: items[at : at + AT_ONCE]})


def _message(event: HookEvent, kind: str, source: str, more: Mapping[str, Any]) -> HookMessage:
    shown = {name: event.content[name] for name in _SHOWN if event.content.get(name) not in (None, "")}
    report = {"report": event.content["event"]} if event.content.get("event") else {}
    data = {"event": event.id, "county": event.county, **shown, **report, **more}
    return HookMessage(kind=kind, source=f"{event.id}:{source}", body=body_of(kind, event.occurred_at, data))


def body_of(kind: str, at: datetime, data: Mapping[str, Any]) -> dict[str, Any]:
    """A message's body as Standard Webhooks 1.0 lays it out."""
    return {"type": kind, "timestamp": at.isoformat(timespec="seconds").replace("+00:00", "Z"), "data": dict(data)}


def _counts(content: Mapping[str, Any]) -> dict[str, int]:
    return {str(name): int(value) for name, value in (content.get("counts") or {}).items()}
