"""Letters on pages: those that wait, the print run, and the day on which a run was mailed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from werkzeug.wrappers import Response as AnyResponse

from notifications.letters_draft import USUAL_RUN
from reporting.api.letters import cancel_print_run, confirm_print_run, list_letters, list_runs, make_print_run
from reporting.api.mailing import show_mail
from reporting.api.moments import county_today
from reporting.api.problems import absent
from reporting.api.queries import LettersQuery
from reporting.web.asking import Told, ask, form_values, go, in_own_county, query_of, tell
from reporting.web.desk_words import render_desk

LIST: Final = "/desk/letters"


@in_own_county
def show_letters() -> AnyResponse:
    """The letters that wait, and the print runs."""
    return _page({}, None, "")


@in_own_county
def print_letters() -> AnyResponse:
    """Make a print run of the letters that wait, at most so many."""
    values = form_values()
    limit = str(values.get("limit", ""))
    told = tell(make_print_run, {"limit": int(limit) if limit.isdecimal() and len(limit) < 9 else limit})
    if not told.ok:
        return _page(values, told, "")
    return go(LIST, "printed" if told.body["run"] else "nothing")


@in_own_county
def confirm_letters(run_id: str) -> AnyResponse:
    """Say on which day a run was mailed: its deadlines count from then."""
    _there(run_id)
    values = form_values()
    told = tell(confirm_print_run, {"mailed_on": values.get("mailed_on")}, run_id=run_id)
    return go(LIST, "mailed") if told.ok else _page(values, told, run_id)


@in_own_county
def cancel_letters(run_id: str) -> AnyResponse:
    """Take a run back that was never mailed."""
    _there(run_id)
    told = tell(cancel_print_run, {}, run_id=run_id)
    return go(LIST, "cancelled") if told.ok else _page({}, told, run_id)


def _there(run_id: str) -> None:
    if run_id not in {run["id"] for run in ask(list_runs).body["print_runs"]}:
        raise absent()


def _page(values: Mapping[str, Any], told: Told | None, run_id: str) -> AnyResponse:
    letters = ask(list_letters, {**query_of(LettersQuery), "state": ("queued",)})
    runs = ask(list_runs).body["print_runs"]
    return render_desk(
        "letters",
        status=told.status if told else 200,
        letters=letters.body["letters"],
        more=letters.more,
        runs=[run for run in runs if run["state"] == "printed"],
        mail=ask(show_mail).body,
        mailed=[run for run in runs if run["state"] != "printed"],
        today=county_today(),
        values={"limit": str(USUAL_RUN), **values},
        told=told,
        told_of=run_id,
    )
