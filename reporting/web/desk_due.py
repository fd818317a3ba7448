"""What is due in the county on a page, with its filters in the address and the same list as files."""

from __future__ import annotations

from typing import Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.obligations import list_obligations
from reporting.api.queries import ObligationsQuery
from reporting.domain.answers import State
from reporting.web.asking import DONE, ask, in_own_county, query_of
from reporting.web.desk_views import listed
from reporting.web.desk_words import place_words, render_desk, sentence
from reporting.web.rendering import words
from schemas.acts import OBLIGATION_KINDS

_USUAL: Final = ("overdue", "due_soon")
_FILTERS: Final = ("state", "kind", "due_before", "contractor", "municipality")


@in_own_county
def show_due() -> AnyResponse:
    """Duties by what the address asks, soonest first; without a state those that are overdue or due soon."""
    query = {"state": _USUAL, **query_of(ObligationsQuery)}
    found = ask(list_obligations, query)
    asked = {name: value for name, value in request.args.items() if value and name in _FILTERS and name != DONE}
    return render_desk(
        "due",
        rows=[{**row, "place": place_words(row)} for row in found.body["obligations"]],
        more=found.more,
        asked=asked,
        listed=listed("obligations"),
        states=[(one.value, words(one)) for one in State],
        kinds=[(one, sentence(one)) for one in sorted(OBLIGATION_KINDS)],
    )
