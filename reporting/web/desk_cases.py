"""Cases on pages: what proposes one, the list, one with its timeline and its next step. Staff decide; nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.cases import dismiss_proposal, further_step, list_cases, list_proposals, new_case, show_case
from reporting.api.moments import program_today
from reporting.api.problems import absent
from reporting.api.queries_records import CasesQuery
from reporting.cases.kinds import case_kinds, case_steps
from reporting.web.asking import Told, ask, form_values, go, in_own_county, query_of, tell
from reporting.web.desk_views import listed
from reporting.web.desk_words import place_words, render_desk, sentence

LIST: Final = "/desk/cases"
_ALL: Final = 200
_SWITCHES: Final = (("true", "yes"), ("false", "no"))


@in_own_county
def show_cases() -> AnyResponse:
    """Proposals first, then the county's cases, newest first."""
    return _list({}, None, "")


@in_own_county
def open_proposed(proposal_key: str) -> AnyResponse:
    """Open the case that a proposal is for, or take its step."""
    found, values = _proposal(proposal_key), form_values()
    told = tell(new_case, {**_given(values), "proposal": proposal_key})
    if not told.ok:
        return _list(values, told, proposal_key)
    return go(f"{LIST}/{found['case'] or told.body['id']}", "opened" if found["proposes"] == "case" else "stepped")


@in_own_county
def dismiss_proposed(proposal_key: str) -> AnyResponse:
    """Note that a proposal is no case, and why."""
    _proposal(proposal_key)
    values = form_values()
    told = tell(dismiss_proposal, _given(values), proposal_key=proposal_key)
    return go(LIST, "dismissed") if told.ok else _list(values, told, proposal_key)


@in_own_county
def show_one_case(case_id: str) -> AnyResponse:
    """One case with all that happened in it."""
    return _page(case_id, {}, None)


@in_own_county
def step_one_case(case_id: str) -> AnyResponse:
    """Take a case further: the day of a step, a note, an answer, more time, a waiver."""
    values = form_values()
    body = {name: value for name, value in values.items() if name not in ("step", "on")}
    if values.get("step"):
        body[str(values["step"])] = values.get("on", "")
    told = tell(further_step, _given(body), case_id=case_id)
    return go(f"{LIST}/{case_id}", "stepped") if told.ok else _page(case_id, values, _at_fields(told, values))


def _list(values: Mapping[str, Any], told: Told | None, key: str) -> AnyResponse:
    found = ask(list_cases, query_of(CasesQuery) if request.method == "GET" else {"limit": _ALL})
    proposals = ask(list_proposals, {"limit": _ALL})
    with service().database.reading(call().tenant) as store:
        program, _today = program_today(store)
    return render_desk(
        "cases",
        status=told.status if told else 200,
        proposals=[{**row, "place": place_words(row)} for row in proposals.body["proposals"]],
        more_proposals=proposals.more is not None,
        cases=[{**row, "place": place_words(row)} for row in found.body["cases"]],
        more=found.more,
        kinds=[(one, sentence(one)) for one in case_kinds(program)],
        switches=_SWITCHES,
        asked=request.args,
        listed=listed("cases"),
        values=values,
        told=told,
        told_of=key,
    )


def _page(case_id: str, values: Mapping[str, Any], told: Told | None) -> AnyResponse:
    case = ask(show_case, case_id=case_id).body
    with service().database.reading(call().tenant) as store:
        program, today = program_today(store)
    return render_desk(
        "case",
        status=told.status if told else 200,
        case={**case, "place": place_words(case)},
        steps=[(one, sentence(one)) for one in case_steps(program)],
        duty_kinds=[(one["kind"], sentence(one["kind"])) for one in case["duties"]],
        today=today,
        values={"on": today.isoformat(), **values},
        told=told,
    )


def _proposal(key: str) -> dict[str, Any]:
    """The proposal that is open under a key; else the same 404 as for every absent thing."""
    rows = ask(list_proposals, {"limit": _ALL})
    while True:
        for row in rows.body["proposals"]:
            if row["key"] == key:
                return dict(row)
        if rows.more is None:
            raise absent()
        rows = ask(list_proposals, {"limit": _ALL, "cursor": rows.cursor})


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", None)}


def _at_fields(told: Told, values: Mapping[str, Any]) -> Told:
    """What is wrong with a step's day stands at the field where the form asks for it."""
    names = {str(values.get("step")): "on"}
    errors = {names.get(name, name): message for name, message in told.errors.items()}
    return Told(status=told.status, summary=told.summary, errors=errors)
