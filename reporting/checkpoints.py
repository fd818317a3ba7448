"""The day's signed heads of the logs: made by the worker, left for the mail to the county's clerk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from reporting.ids import new_id
from reporting.store.engine import Database, Store
from reporting.store.events_out import record_domain_events
from reporting.store.log import SERVICE_LOG, checkpoint, head
from reporting.store.signing import SignedHead, Signer, checkpoint_note

CHECKPOINT: Final = "checkpoint"
"""The kind of the domain event."""


def make_checkpoints(database: Database, counties: Sequence[str], signer: Signer, now: datetime) -> list[SignedHead]:
    """Sign the head of every log that has entries, and leave an event for each county's that has grown since.

    The service's own log comes first: its head goes to each county's clerk with the county's.
    """
    with database.transaction(SERVICE_LOG) as store:
        service = checkpoint(store, signer, now) if head(store).size else None
    made = [service] if service else []
    for county in counties:
        with database.transaction(county) as store:
            signed = _make(store, signer, now, service)
        if signed:
            made.append(signed)
    return made


def _make(store: Store, signer: Signer, now: datetime, service: SignedHead | None) -> SignedHead | None:
    if not head(store).size:
        return None
    signed = checkpoint(store, signer, now)
    content = {
        "size": signed.size,
        "root": signed.root.hex(),
        "key_id": signed.key_id,
        "note": checkpoint_note(signed),
        "service_note": checkpoint_note(service) if service else None,
    }
    event = {
        "id": new_id("dev", now),
        "kind": CHECKPOINT,
        "cause_key": f"{CHECKPOINT}:{signed.size}",
        "occurred_at": now,
        "content": content,
    }
    record_domain_events(store, [event])
    return signed
