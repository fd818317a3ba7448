"""What every act may say, and how it narrows itself."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]


class Act(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="effect"):
    """What every act may say: the texts it stands in, where it applies, and what differs from its rule: a closer
    citation, another's duty, filing or not."""

    texts: tuple[str, ...] = ()
    cite: str = ""
    note: str = ""
    duty_of: str = ""
    filing: bool | None = None
    since: dt.date | None = None
    components: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    buildings: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Systems by the date of their permit or installation: `before` a day (existing) or `on_or_after` it (new)."""

    before: dt.date | None = None
    on_or_after: dt.date | None = None
