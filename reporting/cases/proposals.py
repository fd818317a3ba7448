"""What calls for a case or for a step of one: found by the assessment, decided by staff, each cause once.

Which finding proposes what stands in the program (`case_proposal`). A proposal's key is made from its cause, and the
case that it opens has the key for its id: however often it is confirmed, there is one case. What is dismissed, with its
reason in the record, is not proposed again for the same cause.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from reporting.cases.steps import LONGEST, open_case, step_case
from reporting.errors import DecisionRefused, RecordNotFound
from reporting.forms import PLACE as PLACE_OF_A_FORM
from reporting.forms import Form
from reporting.owners import NotTold, Teller, Told, Values, keep_fact
from reporting.store.cases import CASE, DISMISSAL, PLACE, findings_of_kinds, has_fact, ids_among, places_of
from reporting.store.derived import obligations_of
from reporting.store.engine import Store
from reporting.store.facts import load_events, load_history
from reporting.store.log import hold
from reporting.sweep import first_versions
from schemas.acts import CaseProposal
from schemas.program import Program, Provision

_REPORT: Final = (
    "defects", "failure_condition", "surface_discharge", "tampering", "no_access", "tank_condition", "ponding",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """Something that calls for staff's decision: open a `case` of that kind, or take the `step` of the case `of_case`.

    rule, cite: what proposes it; finding: as the assessment kept it; first_report: the
    first version of the report that it is of, '' for none.
    """

    key: str
    case: str
    step: str
    of_case: str
    rule: str
    cite: str
    finding: Mapping[str, Any]
    first_report: str

    @property
    def system(self) -> str:
        """The system that it is about."""
        return str(self.finding["system"])

    @property
    def place(self) -> str:
        """Where it stands in the list."""
        return f"{self.system}|{self.key}"

    @property
    def case_id(self) -> str:
        """The id of the case that it opens."""
        return f"case_{self.key}"

    @property
    def cause(self) -> dict[str, object]:
        """What is kept of it with its case: which finding, by which rule, of which report."""
        names = ("kind", "rule", "cite", "event")
        said = {name: self.finding[name] for name in names if self.finding[name]}
        return {"key": self.key, **said, "proposed_by": self.rule}


@dataclass(frozen=True, kw_only=True)
class _Known:
    """What findings are read with: the first versions of reports, and by system its duties and its cases."""

    firsts: Mapping[str, str]
    duties: Mapping[str, Sequence[Mapping[str, Any]]]
    cases: Mapping[str, Sequence[Mapping[str, Any]]]


def open_proposals(store: Store, program: Program, today: dt.date) -> list[Proposal]:
    """Every finding of the county that calls for a case or a step and on which nobody has decided, by system."""
    acts = program.at(today).of(CaseProposal)
    found = findings_of_kinds(store, {kind for p in acts for kind in p.act.findings})
    known = _known(store, found)
    by_key = {one.key: one for row in reversed(found) for one in _of_finding(row, acts, known)}
    opened = ids_among(store, CASE, (one.case_id for one in by_key.values()))
    decided = ids_among(store, DISMISSAL, by_key)
    left = [one for key, one in by_key.items() if key not in decided and one.case_id not in opened]
    return sorted(left, key=lambda one: one.place)


def confirm(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """Open the case that a proposal is for, or take its step.

    Values: `proposal` (its key); else as for a case (or a step), without place and kind. Raises RecordNotFound for a
    key that proposes nothing, DecisionRefused where somebody has decided before.
    """
    found = _decidable(store, teller, values)
    rest = {name: value for name, value in values.items() if name != "proposal"}
    if found.step:
        return step_case(store, teller, found.system, found.of_case, {found.step: teller.today.isoformat(), **rest})
    own = {name: value for name, value in rest.items() if name not in (*PLACE_OF_A_FORM, "kind")}
    return open_case(
        store, teller, {**own, "system": found.system, "kind": found.case}, case_id=found.case_id, cause=found.cause
    )


def dismiss(store: Store, teller: Teller, key: str, values: Values) -> Told | NotTold:
    """Note that a proposal is no case, with the `reason`. Raises RecordNotFound, DecisionRefused."""
    found = _decidable(store, teller, {"proposal": key})
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("reason",))
    reason = form.text("reason", required=True, longest=LONGEST)
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    content = {**found.cause, "dismissed_on": teller.today.isoformat(), "reason": reason}
    return keep_fact(store, teller, DISMISSAL, found.system, content, values, valid_from=teller.today, fact_id=key)


def show_proposals(store: Store, program: Program, proposals: Sequence[Proposal]) -> list[dict[str, Any]]:
    """Proposals with their evidence, as JSON: the place, the rule, and the report that each is of as it stands."""
    events = load_events(store, {one.finding["event"] for one in proposals if one.finding["event"]})
    places = places_of(store, (one.system for one in proposals))
    return [_shown(one, program, places[one.system], events.get(one.finding["event"])) for one in proposals]


def _shown(
    one: Proposal, program: Program, place: Mapping[str, Any], report: Mapping[str, Any] | None
) -> dict[str, Any]:
    finding = one.finding
    titles = {rule.id: rule.title for rule in program.rules}
    days = {name: finding[name].isoformat() if finding[name] else None for name in ("due_on", "last_day")}
    return {
        "key": one.key,
        "proposes": "step" if one.step else "case",
        "kind": one.case or None,
        "step": one.step or None,
        "case": one.of_case or None,
        "system": one.system,
        **{name: place[name] for name in PLACE},
        "component": finding["component"],
        "finding": finding["kind"],
        "rule": finding["rule"],
        "cite": finding["cite"],
        "title": titles.get(finding["rule"], ""),
        "because": finding["because"],
        **days,
        "proposed_by": one.rule,
        "proposed_cite": one.cite,
        "report": _evidence(report) if report else None,
    }


def _evidence(report: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: report["content"][name] for name in _REPORT if report["content"].get(name)}
    names = ("event_type", "license_number", "report_ref")
    day = {"service_date": report["service_date"].isoformat()}
    return {"report_id": report["id"], **day, **{name: report[name] for name in names}, **said}


def _decidable(store: Store, teller: Teller, values: Values) -> Proposal:
    """The open proposal with this key, held: nobody else decides it meanwhile."""
    key = str(values.get("proposal") or "")
    hold(store)
    if has_fact(store, CASE, f"case_{key}"):
        raise DecisionRefused(f"This was confirmed before: the case is case_{key}.")
    if has_fact(store, DISMISSAL, key):
        raise DecisionRefused("This was dismissed before, with its reason in the record.")
    for one in open_proposals(store, teller.program, teller.today):
        if one.key == key:
            return one
    raise RecordNotFound


def _of_finding(row: Mapping[str, Any], acts: Sequence[Provision[CaseProposal]], known: _Known) -> Iterator[Proposal]:
    """What a finding proposes: a case, or of its case the step that is not on file yet."""
    first = known.firsts.get(row["event"] or "", row["event"] or "")
    for p in acts:
        if row["kind"] not in p.act.findings or not (p.act.any_rule or row["rule"] == p.id):
            continue
        case = _case_of(row, known) if p.act.step else None
        if p.act.step and (case is None or case["content"].get(p.act.step)):
            continue
        of_case = str(case["id"]) if case else ""
        place = first or f"{row['system']}|{of_case}|{row['cause']}"
        words = "|".join((row["kind"], row["rule"], p.act.case or p.act.step, place))
        yield Proposal(
            key=sha256(words.encode()).hexdigest()[:16],
            case=p.act.case,
            step=p.act.step,
            of_case=of_case,
            rule=p.id,
            cite=p.cite,
            finding=row,
            first_report=first,
        )


def _case_of(row: Mapping[str, Any], known: _Known) -> Mapping[str, Any] | None:
    """The case whose duty passed its day, or that was closed on it, as the finding says."""
    due = {
        duty["cycle"].split(":")[1]
        for duty in known.duties.get(row["system"], ())
        if duty["cycle"].startswith("case:")
        and duty["state"] == "overdue"
        and (duty["due_on"], duty["last_day"]) == (row["due_on"], row["last_day"])
    }
    day = row["due_on"].isoformat() if row["due_on"] else ""
    for case in known.cases.get(row["system"], ()):
        if case["id"] in due or (day and case["content"].get("closed_on") == day):
            return case
    return None


def _known(store: Store, found: Sequence[Mapping[str, Any]]) -> _Known:
    events = load_events(store, {row["event"] for row in found if row["event"]})
    systems = {row["system"] for row in found if not row["event"]}
    histories = load_history(store, sorted(systems))
    return _Known(
        firsts=first_versions(store, {key: row["supersedes"] for key, row in events.items() if row["supersedes"]}),
        duties=obligations_of(store, systems),
        cases={key: stored.facts.get(CASE, ()) for key, stored in histories.items()},
    )
