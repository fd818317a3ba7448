"""The enforcement sheet: what the county's record says of a violation and what its ordinance makes of it.

For whoever prosecutes, and for the owner: facts with their sources, each duty with the rule in force, the days counted,
what they may cost, who prosecutes, how long to appeal. It decides nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reporting.cases.duties import Judged, duties_of, judged_system
from reporting.cases.rows import timeline
from reporting.domain.answers import Assessment, Obligation
from reporting.domain.enforcement import (
    AppealUntil,
    Forfeiture,
    Violation,
    appeals,
    late_report,
    referrals,
    sentences,
    total,
    violations,
)
from reporting.owners import TEXTS
from reporting.scenario import show_obligation
from reporting.store.cases import CASE, PLACE, mailed_about, versions_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory
from schemas.acts import Act, FailureCodes
from schemas.calendar import local_date
from schemas.program import Program, Provision

_REPORTED: Final = (
    "failure_condition", "surface_discharge", "defects", "tampering", "no_access", "tank_condition", "ponding",
)  # fmt: skip
_REPORTS_SHOWN: Final = 12
"""How many reports, the last ones, stand on a sheet; the others are in the service record."""


def enforcement_sheet(
    store: Store, program: Program, system: str, today: dt.date, case_id: str | None = None
) -> dict[str, Any]:
    """The sheet of a case, or (without one) of all that stands against a system, on a day. Raises RecordNotFound.

    Money is in cents; days are counted with the first and the last one.
    """
    known = judged_system(store, program, system, today)
    stored, judged = known.stored, known.assessment
    cases = {row["id"]: row["content"] for row in stored.facts.get(CASE, ()) if case_id in (None, row["id"])}
    found = _violations(program, known, cases, case_id, today)
    text = program.at(found[0].first_on if found else today)
    kinds = {content["kind"] for content in cases.values()}
    least, most = total(found)
    return {
        "county": program.slug,
        "authority": program.authority,
        "governmental_unit": program.governmental_unit,
        "as_of": today.isoformat(),
        "system": system,
        **{name: (stored.system or {}).get(name) for name in PLACE},
        "owner_name": stored.owner["name"] if stored.owner else None,
        "case": case_id,
        "case_kind": cases[case_id]["kind"] if case_id in cases else None,
        "standing": judged.standing.value,
        "text": {"name": text.name, "in_force_since": text.starts_on.isoformat()},
        "facts": sorted(_facts(store, program, stored, cases), key=lambda one: one["on"]),
        "earlier_reports": max(0, len(_reports(stored)) - _REPORTS_SHOWN),
        "violations": [_violation(one) for one in found],
        "total": {"cents_min": least, "cents_max": most} if any(one.forfeiture for one in found) else None,
        "waived": [show_obligation(o) for o in _asked(judged, case_id) if "waived" in o.suspended_because],
        "prosecutes": [{"to": p.act.to, **_law(p)} for p in referrals(text)],
        "appeals": [_appeal(one) for one in appeals(program, text, _steps(cases))],
        "sentences": [{"sentence": p.act.sentence, **_law(p)} for p in sentences(text, kinds)],
    }


def _asked(judged: Assessment, case_id: str | None) -> Sequence[Obligation]:
    return judged.obligations if case_id is None else duties_of(judged, case_id)


def _violations(
    program: Program,
    known: Judged,
    cases: Mapping[str, Mapping[str, Any]],
    case_id: str | None,
    today: dt.date,
) -> list[Violation]:
    stored, judged = known.stored, known.assessment
    notices = {key: day for key, one in cases.items() if (day := _day(one, "notified_on"))}
    letters = [_day(row["content"], "on") for row in stored.facts.get("mailing", ())]
    if told := [day for day in letters if day]:
        notices[""] = max(told)
    kinds = {key: str(content["kind"]) for key, content in cases.items()}
    tank = known.system.main_tank.kind if known.system.main_tank else ""
    # A cycle of service met long ago is history; what the cases asked for, met late, belongs to the sheet.
    duties = [o for o in _asked(judged, case_id) if o.is_of_case or o.met_on is None]
    found = violations(program, duties, today, case_kinds=kinds, notices=notices, tank=tank)
    if case_id is None:
        received = {row["id"]: local_date(row["first_received_at"], program.timezone) for row in stored.events}
        named = (f for f in judged.findings if f.event in received)
        late = [late_report(program, f, received[f.event], notices.get(""), tank) for f in named]
        found += [one for one in late if one is not None]
    return sorted(found, key=lambda one: (one.first_on, one.kind))


def _facts(
    store: Store, program: Program, stored: StoredHistory, cases: Mapping[str, Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """What is on record, each with its day and its source: reports, steps of the cases, letters with their proof."""
    for row in _reports(stored)[-_REPORTS_SHOWN:]:
        yield _report(row, program)
    for case_id in cases:
        for entry in timeline(versions_of(store, CASE, case_id), program):
            yield from _entered(case_id, entry)
    for row in mailed_about(store, stored.system_id):
        yield _letter(row, program)


def _reports(stored: StoredHistory) -> list[Mapping[str, Any]]:
    return [row for row in stored.events if not row["content"].get("baseline")]


def _report(row: Mapping[str, Any], program: Program) -> dict[str, Any]:
    said = {name: row["content"][name] for name in _REPORTED if row["content"].get(name)}
    if "failure_condition" in said:
        said["failure_condition"] = _condition(program, row["service_date"], said["failure_condition"])
    received = local_date(row["first_received_at"], program.timezone).isoformat()
    licence = f", licence {row['license_number']}" if row["license_number"] else ""
    source = f"report {row['id']}, received {received}{licence}"
    what = str(row["event_type"]).replace("_", " ")
    return {"on": row["service_date"].isoformat(), "what": "report", "said": what, **said, "source": source}


def _condition(program: Program, day: dt.date, code: str) -> str:
    """The condition of a failing system in the words of the text in force when it was reported."""
    words = next((p.act.codes[code] for p in program.at(day).of(FailureCodes) if code in p.act.codes), "")
    return f"({code}) {words}" if words else f"({code})"


def _entered(case_id: str, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps of one entry of a case's record, with what was written at that."""
    words = {name: entry[name] for name in TEXTS if name in entry}
    source = f"case {case_id}, entry {entry['entry']} of the record, entered {entry['entered_on']}"
    told = {"what": "step", **words, "source": source}
    for given in entry.get("extensions", ()):
        said = f"{given['duty'].replace('_', ' ')} extended until {given['until']} (before: {given['was']})"
        yield {"on": given["on"], "said": said, **told}
    for given in entry.get("waivers", ()):
        yield {"on": given["on"], "said": f"{given['duty'].replace('_', ' ')} waived", **told}
    steps = [one for one in entry["steps"] if one["step"] != "due_on"]
    for one in steps:
        yield {"on": one["on"], "said": one["step"].removesuffix("_on").replace("_", " "), **told}
    if words and not (steps or entry.get("extensions") or entry.get("waivers")):
        yield {"on": entry["entered_on"], "said": "note", **told}


def _letter(row: Mapping[str, Any], program: Program) -> dict[str, Any]:
    source = f"print run {row['run']}, letter {row['position']}, SHA-256 of its text {row['text_sha256']}"
    source += f"; entry {row['seq']} of the record" if row["seq"] else ""
    said = f"mailed, {str(row['mail_class']).replace('_', ' ')}: {row['content']['title']}"
    proof = f"/v1/{program.slug}/print-runs/{row['run']}/proof.pdf"
    return {"on": row["mailed_on"].isoformat(), "what": "letter", "said": said, "source": source, "proof": proof}


def _steps(cases: Mapping[str, Mapping[str, Any]]) -> dict[str, dt.date]:
    """The steps on file by name; of several cases the last day of each."""
    found: dict[str, dt.date] = {}
    for content in cases.values():
        for name in content:
            if name.endswith("_on") and name != "due_on" and (day := _day(content, name)):
                found[name] = max(day, found.get(name, day))
    return found


def _day(content: Mapping[str, Any], name: str) -> dt.date | None:
    return dt.date.fromisoformat(content[name]) if content.get(name) else None


def _law(p: Provision[Act]) -> dict[str, str]:
    return {"rule": p.id, "cite": p.cite}


def _violation(one: Violation) -> dict[str, Any]:
    names = ("kind", "component", "case_kind", "rule", "cite", "title", "text", "because", "duty_of", "ended", "days")
    days = {name: getattr(one, name).isoformat() for name in ("due_on", "last_day", "first_on", "through")}
    forfeiture = _forfeiture(one.forfeiture) if one.forfeiture else None
    return {**{name: getattr(one, name) for name in names}, **days, "forfeiture": forfeiture}


def _forfeiture(one: Forfeiture) -> dict[str, Any]:
    act = one.provision.act
    names = ("name", "called", "cents_min", "cents_max", "per_day", "costs", "after_notice")
    told = one.notified_on.isoformat() if one.notified_on else None
    sums = {"total_cents_min": one.total_min, "total_cents_max": one.total_max}
    return {**{name: getattr(act, name) for name in names}, **sums, "notified_on": told, "waits_for_notice": one.waits,
            **_law(one.provision)}  # fmt: skip


def _appeal(one: AppealUntil) -> dict[str, Any]:
    act, end = one.provision.act, one.deadline
    days = {"due_on": end.due_on.isoformat(), "last_day": end.last_day.isoformat()} if end else {}
    start = one.start.isoformat() if one.start else None
    counted = {"counted_from": one.counted_from or None, "start": start, "due_on": None, "last_day": None, **days}
    return {"to": act.to, "days": act.days, "fee_cents": act.fee_cents, "more": act.more, **counted,
            **_law(one.provision)}  # fmt: skip
