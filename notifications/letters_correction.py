"""A print run that was confirmed with a wrong day or class of mail: corrected, with the reason, in the county's log.

The deadlines that count from the mailing move with it, and the proof of mailing says the new day; what was confirmed
before stays in the log.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from notifications.letters_draft import RunRefused
from notifications.letters_mailing import CLASSES, Confirmer, Mailed
from notifications.print_runs import run_of
from reporting import tables
from reporting.histories import MAILING
from reporting.receipts import receipts_for
from reporting.store import letters as queue
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import end_each, insert_facts, load_history
from reporting.store.log import NewEntry, append, checkpoint, hold


def correct_run(
    store: Store, run_id: str, confirmer: Confirmer, *, reason: str, mailed_on: dt.date | None, mail_class: str | None
) -> Mailed:
    """Correct the day or the class of a mailed run and of each of its letters.

    Raises `RecordNotFound`, and `RunRefused` for a run that was not mailed, for what changes nothing, without a reason,
    for another class, a day to come or one before the run.
    """
    hold(store)
    run = run_of(store, run_id)
    on, kind = mailed_on or run["mailed_on"], mail_class or run["mail_class"]
    _check(run, on, kind, reason, confirmer.today)
    rows = queue.letters_of(store, run_id)
    facts = list(_facts(store, [row for row in rows if row["system"]]))
    entries = [*_entries(run, facts, on, kind, confirmer.by)]
    raw = reason.encode("utf-8", "backslashreplace")
    told = {"run": run_id, "by": confirmer.by, "letters": len(rows), "mailed_on": on.isoformat(), "class": kind}
    before = {"before_on": run["mailed_on"].isoformat(), "before_class": run["mail_class"]}
    appended = append(
        store, [*entries, NewEntry(type="print_run_corrected", content={**told, **before}, raw=raw)], confirmer.now
    )
    seqs = [one.seq for one in appended]
    keys = [{"kind": MAILING, "system": fact["system"], "id": fact["id"]} for fact in facts]
    end_each(store, tables.fact, list(zip(keys, seqs, strict=False)))
    insert_facts(store, [_dated(fact, on, kind, seq, reason) for fact, seq in zip(facts, seqs, strict=False)])
    queue.redate_run(store, run_id, mailed_on=on, mail_class=kind, seq=seqs[-1])
    noon = dt.datetime.combine(on, dt.time(12), ZoneInfo(confirmer.program.timezone))
    queue.redate_letters(store, [row["message"] for row in rows], noon)
    systems = sorted({fact["system"] for fact in facts})
    mark_dirty(store, systems)
    receipt = receipts_for(appended, checkpoint(store, confirmer.signer, confirmer.now))[-1]
    return Mailed(run=run_id, mailed_on=on, letters=len(rows), systems=tuple(systems), receipt=receipt)


def _check(run: Mapping[str, Any], on: dt.date | None, mail_class: str | None, reason: str, today: dt.date) -> None:
    if run["state"] != queue.MAILED or on is None:
        raise RunRefused(f"Run {run['id']} is {run['state']}: only one confirmed as mailed can be corrected.")
    if not reason.strip():
        raise RunRefused("Say why it is corrected.")
    if mail_class not in CLASSES:
        raise RunRefused(f"The class of mail is one of {', '.join(CLASSES)}.")
    if on > today:
        raise RunRefused(f"It cannot have been mailed on {on}: that day is still to come.")
    if on < run["printed_on"]:
        raise RunRefused(f"It cannot have been mailed on {on}: it was printed on {run['printed_on']}.")
    if (on, mail_class) == (run["mailed_on"], run["mail_class"]):
        raise RunRefused("That is what was confirmed: give the day or the class that is right.")


def _facts(store: Store, rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The mailings that a run's letters have made, as they stand."""
    histories = load_history(store, sorted({row["system"] for row in rows}))
    printed = {row["message_id"] for row in rows}
    for stored in histories.values():
        yield from (fact for fact in stored.facts.get(MAILING, ()) if fact["content"].get("id") in printed)


def _entries(
    run: Mapping[str, Any], facts: Sequence[Mapping[str, Any]], on: dt.date, mail_class: str, by: str
) -> Iterator[NewEntry]:
    for fact in facts:
        content = {
            "run": run["id"],
            "by": by,
            "id": fact["id"],
            "notice": fact["content"]["id"],
            "kind": fact["content"]["kind"],
            "system": fact["system"],
            "mailed_on": on.isoformat(),
            "class": mail_class,
        }
        yield NewEntry(type=MAILING, content=content)


def _dated(fact: Mapping[str, Any], on: dt.date, mail_class: str, seq: int, reason: str) -> dict[str, Any]:
    content = {**fact["content"], "mailed_on": on.isoformat(), "class": mail_class, "reason": reason}
    return {
        "kind": MAILING, "system": fact["system"], "id": fact["id"], "seq": seq, "valid_from": on, "content": content,
    }  # fmt: skip
