"""Sending what webhooks have queued: claim and commit, call outside of any transaction, note it under the fence.

A receiver hears one thing at a time and the oldest first; several receivers are called at once, so that a slow one
keeps no other waiting. What it does not take goes again, under the same id: whoever hears it twice knows it by that.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from notifications.webhooks import live_secrets
from notifications.webhooks_door import Answer, Door
from notifications.webhooks_signing import headers_of
from reporting.access.secret import Secret
from reporting.store.engine import Database
from reporting.store.hook_deliveries import (
    DeliveryState,
    HookClaim,
    claim_delivery,
    count_waiting,
    finish_delivery,
    forget_deliveries,
    reap_deliveries,
)
from reporting.store.webhooks import disable_webhook, note_failure, note_taken

LANES: Final = 4
"""Receivers called at once by one worker."""
LEASE: Final = timedelta(minutes=2)
"""More than a call, with all that comes before and after, may take."""
BACKOFF: Final = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
"""The waits after the first, second, … attempt that failed: three days and three hours in all, then it has failed."""
REST: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 300))
"""How long a receiver is left alone after so many failures in a row, whatever waits for it."""
DISABLED_AFTER: Final = timedelta(days=3)
"""A receiver that took nothing for so long, when something has failed for good, is called no more."""
KEPT: Final = timedelta(days=90)
"""How long the log of what was sent is kept."""
GONE: Final = 410
_LOOK_AGAIN_S: Final = 0.2
_log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class HookCounts:
    """What one run did. `waiting`: not taken, goes again; `lost`: outcomes that came after the lease had gone."""

    sent: int = 0
    waiting: int = 0
    failed: int = 0
    disabled: int = 0
    lost: int = 0
    still_queued: int = 0


@dataclass(kw_only=True)
class _Run:
    database: Database
    counties: Sequence[str]
    door: Door
    secret: Secret
    now: Callable[[], datetime]
    stopping: Callable[[], bool]
    counts: Counter[str] = field(default_factory=Counter)
    busy: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def send_hooks(
    database: Database,
    counties: Sequence[str],
    door: Door,
    secret: Secret,
    now: Callable[[], datetime],
    *,
    lanes: int = LANES,
    stopping: Callable[[], bool] = lambda: False,
) -> HookCounts:
    """Send what is queued and due until nothing is left for now. Safe in several processes at once."""
    # Most of the time there is nothing: then nobody is kept from writing.
    busy = [county for county in counties if _waiting(database, county)]
    if not busy:
        return HookCounts()
    run = _Run(database=database, counties=busy, door=door, secret=secret, now=now, stopping=stopping)
    for county in busy:
        with database.transaction(county) as store:
            reap_deliveries(store, now())
    with ThreadPoolExecutor(lanes, thread_name_prefix="webhooks") as pool:
        for future in [pool.submit(_work, run) for _ in range(lanes)]:
            future.result()
    left = sum(_waiting(database, county) for county in busy)
    named = ("sent", "waiting", "failed", "disabled", "lost")
    return HookCounts(**{name: run.counts[name] for name in named}, still_queued=left)


def send_one(
    database: Database, county: str, delivery: str, door: Door, secret: Secret, now: Callable[[], datetime]
) -> Answer | None:
    """Send this delivery now; `None` where its receiver is being called, rests or has ended."""
    run = _Run(database=database, counties=[county], door=door, secret=secret, now=now, stopping=lambda: False)
    with database.transaction(county) as store:
        claim = claim_delivery(store, now(), LEASE, only=delivery)
    return _carry_out(run, claim) if claim else None


def forget_old_deliveries(database: Database, counties: Sequence[str], now: datetime) -> int:
    """Drop from the logs what is older than `KEPT`; how many lines."""
    gone = 0
    for county in counties:
        with database.transaction(county) as store:
            gone += forget_deliveries(store, now - KEPT)
    return gone


def next_wait(attempts: int) -> timedelta | None:
    """How long to wait after so many attempts; `None` when it is time to give up."""
    return BACKOFF[attempts - 1] if attempts <= len(BACKOFF) else None


def _work(run: _Run) -> None:
    """One lane: as long as another one is calling, what it calls may be free again, and more may have come due."""
    pause = threading.Event()
    while not run.stopping():
        with run.lock:
            run.busy += 1
        try:
            claim = _claim(run)
            if claim is not None:
                _carry_out(run, claim)
        finally:
            with run.lock:
                run.busy -= 1
                alone = run.busy == 0
        if claim is None:
            if alone:
                return
            pause.wait(_LOOK_AGAIN_S)


def _claim(run: _Run) -> HookClaim | None:
    for county in run.counties:
        with run.database.transaction(county) as store:
            claim = claim_delivery(store, run.now(), LEASE)
        if claim is not None:
            return claim
    return None


def _carry_out(run: _Run, claim: HookClaim) -> Answer:
    at = run.now()
    live = live_secrets(run.secret, claim.hook, at)
    if live:
        body = encode_body(claim.content)
        answer = run.door.post(claim.hook["url"], body, headers_of(live, claim.id, at, body))
    else:
        answer = Answer(status=None, problem="It cannot be signed any more: rotate the secret.")
    _note(run, claim, answer)
    return answer


def encode_body(content: Mapping[str, Any]) -> bytes:
    """The bytes that are signed and sent: the same in every attempt."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=True).encode()


def _note(run: _Run, claim: HookClaim, answer: Answer) -> None:
    """Write down what came of it; the rows change only while the claim is ours."""
    at, hook = run.now(), claim.hook["id"]
    told = {"status": answer.status, "last_error": answer.problem or None}
    wait = None if answer.ok or answer.status == GONE else next_wait(claim.attempts)
    with run.database.transaction(claim.county) as store:
        if answer.ok:
            name, state = "sent", DeliveryState.SENT
            kept = finish_delivery(store, claim, state, **told, sent_at=at)
        elif wait is not None:
            name, state = "waiting", DeliveryState.QUEUED
            kept = finish_delivery(store, claim, state, **told, not_before=at + wait)
        else:
            name, state = "failed", DeliveryState.FAILED
            kept = finish_delivery(store, claim, state, **told)
        because = _ends(claim, answer, at) if state is DeliveryState.FAILED and kept else ""
        if kept and answer.ok:
            note_taken(store, hook, at)
        elif kept:
            failures = int(claim.hook["failures"])
            note_failure(store, hook, at, REST[min(failures, len(REST) - 1)], answer.problem)
        if because and disable_webhook(store, hook, at, because):
            _count(run, "disabled")
    _count(run, name if kept else "lost")
    if not answer.ok:
        _log.warning("webhook not taken", webhook=hook, delivery=claim.id, status=answer.status, outcome=name)


def _ends(claim: HookClaim, answer: Answer, at: datetime) -> str:
    """Why a receiver is called no more; "" where it is."""
    if answer.status == GONE:
        return "It answered 410: gone."
    since = claim.hook["failing_since"]
    if since is not None and at - since >= DISABLED_AFTER:
        return f"It took nothing since {since:%Y-%m-%d %H:%M} UTC."
    return ""


def _count(run: _Run, name: str) -> None:
    with run.lock:
        run.counts[name] += 1


def _waiting(database: Database, county: str) -> int:
    with database.reading(county) as store:
        return count_waiting(store)
