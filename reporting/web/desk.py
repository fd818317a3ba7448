"""The county's desk: what needs a person first, then whether it gets better."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response

from notifications.outbox import MessageState, list_messages
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
from reporting.store.services import count_late
from reporting.store.summaries import case_deadlines, count_open_reviews, count_overdue, overdue_by_town
from reporting.store.verifications import count_verifications, page_verifications
from reporting.verifications import ANSWERED
from reporting.web.desk_asking import in_own_county, may
from reporting.web.desk_figures import on_time_bars, out_of_balance, standing_bars
from reporting.web.desk_words import place_words, render_desk, sentence, web_query
from reporting.web.rendering import words
from schemas.program import Program

_FIRST: Final = 5
_PAPERS: Final = ("missing_report", "period_report")


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
    yield Panel(
        title="Reports that came late, of the last 30 days' services",
        count=sum(count_late(store, today - dt.timedelta(days=30), today).values()),
        lines=(),
        href=f"/v1/{call().tenant}/summary.csv?year={today.year}",
        link="The year in figures, as a spreadsheet",
        empty="None came late.",
    )


def _towns(store: Store) -> Panel:
    towns = overdue_by_town(store)
    lines = [
        Line(
            text=f"{row['municipality'] or 'Town not on file'}: {row['duties']:,}",
            href=f"/desk/obligations?state=overdue&{web_query(municipality=row['municipality'])}"
            if row["municipality"]
            else None,
        )
        for row in towns[:_FIRST]
    ]
    return Panel(
        title="Overdue services by town",
        count=sum(row["duties"] for row in towns),
        lines=lines,
        href="/desk/obligations?state=overdue",
        link="All that is overdue",
        empty="Nothing is overdue.",
    )


def _post(store: Store) -> Iterator[Panel]:
    failed = list_messages(store, [MessageState.FAILED], channel=Channel.MAIL)
    lines = [
        Line(
            text=f"{sentence(row['kind'])}: {row['last_error'] or 'no reason on file'}",
            href=f"/desk/systems/{row['system']}" if row["system"] else None,
        )
        for row in failed[:_FIRST]
    ]
    yield Panel(
        title="Mails that did not arrive",
        count=len(failed),
        lines=lines,
        href="/desk/letters#mails",
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
    rows = page_verifications(store, (ANSWERED,), None, _FIRST).rows
    yield Panel(
        title="Answers to your questions about reports",
        count=count_verifications(store).get(ANSWERED, 0),
        lines=[
            Line(
                text=f"{sentence(row['event_type'])} of {row['service_date']}, licence {row['license_number'] or '-'}",
                href=f"/desk/reports/{row['content']['report']}",
            )
            for row in rows
        ],
        href="/desk/reviews",
        link="Reports to place",
        empty="No answer waits for you.",
    )
