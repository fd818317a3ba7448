"""The county's desk: what needs a person first, then whether it gets better."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response

from notifications.outbox import MessageState, count_messages, list_messages
from notifications.records import Channel
from reporting.api.calls import call, service
from reporting.api.moments import program_today
from reporting.cases.proposals import open_proposals, show_proposals
from reporting.reviews.reading import list_reviews
from reporting.status import due_row
from reporting.store.engine import Store
from reporting.store.letters import QUEUED, count_letters
from reporting.store.lists import ObligationFilter, list_obligations
from reporting.store.reviews import OPEN, ReviewFilter
from reporting.store.roles import Scope
from reporting.store.services import count_by_business
from reporting.store.summaries import case_deadlines, count_open_reviews, count_overdue, overdue_by_town
from reporting.store.verifications import count_verifications, page_verifications
from reporting.verifications import ANSWERED, REQUESTED
from reporting.web.asking import in_own_county, may
from reporting.web.desk_figures import on_time_bars, out_of_balance, standing_bars
from reporting.web.desk_words import place_words, render_desk, sentence, web_query
from reporting.web.rendering import words
from schemas.acts import OBLIGATION_KINDS
from schemas.program import Program

_FIRST: Final = 5
_PAPERS: Final = ("missing_report", "period_report")
_SERVICES: Final = ",".join(sorted(set(OBLIGATION_KINDS) - set(_PAPERS)))
_SERVICES_DUE: Final = f"/desk/obligations?state=overdue&{urlencode({'kind': _SERVICES})}"
"""What is overdue but for papers, which have panels of their own."""

_QUESTIONS: Final = (
    (ANSWERED, "Answers to your questions about reports", "All answers", "No answer waits for you."),
    (REQUESTED, "Questions not answered yet", "All open questions", "Every question was answered."),
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a panel: what it says, and the page where it is dealt with."""

    text: str
    href: str | None = None

    @property
    def words(self) -> str:
        """The line as a sentence begins."""
        return self.text[:1].upper() + self.text[1:]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What waits for a person: how much, the first lines of it, and its list; `empty`: what to say of none."""

    title: str
    count: int
    lines: Sequence[Line]
    href: str
    link: str
    empty: str


@in_own_county
def show_desk() -> Response:
    """The first page of the county's staff."""
    with service().database.reading(call().tenant) as store:
        program, today = program_today(store)
        panels = [*_reviews(store), *_papers(store, today), _towns(store), *_post(store)]
        panels += [_cases(store, today), _proposals(store, program, today), *_answers(store)]
        tilted = out_of_balance(store)
        return render_desk(
            "home",
            panels=panels,
            today=today,
            standings=standing_bars(store),
            months=on_time_bars(store, today),
            tilted=tilted[:_FIRST],
            tilted_count=len(tilted),
        )


def _reviews(store: Store) -> Iterator[Panel]:
    if not may(Scope.REVIEWS_READ):
        return
    rows = list_reviews(store, ReviewFilter(state=(OPEN,)), None, _FIRST).rows
    lines = [
        Line(
            text=f"{sentence(row['event_type'])} of {row['service_date']}, {place_words(row)}: {words(row['reason'])}",
            href=f"/desk/reviews/{row['id']}",
        )
        for row in rows
    ]
    yield Panel(
        title="Reports to place",
        count=count_open_reviews(store),
        lines=lines,
        href="/desk/reviews",
        link="All reports to place",
        empty="Every report has its system.",
    )


def _papers(store: Store, today: dt.date) -> Iterator[Panel]:
    filters = ObligationFilter(state=("overdue",), kind=_PAPERS)
    rows = [due_row(row, today) for row in list_obligations(store, filters, None, _FIRST).rows]
    lines = [
        Line(
            text=f"{place_words(row)}: {sentence(row['kind']).lower()} was due {row['due_on']} ({row['cite']})",
            href=f"/desk/systems/{row['system']}",
        )
        for row in rows
    ]
    yield Panel(
        title="Missing reports",
        count=sum(count_overdue(store, kind) for kind in _PAPERS),
        lines=lines,
        href="/desk/obligations?state=overdue&kind=missing_report,period_report",
        link="All missing reports",
        empty="No report is missing today.",
    )
    month = today - dt.timedelta(days=30)
    yield Panel(
        title="Reports that came late, of the last 30 days' services",
        count=sum(row["late"] for row in count_by_business(store, month, today)),
        lines=(),
        href=f"/desk/reports?{web_query(state='late', served_from=month.isoformat(), served_to=today.isoformat())}"
        if may(Scope.REPORTS_READ)
        else "/desk/figures",
        link="Which they are",
        empty="None came late.",
    )


def _towns(store: Store) -> Panel:
    towns = overdue_by_town(store)
    lines = [
        Line(
            text=f"{row['municipality'] or 'Town not on file'}: {row['duties']:,}",
            href=f"{_SERVICES_DUE}&{web_query(municipality=row['municipality'])}" if row["municipality"] else None,
        )
        for row in towns[:_FIRST]
    ]
    return Panel(
        title="Overdue services by town",
        count=sum(row["duties"] for row in towns),
        lines=lines,
        href=_SERVICES_DUE,
        link="All services that are overdue",
        empty="Nothing is overdue.",
    )


def _post(store: Store) -> Iterator[Panel]:
    failed = list_messages(store, [MessageState.FAILED], _FIRST, channel=Channel.MAIL)
    lines = [
        Line(
            text=f"{sentence(row['kind'])}: {row['last_error'] or 'no reason on file'}",
            href=f"/desk/systems/{row['system']}" if row["system"] else None,
        )
        for row in failed
    ]
    yield Panel(
        title="Mails that did not arrive",
        count=count_messages(store).get(MessageState.FAILED, 0),
        lines=lines,
        href="/desk/mails?state=failed",
        link="All of them, with the reasons",
        empty="No mail has failed.",
    )
    yield Panel(
        title="Letters waiting to be printed",
        count=count_letters(store).get(QUEUED, 0),
        lines=(),
        href="/desk/letters",
        link="Letters",
        empty="No letter waits.",
    )


def _cases(store: Store, today: dt.date) -> Panel:
    count, rows = case_deadlines(store, today, today + dt.timedelta(days=6), _FIRST)
    lines = [
        Line(
            text=f"{place_words(row)}: {sentence(row['kind']).lower()} by {row['last_day']} ({row['cite']})",
            href=f"/desk/cases/{row['cycle'].split(':')[1]}",
        )
        for row in rows
    ]
    return Panel(
        title="Deadlines of cases this week",
        count=count,
        lines=lines,
        href="/desk/cases?open=true",
        link="All open cases",
        empty="No case has a deadline in the next seven days.",
    )


def _proposals(store: Store, program: Program, today: dt.date) -> Panel:
    found = open_proposals(store, program, today)
    shown = show_proposals(store, program, found[:_FIRST])
    return Panel(
        title="Cases to consider",
        count=len(found),
        lines=[Line(text=_proposed(row), href=f"/desk/cases#proposal-{row['key']}") for row in shown],
        href="/desk/cases",
        link="Decide on them",
        empty="Nothing on file calls for a case.",
    )


def _proposed(row: Mapping[str, Any]) -> str:
    what = f"step “{sentence(row['step'])}”" if row["step"] else f"case “{sentence(row['kind'])}”"
    return f"{place_words(row)}: {what}, {row['cite']}"


def _answers(store: Store) -> Iterator[Panel]:
    if not may(Scope.REPORTS_READ):
        return
    counts = count_verifications(store)
    for state, title, link, empty in _QUESTIONS:
        rows = page_verifications(store, (state,), None, _FIRST).rows
        yield Panel(
            title=title,
            count=counts.get(state, 0),
            lines=[Line(text=_question(row), href=f"/desk/reports/{row['content']['report']}") for row in rows],
            href=f"/desk/verifications?state={state}",
            link=link,
            empty=empty,
        )


def _question(row: Mapping[str, Any]) -> str:
    by = row["content"].get("answer_by")
    until = f", to be answered by {by}" if by and row["content"]["state"] == REQUESTED else ""
    number = row["license_number"] or "none given"
    return f"{sentence(row['event_type'])} of {row['service_date']}, licence {number}{until}"
