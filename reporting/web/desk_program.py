"""The county's program to read: on the desk with the county's own settings, and for everybody."""

from __future__ import annotations

from typing import Any

from flask import Response
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.problems import Problem
from reporting.api.queries import OnQuery
from reporting.api.settings import show_settings
from reporting.histories import county_program
from reporting.web.asking import Told, ask, in_own_county, query_of
from reporting.web.desk_settings import write_value
from reporting.web.desk_words import render_desk
from reporting.web.places import today_in
from reporting.web.program_words import in_force_since, settings_cited, tables_of
from reporting.web.rendering import render


@in_own_county
def show_desk_program() -> AnyResponse:
    """The rules in force on a day, and the values that the county itself may set, with where they come from."""
    shown = _shown(call().tenant)
    program, on = shown["program"], shown["on"]
    cited = settings_cited(program, on)
    rows = [
        {**row, "shown": write_value(row["value"]), "cites": cited.get(row["name"], ())}
        for row in ask(show_settings).body["settings"]
    ]
    return render_desk("program", settings=rows, **shown)


def show_public_program(county: str) -> Response:
    """The same for everybody, without the settings' history."""
    return render("program_public", county=county, **_shown(county))


def _shown(county: str) -> dict[str, Any]:
    told, on = None, None
    try:
        on = query_of(OnQuery).get("on")
    except Problem as problem:
        told = Told(status=422, summary=problem.detail, errors={"on": str(problem.errors[0]["message"])})
    day = on or today_in(county)
    with service().database.reading(county) as store:
        program = county_program(store, county, on=day)
    text = program.at(day)
    rules = list({p.id: p.rule for p in text.provisions}.values())
    first = {p.id: in_force_since(program, day, p.act) for p in reversed(text.provisions)}
    groups = [
        (heading, [(rule, first[rule.id]) for rule in rules if rule.duty_of in whose])
        for whose, heading in ((("owner",), "Of owners"), (("contractor",), "Of the business that does the work"))
    ]
    groups.append(("Of the county", [(r, first[r.id]) for r in rules if r.duty_of not in ("owner", "contractor")]))
    return {
        "program": program,
        "text": text,
        "on": day,
        "tables": tables_of(program, day),
        "groups": [pair for pair in groups if pair[1]],
        "told": told,
        "status": told.status if told else 200,
        "values": {"on": day.isoformat()},
    }
