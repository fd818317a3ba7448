"""Facts that owners and the county's staff tell: notices, designations, contracts, statements, settings.

Each function validates, adds an entry to the county's record, keeps the fact with what it holds for, marks the system
for assessment, and gives a receipt: all in the caller's transaction. Texts that people write stand in the fact and in
the raw bytes of the entry, which can be destroyed, and not in the entry itself.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reporting import tables
from reporting.fees.terms import refuse_change
from reporting.forms import PLACE, Form
from reporting.ids import new_id
from reporting.intake.values import BadValue
from reporting.intake.words import normalize_license, parse_emails
from reporting.receipts import Receipt, receipts_for
from reporting.store.derived import mark_all_dirty, mark_dirty
from reporting.store.engine import Store
from reporting.store.events_out import record_domain_events
from reporting.store.facts import (
    end_versions,
    insert_contracts,
    insert_designations,
    insert_facts,
    insert_owners,
    load_history,
)
from reporting.store.log import NewEntry, append, checkpoint, hold
from reporting.store.signing import Signer
from schemas.acts import Feature
from schemas.calendar import local_date
from schemas.issues import Code, Issue
from schemas.program import Program
from schemas.settings import SettingError

NOTICES: Final = ("serviced", "alarm", "full")
STATEMENTS: Final = ("no_service", "certification")
TEXTS: Final = ("reason", "message", "answer", "note", "authority")
"""What people write: it stands in the fact and in the entry's raw bytes, which can be destroyed."""
_PERIOD: Final = r"(19|20|21)[0-9]{2}(-H[12])?"

Values = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Teller:
    """Who tells, when, in which program's county, and the key that signs for it."""

    program: Program
    by: str
    now: dt.datetime
    signer: Signer

    @property
    def today(self) -> dt.date:
        """The county's date."""
        return local_date(self.now, self.program.timezone)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What was kept: the fact's id, its system ('' for the county itself), the receipt.

    more: what else the answer says of it, as plain JSON values.
    """

    id: str
    system: str
    receipt: Receipt
    more: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class NotTold:
    """Why nothing was kept."""

    issues: tuple[Issue, ...]


def tell_notice(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """An owner's word that a tank was serviced, is full, or that its alarm went off.

    Values: a place (`PLACE`), `on`, `kind` (`NOTICES`), `license_number` of who serviced it.
    """
    form = _form(teller, values, "on", "kind", "license_number")
    on, kind = form.day("on", required=True, past=True), form.choice("kind", NOTICES)
    number, system = form.license("license_number"), form.place(store)
    if form.issues or on is None:
        return NotTold(issues=tuple(form.issues))
    content = {"on": on.isoformat(), "kind": kind, **({"license_number": number} if number else {})}
    return keep_fact(store, teller, "owner_notice", system, content, values, valid_from=on)


def designate(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """Which business services a system from a day on (today), until another one is named.

    Values: a place, `license_number`, `valid_from`, `valid_to`.
    """
    form = _form(teller, values, "license_number", "valid_from", "valid_to")
    number = form.license("license_number", required=True)
    first, last = form.day("valid_from") or teller.today, form.day("valid_to")
    form.before("valid_from", "valid_to")
    system = form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    row = {
        "license_number": number,
        "license_norm": normalize_license(number),
        "valid_from": first,
        "valid_to": last,
    }
    return keep(store, teller, "designation", system, row, values, lambda r: insert_designations(store, [r]))


def file_contract(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """A maintenance or servicing contract, filed with the county on a day (today).

    Values: a place, `license_number`, `from`, `to`, `filed_on`, `kind`.
    """
    form = _form(teller, values, "license_number", "from", "to", "filed_on", "kind")
    number = form.license("license_number", required=True)
    first, last = form.day("from", required=True), form.day("to")
    filed, kind = form.day("filed_on", past=True) or teller.today, form.text("kind")
    form.before("from", "to")
    system = form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    row = {
        "license_number": number,
        "license_norm": normalize_license(number),
        "from_on": first,
        "to_on": last,
        "filed_on": filed,
        "kind": kind or None,
    }

    def insert(full: dict[str, Any]) -> None:
        insert_contracts(store, [{**full, "content": {}}])

    return keep(store, teller, "contract", system, row, values, insert)


def file_statement(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """An owner's statement for a period: that nothing was serviced, or that an exemption still holds.

    Values: a place, `period` (`2026`, `2026-H1`), `received_on` (today), `reason`, `kind` (`STATEMENTS`).
    """
    form = _form(teller, values, "period", "received_on", "reason", "kind")
    period = form.matching("period", _PERIOD, "Give a year, or a half of one: 2026 or 2026-H1.")
    received = form.day("received_on", past=True) or teller.today
    reason, kind = form.text("reason", longest=2_000), form.choice("kind", STATEMENTS, "no_service")
    system = form.place(store)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {"period": period, "received_on": received.isoformat(), "reason": reason, "kind": kind}
    return keep_fact(store, teller, "statement", system, content, values, valid_from=received)


def change_contact(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """How an owner is reached from now on: all three as they are to be, so that an empty one is taken off the file.

    Values: a place, `mailing_address`, `email` (several parted by semicolons), `phone`. Whose system it is stays: the
    county enters another owner, by its inventory. A notice needs a way to arrive, so one address is asked for.
    """
    form = _form(teller, values, "mailing_address", "email", "phone")
    content = {name: form.text(name, longest=longest) for name, longest in (("mailing_address", 500), ("phone", 60))}
    email = _emails(form)
    if not email and not content["mailing_address"] and not form.issues:
        form.refuse("mailing_address", "Give a mailing address or an e-mail address: notices need a way to reach you.")
    hold(store)  # an inventory that comes at the same time must not lose what it says of the owner
    system = form.place(store)
    owner = load_history(store, [system])[system].owner if system and not form.issues else None
    if owner is None and not form.issues:
        form.refuse("system", "No owner is on file for this system: the county enters one first.", system)
    if form.issues or owner is None:
        return NotTold(issues=tuple(form.issues))
    before = {"email": owner["email"], **{name: owner["content"].get(name) for name in content}}
    after = {name: text or None for name, text in {"email": email, **content}.items()}
    kept = {name: text for name, text in owner["content"].items() if name not in content}
    row = {
        "name": owner["name"],
        "valid_from": owner["valid_from"],
        "email": email or None,
        "content": {**kept, **{name: text for name, text in content.items() if text}},
    }

    def insert(place: dict[str, Any]) -> None:
        end_versions(store, tables.owner_version, [{"system": system}], place["seq"])
        insert_owners(store, [{**place, **row}])

    changed = [name for name, text in after.items() if (before[name] or None) != text]
    told = keep(store, teller, "owner_contact", system, {}, values, insert, {"changed": changed})
    if changed and before["email"]:
        record_domain_events(store, [_contact_changed(store, teller, told, before["email"], changed)])
    return told


def _contact_changed(store: Store, teller: Teller, told: Told, former: str, changed: list[str]) -> dict[str, Any]:
    """The event by which the addresses from before are told: whoever else has the owner's link is found out."""
    place = load_history(store, [told.system])[told.system].system or {}
    names = ("permit_number", "parcel_number", "site_address", "municipality")
    content = {
        **{name: place[name] for name in names if place.get(name)},
        "system": told.system,
        "former_email": former,
        "changed": changed,
        "changed_on": teller.today.isoformat(),
        **_law_of_feature(teller, "inventory_columns"),
    }
    key = f"contact:{told.system}:{told.receipt.seq}"
    event = {"id": new_id("evt", teller.now), "kind": "contact_changed", "cause_key": key, "system": told.system}
    return {**event, "occurred_at": teller.now, "content": content}


def _law_of_feature(teller: Teller, feature: str) -> dict[str, str]:
    """The rule and section in force today that a part of the service carries out."""
    found = (p for p in teller.program.at(teller.today).of(Feature) if p.act.feature == feature)
    return next(({"rule": p.id, "cite": p.cite} for p in found), {"rule": "", "cite": ""})


def _emails(form: Form) -> str:
    text = form.text("email", longest=1_000)
    try:
        return "; ".join(parse_emails(text)) if text else ""
    except BadValue as error:
        form.refuse("email", error.message, text)
        return ""


def set_setting(store: Store, teller: Teller, name: str, value: object, valid_from: dt.date) -> Told | NotTold:
    """A county's own value of a setting of its program from a day on. Every system is judged again.

    value: as JSON has it, dates as YYYY-MM-DD.
    """
    setting = teller.program.settings.get(name)
    problem = f"There is no setting {name[:60]!r}; there are: {', '.join(sorted(teller.program.settings))}."
    try:
        if setting is not None:
            read = setting.read(value)
            problem = ""
            refused = refuse_change(store, teller.program, name, read, valid_from)
            if refused is not None:
                return NotTold(issues=(refused,))
    except SettingError as error:
        problem = f"{name}: {error}."
    if problem:
        return NotTold(issues=(Issue(code=Code.BAD_VALUE, field=name, message=problem, value=str(value)[:200]),))
    told = keep_fact(
        store, teller, "setting", "", {"value": value}, {"name": name, "value": value}, valid_from, fact_id=name
    )
    mark_all_dirty(store)
    return told


def _form(teller: Teller, values: Values, *names: str) -> Form:
    form = Form(values=values, today=teller.today)
    form.refuse_unknown((*PLACE, *names))
    return form


def keep_fact(
    store: Store,
    teller: Teller,
    kind: str,
    system: str,
    content: Mapping[str, object],
    values: Values,
    valid_from: dt.date | None,
    *,
    fact_id: str = "",
    replaces: str = "",
) -> Told:
    """A fact of the table of facts; `replaces`: the id of the one whose next version it is."""

    def insert(row: dict[str, Any]) -> None:
        if replaces:
            end_versions(store, tables.fact, [{"kind": kind, "system": system, "id": replaces}], row["seq"])
        fact = {"kind": kind, "id": fact_id or replaces or f"{kind}_{row['seq']}", "content": dict(content)}
        insert_facts(store, [{**row, **fact, "valid_from": valid_from}])

    entry = {name: value for name, value in content.items() if name not in TEXTS}
    named = fact_id or replaces
    return keep(store, teller, kind, system, {}, values, insert, {**entry, **({"id": named} if named else {})})


def keep(
    store: Store,
    teller: Teller,
    kind: str,
    system: str,
    row: Mapping[str, Any],
    values: Values,
    insert: Callable[[dict[str, Any]], None],
    entry: Mapping[str, object] | None = None,
) -> Told:
    """The entry, the fact under its number, the mark for assessment, the receipt.

    row: the fact's columns; entry: what the record says of it where that is less; insert: keeps the fact.
    """
    content = {"system": system, "by": teller.by, **(row if entry is None else entry)}
    raw = json.dumps(dict(values), ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
    appended = append(store, [NewEntry(type=kind, content=content, raw=raw)], teller.now)
    seq = appended[0].seq
    insert({"system": system, "seq": seq, **row})
    if system:
        mark_dirty(store, [system])
    receipt = receipts_for(appended, checkpoint(store, teller.signer, teller.now))[0]
    named = (entry or {}).get("id")
    return Told(id=str(named) if named else f"{kind}_{seq}", system=system, receipt=receipt)
