"""What a violation comes to, on both sides of each limit: days, sums, the text in force, the appeal (OZ15, OZ23, PO14,
WI17, WI25, WI26, LB18, LB25, S19)."""

from datetime import date
from typing import Any

import pytest

from notifications.enforcement_sheet import sheet_text
from reporting.domain.answers import Obligation, State
from reporting.domain.cases import referral_steps
from reporting.domain.enforcement import appeals, referrals, sentences, total, violations
from schemas.acts import CaseDeadline, CaseProposal, Penalty
from schemas.loader import shipped_program, shipped_slugs

LAST = date(2026, 6, 1)
DAY = date(2026, 7, 13)


def a_duty(**values: Any) -> Obligation:
    usual = {
        "kind": "correction", "due_on": LAST, "last_day": LAST, "state": State.OVERDUE, "rule": "PO19", "cite": "x",
        "because": "order: by 2026-06-01", "duty_of": "owner", "cycle": "case:c:2026-05-01:",
    }  # fmt: skip
    return Obligation(**{**usual, **values})


def judged(
    slug: str, *duties: Obligation, on: date = DAY, kind: str = "order", told: date | None = None, tank: str = "septic"
) -> Any:
    notices = {"c": told} if told else {}
    return violations(shipped_program(slug), duties, on, case_kinds={"c": kind}, notices=notices, tank=tank)


@pytest.mark.parametrize(
    ("slug", "on", "days", "least", "most"),
    [
        ("portage", date(2026, 6, 2), 1, 5_000, 50_000),
        ("portage", date(2026, 6, 3), 2, 10_000, 100_000),
        ("lake-beulah", date(2026, 6, 2), 1, 1_000, 50_000),
        ("lake-beulah", date(2026, 7, 1), 30, 30_000, 1_500_000),
        ("winnebago", date(2026, 6, 2), 1, 20_000, 20_000),
        ("winnebago", date(2026, 7, 1), 30, 20_000, 20_000),  # the text does not make each day a violation
    ],
)
def test_days_are_counted_from_the_first_past_the_last(slug: str, on: date, days: int, least: int, most: int) -> None:
    [one] = judged(slug, a_duty(), on=on)
    assert (one.first_on, one.through, one.days) == (date(2026, 6, 2), on, days)
    assert total([one]) == (least, most)


def test_on_its_last_day_and_when_met_in_time_nothing_is_violated() -> None:
    met = {"state": State.MET, "met_on": LAST}
    waiting = (a_duty(state=State.DUE_SOON), a_duty(**met), a_duty(state=State.SUSPENDED), a_duty(duty_of="county"))
    assert judged("portage", *waiting) == []
    [late] = judged("portage", a_duty(state=State.MET, met_on=date(2026, 6, 3)))
    assert (late.ended, late.through, late.days) == (True, date(2026, 6, 2), 1)


@pytest.mark.parametrize(
    ("duty", "tank", "cite", "cents"),
    [
        ({"kind": "period_report"}, "holding", "16.10, schedule (a) (2019)", 20_000),
        ({"kind": "service_holding"}, "holding", "16.10, schedule (b) (2019)", 50_000),
        ({"kind": "pump"}, "septic", "16.10, schedule (e) (2019)", 20_000),
        ({"kind": "correction", "case": "wash_water"}, "septic", "16.10, schedule (c) (2019)", 10_000),
        ({"kind": "correction", "case": "discharge"}, "septic", "16.10, schedule (d) (2019)", 20_000),
        ({"kind": "period_report", "last_day": date(2026, 7, 1)}, "holding", "16.10(2)(a)", 20_000),
        ({"kind": "service_holding", "last_day": date(2026, 7, 1)}, "holding", "16.10(2)(b)", 50_000),
        ({"kind": "correction", "case": "wash_water", "last_day": date(2026, 7, 1)}, "septic", "16.10(2)(c)", 20_000),
        ({"kind": "pump", "last_day": date(2026, 6, 30)}, "septic", "16.10(2), all other violations", 20_000),
        ({"kind": "pump", "last_day": date(2026, 6, 29)}, "septic", "16.10, schedule (e) (2019)", 20_000),
    ],
)
def test_winnebagos_schedule_is_the_one_in_force_on_the_first_day(
    duty: dict[str, Any], tank: str, cite: str, cents: int
) -> None:
    """WI17: the amended text holds from July 1, 2026; a duty last due on June 30 is violated from that day."""
    kind = duty.pop("case", "order")
    [one] = judged("winnebago", a_duty(**duty), on=date(2026, 8, 3), kind=kind, told=LAST, tank=tank)
    assert (one.forfeiture.provision.cite, one.forfeiture.total_max) == (cite, cents)


def test_a_penalty_after_notice_waits_for_the_notice() -> None:
    """WI17: 2019 "after notice of maintenance requirement"; the amended text has no such words."""
    report = a_duty(kind="period_report")
    [waits], [told] = (
        judged("winnebago", report, tank="holding"),
        judged("winnebago", report, told=LAST, tank="holding"),
    )
    assert (waits.forfeiture.waits, total([waits])) == (True, (0, 0))
    assert (told.forfeiture.waits, told.forfeiture.notified_on, total([told])) == (False, LAST, (20_000, 20_000))
    [amended] = judged("winnebago", a_duty(kind="period_report", last_day=date(2026, 7, 1)), tank="holding")
    assert not amended.forfeiture.waits


def test_where_the_text_names_no_amount_none_is_counted() -> None:
    """OZ23."""
    [one] = judged("ozaukee", a_duty())
    assert one.forfeiture is None
    text = shipped_program("ozaukee").at(DAY)
    assert [p.act.to for p in referrals(text)] == ["the Corporation Counsel, who prosecutes on behalf of the County"]
    assert any("names no amount of penalty" in p.act.sentence for p in sentences(text, ["order"]))


@pytest.mark.parametrize(
    ("slug", "notified", "due_on", "last_day", "fee"),
    [
        ("ozaukee", date(2026, 6, 2), date(2026, 7, 2), date(2026, 7, 2), 12_500),
        ("portage", date(2026, 6, 4), date(2026, 7, 4), date(2026, 7, 6), None),  # a Saturday, the Fourth: Monday
    ],
)
def test_an_appeal_is_counted_with_the_calendar(
    slug: str, notified: date, due_on: date, last_day: date, fee: int | None
) -> None:
    """OZ15, PO14: 30 days, in writing to an office."""
    program = shipped_program(slug)
    [one] = appeals(program, program.at(DAY), {"notified_on": notified, "opened_on": date(2026, 1, 1)})
    assert one.deadline is not None
    assert (one.deadline.due_on, one.deadline.last_day, one.provision.act.fee_cents) == (due_on, last_day, fee)
    [unknown] = appeals(program, program.at(DAY), {})
    assert unknown.deadline is None


@pytest.mark.parametrize(("day", "cite"), [(date(2026, 6, 30), "16.13 (2019)"), (date(2026, 7, 1), "16.11(1)")])
def test_winnebagos_appeal_has_no_period(day: date, cite: str) -> None:
    """WI26."""
    program = shipped_program("winnebago")
    [one] = appeals(program, program.at(day), {"notified_on": LAST})
    assert (one.provision.cite, one.deadline) == (cite, None)


@pytest.mark.parametrize("slug", shipped_slugs())
def test_every_program_says_what_its_sheet_needs(slug: str) -> None:
    """S19 everywhere; WI25: a penalty does not end the duty; LB25: nuisance, losses, legal fees."""
    program = shipped_program(slug)
    for text in program.texts:
        said = {p.id for p in sentences(text, ["order"])}
        assert {"S19", {"winnebago": "WI25", "lake-beulah": "LB25"}.get(slug, "S19")} <= said
        assert referrals(text)
        assert all(p.act.cents_min <= p.act.cents_max for p in text.of(Penalty))
        assert bool(text.of(Penalty)) is (slug != "ozaukee")


@pytest.mark.parametrize("slug", shipped_slugs())
def test_what_is_proposed_can_be_done(slug: str) -> None:
    """Each kind of case has a deadline in its text, each step hands the case on or says what was verified."""
    program = shipped_program(slug)
    for text in program.texts:
        kinds = {kind for p in text.of(CaseDeadline) for kind in p.act.cases}
        for p in text.of(CaseProposal):
            assert p.act.case in {*kinds, ""}, p.id
            assert p.act.step in {"", "verified_on", *referral_steps(program)}, p.id


def test_a_sheet_without_anything_says_so() -> None:
    place = dict.fromkeys(("permit_number", "parcel_number", "site_address", "municipality", "owner_name"))
    nothing: dict[str, list[Any]] = {
        name: [] for name in ("facts", "violations", "waived", "prosecutes", "appeals", "sentences")
    }
    text = sheet_text(
        {
            **place, **nothing, "case": None, "case_kind": None, "as_of": "2026-07-13", "authority": "Chapter IX",
            "governmental_unit": "The office", "standing": "compliant", "total": None, "earlier_reports": 0,
            "text": {"name": "current", "in_force_since": "2004-09-01"},
        },
        shipped_program("ozaukee"),
    )  # fmt: skip
    for said in ("No duty is past its last day.", "names no amount: none is printed here", "names no appeal"):
        assert said in text
