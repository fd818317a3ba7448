"""The office's part of an owner's way in: a code for one system, shown once, on a sheet to print and mail."""

from __future__ import annotations

from typing import Any

from werkzeug.wrappers import Response as AnyResponse

from reporting.access.codes import make_code, take_code_back
from reporting.api.calls import call, service
from reporting.api.entering import server_secret
from reporting.api.moments import program_today
from reporting.api.systems import show_system
from reporting.store.ways_in import CODE_TRIES, code_of
from reporting.web.asking import ask, form_values, go, in_own_county
from reporting.web.desk_words import render_desk
from schemas.calendar import local_date


@in_own_county
def show_owner_code(system_id: str) -> AnyResponse:
    """How the owner of a system gets in, and whether a code of the office is out."""
    return _page(system_id)


@in_own_county
def make_owner_code(system_id: str) -> AnyResponse:
    """Make a code, once it was said that the owner's identity was checked; it is on this page and on no other."""
    system = ask(show_system, system_id=system_id).body
    if form_values().get("checked") != "yes" or not (system["owner"] or {}).get("name"):
        return _page(system_id, status=422, wrong=True)
    with service().database.transaction(call().tenant) as store:
        code, ends = make_code(store, server_secret(), system_id, call().keyholder.key_id, call().now)
        program, today = program_today(store)
    return render_desk(
        "way_in_sheet",
        system=system,
        code=code,
        ends=local_date(ends, program.timezone),
        today=today,
        office=program.governmental_unit,
        base_url=service().config.base_url,
        link=f"{service().config.base_url}/s/{system_id}/mine",
    )


@in_own_county
def withdraw_owner_code(system_id: str) -> AnyResponse:
    """Make the code useless that is out, as when it went to the wrong person."""
    ask(show_system, system_id=system_id)
    with service().database.transaction(call().tenant) as store:
        take_code_back(store, system_id, call().keyholder.key_id, call().now)
    return go(f"/desk/systems/{system_id}/way-in", "code_withdrawn")


def _page(system_id: str, status: int = 200, **more: Any) -> AnyResponse:
    system = ask(show_system, system_id=system_id).body
    with service().database.reading(call().tenant) as store:
        made = code_of(store, system_id)
        program, _today = program_today(store)
    days = {
        name: local_date(made[name], program.timezone) if made and made[name] else None
        for name in ("made_at", "expires_at", "used_at")
    }
    state = ""
    if made:
        over = made["expires_at"] <= call().now
        state = "used" if made["used_at"] else "over" if over else "tried" if made["tries"] >= CODE_TRIES else "out"
    return render_desk(
        "way_in", status=status, system=system, made=made, days=days, state=state, **{"wrong": False, **more}
    )
