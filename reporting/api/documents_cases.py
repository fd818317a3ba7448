"""The shapes of cases, their proposals, permit holds and enforcement sheets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.shapes import COUNT, DAY, MAYBE_DAY, MAYBE_TEXT, TEXT, Json, an_object, list_of, strict

_PLACE: Final = {"permit_number": MAYBE_TEXT, "parcel_number": MAYBE_TEXT, "site_address": MAYBE_TEXT}
_LAW: Final = {"rule": TEXT, "cite": TEXT}
_ANY: Final[Json] = {"type": "object"}
_CENTS: Final = {**COUNT, "description": "In cents."}
_STEPS: Final = {
    "opened_on": DAY,
    "notified_on": DAY,
    "answered_on": DAY,
    "closed_on": DAY,
}

CASES: Final[Mapping[str, Json]] = {
    "Cases": an_object(
        "county cases",
        county=TEXT,
        cases=list_of(
            an_object(
                "id system kind duties",
                id=TEXT,
                system=TEXT,
                kind=TEXT,
                opened_on=MAYBE_DAY,
                **_PLACE,
                duties={**list_of(_ANY), "description": "What it asks for, by when, by which rule, how late."},
            )
        ),
    ),
    "Case": an_object(
        "id county system kind open duties extensions waivers timeline messages",
        id=TEXT,
        county=TEXT,
        system=TEXT,
        kind=TEXT,
        **_PLACE,
        opened_on=MAYBE_DAY,
        cause={**_ANY, "description": "The finding that proposed it, and the report that the finding is of."},
        open={"type": "boolean"},
        duties={**list_of(_ANY), "description": "What it asks for; met and waived ones as well."},
        extensions={**list_of(_ANY), "description": "Later days given: until when, what it was, by whom and why."},
        waivers={**list_of(_ANY), "description": "Duties that are not asked for any more: since when, by whom, why."},
        timeline=list_of(
            an_object(
                "entry entered_on steps",
                entry={**COUNT, "description": "Of the county's record."},
                entered_on=DAY,
                by=MAYBE_TEXT,
                steps=list_of(an_object("step on", step=TEXT, on=DAY, was=DAY)),
                note=TEXT,
                answer=TEXT,
                reason=TEXT,
                authority=TEXT,
            )
        ),
        messages={**list_of(_ANY), "description": "Mails and letters about it; of letters mailed the proof's run."},
    ),
    "NewCase": {
        **an_object(
            "",
            proposal={**TEXT, "description": "The key of a proposal that is confirmed: then neither kind nor place."},
            system=TEXT,
            permit_number=TEXT,
            kind=TEXT,
            due_on=DAY,
            license_number={**TEXT, "description": "Of the contractor whom the case is about."},
            note=TEXT,
            **_STEPS,
        ),
        "description": "A place, the kind, the days of steps (the county's program says which there are); or a key.",
    },
    "CaseSteps": {
        "type": "object",
        "minProperties": 1,
        "properties": {
            "due_on": {**DAY, "description": "The county's own day; with `authority` and `reason` an extension to it."},
            "duty": {**TEXT, "description": "Which duty is extended, where the case has several."},
            "waived": {**TEXT, "description": "A duty that is not asked for any more; needs `authority` and `reason`."},
            "note": TEXT,
            "answer": {**TEXT, "description": "What the owner answered, of `answered_on`."},
            "reason": TEXT,
            "authority": {**TEXT, "description": "Who decided, by which right."},
        },
        "additionalProperties": DAY,
        "description": "Step → its day: `notified_on`, `answered_on`, `closed_on` and what the program counts from.",
    },
    "CaseProposals": an_object(
        "county proposals",
        county=TEXT,
        proposals=list_of(
            an_object(
                "key proposes system finding rule cite because",
                key={**TEXT, "description": "For POST …/cases (`proposal`) and …/proposals/{key}/dismissal."},
                proposes={"enum": ["case", "step"]},
                kind={**MAYBE_TEXT, "description": "Of the case that it opens."},
                step=MAYBE_TEXT,
                case={**MAYBE_TEXT, "description": "The case whose step it is."},
                system=TEXT,
                **_PLACE,
                finding=TEXT,
                **_LAW,
                title=TEXT,
                because=TEXT,
                due_on=MAYBE_DAY,
                last_day=MAYBE_DAY,
                proposed_by={**TEXT, "description": "The rule that proposes it."},
                report={"type": ["object", "null"], "description": "The report that it is of."},
            )
        ),
    ),
    "ProposalDismissal": strict("reason", reason={**TEXT, "description": "Why it is no case."}),
    "PermitHold": an_object(
        "county as_of held because reasons",
        county=TEXT,
        as_of=DAY,
        held={"type": ["boolean", "null"], "description": "null: the ordinance has no such rule."},
        rule=MAYBE_TEXT,
        cite=MAYBE_TEXT,
        because=TEXT,
        reasons={**list_of(_ANY), "description": "Each violation outstanding: whose, where, which duty, how late."},
    ),
    "EnforcementSheet": an_object(
        "county as_of system facts violations prosecutes appeals sentences",
        county=TEXT,
        authority=TEXT,
        as_of=DAY,
        system=TEXT,
        case=MAYBE_TEXT,
        **_PLACE,
        earlier_reports={**COUNT, "description": "Reports before those among the facts."},
        facts=list_of(an_object("on what said source", on=DAY, what=TEXT, said=TEXT, source=TEXT, proof=TEXT)),
        violations=list_of(
            an_object(
                "kind rule cite title due_on last_day first_on through days",
                kind=TEXT,
                **_LAW,
                title=TEXT,
                text={**TEXT, "description": "The text in force on the first day past the last one."},
                due_on=DAY,
                last_day=DAY,
                first_on=DAY,
                through=DAY,
                days={**COUNT, "description": "The first and the last one counted."},
                forfeiture={"type": ["object", "null"], "description": "Null: the text names no amount."},
            )
        ),
        total={"oneOf": [an_object("cents_min cents_max", cents_min=_CENTS, cents_max=_CENTS), {"type": "null"}]},
        prosecutes=list_of(an_object("to rule cite", to=TEXT, **_LAW)),
        appeals=list_of(an_object("to rule cite", to=TEXT, days={"type": ["integer", "null"]}, last_day=MAYBE_DAY)),
        sentences=list_of(an_object("sentence rule cite", sentence=TEXT, **_LAW)),
    ),
}
