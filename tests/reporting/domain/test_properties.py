"""What holds of every assessment, whatever the system and its history."""

import datetime as dt
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.domain.assess import assess
from reporting.domain.chains import standing_events
from reporting.domain.dealings import Dealings
from reporting.domain.records import Component, Event, History, System
from tests.reporting.domain.histories import County, counties, days, events, gist, histories, systems

FEW = settings(max_examples=20, deadline=None)


@FEW
@given(counties(), systems(), histories(), days(), st.floats(0, 1))
def test_the_answer_stands_until_the_day_it_names(
    county: County, system: System, history: History, as_of: dt.date, part: float
) -> None:
    answer = assess(system, history, county.program, as_of)
    if answer.next_change_on is not None:
        assert answer.next_change_on > as_of
    last = (answer.next_change_on or as_of + dt.timedelta(days=4000)) - dt.timedelta(days=1)
    for day in (as_of + part * (last - as_of), last):
        assert gist(assess(system, history, county.program, day)) == gist(answer)


@FEW
@given(counties(), systems(), histories(), days(), st.randoms())
def test_the_order_in_which_facts_come_does_not_matter(
    county: County, system: System, history: History, as_of: dt.date, random: st.DrawFn
) -> None:
    shuffled = []
    for part in (history.events, history.owner_notices, history.statements):
        items = list(part)
        random.shuffle(items)  # type: ignore[attr-defined]
        shuffled.append(tuple(items))
    told = history.dealings
    turned = Dealings(
        windows=told.windows[::-1],
        mailings=told.mailings and told.mailings[::-1],
        deferrals=told.deferrals[::-1],
        payments=told.payments and told.payments[::-1],
        documents=told.documents and told.documents[::-1],
    )
    other = History(events=shuffled[0], owner_notices=shuffled[1], statements=shuffled[2], dealings=turned)
    assert gist(assess(system, other, county.program, as_of)) == gist(assess(system, history, county.program, as_of))


@FEW
@given(counties(), systems(), histories(), events("V"), days())
def test_a_voided_report_is_as_good_as_absent(
    county: County, system: System, history: History, event: Event, as_of: dt.date
) -> None:
    voided = replace(history, events=(*history.events, replace(event, voided=True)))
    assert assess(system, voided, county.program, as_of) == assess(system, history, county.program, as_of)


@FEW
@given(counties(), systems(), histories(), days())
def test_the_same_arguments_give_the_same_answer(
    county: County, system: System, history: History, as_of: dt.date
) -> None:
    used = county.program
    assess(system, history, used, as_of + dt.timedelta(days=400))  # leaves nothing behind
    assert assess(system, history, used, as_of) == assess(system, history, county.program, as_of)


@FEW
@given(
    counties(),
    systems(),
    histories(),
    st.sampled_from([dt.date.min, dt.date(1, 2, 1), dt.date(9999, 12, 30), dt.date.max]),
)
def test_no_day_is_too_early_or_too_late(county: County, system: System, history: History, as_of: dt.date) -> None:
    assert assess(system, history, county.program, as_of).as_of == as_of


@FEW
@given(counties(), systems(), histories(), days(), days())
def test_what_was_not_known_is_not_judged(
    county: County, system: System, history: History, as_of: dt.date, known_on: dt.date
) -> None:
    known_at = dt.datetime.combine(known_on, dt.time(23), dt.UTC)
    later = [e for e in history.events if e.received_at is not None and e.received_at > known_at]
    without = replace(history, events=tuple(e for e in history.events if e not in later))
    assert assess(system, history, county.program, as_of, known_at) == assess(
        system, without, county.program, as_of, known_at
    )


@FEW
@given(histories(most=8))
def test_of_a_chain_of_corrections_one_report_stands(history: History) -> None:
    stand = standing_events(history.events, None)
    superseded = {e.supersedes for e in stand}
    assert not superseded & {e.id for e in stand}
    assert all(not e.voided for e in stand)


UNRELATED = ("meter_reading", "maintenance")


@FEW
@given(counties(), systems(), histories(), days(), days(), st.sampled_from(UNRELATED))
def test_an_unrelated_report_worsens_no_duty_of_service(
    county: County, system: System, history: History, day: dt.date, as_of: dt.date, kind: str
) -> None:
    event = Event(id="X", event_type=kind, service_date=day, received_at=dt.datetime.combine(day, dt.time(18), dt.UTC))
    more = replace(history, events=(*history.events, event))
    before, after = (assess(system, h, county.program, as_of) for h in (history, more))
    kinds = ("pump", "inspect_tank", "pump_or_inspect", "inspect_dispersal", "service_holding")
    late = [
        {(o.kind, o.component, o.due_on, o.state) for o in a.obligations if o.kind in kinds} for a in (before, after)
    ]
    assert late[0] == late[1]


@FEW
@given(counties(), systems(), histories(), events("X"), days())
def test_a_report_of_another_tank_worsens_no_duty_of_this_one(
    county: County, system: System, history: History, event: Event, as_of: dt.date
) -> None:
    """Of a tank that the system has beside its main one, by its own name.

    Two things are the system's and not the tank's: a certificate of infrequent use, which any pumping ends (LB14), and
    an abandonment.
    """
    other = Component(kind="pump_chamber", ref="side")
    system = replace(system, components=(*system.components, other), exemptions=())
    event = replace(event, component="pump_chamber", component_ref="side")
    if event.event_type in ("abandonment", "no_service_statement"):
        event = replace(event, event_type="pumping")
    more = replace(history, events=(*history.events, event))
    before, after = (assess(system, h, county.program, as_of) for h in (history, more))
    kinds = ("pump", "inspect_tank", "pump_or_inspect", "inspect_dispersal", "service_holding", "period_report")
    late = [
        {(o.kind, o.component, o.component_ref, o.period, o.due_on, o.state) for o in a.obligations if o.kind in kinds}
        for a in (before, after)
    ]
    mine = [{o for o in each if o[1] != "pump_chamber"} for each in late]
    assert mine[0] == mine[1]


@FEW
@given(counties(), systems(), histories(), days())
def test_an_assessment_leaves_its_arguments_as_they_were(
    county: County, system: System, history: History, as_of: dt.date
) -> None:
    """It depends on its arguments alone: no clock, no database, nothing kept from the call before."""
    told = (repr(system), repr(history))
    program = county.program
    first = assess(system, history, program, as_of)
    assess(replace(system, components=()), History(), program, as_of)
    assert assess(system, history, program, as_of) == first
    assert (repr(system), repr(history)) == told


@FEW
@given(counties(), systems(), histories(), days())
def test_every_answer_names_its_rule_its_section_and_a_reason(
    county: County, system: System, history: History, as_of: dt.date
) -> None:
    answer = assess(system, history, county.program, as_of)
    for said in (*answer.obligations, *answer.findings):
        assert county.program.rule(said.rule)
        assert said.cite
        assert said.because
    for obligation in answer.obligations:
        assert obligation.last_day >= obligation.due_on
        assert (obligation.days_late > 0) == (obligation.state == "overdue")
