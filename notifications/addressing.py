"""To whom a notice goes and how: each address a message of its own, and every reason why somebody gets none. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from notifications.addresses import AddressField
from notifications.kinds import KINDS
from notifications.records import (
    Channel,
    DomainEvent,
    NoNotice,
    Notice,
    NoticeKind,
    Occasion,
    SkipReason,
    SystemNow,
    Told,
)


@dataclass(frozen=True, kw_only=True)
class Route:
    """One way to a recipient."""

    channel: Channel
    recipient: str

    @property
    def key(self) -> str:
        """What tells routes apart in a message's key: an owner's letter is one, wherever the owner lives by now."""
        return "letter" if self.channel is Channel.LETTER else self.recipient


def to_each(
    kind: NoticeKind, event: DomainEvent, mail: AddressField, context: Mapping[str, Any], absent: SkipReason
) -> Iterator[Told]:
    """A mail to each address of a field; where there is none, the reason `absent`."""
    yield from refused(mail, event)
    if not mail.addresses and not mail.suppressed:
        yield NoNotice(reason=absent, cause_key=event.cause_key)
    for address in mail.addresses:
        key = f"{kind}|{event.cause_key}|{address}"
        yield Notice(
            kind=kind,
            recipient=address,
            dedupe_key=key,
            context={**_about(event), **context},
            system=event.system or None,
        )


def to_audience(
    kind: NoticeKind,
    audience: str,
    event: DomainEvent,
    mail: AddressField,
    context: Mapping[str, Any],
    occasion: Occasion,
) -> Iterator[Told]:
    """The same for one of several audiences of a kind; who refuses an optional kind is counted."""
    absent = {
        "county": SkipReason.NO_COUNTY_ADDRESS,
        "sanitarian": SkipReason.NO_SANITARIAN_ADDRESS,
        "counsel": SkipReason.NO_OFFICE_ADDRESS,
        "municipality": SkipReason.NO_OFFICE_ADDRESS,
    }
    yield from refused(mail, event)
    if not mail.addresses and not mail.suppressed:
        yield NoNotice(reason=absent.get(audience, SkipReason.NO_ADDRESS), cause_key=event.cause_key)
    for address in mail.addresses:
        if is_refusing(address, kind, occasion):
            yield NoNotice(reason=SkipReason.OPTED_OUT, cause_key=event.cause_key)
            continue
        yield _notice(kind, audience, event, Route(channel=Channel.MAIL, recipient=address), context)


def to_owner(
    kind: NoticeKind,
    event: DomainEvent,
    system: SystemNow,
    context: Mapping[str, Any],
    occasion: Occasion,
    *,
    post: bool | None = None,
) -> Iterator[Told]:
    """The owner's message or messages. post: as `owner_routes` has it."""
    for one in owner_routes(kind, event, system, occasion, post=post):
        yield one if isinstance(one, NoNotice) else _notice(kind, "owner", event, one, context)


def owner_routes(
    kind: NoticeKind, event: DomainEvent, system: SystemNow, occasion: Occasion, *, post: bool | None = None
) -> Iterator[Route | NoNotice]:
    """How an owner is reached.

    post: True, a notice that goes by post (with a copy by mail, if the county wants it); False, by mail, and by post
    only where no mail address is known; None, as the county's settings have it for notices of law.
    """
    program, mail = occasion.program, system.owner_mail
    by_post = bool(program.setting("legal_by_letter")) if post is None else post
    yield from refused(mail, event)
    refusing = [one for one in (*mail.addresses, *mail.suppressed) if is_refusing(one, kind, occasion)]
    wanted = [address for address in mail.addresses if address not in refusing]
    yield from (NoNotice(reason=SkipReason.OPTED_OUT, cause_key=event.cause_key) for _ in refusing)
    # Who complained of a reminder does not want it on paper either.
    if by_post or not (mail.addresses or refusing):
        if system.owner_postal:
            yield Route(channel=Channel.LETTER, recipient=system.owner_postal)
        else:
            yield NoNotice(reason=SkipReason.NO_POSTAL_ADDRESS, cause_key=event.cause_key)
    if not by_post or not system.owner_postal or program.setting("legal_email_copy"):
        yield from (Route(channel=Channel.MAIL, recipient=address) for address in wanted)


def is_refusing(address: str, kind: NoticeKind, occasion: Occasion) -> bool:
    """Whether somebody does not want optional mail of that kind."""
    return str(kind) in occasion.book.refusing.get(address, ()) and not KINDS[kind].legal


def refused(mail: AddressField, event: DomainEvent) -> Iterator[NoNotice]:
    """The pieces of a field that are no addresses, and the addresses that get no mail any more."""
    yield from (NoNotice(reason=SkipReason.BAD_ADDRESS, cause_key=event.cause_key) for _ in mail.refused)
    yield from (NoNotice(reason=SkipReason.SUPPRESSED, cause_key=event.cause_key) for _ in mail.suppressed)


def _notice(kind: NoticeKind, audience: str, event: DomainEvent, route: Route, context: Mapping[str, Any]) -> Notice:
    return Notice(
        kind=kind,
        recipient=route.recipient,
        dedupe_key=f"{kind}|{audience}|{event.cause_key}|{route.key}",
        context={**_about(event), **context, "audience": audience, "channel": str(route.channel)},
        channel=route.channel,
        system=event.system or None,
    )


def _about(event: DomainEvent) -> dict[str, Any]:
    return {"event_kind": event.kind, "cause_key": event.cause_key, "system": event.system}
