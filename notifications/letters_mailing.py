"""A print run put in the mail: the confirmation in the county's log, the day the law counts from, and its proof.

Where an ordinance presumes notice from proof of mailing, the proof is what was said to whom, when and by which class of
mail. Each letter gets an entry of the log, which commits to its text; the run gets one over all of them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from zoneinfo import ZoneInfo

from notifications.dates import long_day
from notifications.letters import text_of
from notifications.letters_draft import RunRefused
from notifications.letters_pdf import set_proof
from notifications.print_runs import RunEnded, run_of
from reporting.histories import COUNTED_MAIL, MAILING
from reporting.receipts import Receipt, receipts_for, stored_receipt
from reporting.store import letters as queue
from reporting.store.derived import mark_dirty
from reporting.store.encoding import canonical_json
from reporting.store.engine import Store
from reporting.store.facts import insert_facts
from reporting.store.log import Appended, NewEntry, append, checkpoint
from reporting.store.signing import Signer
from schemas.acts import Presumption
from schemas.program import Program

FIRST_CLASS: Final = "first_class"
CLASSES: Final = (FIRST_CLASS, "certified")
LOG_COLUMNS: Final = (
    "mailed_on",
    "mail_class",
    "run",
    "position",
    "notice",
    "kind",
    "rule",
    "title",
    "system",
    "address",
    "postcode",
    "text_sha256",
    "pdf_sha256",
    "log_entry",
)


@dataclass(frozen=True, kw_only=True)
class Mailed:
    """A run confirmed as mailed: how many letters, the systems that they are about, the receipt of its entry."""

    run: str
    mailed_on: dt.date
    letters: int
    systems: tuple[str, ...]
    receipt: Receipt


@dataclass(frozen=True, kw_only=True)
class Confirmer:
    """Who says that a run was mailed, in which program's county, on which day, with the key that signs for it."""

    program: Program
    by: str
    today: dt.date
    now: dt.datetime
    signer: Signer


def confirm_run(
    store: Store, run_id: str, mailed_on: dt.date, confirmer: Confirmer, mail_class: str = FIRST_CLASS
) -> Mailed:
    """Note a run as mailed: its letters are sent, and each owner's deadlines count from that day.

    Raises `RecordNotFound`, `RunEnded`, and `RunRefused` for another class, a day to come or one before the run.
    """
    run = run_of(store, run_id)
    if mail_class not in CLASSES:
        raise RunRefused(f"The class of mail is one of {', '.join(CLASSES)}.")
    if mailed_on > confirmer.today:
        raise RunRefused(f"It cannot have been mailed on {mailed_on}: that day is still to come.")
    if mailed_on < run["printed_on"]:
        raise RunRefused(f"It cannot have been mailed on {mailed_on}: it was printed on {run['printed_on']}.")
    end = {"mailed_on": mailed_on, "mail_class": mail_class, "ended_at": confirmer.now, "ended_by": confirmer.by}
    if not queue.end_run(store, run_id, state=queue.MAILED, **end):
        raise RunEnded
    rows = queue.letters_of(store, run_id)
    noon = dt.datetime.combine(mailed_on, dt.time(12), ZoneInfo(confirmer.program.timezone))
    queue.mark_mailed(store, [row["message"] for row in rows], noon)
    appended = append(store, [*_entries({**run, **end}, rows, confirmer.by)], confirmer.now)
    insert_facts(store, [*_facts(rows, appended, mailed_on, mail_class)])
    queue.note_entry(store, run_id, appended[-1].seq)
    systems = sorted({row["system"] for row in rows if row["system"]})
    mark_dirty(store, systems)
    receipt = receipts_for(appended, checkpoint(store, confirmer.signer, confirmer.now))[-1]
    return Mailed(run=run_id, mailed_on=mailed_on, letters=len(rows), systems=tuple(systems), receipt=receipt)


def log_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The lines of the mailing log (`LOG_COLUMNS`), from the letters of mailed runs."""
    for row in rows:
        told = row["content"]
        yield {
            **{name: row[name] for name in ("mail_class", "run", "position", "kind", "system", "postcode")},
            **{name: row[name] for name in ("text_sha256", "pdf_sha256")},
            "mailed_on": row["mailed_on"].isoformat(),
            "notice": row["message_id"],
            "rule": told["rule"],
            "title": told["title"],
            "address": ", ".join(told["address"]),
            "log_entry": row["seq"],
        }


def proof_rows(store: Store, run_id: str) -> list[dict[str, Any]]:
    """The mailing log of one run; raises `RecordNotFound`, and `RunRefused` where it was not mailed."""
    run = _mailed_run(store, run_id)
    known = {name: run[name] for name in ("mailed_on", "mail_class", "pdf_sha256", "seq")}
    return list(log_rows([{**row, **known} for row in queue.letters_of(store, run_id)]))


def proof_pdf(store: Store, program: Program, run_id: str) -> bytes:
    """The certificate of a mailed run for the clerk to sign; the same bytes whenever it is made.

    Raises `RecordNotFound`, `RunRefused` where it was not mailed, `LettersUnavailable`.
    """
    run = _mailed_run(store, run_id)
    rows = queue.letters_of(store, run_id)
    receipt = stored_receipt(store, run["seq"])
    return set_proof(
        {
            "title": f"Proof of mailing, {long_day(run['mailed_on'])}",
            "office": run["content"]["office"],
            "run": run_id,
            "statement": list(_statement(run, program)),
            "facts": [
                ["Mailed on", long_day(run["mailed_on"])],
                ["Class of mail", _words(run["mail_class"])],
                ["Pieces", f"{run['letters']:,}"],
                ["Printed on", long_day(run["printed_on"])],
                ["Confirmed by", f"{run['ended_by']}, {run['ended_at']:%Y-%m-%d %H:%M} UTC"],
                ["SHA-256 of the file", run["pdf_sha256"]],
                ["Entry of the record", f"{receipt.county}, number {receipt.seq}, whose leaf is"],
                ["", receipt.leaf.hex()],
            ],
            "letters": [_proof_line(row) for row in rows],
        }
    )


def _mailed_run(store: Store, run_id: str) -> dict[str, Any]:
    run = run_of(store, run_id)
    if run["state"] != queue.MAILED:
        raise RunRefused(f"Run {run_id} is {run['state']}: there is a proof once it is confirmed as mailed.")
    return run


def _entries(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], by: str) -> Iterator[NewEntry]:
    """One entry a letter, whose raw bytes are its text, and one for the run. None names a person."""
    day = run["mailed_on"].isoformat()
    for row in rows:
        content = {
            "run": run["id"],
            "by": by,
            "notice": row["message_id"],
            "kind": row["kind"],
            "system": row["system"] or "",
            "mailed_on": day,
            "class": run["mail_class"],
            "text_sha256": row["text_sha256"],
        }
        yield NewEntry(type=MAILING, content=content, raw=text_of(row["content"], run["content"]["office"]).encode())
    hashes = {str(row["position"]): row["text_sha256"] for row in rows}
    yield NewEntry(
        type="print_run_mailed",
        content={
            "run": run["id"],
            "by": by,
            "letters": len(rows),
            "mailed_on": day,
            "class": run["mail_class"],
            "printed_on": run["printed_on"].isoformat(),
            "pdf_sha256": run["pdf_sha256"],
            "letters_sha256": sha256(canonical_json(hashes)).hexdigest(),
        },
    )


def _facts(
    rows: Sequence[Mapping[str, Any]], appended: Sequence[Appended], mailed_on: dt.date, mail_class: str
) -> Iterator[dict[str, Any]]:
    """A fact for each letter about a system, as a scenario's `mailings` tells it."""
    for row, entry in zip(rows, appended[:-1], strict=True):
        if not row["system"]:
            continue
        window = row["content"]["window_from"]
        content = {
            "kind": row["kind"] if row["kind"] in COUNTED_MAIL else "letter",
            "mailed_on": mailed_on.isoformat(),
            "class": mail_class,
            "id": row["message_id"],
            "printed_sha256": row["text_sha256"],
            **({"window_from": window} if window else {}),
        }
        yield {
            "kind": MAILING,
            "system": row["system"],
            "seq": entry.seq,
            "id": f"{MAILING}_{entry.seq}",
            "valid_from": mailed_on,
            "content": content,
        }


def _statement(run: Mapping[str, Any], program: Program) -> Iterator[str]:
    count = "1 letter" if run["letters"] == 1 else f"{run['letters']:,} letters"
    yield (
        f"I put the {count} listed below, each sealed and addressed as shown, in the United States mail on "
        f"{long_day(run['mailed_on'])} as {_words(run['mail_class'])} mail, postage prepaid."
    )
    for rule in program.at(run["mailed_on"]).of(Presumption):
        if run["mail_class"] in rule.act.classes:
            yield f"Notice is presumed from proof of date and class of mailing: {program.authority}, {rule.cite}."


def _proof_line(row: Mapping[str, Any]) -> dict[str, Any]:
    told = row["content"]
    last = row["last_page"]
    pages = f"{row['first_page']}" if last == row["first_page"] else f"{row['first_page']}–{last}"
    return {
        "position": row["position"],
        "address": told["address"],
        "postcode": row["postcode"],
        "title": told["title"],
        "rule": told["rule"],
        "number": row["message_id"],
        "pages": pages,
        "sha256": row["text_sha256"],
    }


def _words(mail_class: str) -> str:
    return mail_class.replace("_", " ")
