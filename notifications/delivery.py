"""Sending what is queued: claim and commit, send outside of any transaction, note the outcome under the fence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

import structlog

from notifications.access import without_link
from notifications.attachments import attachments_of
from notifications.compose import Mail
from notifications.eligibility import Cancel, Go, Verdict, judge_now
from notifications.outbox import (
    WAITING,
    Claim,
    MessageState,
    claim_next,
    complete,
    count_messages,
    reap,
    release,
    reserve_slot,
)
from notifications.outcomes import Outcome, Permanent, Sender, Sent, Temporary, Uncertain, Unreachable
from notifications.owner_links import OwnerLink, no_link
from notifications.paper import to_paper
from notifications.records import ACCESS_KINDS, SkipReason
from notifications.render import render
from notifications.returns import note_refusal
from reporting.errors import DatabaseUnavailable
from reporting.store.engine import Database, Store
from reporting.store.mail import count_held
from schemas.calendar import COUNTY_TIME_ZONE, local_date

LEASE: Final = timedelta(minutes=15)
"""More than the slowest dialogue with a relay may take."""
BACKOFF: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 4, 8, 15, 30, 60, 120))
"""The waits after the first, second, … attempt that was refused for now: 4 hours in all, then it has failed."""
MOST_UNREACHABLE: Final = 3
"""After so many times in a row that the relay is away, a run ends; what is queued stays so."""
_COMPLETE_TRIES: Final = 3
_ENDED: Final = (MessageState.SENT, MessageState.FAILED)
_log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """One message that did not go: for the county and the command line. `state` is the one it is in now."""

    county: str
    id: str
    kind: str
    state: str
    text: str


@dataclass(frozen=True, kw_only=True)
class DeliveryCounts:
    """What one run did. `waiting`: refused for now; `lost`: outcomes that came after the lease had gone.

    still_queued: what waits after it; `held` of these are kept by a county's pause.
    """

    sent: int = 0
    failed: int = 0
    uncertain: int = 0
    waiting: int = 0
    cancelled: int = 0
    lost: int = 0
    unreachable: int = 0
    still_queued: int = 0
    held: int = 0
    troubles: tuple[Trouble, ...] = ()


@dataclass(kw_only=True)
class _Run:
    """One run under way."""

    database: Database
    sender: Sender
    now: Callable[[], datetime]
    judge: Callable[[Store, Claim], Verdict]
    rate: int | None
    sleep: Callable[[float], None]
    link: Callable[[Claim, Mapping[str, Any]], str]
    own: OwnerLink
    counts: Counter[str] = field(default_factory=Counter)
    troubles: list[Trouble] = field(default_factory=list)
    unreachable_in_a_row: int = 0


def deliver(
    database: Database,
    counties: Sequence[str],
    sender: Sender,
    now: Callable[[], datetime],
    limit: int | None = None,
    *,
    judge: Callable[[Store, Claim], Verdict] = judge_now,
    rate_per_minute: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
    stopping: Callable[[], bool] = lambda: False,
    link: Callable[[Claim, Mapping[str, Any]], str] = lambda claim, content: "",
    own: OwnerLink = no_link,
) -> DeliveryCounts:
    """Send what the counties have queued and is due, taking turns, until nothing is left or `limit` were tried.

    Safe in several processes and threads at once, each with a sender of its own; the rate holds over all of them.
    `judge` is asked in the claim's transaction whether a message is still wanted; `stopping` before each message
    whether to end early; `link` gives an optional notice its address to unsubscribe, `own` an owner's mail the page of
    the own system. Raises `StoreError` only.
    """
    run = _Run(
        database=database, sender=sender, now=now, judge=judge, rate=rate_per_minute, sleep=sleep, link=link, own=own
    )
    with sender:
        turn = list(counties)
        for county in turn:
            with database.transaction(county) as store:
                reap(store, now())
        while turn and not stopping() and not _is_over(run, limit):
            county = turn.pop(0)
            if _deliver_one(run, county):
                turn.append(county)
    named = ("sent", "failed", "uncertain", "waiting", "cancelled", "lost", "unreachable")
    left = [_waiting(database, county) for county in counties]
    return DeliveryCounts(
        **{name: run.counts[name] for name in named},
        still_queued=sum(waiting for waiting, _held in left),
        held=sum(held for _waiting, held in left),
        troubles=tuple(run.troubles),
    )


def next_wait(attempts: int) -> timedelta | None:
    """How long to wait after so many attempts; `None` when it is time to give up."""
    return BACKOFF[attempts - 1] if attempts <= len(BACKOFF) else None


def _is_over(run: _Run, limit: int | None) -> bool:
    enough = limit is not None and run.counts["tried"] >= limit
    return enough or run.unreachable_in_a_row >= MOST_UNREACHABLE


def _deliver_one(run: _Run, county: str) -> bool:
    """Send one message of a county; `False` when it has none to send now."""
    slot = now = run.now()
    with run.database.transaction(county) as store:
        claim = claim_next(store, now, LEASE)
        if claim is None:
            return False
        verdict = _judge(run, store, claim)
        if verdict is None:
            return True
        owner_url = run.own(store, claim, verdict.content)
        if run.rate:
            slot = reserve_slot(store, now, run.rate)
    if slot > now:
        run.sleep((slot - now).total_seconds())
    run.counts["tried"] += 1
    mail, problem = _write(run, claim, verdict.content, owner_url)
    outcome = Permanent(text=problem) if mail is None else run.sender.send(mail)
    _note(run, claim, verdict.content, mail, outcome)
    return True


def _judge(run: _Run, store: Store, claim: Claim) -> Go | None:
    """What is to be sent, or `None` when the message has come to its end without being sent again."""
    if claim.attempts > len(BACKOFF) + 1:  # its senders keep dying before they can note anything
        error = "Given up after many attempts that ended without an outcome. It may have arrived."
        content = without_link(claim.content) if claim.kind in ACCESS_KINDS else None
        complete(store, claim, MessageState.FAILED, error=error, content=content)
        _count(run, claim, "failed", MessageState.FAILED, error)
        return None
    verdict = run.judge(store, claim)
    if isinstance(verdict, Cancel):
        complete(store, claim, MessageState.CANCELLED, error=str(verdict.reason))
        if verdict.reason is SkipReason.SUPPRESSED:
            to_paper(store, vars(claim), run.now())
        run.counts["cancelled"] += 1
        return None
    return verdict


def _write(run: _Run, claim: Claim, content: Mapping[str, Any], owner_url: str) -> tuple[Mail | None, str]:
    """The message, or what is wrong with its text: one that cannot be written must not stop those behind it."""
    at = run.now()
    try:
        written = render(claim.kind, content, local_date(at, str(content.get("timezone") or COUNTY_TIME_ZONE)))
        attachments = attachments_of(claim.kind, content)
    except Exception as error:
        _log.exception("notice cannot be written", message=claim.id, kind=claim.kind)
        return None, f"The notice cannot be written: {type(error).__name__}: {error}"[:500]
    mail = Mail(
        recipient=claim.recipient,
        subject=written.subject,
        text=written.text,
        html=written.html,
        message_id=claim.message_id,
        dated_at=at,
        reply_to=str(content.get("reply_to") or ""),
        unsubscribe_url=run.link(claim, content),
        owner_url=owner_url,
        attachments=attachments,
    )
    return mail, ""


def _note(run: _Run, claim: Claim, content: Mapping[str, Any], mail: Mail | None, outcome: Outcome) -> None:
    """Write down what came of it; the row changes only while the claim is ours."""
    run.unreachable_in_a_row = run.unreachable_in_a_row + 1 if isinstance(outcome, Unreachable) else 0
    if isinstance(outcome, Unreachable):
        kept = _in_transaction(run, claim.county, lambda store: release(store, claim, outcome.text))
        _count(run, claim, "unreachable" if kept else "lost", claim.state_before, outcome.text)
        return
    at = run.now()
    changes: dict[str, Any] = {}
    if isinstance(outcome, Sent | Uncertain) and mail is not None:
        changes["content"] = {**content, "proof": _proof(mail, outcome.text)}
    if isinstance(outcome, Sent):
        name, state = "sent", MessageState.SENT
        changes["sent_at"] = at
    else:
        name, state, wait = _after_trouble(claim, outcome)
        changes |= {"error": outcome.text, "not_before": at + wait if wait else None}
    if state in _ENDED and claim.kind in ACCESS_KINDS:
        changes["content"] = without_link(changes.get("content", content))

    def write_down(store: Store) -> bool:
        done = complete(store, claim, state, **changes)
        if done and isinstance(outcome, Permanent) and outcome.bad_address:
            note_refusal(store, vars(claim), outcome.bad_address, outcome.text, at)
        return done

    kept = _in_transaction(run, claim.county, write_down)
    _count(run, claim, name if kept else "lost", state, outcome.text)


def _after_trouble(
    claim: Claim, outcome: Temporary | Permanent | Uncertain
) -> tuple[str, MessageState, timedelta | None]:
    """What the message counts as, its state, and how long it waits before it goes again (`None`: it does not)."""
    wait = None if isinstance(outcome, Permanent) else next_wait(claim.attempts)
    if wait is None:
        return "failed", MessageState.FAILED, None
    if isinstance(outcome, Uncertain):
        return "uncertain", MessageState.UNCERTAIN, wait
    # Once uncertain it stays so: an earlier copy may have arrived, whatever this attempt came to.
    return "waiting", claim.state_before, wait


def _count(run: _Run, claim: Claim, name: str, state: MessageState, text: str) -> None:
    run.counts[name] += 1
    if name != "sent":
        trouble = Trouble(county=claim.county, id=claim.id, kind=claim.kind, state=str(state), text=text)
        run.troubles.append(trouble)
        _log.warning("notice not sent", message=claim.id, kind=claim.kind, outcome=name, problem=text)


def _proof(mail: Mail, answer: str) -> dict[str, Any]:
    """What is kept of a message that was handed over: enough to show later what was said, when, and who took it."""
    digest = sha256(f"{mail.subject}\n\n{mail.text}".encode()).hexdigest()
    proof = {"subject": mail.subject, "text_sha256": digest, "dated_at": mail.dated_at.isoformat(), "answer": answer}
    files = {one.name: sha256(one.data).hexdigest() for one in mail.attachments}
    return {**proof, **({"files_sha256": files} if files else {})}


def _in_transaction(run: _Run, county: str, action: Callable[[Store], bool]) -> bool:
    """Write an outcome down, patiently: one that is lost costs a second copy."""
    for _ in range(_COMPLETE_TRIES - 1):
        try:
            with run.database.transaction(county) as store:
                return action(store)
        except DatabaseUnavailable:
            run.sleep(1)
    with run.database.transaction(county) as store:
        return action(store)


def _waiting(database: Database, county: str) -> tuple[int, int]:
    """How many mails of a county wait, and how many of them a pause holds."""
    with database.reading(county) as store:
        counts, held = count_messages(store), count_held(store)
    return sum(counts[state] for state in WAITING), sum(held.values())
