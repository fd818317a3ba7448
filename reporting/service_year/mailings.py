"""What was mailed to owners beside the print runs, corrected where it was filed wrong, and what they answered.

From a notice's mailing the ordinance's days count, and its proof lets notice be presumed; a questionnaire or an inquiry
is open until it is answered. Each is a fact of its system, as a scenario's `mailings` tells it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reporting.errors import DecisionRefused, RecordNotFound
from reporting.forms import PLACE, Form
from reporting.histories import COUNTED_MAIL, MAILING
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.receipts import receipts_for
from reporting.service_year.systems import place_of, systems_of_area
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, insert_facts, load_history
from reporting.store.log import NewEntry, append, checkpoint, hold
from reporting.store.services import facts_of_kind, system_of_fact
from reporting.windows import list_windows
from schemas.acts import AreaNotice, OpenInquiry, Questionnaire, WindowNotice
from schemas.calendar import add_days
from schemas.program import Program

KINDS: Final = tuple(sorted(COUNTED_MAIL))
CLASSES: Final = ("first_class", "certified", "by_hand", "spoken")
ASKED: Final = ("questionnaire", "inquiry")
"""What an owner answers."""
STATES: Final = ("open", "late", "answered", "mailed")
_FIELDS: Final = ("area", "kind", "mailed_on", "mail_class", "window_from", "received_on", "note")


def file_mailing(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """Something mailed by other means than a print run: to one owner, or to those of a whole service area.

    Values: a place or `area`, `kind` (`KINDS`), `mailed_on`, `mail_class` (`CLASSES`), `window_from` (of which window a
    notice tells), `received_on`, `note`. What is on file already is not filed again.
    """
    hold(store)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, *_FIELDS))
    kind, mail_class = form.choice("kind", KINDS), form.choice("mail_class", CLASSES)
    on, received = form.day("mailed_on", required=True, past=True), form.day("received_on", past=True)
    form.before("mailed_on", "received_on")
    _refuse_receipt(form, kind)
    note, window = form.text("note", longest=2_000), _window(store, form, kind)
    systems = _addressed(store, teller.program, form, kind)
    if form.issues or on is None:
        return NotTold(issues=tuple(form.issues))
    days = {"mailed_on": on, "received_on": received, "window_from": window}
    content = {
        "kind": kind,
        "class": mail_class,
        **{name: day.isoformat() for name, day in days.items() if day},
        **({"note": note} if note else {}),
    }
    histories = load_history(store, systems)
    new = [key for key in systems if not _is_on_file(histories[key], content)]
    if not new:
        form.refuse("mailed_on", "This mailing is on file already: correct that one, if it is wrong.", on.isoformat())
        return NotTold(issues=tuple(form.issues))
    return _keep_all(store, teller, new, content, values, len(systems) - len(new))


def correct_mailing(store: Store, teller: Teller, mailing_id: str, values: Values) -> Told | NotTold:
    """What was filed wrong of a mailing, and why; as it was it stays known. Raises RecordNotFound, DecisionRefused.

    Values: `mailed_on`, `mail_class`, `received_on`, `reason`. A printed letter's day is that of its print run.
    """
    hold(store)
    system, before = mailing_of(store, mailing_id)
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("mailed_on", "mail_class", "received_on", "reason"))
    _refuse_receipt(form, before["kind"])
    days = {name: form.day(name, past=True) for name in ("mailed_on", "received_on")}
    mail_class, reason = form.choice("mail_class", CLASSES, ""), form.text("reason", required=True, longest=2_000)
    changed = {
        **{name: day.isoformat() for name, day in days.items() if day},
        **({"class": mail_class} if mail_class else {}),
    }
    if before.get("printed_sha256") and {"mailed_on", "class"} & changed.keys():
        raise DecisionRefused("This letter was mailed with its print run: correct the day and class of the run.")
    content = {**before, **changed, "reason": reason}
    received = content.get("received_on")
    if not form.issues and not changed:
        form.refuse("mailed_on", "Give what is to be corrected: mailed_on, mail_class or received_on.")
    if received and received < content["mailed_on"]:
        form.refuse("received_on", f"Give a day that is not before the mailing of {content['mailed_on']}.", received)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    first = dt.date.fromisoformat(content["mailed_on"])
    return keep_fact(store, teller, MAILING, system, content, values, valid_from=first, replaces=mailing_id)


def answer_mailing(store: Store, teller: Teller, mailing_id: str, values: Values) -> Told | NotTold:
    """An owner's answer to a questionnaire or an inquiry (3.01–3.02). Raises RecordNotFound, DecisionRefused.

    Values: `answered_on` (today), `note`.
    """
    hold(store)
    system, before = mailing_of(store, mailing_id)
    if before["kind"] not in ASKED:
        raise DecisionRefused("Only a questionnaire or an inquiry is answered; this is a notice.")
    if before.get("answered_on"):
        raise DecisionRefused(f"This was answered on {before['answered_on']}.")
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("answered_on", "note"))
    on, note = form.day("answered_on", past=True) or teller.today, form.text("note", longest=2_000)
    if on.isoformat() < before["mailed_on"]:
        form.refuse("answered_on", f"Give a day that is not before the mailing of {before['mailed_on']}.")
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {**before, "answered_on": on.isoformat(), **({"note": note} if note else {})}
    first = dt.date.fromisoformat(before["mailed_on"])
    return keep_fact(store, teller, MAILING, system, content, values, valid_from=first, replaces=mailing_id)


def mailing_of(store: Store, mailing_id: str) -> tuple[str, dict[str, Any]]:
    """The system and the content of a mailing as it stands. Raises RecordNotFound."""
    system = system_of_fact(store, MAILING, mailing_id)
    rows = load_history(store, [system])[system].facts[MAILING] if system else []
    found = next((row for row in rows if row["id"] == mailing_id), None)
    if found is None:
        raise RecordNotFound
    return str(system), dict(found["content"])


def list_mailings(
    store: Store, program: Program, today: dt.date, kinds: Sequence[str] = (), states: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The mailings that deadlines count from, newest first: which system, when, and what is open until which day."""
    facts = [fact for fact in facts_of_kind(store, MAILING) if fact["content"]["kind"] in (kinds or KINDS)]
    places = load_history(store, sorted({fact["system"] for fact in facts}))
    rows = [{**place_of(places[f["system"]]), **_shown(program, today, f)} for f in facts]
    wanted = [row for row in rows if not states or row["state"] in states]
    return sorted(wanted, key=lambda row: (row["mailed_on"], row["id"]), reverse=True)


def _shown(program: Program, today: dt.date, fact: Mapping[str, Any]) -> dict[str, Any]:
    """A mailing with its deadline: of a questionnaire the last day to answer, of a window's notice that to mail it."""
    content = fact["content"]
    names = ("kind", "mailed_on", "window_from", "received_on", "answered_on", "note")
    row = {"id": fact["id"], **{name: content.get(name) for name in names}, "mail_class": content.get("class")}
    last, rule, cite = _deadline(program, content)
    days = {"state": _state(content, last, today), "last_day": last.isoformat() if last else None}
    return {**row, **days, "rule": rule, "cite": cite}


def _deadline(program: Program, content: Mapping[str, Any]) -> tuple[dt.date | None, str | None, str | None]:
    """The last day of a mailing and the rule that sets it; for what no rule counts from, none."""
    on = dt.date.fromisoformat(content["mailed_on"])
    text, kind, opens = program.at(on), content["kind"], content.get("window_from")
    if kind == "questionnaire":
        for p in text.of(Questionnaire):
            return p.after_days(program.calendar, on, p.act.days).last_day, p.id, p.cite
    if kind == "window_notice" and opens:
        for q in text.of(WindowNotice):
            before = q.act.days + program.days(q.act.delivery_setting)
            return add_days(dt.date.fromisoformat(opens), -before), q.id, q.cite
    others = [*text.of(OpenInquiry)] if kind == "inquiry" else [*text.of(AreaNotice)] if kind == "area_notice" else []
    return next(((None, r.id, r.cite) for r in others), (None, None, None))


def _state(content: Mapping[str, Any], last: dt.date | None, today: dt.date) -> str:
    """`late`: an answer past its last day, or a notice mailed after its own."""
    if content["kind"] not in ASKED:
        return "late" if last and content["mailed_on"] > last.isoformat() else "mailed"
    if content.get("answered_on"):
        return "answered"
    return "late" if last and today > last else "open"


def _window(store: Store, form: Form, kind: str) -> dt.date | None:
    """The window that a notice tells of: one that is set; a window's notice has to name it."""
    on = form.day("window_from", required=kind == "window_notice")
    if on is not None and all(row["from"] != on.isoformat() for row in list_windows(store)):
        form.refuse("window_from", "Give the first day of a window that is set.", on.isoformat())
    return on


def _addressed(store: Store, program: Program, form: Form, kind: str) -> list[str]:
    """The systems whose owners it was mailed to; of an area those in use with a tank that such a notice is for."""
    if "area" not in form.values:
        system = form.place(store)
        return [system] if system else []
    if any(form.values.get(name) for name in PLACE):
        form.refuse("area", "Give an area or one system, not both.")
    area = form.count("area", 1, 9_999)
    text = program.at(form.today)
    notices = [*text.of(WindowNotice)] if kind == "window_notice" else [*text.of(AreaNotice)]
    named = {c for p in notices for c in p.act.components} if kind.endswith("_notice") else set()
    found = systems_of_area(store, area, sorted(named)) if area else []
    if area and not found:
        form.refuse("area", f"No system in use of area {area} has a tank that this is mailed for.", str(area))
    return found


def _is_on_file(stored: StoredHistory, content: Mapping[str, Any]) -> bool:
    names = ("kind", "mailed_on", "window_from")
    facts = stored.facts.get(MAILING, ())
    return any(all(row["content"].get(n) == content.get(n) for n in names) for row in facts)


def _refuse_receipt(form: Form, kind: str) -> None:
    """The days of a questionnaire count from its mailing, whenever it reached the owner."""
    if kind == "questionnaire" and form.values.get("received_on"):
        form.refuse("received_on", "Leave this out: the days of a questionnaire count from its mailing.")


def _keep_all(
    store: Store, teller: Teller, systems: Sequence[str], content: Mapping[str, Any], values: Values, skipped: int
) -> Told:
    """One entry and one fact a system, as a print run's confirmation makes them."""
    raw = json.dumps(dict(values), ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
    told = {name: value for name, value in content.items() if name != "note"}
    entries = [NewEntry(type=MAILING, content={"system": key, "by": teller.by, **told}, raw=raw) for key in systems]
    appended = append(store, entries, teller.now)
    insert_facts(store, list(_facts(systems, [one.seq for one in appended], content)))
    mark_dirty(store, systems)
    receipt = receipts_for(appended, checkpoint(store, teller.signer, teller.now))[-1]
    alone = systems[0] if len(systems) == 1 else ""
    more = {"mailings": len(systems), "on_file_before": skipped}
    return Told(id=f"{MAILING}_{appended[0].seq}", system=alone, receipt=receipt, more=more)


def _facts(systems: Sequence[str], seqs: Sequence[int], content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    first = dt.date.fromisoformat(content["mailed_on"])
    for key, seq in zip(systems, seqs, strict=True):
        fact = {"kind": MAILING, "id": f"{MAILING}_{seq}", "content": dict(content), "valid_from": first}
        yield {"system": key, "seq": seq, **fact}
