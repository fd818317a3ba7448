"""Addresses that get no mail of a county, or not all of it: mail bounced, its reader complained, or unsubscribed.

After a bounce or a complaint the address gets nothing any more, and an owner's notices go on paper. Who unsubscribed
gets no optional notices; those of law go on (`kinds`). Each county has its own list; each change is in its record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from notifications.addresses import AddressField, is_address
from notifications.kinds import KINDS
from reporting.errors import PumperError, RecordNotFound
from reporting.store import mail
from reporting.store.engine import Store
from reporting.store.log import NewEntry, append

OPTIONAL: Final = frozenset(str(kind) for kind, one in KINDS.items() if not one.legal)
"""The kinds that may be refused."""


class Reason(StrEnum):
    """Why an address gets no mail."""

    BOUNCE = "bounce"
    COMPLAINT = "complaint"
    UNSUBSCRIBED = "unsubscribed"


DEAD: Final = (Reason.BOUNCE, Reason.COMPLAINT)
"""After these an address gets nothing at all by mail."""


class SuppressionRefused(PumperError):
    """The address cannot be put on the list or taken from it so."""


@dataclass(frozen=True, kw_only=True)
class Suppressing:
    """One address put on the list: why, by whom (a key, a person, a bounce), what was said of it, which message.

    kind: of `unsubscribed`, the one kind of reminder that is not wanted; "": none of them.
    """

    address: str
    reason: Reason
    by: str
    now: datetime
    detail: str = ""
    message: str | None = None
    kind: str = mail.ALL


def suppress_address(store: Store, one: Suppressing) -> bool:
    """Put an address on the county's list; `False`: it stands there already for that. Raises `SuppressionRefused`."""
    address = one.address.strip().lower()
    if not is_address(address):
        raise SuppressionRefused("Give one plain mail address, such as office@example.org.")
    if one.kind != mail.ALL and (one.reason is not Reason.UNSUBSCRIBED or one.kind not in OPTIONAL):
        raise SuppressionRefused(f"Only these kinds can be refused: {', '.join(sorted(OPTIONAL))}.")
    there = {(row["reason"], row["kind"]) for row in mail.list_suppressions(store, [address])}
    if (str(one.reason), one.kind) in there:
        return False
    row = {"address": address, "reason": str(one.reason), "kind": one.kind, "since": one.now}
    mail.suppress(store, [{**row, "detail": one.detail[:500] or None, "message": one.message}])
    content = {"reason": str(one.reason), "kind": one.kind or None, "message": one.message, "by": one.by}
    words = {"address": address, **({"detail": one.detail[:500]} if one.detail else {})}
    append(store, [NewEntry(type="address_suppressed", content=content, words=words)], one.now)
    return True


def lift_suppression(
    store: Store, address: str, by: str, now: datetime, why: str, reasons: Collection[Reason] = tuple(Reason)
) -> int:
    """Take an address from the county's list for these reasons; raises `RecordNotFound` where it is not on it."""
    address = address.strip().lower()
    lifted = mail.lift(store, address, [str(reason) for reason in reasons])
    if not lifted:
        raise RecordNotFound
    content = {"reasons": [str(reason) for reason in reasons], "by": by}
    words = {"address": address, **({"reason": why} if why else {})}
    append(store, [NewEntry(type="address_allowed", content=content, words=words)], now)
    return lifted


def dead_addresses(store: Store, addresses: Iterable[str]) -> frozenset[str]:
    """Those of these addresses that get nothing by mail any more."""
    rows = mail.list_suppressions(store, sorted(set(addresses)))
    return frozenset(row["address"] for row in rows if row["reason"] in DEAD)


def without_dead(field: AddressField, dead: Collection[str]) -> AddressField:
    """An address field without the addresses that get nothing any more; `suppressed` names them."""
    live = tuple(address for address in field.addresses if address not in dead)
    gone = tuple(address for address in field.addresses if address in dead)
    return AddressField(addresses=live, refused=field.refused, suppressed=gone)


def refused_kinds(store: Store) -> dict[str, frozenset[str]]:
    """The optional kinds that each address does not want: of whoever unsubscribed or complained."""
    found: dict[str, frozenset[str]] = {}
    for row in mail.list_suppressions(store):
        if row["reason"] != Reason.BOUNCE:
            kinds = frozenset([row["kind"]]) if row["kind"] else OPTIONAL
            found[row["address"]] = found.get(row["address"], frozenset()) | kinds
    return found


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What holds for one address and kind: `dead`, nothing goes there; `refuses`, only what the law asks for."""

    dead: bool
    refuses: bool


def standing_of(store: Store, address: str, kind: str) -> Standing:
    """How an address stands on the county's list, asked before each mail."""
    rows = mail.list_suppressions(store, [address.lower()])
    refuses = any(row["reason"] == Reason.UNSUBSCRIBED and row["kind"] in (mail.ALL, kind) for row in rows)
    return Standing(dead=any(row["reason"] in DEAD for row in rows), refuses=refuses)
