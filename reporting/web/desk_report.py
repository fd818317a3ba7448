"""A paper report entered by the county: through the same intake as every other, judged by the day it was received."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.moments import county_today, program_today
from reporting.api.reports import show_report, submit_report
from reporting.store.roles import Scope
from reporting.web.asking import Told, ask, form_values, go, in_own_county, may, tell
from reporting.web.desk_words import render_desk, sentence
from schemas.acts import COMPONENTS, EVENT_TYPES
from schemas.publish import json_schema

ADDRESS: Final = "/desk/report"
_LONG: Final = ("work_description", "notes", "defects", "not_pumped_reason")
_CHOSEN: Final = ("component", "event_type")
_DONE: Final = {"queued_for_review": "queued", "duplicate": "duplicate"}
_USUAL: Final = {"component": "septic", "event_type": "pumping"}


@in_own_county
def show_report_form() -> AnyResponse:
    """The form of a kind of report: what was served, and how."""
    return _page({name: request.args.get(name, "") for name in (*_CHOSEN, "permit_number")}, None)


@in_own_county
def enter_report() -> AnyResponse:
    """Take a paper report in the county's name, as received on the day that the form says."""
    values = form_values()
    told = tell(submit_report, {name: value for name, value in values.items() if value != ""})
    if not told.ok:
        return _page(values, told)
    return go(_where(told.body), _DONE.get(told.body["outcome"], "taken"))


def _where(taken: Mapping[str, Any]) -> str:
    """Where to look at what was taken: the doubt that waits, else its system, as far as the caller may."""
    if taken.get("review") and may(Scope.REVIEWS_READ):
        return f"/desk/reviews/{taken['review']}"
    report = ask(show_report, report_id=taken["report_id"]).body if may(Scope.REPORTS_READ) else {}
    return f"/desk/systems/{report['system']}" if report.get("system") and may(Scope.SYSTEMS_READ) else ADDRESS


def _page(values: Mapping[str, Any], told: Told | None) -> AnyResponse:
    chosen = {name: _known(name, values.get(name)) for name in _CHOSEN}
    with service().database.reading(call().tenant) as store:
        program, today = program_today(store)
    schema: Mapping[str, Any] = json_schema(program, chosen["component"], chosen["event_type"], today)
    fields = [_field(name, one, schema) for name, one in schema["properties"].items() if name not in _CHOSEN]
    return render_desk(
        "report",
        status=told.status if told else 200,
        asked_fields=[one for one in fields if one["cite"] or one["required"]],
        other_fields=[one for one in fields if not (one["cite"] or one["required"])],
        authority=schema["description"],
        components=[(one, sentence(one)) for one in COMPONENTS],
        event_types=[(one, sentence(one)) for one in EVENT_TYPES],
        chosen=chosen,
        today=county_today(),
        values=values,
        told=told,
    )


def _known(name: str, given: object) -> str:
    words = COMPONENTS if name == "component" else EVENT_TYPES
    return str(given) if given in words else _USUAL[name]


def _field(name: str, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """One field of the form, from the published schema: its label, help, control, and the section that asks for it."""
    kind = schema.get("type")
    options = [(one, sentence(one)) for one in schema.get("enum", ())]
    if kind == "boolean":
        options = [("yes", "Yes"), ("no", "No")]
    return {
        "name": name,
        "label": schema["title"],
        "hint": schema.get("description", ""),
        "kind": "date" if schema.get("format") == "date" else "text",
        "options": options,
        "rows": 3 if name in _LONG else 0,
        "required": name in whole.get("required", ()),
        "cite": whole.get("x-citations", {}).get(name, ""),
    }
