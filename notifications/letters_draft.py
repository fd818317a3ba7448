"""A print run drafted: which letters that wait are still wanted, what each says, and the file of them all.

Only reads: judging and setting take seconds, and others work on meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

import structlog

from notifications.addresses import one_line, postal_lines
from notifications.eligibility import Cancel, judge_now
from notifications.letters import Letter, Office, read_office, write_letter
from notifications.letters_address import AddressProblem, PostalAddress, read_postal
from notifications.letters_pdf import LetterNotSet, SetRun, check_available, set_run
from notifications.outbox import Claim, MessageState
from reporting.errors import PumperError
from reporting.ids import new_id
from reporting.store import letters as queue
from reporting.store.engine import Store
from reporting.store.facts import load_history
from schemas.program import Program

USUAL_RUN: Final = 500
LARGEST_RUN: Final = 2_000
_log: Final = structlog.get_logger(__name__)


class RunRefused(PumperError):
    """This cannot be done with the county's letters."""


@dataclass(frozen=True, kw_only=True)
class Maker:
    """Who prints, for which program (with the county's own settings), on which day, and where systems' pages are."""

    program: Program
    by: str
    today: date
    now: datetime
    base_url: str


@dataclass(frozen=True, kw_only=True)
class Apart:
    """A letter that waits on because it cannot be addressed: for the clerk to mend."""

    message: str
    kind: str
    system: str | None
    recipient: str
    reason: AddressProblem


@dataclass(frozen=True, kw_only=True)
class Addressed:
    """A postal address as text with line breaks, and as it is read."""

    text: str
    read: PostalAddress | AddressProblem


@dataclass(kw_only=True)
class Draft:
    """A run that is not kept yet. written: rows of the queue with their letters, in the order of the file.

    ended: keys, states and reasons of letters that are not to be printed; left: how many wait for a next run; held:
    how many a pause keeps; made: the file, or `None` where there is nothing to print.
    """

    run: str
    title: str
    office: Office
    written: list[tuple[Mapping[str, Any], Letter]] = field(default_factory=list)
    ended: list[tuple[str, str, str]] = field(default_factory=list)
    apart: list[Apart] = field(default_factory=list)
    left: int = 0
    held: int = 0
    made: SetRun | None = None


def draft_run(store: Store, maker: Maker, limit: int = USUAL_RUN) -> Draft:
    """Judge, write and set the letters that wait; changes nothing. Raises `LettersUnavailable`, and `RunRefused` for a
    limit out of bounds or an office without an address."""
    check_available()
    office = read_office(maker.program)
    if not 1 <= limit <= LARGEST_RUN:
        raise RunRefused(f"A run has 1 to {LARGEST_RUN:,} letters.")
    if not office.address:
        raise RunRefused("Set office_address first: a letter needs a return address.")
    run_id = new_id("prn", maker.now)
    draft = Draft(run=run_id, title=f"Letters of {maker.program.name}, print run {run_id}", office=office)
    waiting = queue.waiting_letters(store, maker.now)
    draft.held = queue.count_held_letters(store)
    _write(store, draft, waiting, maker, limit)
    draft.written.sort(key=lambda pair: (pair[1].address.sort_key, pair[1].number))
    _set(draft)
    return draft


def address_letters(store: Store, rows: Sequence[Mapping[str, Any]]) -> dict[str, Addressed]:
    """Where letters that wait go, by their ids: an owner's to the address on file now, the others as they were queued.

    rows: messages. An owner of another name than the letter's is another owner.
    """
    histories = load_history(store, sorted({row["system"] for row in rows if row["system"]}))
    found: dict[str, Addressed] = {}
    for row in rows:
        history = histories.get(row["system"] or "")
        text = _on_file(row["content"], history.owner if history else None) or row["recipient"]
        addressee = str(row["content"].get("addressee") or "")
        found[row["id"]] = Addressed(text=text, read=read_postal(text, addressee))
    return found


def apart_of(row: Mapping[str, Any], addressed: Addressed) -> Apart | None:
    """A letter that cannot be addressed, and why; `None` for one that can."""
    if isinstance(addressed.read, PostalAddress):
        return None
    about = {"message": row["id"], "kind": row["kind"], "system": row["system"]}
    return Apart(**about, recipient=addressed.text, reason=addressed.read)


def _write(store: Store, draft: Draft, waiting: Sequence[Mapping[str, Any]], maker: Maker, limit: int) -> None:
    """Write the letters that are still wanted and can be addressed, until there are enough."""
    addresses = address_letters(store, waiting)
    for number, row in enumerate(waiting):
        if len(draft.written) == limit:
            draft.left = len(waiting) - number
            return
        verdict = judge_now(store, _claim(row, maker.now))
        if isinstance(verdict, Cancel):
            draft.ended.append((row["dedupe_key"], queue.CANCELLED, str(verdict.reason)))
            continue
        addressed = addresses[row["id"]]
        if isinstance(addressed.read, AddressProblem):
            draft.apart += filter(None, [apart_of(row, addressed)])
            continue
        message = {**row, "content": verdict.content}
        try:
            letter = write_letter(message, addressed.read, draft.office, maker.today, maker.base_url)
        except Exception as error:  # one that cannot be written must not stop those behind it
            _log.exception("letter cannot be written", message=row["id"], kind=row["kind"])
            draft.ended.append((row["dedupe_key"], queue.FAILED, f"The letter cannot be written: {error!r}"[:500]))
            continue
        draft.written.append((row, letter))


def _set(draft: Draft) -> None:
    """Set the letters; those that the typesetter refuses are taken out, and the others go."""
    while draft.written:
        letters = [letter.as_json() for _row, letter in draft.written]
        try:
            draft.made = set_run(letters, draft.office.as_json(), draft.title)
            return
        except LetterNotSet:
            refusals = {row["dedupe_key"]: _refusal(letter, draft.office) for row, letter in draft.written}
            if not any(refusals.values()):
                raise
            draft.ended += [(key, queue.FAILED, reason) for key, reason in refusals.items() if reason]
            draft.written = [pair for pair in draft.written if not refusals[pair[0]["dedupe_key"]]]


def _refusal(letter: Letter, office: Office) -> str:
    """Why the typesetter does not set this letter; empty where it does."""
    try:
        set_run([letter.as_json()], office.as_json(), letter.number)
    except LetterNotSet as error:
        return str(error)[:500]
    return ""


def _on_file(content: Mapping[str, Any], owner: Mapping[str, Any] | None) -> str:
    """The owner's address as it is on file, for a letter to that owner; else ""."""
    if owner is None or content.get("audience") != "owner":
        return ""
    if one_line(owner["name"] or "") != content.get("addressee"):
        return ""
    return postal_lines(owner["name"], (owner["content"] or {}).get("mailing_address"))


def _claim(row: Mapping[str, Any], now: datetime) -> Claim:
    """The letter as the judge of mails takes it."""
    taken = {name: row[name] for name in ("county", "dedupe_key", "id", "kind", "recipient", "content", "message_id")}
    return Claim(
        **taken,
        state_before=MessageState.QUEUED,
        attempts=row["attempts"],
        fence=row["fence"],
        lease_until=now,
    )
