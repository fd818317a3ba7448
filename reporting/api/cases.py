"""A county's cases: opened, taken a step further, listed with their deadlines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, service
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import absent
from reporting.api.queries_records import CasesQuery
from reporting.api.shapes import ref
from reporting.api.telling import tell
from reporting.owners import NotTold, Teller, Told, open_case, step_case
from reporting.store.derived import obligations_of
from reporting.store.engine import Store
from reporting.store.services import facts_of_kind, system_of_fact

SECTION: Final = Section("cases", __name__, description="What the county pursues; nothing is decided by itself.")
_SIGNED: Final = {201: Answer(tells="Kept; signed for.", schema=ref("Told"))}


@SECTION.endpoint(
    "/v1/<slug:county>/cases",
    query=CasesQuery,
    answers={200: Answer(tells="The cases.", schema=ref("Cases"))},
)
def list_cases(query: dict[str, Any], county: str) -> Response:
    """The county's cases, newest first; each with the duties of its system that cases have opened."""
    with service().database.reading(county) as store:
        found = [fact for fact in facts_of_kind(store, "case") if _is_asked_for(fact["content"], query)]
        duties = obligations_of(store, sorted({fact["system"] for fact in found}))
    rows = [_shown(fact, duties.get(fact["system"], [])) for fact in found]
    rows.sort(key=lambda row: (row["opened_on"] or row.get("notified_on") or "", row["id"]), reverse=True)
    return Reply(status=200, body={"county": county, "cases": rows}).response()


@SECTION.endpoint("/v1/<slug:county>/cases", method="POST", once=True, body=json_body(ref("NewCase")), answers=_SIGNED)
def new_case(query: dict[str, Any], county: str) -> Response:
    """Open a case about a system: its kind, and the days of the steps already taken."""
    return tell(open_case)


@SECTION.endpoint(
    "/v1/<slug:county>/cases/<id:case_id>/steps",
    method="POST",
    once=True,
    body=json_body(ref("CaseSteps")),
    answers=_SIGNED,
)
def further_step(query: dict[str, Any], county: str, case_id: str) -> Response:
    """Add the days of further steps to a case (`notified_on`, `answered_on`, `closed_on` …); as it was stays known."""

    def step(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
        system = system_of_fact(store, "case", case_id)
        if system is None:
            raise absent()
        return step_case(store, teller, system, case_id, values)

    return tell(step)


def _is_asked_for(content: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    if query.get("kind") and content.get("kind") != query["kind"]:
        return False
    is_open = not content.get("closed_on")
    return query.get("open") is None or query["open"] is is_open


def _shown(fact: Mapping[str, Any], duties: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = ("kind", "component", "component_ref", "state", "due_on", "last_day", "rule", "cite", "because")
    mine = f"case:{fact['id']}:"
    of_cases = [{name: duty[name] for name in names} for duty in duties if duty["cycle"].startswith(mine)]
    return {"id": fact["id"], "system": fact["system"], "opened_on": None, **fact["content"], "duties": of_cases}
