"""What holds of cases, documents, fees and mail under every program file there is, made from its own data."""

import datetime as dt
from typing import Any

import pytest

from schemas.acts import Act, AreaNotice, CaseDeadline, DocumentNeeded, Fee, Questionnaire, WindowNotice
from tests.reporting.domain.programs import PROGRAMS, evaluate
from tests.reporting.domain.test_battery import pumping, scenario

START = dt.date(2027, 3, 1)


def acts(effect: type[Act]) -> list[Any]:
    """Each act of a kind in each text, with its program, rule and the day from which it is tried."""
    found = []
    for slug in PROGRAMS:
        for text, first, _ in PROGRAMS[slug].spans():
            day = START if first <= START and PROGRAMS[slug].at(START) is text else dt.date(2025, 3, 3)
            for i, p in enumerate(text.of(effect)):
                found.append(pytest.param(slug, p.id, p.act, day, id=f"{slug}-{text.name}-{p.id}-{i}"))
    return found


def judged(slug: str, as_of: dt.date, act: Act, **facts: Any) -> dict[str, Any]:
    """The answer for a system that the act applies to and that owes no service."""
    kind = act.components[0] if act.components else "septic"
    known = {k: facts.pop(k) for k in ("windows", "mailings", "documents", "fees_paid") if k in facts}
    seen = pumping("2026-12-01", tank_condition="good", ponding="none")
    building = {"building": act.buildings[0]} if act.buildings else {}
    raw = scenario(slug, str(as_of), kind, events=[seen], flags=list(act.flags), **building, **facts)
    answer = evaluate({**raw, **known})
    assert "ignored" not in answer
    return answer


def duty(answer: dict[str, Any], kind: str, rule: str) -> dict[str, Any]:
    return next((o for o in answer["obligations"] if (o["kind"], o["rule"]) == (kind, rule)), {})


def finding(answer: dict[str, Any], kind: str, rule: str) -> dict[str, Any]:
    return next((f for f in answer["findings"] if (f["kind"], f["rule"]) == (kind, rule)), {})


@pytest.mark.parametrize(("slug", "rule", "act", "day"), acts(CaseDeadline))
def test_a_case_is_in_time_on_its_last_day_and_a_violation_on_the_next(
    slug: str, rule: str, act: CaseDeadline, day: dt.date
) -> None:
    steps = {act.counted_from[0]: str(day), **({act.after: str(day)} if act.after else {})}
    case = {"kind": act.cases[0], "opened_on": str(day), **steps}
    if act.days is act.business_days is act.months is None:
        case["due_on"] = str(day + dt.timedelta(days=50))
    facts = {"sewer_available_on": str(day)} if act.with_date else {}
    first = duty(judged(slug, day, act, cases=[case], **facts), act.kind, rule)
    last = dt.date.fromisoformat(first["last_day"])
    in_time = judged(slug, last, act, cases=[case], **facts)
    late = judged(slug, last + dt.timedelta(days=1), act, cases=[case], **facts)
    assert duty(in_time, act.kind, rule)["state"] != "overdue"
    assert (late["standing"], duty(late, act.kind, rule)["days_late"]) == ("violation", 1)
    assert finding(late, act.late_as, rule)
    for step in act.met_by:
        met = judged(slug, last + dt.timedelta(days=1), act, cases=[{**case, step: str(last)}], **facts)
        assert not duty(met, act.kind, rule)


@pytest.mark.parametrize(("slug", "rule", "act", "day"), acts(DocumentNeeded))
def test_a_document_is_missing_only_from_a_file_that_is_known(
    slug: str, rule: str, act: DocumentNeeded, day: dt.date
) -> None:
    assert not finding(judged(slug, day, act), "document_missing", rule)
    assert finding(judged(slug, day, act, documents=[]), "document_missing", rule)
    for others in zip(*((name, *also) for name, also in act.documents.items()), strict=False):
        filed = [{"kind": other, "on": str(day)} for other in others]
        assert not finding(judged(slug, day, act, documents=filed), "document_missing", rule)
        before = judged(slug, day - dt.timedelta(days=1), act, documents=filed)
        assert finding(before, "document_missing", rule)


@pytest.mark.parametrize(
    ("slug", "rule", "act", "day"), [found for found in acts(Fee) if found.values[2].every != "abandonment"]
)
def test_a_fee_is_due_only_where_payments_are_known_and_it_is_none_of_them(
    slug: str, rule: str, act: Fee, day: dt.date
) -> None:
    facts = {"exemption": {"kind": "commercial", "granted_on": str(day)}} if act.every == "certificate" else {}
    cents = act.cents or PROGRAMS[slug].days(act.cents_setting)
    assert not finding(judged(slug, day, act, **facts), "fee_due", rule)
    assert finding(judged(slug, day, act, fees_paid=[], **facts), "fee_due", rule)["amount"] == cents / 100
    for name in act.paid_as:
        paid = [{"kind": name, "on": str(day)}]
        assert not finding(judged(slug, day, act, fees_paid=paid, **facts), "fee_due", rule)
        tomorrow = [{"kind": name, "on": str(day + dt.timedelta(days=1))}]
        assert finding(judged(slug, day, act, fees_paid=tomorrow, **facts), "fee_due", rule)


@pytest.mark.parametrize(
    ("slug", "rule", "act", "day", "kind"),
    [
        pytest.param(*found.values, kind, id=found.id)
        for effect, kind in ((AreaNotice, "area_notice"), (Questionnaire, "questionnaire"))
        for found in acts(effect)
    ],
)
def test_mail_opens_a_duty_that_is_overdue_the_day_after_its_last(
    slug: str, rule: str, act: AreaNotice | Questionnaire, day: dt.date, kind: str
) -> None:
    mailings = [{"kind": kind, "on": str(day)}]
    assert not duty(judged(slug, day - dt.timedelta(days=1), act, mailings=mailings), act.kind, rule)
    last = dt.date.fromisoformat(duty(judged(slug, day, act, mailings=mailings), act.kind, rule)["last_day"])
    assert (last - day).days >= act.days
    assert duty(judged(slug, last, act, mailings=mailings), act.kind, rule)["state"] == "due_soon"
    assert duty(judged(slug, last + dt.timedelta(days=1), act, mailings=mailings), act.kind, rule)["days_late"] == 1


@pytest.mark.parametrize(("slug", "rule", "act", "day"), acts(WindowNotice))
def test_a_window_notice_is_in_time_on_its_last_day_and_late_on_the_next(
    slug: str, rule: str, act: WindowNotice, day: dt.date
) -> None:
    last = day - dt.timedelta(days=act.days + PROGRAMS[slug].days(act.delivery_setting))
    for mailed, late in ((last, False), (last + dt.timedelta(days=1), True)):
        windows = [{"from": str(day), "mailed_on": str(mailed)}]
        answer = judged(slug, day, act, windows=windows)
        assert bool(finding(answer, "window_notice_late", rule)) is late
