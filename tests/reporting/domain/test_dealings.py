"""Windows, mail, deferrals, payments and documents: several spellings are read, the rest is told by its place."""

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest

from reporting.domain.dealings import Dealings, DeferralRequest, Document, Mailing, Payment, Window
from reporting.scenario import evaluate
from reporting.scenario_facts.dealings import read_dealings

JUNE, LAST = dt.date(2027, 6, 1), dt.date(2027, 6, 20)
AUGUST = dt.date(2027, 8, 2)
MAY = dt.date(2027, 5, 3)


def read(**raw: Any) -> Dealings:
    found, unread = read_dealings(raw)
    assert unread == ()
    return found


@pytest.mark.parametrize(
    "raw",
    [
        {"from": "2027-06-01", "to": "2027-06-20", "area": 2, "mailed_on": "2027-05-03"},
        {"starts_on": "2027-06-01", "ends_on": "2027-06-20", "service_area": 2, "notice_mailed_on": "2027-05-03"},
        {"start": "2027-06-01", "end": "2027-06-20", "area": 2, "mailed_on": "2027-05-03T10:00:00-05:00", "year": 2027},
    ],
)
def test_a_window_in_several_spellings(raw: dict[str, Any]) -> None:
    assert read(windows=[raw]).windows == (Window(from_on=JUNE, to_on=LAST, area=2, mailed_on=MAY),)
    assert read(system={"windows": raw}).windows == read(windows=[raw]).windows


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"kind": "window_notice", "on": "2027-05-03", "class": "first_class"}, ("window_notice", "first_class", None)),
        (
            {"kind": "Septic Tank Notice", "mailed_on": "2027-05-03", "class": "first"},
            ("window_notice", "first_class", None),
        ),
        ({"type": "area notice", "date": "2027-05-03"}, ("area_notice", "", None)),
        ({"kind": "notice", "on": "2027-05-03", "mail_class": "certified"}, ("", "certified", None)),
        ({"kind": "questionnaire", "on": "2027-05-03", "received_on": "2027-06-01"}, ("questionnaire", "", JUNE)),
        ({"kind": "questionnaires", "on": "2027-05-03", "answered_on": "2027-06-01"}, ("questionnaire", "", JUNE)),
    ],
)
def test_a_mailing_in_several_spellings(raw: dict[str, Any], expected: tuple[str, str, dt.date | None]) -> None:
    kind, mail_class, answered = expected
    mailing = Mailing(kind=kind, on=MAY, mail_class=mail_class, answered_on=answered)
    assert read(mailings=[raw]).mailings == (mailing,)


@pytest.mark.parametrize(
    ("raw", "fee", "paid"),
    [
        ({"desired_from": "2027-08-02", "fee_paid": True}, None, True),
        ({"window_from": "2027-08-02", "fee_paid": 20.0}, Fraction(20), None),
        ({"from": "2027-08-02", "fee": "$20.00"}, Fraction(20), None),
        ({"window": {"from": "2027-08-02"}, "fee_paid_on": "2027-05-01"}, None, True),
        ({"desired_window": "2027-08-02"}, None, None),
        ({"desired_window": ["2027-08-02"], "fee_paid": False}, None, False),
    ],
)
def test_a_deferral_in_several_spellings(raw: dict[str, Any], fee: Fraction | None, paid: bool | None) -> None:
    expected = DeferralRequest(requested_on=MAY, from_on=AUGUST, fee=fee, paid=paid)
    assert read(deferrals=[{"requested_on": "2027-05-03", **raw}]).deferrals == (expected,)


def test_beside_a_desired_window_another_is_the_one_to_put_off() -> None:
    raw = {
        "requested_on": "2027-05-03",
        "window": {"from": "2027-06-01", "to": "2027-06-20"},
        "desired_from": "2027-08-02",
    }
    expected = DeferralRequest(requested_on=MAY, from_on=AUGUST, window_from=JUNE)
    assert read(deferrals=raw).deferrals == (expected,)


def test_payments_and_documents_in_short() -> None:
    assert read(fees_paid=[2026, {"rule": "LB6", "year": 2027, "amount": "40.00"}]).payments == (
        Payment(year=2026),
        Payment(kind="lb6", year=2027, amount=Fraction(40)),
    )
    assert read(fees_paid={"2026": 40, "2027": True}).payments == (
        Payment(year=2026, amount=Fraction(40)),
        Payment(year=2027),
    )
    assert read(documents=["Holding Tank Agreement", {"kind": "certification", "year": 2026}]).documents == (
        Document(kind="holding_tank_agreement"),
        Document(kind="certification", year=2026),
    )
    assert read(documents=[{"kind": "agreement", "recorded_on": None}]).documents == (
        Document(kind="agreement", recorded=False),
    )


def test_absent_is_unknown_and_empty_is_none() -> None:
    assert read() == Dealings()
    assert read(mailings=[], fees_paid=[], documents=[]) == Dealings(mailings=(), payments=(), documents=())


def test_what_cannot_be_read_is_told_with_its_place_and_the_rest_is_judged() -> None:
    wrong = {
        "county": "lake-beulah",
        "as_of": "2027-06-22",
        "system": {"kind": "septic", "service_area": 2, "installed_on": "2001-06-20", "windows": 7},
        "windows": [{"from": "2027-06-01", "colour": "red"}, {"to": "2027-06-20"}, None],
        "mailings": [{"kind": "window_notice", "on": "May"}, {"kind": 3, "on": "2027-05-03"}],
        "deferrals": [{"desired_from": "2027-08-02", "fee": "much"}],
        "fees_paid": 3,
        "documents": [{"filed_on": "2027-01-02"}],
    }
    answer = evaluate(wrong)
    assert answer["ignored"] == [
        "windows[0].colour",
        "windows[1]",
        "windows[2]",
        "system.windows",
        "mailings[0].on",
        "mailings[0]",
        "mailings[1].kind",
        "deferrals[0].fee",
        "deferrals[0]",
        "fees_paid",
        "documents[0]",
    ]
    assert any(o["kind"] == "area_pumping" for o in answer["obligations"])  # type: ignore[attr-defined]


def test_what_was_recorded_later_is_not_known() -> None:
    dealings = Dealings(
        windows=(Window(from_on=JUNE, mailed_on=MAY),),
        mailings=(Mailing(kind="questionnaire", on=MAY, answered_on=JUNE),),
        deferrals=(DeferralRequest(requested_on=MAY),),
        payments=(Payment(on=MAY),),
        documents=(Document(kind="agreement", on=MAY),),
    )
    assert dealings.known(JUNE) == dealings
    assert dealings.known(MAY).mailings == (Mailing(kind="questionnaire", on=MAY),)
    assert dealings.known(dt.date(2027, 5, 2)) == Dealings(
        windows=(Window(from_on=JUNE),), mailings=(), payments=(), documents=()
    )
