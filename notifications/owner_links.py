"""The link by which an owner opens the own system's page: made as a mail leaves, and kept nowhere.

Only a mail to the address of the owner on file has it: whoever owned the system before gets none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from notifications.addresses import read_addresses
from notifications.outbox import Claim
from reporting.access.links import owners_path
from reporting.access.secret import Secret
from reporting.store.engine import Store
from reporting.store.facts import load_history

OwnerLink = Callable[[Store, Claim, Mapping[str, Any]], str]
"""Of a message and its content, in its county's transaction: the link; "" where it has none."""


def no_link(store: Store, claim: Claim, content: Mapping[str, Any]) -> str:
    """Mails without one, for trials."""
    return ""


def owner_linker(secret: Secret, base_url: str) -> OwnerLink:
    """What gives an owner's mail its link."""

    def link(store: Store, claim: Claim, content: Mapping[str, Any]) -> str:
        system = str(content.get("system") or "")
        if content.get("audience") != "owner" or not system:
            return ""
        stored = load_history(store, [system]).get(system)
        owner = stored.owner if stored else None
        if owner is None or claim.recipient.lower() not in read_addresses(owner["email"]).addresses:
            return ""
        path = owners_path(store, secret, system)
        return f"{base_url}/owner/{claim.county}/{path}" if path else ""

    return link
