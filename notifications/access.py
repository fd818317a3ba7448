"""Messages that let somebody in: a sign-in's link, an invitation, an owner's link. Whoever asked waits for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from notifications.addresses import one_line
from notifications.records import Notice, NoticeKind
from schemas.calendar import COUNTY_TIME_ZONE

_LINK: Final = "link"


@dataclass(frozen=True, kw_only=True)
class Letter:
    """What all kinds say: to whom, the link's address, until when it works, where the service is.

    key: names the message once and for all; the link's secret is no part of it. expires_at: `None` where the link works
    for as long as its reader is who the record says.
    """

    recipient: str
    key: str
    link: str
    expires_at: datetime | None
    base_url: str


def signin_notice(letter: Letter, name: str) -> Notice:
    """The link that signs a person in."""
    return _notice(NoticeKind.SIGNIN_LINK, letter, {"addressee": one_line(name, longest=100)})


def invitation_notice(letter: Letter, inviter: str, role: str, *, is_staff: bool) -> Notice:
    """The link that makes somebody what they are invited to be. `inviter`: the county's or the business's name."""
    words = {"inviter": one_line(inviter, longest=100), "role": one_line(role), "is_staff": is_staff}
    return _notice(NoticeKind.INVITATION, letter, words)


def owner_link_notice(letter: Letter, county: str, system: str) -> Notice:
    """The link that opens an owner's own system. `county`: its name; `system`: how the letters name the system."""
    words = {"county_name": one_line(county, longest=100), "system_words": one_line(system, longest=200)}
    return _notice(NoticeKind.OWNER_LINK, letter, words)


def without_link(content: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of such a message when it has gone: not what lets in."""
    return {name: value for name, value in content.items() if name != _LINK}


def _notice(kind: NoticeKind, letter: Letter, words: Mapping[str, Any]) -> Notice:
    context = {
        **words,
        _LINK: letter.link,
        **({"expires_at": letter.expires_at.isoformat()} if letter.expires_at else {}),
        "base_url": letter.base_url,
        "unit": f"The reporting service at {urlsplit(letter.base_url).hostname or 'localhost'}",
        "timezone": COUNTY_TIME_ZONE,
        "reply_to": "",
    }
    return Notice(kind=kind, recipient=letter.recipient, dedupe_key=f"{kind}:{letter.key}", context=context)
