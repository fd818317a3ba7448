"""Print runs: the letters that wait, judged once more, set as one file in the order of their postcodes.

A run is drafted while others work on (`draft_run` only reads: judging and setting take seconds), and kept in one short
transaction in which its letters are held. Who was overtaken by another clerk meanwhile drafts again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from notifications.letters import hash_of
from notifications.letters_draft import USUAL_RUN, Apart, Draft, Maker, draft_run
from notifications.letters_pdf import SetRun, set_run
from reporting.errors import PumperError, RecordNotFound
from reporting.store import letters as queue
from reporting.store.engine import Database, Store

_TRIES: Final = 5


class RunOvertaken(PumperError):
    """Somebody else has printed or changed some of these letters meanwhile: print again."""


class RunEnded(PumperError):
    """This print run was confirmed as mailed or cancelled before."""


@dataclass(frozen=True, kw_only=True)
class MadeRun:
    """What printing came to. `run` None: nothing to print. `dropped`: letters no longer wanted, by reason.

    failed: letters that cannot be written; left: those that wait for a next run; held: those that a pause keeps.
    """

    run: str | None
    letters: int = 0
    pages: int = 0
    pdf: bytes = field(default=b"", repr=False)
    pdf_sha256: str = ""
    dropped: Mapping[str, int] = field(default_factory=dict)
    failed: int = 0
    apart: tuple[Apart, ...] = ()
    left: int = 0
    held: int = 0

    def as_json(self) -> dict[str, Any]:
        """All but the file, as plain JSON values."""
        names = ("run", "letters", "pages", "pdf_sha256", "failed", "left", "held")
        apart = [{**vars(one), "reason": str(one.reason)} for one in self.apart]
        return {**{name: getattr(self, name) for name in names}, "dropped": dict(self.dropped), "apart": apart}


def print_run(database: Database, county: str, maker: Maker, limit: int = USUAL_RUN) -> MadeRun:
    """Print what waits, oldest first, at most `limit` letters; the file has them in the order of their postcodes.

    Raises `LettersUnavailable`, `RunOvertaken` where others were quicker again and again, and `RunRefused` for a limit
    out of bounds or an office without an address.
    """
    for _ in range(_TRIES):
        with database.reading(county) as store:
            draft = draft_run(store, maker, limit)
        try:
            with database.transaction(county) as store:
                return keep_run(store, maker, draft)
        except RunOvertaken:
            continue
    raise RunOvertaken


def keep_run(store: Store, maker: Maker, draft: Draft) -> MadeRun:
    """Keep a draft: its letters are printed, those no longer wanted ended. Raises `RunOvertaken`, nothing changed."""
    read = {row["dedupe_key"]: row["content"] for row, _letter in draft.written}
    if queue.hold_letters(store, read.keys()) != read:
        raise RunOvertaken
    queue.end_letters(store, draft.ended)
    states = Counter(state for _key, state, _reason in draft.ended)
    reasons = Counter(reason for _key, state, reason in draft.ended if state == queue.CANCELLED)
    told: dict[str, Any] = {
        "dropped": dict(reasons),
        "failed": states[queue.FAILED],
        "apart": tuple(draft.apart),
        "left": draft.left,
        "held": draft.held,
    }
    if draft.made is None:
        return MadeRun(run=None, **told)
    queue.insert_run(store, *_rows(maker, draft, draft.made))
    return MadeRun(
        run=draft.run,
        letters=len(draft.written),
        pages=draft.made.pages[-1][1],
        pdf=draft.made.pdf,
        pdf_sha256=draft.made.sha256,
        **told,
    )


def reprint(store: Store, run_id: str) -> tuple[bytes, bool]:
    """A run's file made again from what was kept, and whether it has the same bytes (another typesetter's may differ).

    Raises `RecordNotFound`, `LettersUnavailable`.
    """
    run = run_of(store, run_id)
    rows = queue.letters_of(store, run_id)
    made = set_run([row["content"] for row in rows], run["content"]["office"], run["content"]["title"])
    return made.pdf, made.sha256 == run["pdf_sha256"]


def cancel_run(store: Store, run_id: str, by: str, now: datetime) -> int:
    """Take back a run that was never mailed: its letters wait again. How many; raises `RecordNotFound`, `RunEnded`."""
    run = run_of(store, run_id)
    if not queue.end_run(store, run_id, state=queue.CANCELLED, ended_at=now, ended_by=by):
        raise RunEnded
    queue.free_letters(store, run_id, now)
    return int(run["letters"])


def run_of(store: Store, run_id: str) -> dict[str, Any]:
    """A run that is there; raises `RecordNotFound`."""
    run = queue.get_run(store, run_id)
    if run is None:
        raise RecordNotFound
    return run


def run_json(run: Mapping[str, Any]) -> dict[str, Any]:
    """A run as plain JSON values, without its letters."""
    names = (
        "id",
        "state",
        "created_by",
        "letters",
        "pages",
        "pdf_sha256",
        "typesetter",
        "mail_class",
        "ended_by",
        "seq",
    )
    days = ("printed_on", "mailed_on", "created_at", "ended_at")
    return {
        **{name: run[name] for name in names},
        **{name: run[name].isoformat() if run[name] else None for name in days},
    }


def _rows(maker: Maker, draft: Draft, made: SetRun) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The rows of the run and of its letters."""
    office = draft.office.as_json()
    run = {
        "id": draft.run,
        "state": queue.PRINTED,
        "created_at": maker.now,
        "created_by": maker.by,
        "printed_on": maker.today,
        "letters": len(draft.written),
        "pages": made.pages[-1][1],
        "pdf_sha256": made.sha256,
        "typesetter": made.typesetter,
        "content": {"office": office, "title": draft.title},
    }
    letters = [
        {
            "position": position,
            "message": row["dedupe_key"],
            "message_id": row["id"],
            "kind": row["kind"],
            "system": row["system"] or row["content"].get("system"),
            "postcode": letter.address.postcode,
            "address": "\n".join(letter.address.lines),
            "text_sha256": hash_of(letter.as_json(), office),
            "first_page": first,
            "last_page": last,
            "content": letter.as_json(),
        }
        for position, ((row, letter), (first, last)) in enumerate(zip(draft.written, made.pages, strict=True), start=1)
    ]
    return run, letters
