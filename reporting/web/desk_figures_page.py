"""Are we getting better: the county's figures with their pictures, each the figure of a list that it leads to."""

from __future__ import annotations

from typing import Final

from flask import Response

from notifications.standing_pdf import standing_words
from reporting.api.calls import call, service
from reporting.api.moments import program_today
from reporting.domain.answers import Standing
from reporting.web.asking import in_own_county
from reporting.web.desk_charts import stacked
from reporting.web.desk_figures import (
    months_before,
    on_time_bars,
    out_of_balance,
    punctuality,
    standing_bars,
    standings_by_month,
)
from reporting.web.desk_words import render_desk

_KINDS: Final = [(one.value, standing_words(one.value).partition(":")[0]) for one in Standing]


@in_own_county
def show_figures() -> Response:
    """How systems stand and stood, how many reports came in time, whose, and which tanks are out of balance."""
    with service().database.reading(call().tenant) as store:
        _program, today = program_today(store)
        by_month = standings_by_month(store, today)
        months = months_before(today)
        since = next((name for name, parts in by_month if parts), "")
        describes = f"A column for each month, of systems by how they stood. Kept since {since}."
        return render_desk(
            "figures",
            today=today,
            standings=standing_bars(store),
            history=stacked("history", "Systems by how they stood, month by month", by_month, _KINDS, describes),
            since=since,
            months=on_time_bars(store, today),
            businesses=punctuality(store, today),
            first=months[0][0],
            last=months[-1][1],
            tilted=out_of_balance(store),
        )
