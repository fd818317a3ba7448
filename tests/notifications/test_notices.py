"""From events to notices: who is told what, and every reason why somebody is not."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from notifications.addresses import AddressField, is_address, one_line, read_addresses
from notifications.dates import days_away, explain_deadline, plain_days
from notifications.digests import group_lines, merge_lines, morning_of
from notifications.facts import office_facts
from notifications.notices import make_notices
from notifications.records import (
    AddressBook,
    Contractor,
    DomainEvent,
    Line,
    NoNotice,
    Notice,
    NoticeKind,
    Occasion,
    SkipReason,
    SystemNow,
    Told,
)
from schemas.calendar import Calendar
from tests.notifications.builders import (
    BASE_URL,
    KETTLE,
    KETTLE_MAIL,
    OFFICE,
    TODAY,
    a_program,
    an_event,
    due_event,
    late_event,
    missing_event,
    needs_event,
    receipt_event,
)


def a_book(kettle: str = KETTLE_MAIL, county: str = OFFICE) -> AddressBook:
    business = Contractor(id=KETTLE, name="Kettle Moraine Septic LLC", mail=read_addresses(kettle))
    return AddressBook(contractors={KETTLE: business}, licences={"00412": KETTLE}, county=read_addresses(county))


def an_occasion(book: AddressBook | None = None, **settings: Any) -> Occasion:
    return Occasion(program=a_program(**settings), book=book or a_book(), today=TODAY, base_url=BASE_URL)


def told(event: DomainEvent, system: SystemNow | None = None, occasion: Occasion | None = None) -> list[str]:
    return [_short(one) for one in make_notices(event, system, occasion or an_occasion())]


def _short(one: Told) -> str:
    return str(one.reason) if isinstance(one, NoNotice) else f"{one.kind} to {one.recipient}"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (receipt_event(), [f"receipt to {KETTLE_MAIL}"]),
        (receipt_event(contractor_id=None), ["no_submitter_address"]),
        (due_event(), [f"due_digest to {KETTLE_MAIL}"]),
        (due_event(contractor_license=""), ["no_contractor"]),
        (due_event(contractor_license="99999"), ["unknown_contractor"]),
        (needs_event(), [f"due_digest to {KETTLE_MAIL}"]),
        (needs_event(contractor_license=""), ["no_contractor", f"undesignated_digest to {OFFICE}"]),
        (needs_event(contractor_license="99999"), ["unknown_contractor", f"undesignated_digest to {OFFICE}"]),
        (late_event(), [f"late_report to {KETTLE_MAIL}", f"late_report_copy to {OFFICE}"]),
        (late_event(contractor_id=None), [f"late_report to {KETTLE_MAIL}", f"late_report_copy to {OFFICE}"]),
        (
            late_event(contractor_id=None, contractor_license=None),
            ["no_contractor", f"late_report_copy to {OFFICE}"],
        ),
        (missing_event(), [f"missing_report to {KETTLE_MAIL}", f"missing_report_copy to {OFFICE}"]),
        (an_event("fee_roll", "fees:2026", {}), ["unknown_event"]),
    ],
)
def test_who_is_told(event: DomainEvent, expected: list[str]) -> None:
    assert told(event) == expected


def test_two_addresses_in_one_field_are_two_recipients_and_a_wrong_one_is_counted() -> None:
    occasion = an_occasion(a_book(kettle="a@x.example; Boss <b@y.example>, A@X.example c@z.example"))
    assert told(late_event(), None, occasion) == [
        "bad_address",
        "bad_address",
        "late_report to a@x.example",
        "late_report to c@z.example",
        f"late_report_copy to {OFFICE}",
    ]


@pytest.mark.parametrize("mail", ["", "none"])
def test_a_contractor_without_an_address_is_counted_and_the_county_told_of_a_holding_tank(mail: str) -> None:
    occasion = an_occasion(a_book(kettle=mail))
    bad = ["bad_address"] * bool(mail)
    assert told(receipt_event(), None, occasion) == [*bad, "no_address"]
    assert told(due_event(), None, occasion) == [*bad, "no_address"]
    assert told(needs_event(), None, occasion) == [*bad, "no_address", f"undesignated_digest to {OFFICE}"]


def test_a_county_without_an_address_is_counted() -> None:
    occasion = an_occasion(a_book(county=""))
    assert told(needs_event(contractor_license=""), None, occasion) == ["no_contractor", "no_county_address"]
    assert told(late_event(), None, occasion) == [f"late_report to {KETTLE_MAIL}", "no_county_address"]


@pytest.mark.parametrize(
    ("live_from", "first"),
    [
        (date(2026, 7, 14), "not_live_yet"),
        (date(2026, 7, 13), f"late_report to {KETTLE_MAIL}"),
        ("", f"late_report to {KETTLE_MAIL}"),
    ],
)
def test_nothing_is_mailed_before_the_county_is_live(live_from: object, first: str) -> None:
    assert told(late_event(), None, an_occasion(live_from=live_from))[0] == first


DUE = due_event()
NEEDS = needs_event()
GAP = needs_event(cycle="gap:rep_9")
OPEN = {DUE.cause_key: "due_soon"}


@pytest.mark.parametrize(
    ("event", "system", "reason"),
    [
        (DUE, SystemNow(duties=OPEN), None),
        (DUE, SystemNow(duties={DUE.cause_key: "overdue"}), None),
        (DUE, SystemNow(duties=None), None),
        (DUE, SystemNow(duties=None, exempt=True), SkipReason.EXEMPT),
        (DUE, SystemNow(duties=OPEN, exempt=True), None),  # exempt from another duty than this one
        (DUE, SystemNow(duties=OPEN, status="abandoned"), SkipReason.INACTIVE),
        (DUE, SystemNow(duties=OPEN, status="sewered"), SkipReason.INACTIVE),
        (DUE, SystemNow(duties=OPEN, on_hold=True), SkipReason.ON_HOLD),
        (DUE, SystemNow(duties={}), SkipReason.ALREADY_SERVICED),
        (DUE, SystemNow(duties={DUE.cause_key: "met"}), SkipReason.ALREADY_SERVICED),
        (DUE, SystemNow(duties={DUE.cause_key: "suspended"}), SkipReason.EXEMPT),
        (DUE, SystemNow(duties={DUE.cause_key: "upcoming"}), SkipReason.NO_LONGER_DUE),
        (NEEDS, SystemNow(needs_service=True, duties={NEEDS.cause_key: "due_soon"}), None),
        (NEEDS, SystemNow(needs_service=True, duties={}), SkipReason.ALREADY_SERVICED),  # another tank needs it
        (NEEDS, SystemNow(needs_service=True, duties={NEEDS.cause_key: "upcoming"}), SkipReason.NO_LONGER_DUE),
        (NEEDS, SystemNow(needs_service=True, duties={NEEDS.cause_key: "suspended"}), SkipReason.EXEMPT),
        (NEEDS, SystemNow(needs_service=None), None),
        (NEEDS, SystemNow(needs_service=False), SkipReason.ALREADY_SERVICED),
        (GAP, SystemNow(needs_service=True, duties={}), None),
        (GAP, SystemNow(needs_service=False, duties={}), SkipReason.ALREADY_SERVICED),
        (GAP, SystemNow(needs_service=True, duties={}, exempt=True), SkipReason.EXEMPT),
        (missing_event(), SystemNow(duties={"missing:sys_1:holding::notice:2026-07-01": "overdue"}), None),
        (missing_event(), SystemNow(duties={}), SkipReason.REPORT_RECEIVED),
        (missing_event(), SystemNow(duties=None), None),
        (late_event(), SystemNow(status="abandoned", duties={}, on_hold=True), None),
    ],
)
def test_what_the_system_says_against_a_notice(
    event: DomainEvent, system: SystemNow, reason: SkipReason | None
) -> None:
    first = make_notices(event, system, an_occasion())[0]
    assert (first.reason if isinstance(first, NoNotice) else None) == reason


def test_the_key_names_kind_cause_and_recipient_and_no_date() -> None:
    keys = [one.dedupe_key for one in make_notices(late_event(), None, an_occasion()) if isinstance(one, Notice)]
    assert keys == [
        f"late_report|late:rep_1:OZ5|{KETTLE_MAIL}",
        f"late_report_copy|late:rep_1:OZ5|{OFFICE}",
    ]
    moved = late_event(due_on="2026-07-05", last_day="2026-07-06")
    assert [one.dedupe_key for one in make_notices(moved, None, an_occasion()) if isinstance(one, Notice)] == keys


@pytest.mark.parametrize("field", ["rule", "cite"])
def test_an_event_without_its_rule_is_refused(field: str) -> None:
    event = late_event()
    content = {name: value for name, value in event.content.items() if name != field}
    with pytest.raises(KeyError):
        make_notices(replace(event, content=content), None, an_occasion())


def test_a_digest_has_one_message_for_each_recipient_its_tanks_by_town_and_each_once() -> None:
    events = [
        due_event(3, municipality="Town of Saukville"),
        due_event(1, municipality="Town of Grafton"),
        due_event(3, municipality="Town of Saukville"),
        due_event(2, municipality="Town of Saukville"),
    ]
    occasion = an_occasion(a_book(kettle="a@x.example b@x.example"))
    lines = [one for event in events for one in make_notices(event, None, occasion) if isinstance(one, Line)]
    digests = group_lines(lines, TODAY, office_facts(occasion))
    assert [(one.kind, one.recipient, one.dedupe_key) for one in digests] == [
        (NoticeKind.DUE_DIGEST, "a@x.example", f"due_digest|{KETTLE}|2026-07-13|a@x.example"),
        (NoticeKind.DUE_DIGEST, "b@x.example", f"due_digest|{KETTLE}|2026-07-13|b@x.example"),
    ]
    assert [line["system"] for line in digests[0].context["lines"]] == ["sys_1", "sys_2", "sys_3"]


def test_a_line_that_is_there_stays_as_it_was() -> None:
    there, again = {"cause_key": "a", "site_address": "1"}, {"cause_key": "a", "site_address": "2"}
    other = {"cause_key": "b", "system": "b"}
    assert merge_lines([there], [again, other]) == [other, there]


def test_one_duty_told_in_two_ways_is_one_line() -> None:
    about = {"component": "holding", "rule": "WI9", "due_on": "2026-12-31", "because": "each calendar year"}
    lines = [make_notices(event(1, **about), None, an_occasion())[0] for event in (due_event, needs_event)]
    assert len(merge_lines([], [line.context for line in lines if isinstance(line, Line)])) == 1


@pytest.mark.parametrize(("day", "hour"), [(date(2026, 3, 8), 11), (date(2026, 11, 1), 12), (date(2026, 7, 13), 11)])
def test_a_later_digest_leaves_at_six_local_time_on_every_day(day: date, hour: int) -> None:
    assert morning_of(day, "America/Chicago").hour == hour


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (None, AddressField()),
        ("  ", AddressField()),
        ("A@B.example", AddressField(addresses=("a@b.example",))),
        ("a@b.example;a@b.example", AddressField(addresses=("a@b.example",))),
        ("a@b.example\r\nBcc:c@d.example", AddressField(addresses=("a@b.example",), refused=("Bcc:c@d.example",))),
        ("a@bücher.example", AddressField(refused=("a@bücher.example",))),
        ('"a;b"@c.example', AddressField(refused=('"a', 'b"@c.example'))),
        ("a@@b.example", AddressField(refused=("a@@b.example",))),
        ("a@b.example.", AddressField(refused=("a@b.example.",))),
    ],
)
def test_address_fields(text: str | None, field: AddressField) -> None:
    assert read_addresses(text) == field


def test_an_address_is_no_longer_than_mail_takes_it() -> None:
    local, domain = "a" * 64, ".".join(["b" * 63, "c" * 63, "d" * 60])
    assert is_address(f"{local}@{domain}") is (len(local) + 1 + len(domain) <= 254)
    assert not is_address("a" * 250 + "@b.example")


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("Laverne\r\nBcc: all@example.org", "Laverne Bcc: all@example.org"),
        ("a\u2028b\x00c\u202ed\u200be", "a b c d e"),
        ("  Nuñez  ", "Nuñez"),
        ("x" * 600, "x" * 499 + "…"),
    ],
)
def test_one_line(value: str, line: str) -> None:
    assert one_line(value) == line


@pytest.mark.parametrize(
    ("due", "last", "today", "words"),
    [
        ("2026-07-19", "2026-07-20", "2026-07-13", "in 6 days"),
        ("2026-07-19", "2026-07-20", "2026-07-18", "in 1 day"),
        ("2026-07-19", "2026-07-20", "2026-07-19", "today"),
        ("2026-07-19", "2026-07-21", "2026-07-20", "1 day left"),
        ("2026-07-19", "2026-07-20", "2026-07-20", "today is the last day"),
        ("2026-07-19", "2026-07-20", "2026-07-21", "1 day overdue"),
        ("2026-07-19", "2026-07-20", "2026-08-20", "31 days overdue"),
    ],
)
def test_days_away(due: str, last: str, today: str, words: str) -> None:
    assert days_away(date.fromisoformat(due), date.fromisoformat(last), date.fromisoformat(today)) == words


@pytest.mark.parametrize(
    ("due", "last", "words"),
    [
        (
            date(2026, 7, 10),
            date(2026, 7, 10),
            "The day of the event itself is not counted, the last day is (Wis. Stat. § 990.001(4)(a)); it falls",
        ),
        (date(2026, 7, 12), date(2026, 7, 13), "July 12, 2026 is a Sunday; so the last day is Monday, July 13, 2026"),
        (date(2026, 12, 25), date(2026, 12, 26), "December 25, 2026 is a legal holiday (Christmas Day); so"),
        (date(2026, 7, 11), date(2026, 7, 13), "July 11, 2026 is a Saturday, when the office is closed; July 12"),
        (date(2026, 11, 27), date(2026, 11, 30), "November 27, 2026 is a day on which the office is closed; Nov"),
        (date(2026, 1, 19), date(2026, 1, 20), "is a day without mail (Birthday of Martin Luther King, Jr.); so"),
    ],
)
def test_why_the_last_day_is_another(due: date, last: date, words: str) -> None:
    assert words in explain_deadline(due, last, Calendar(closed_days=frozenset({date(2026, 11, 27)})))


def test_dates_in_a_reason_are_written_out() -> None:
    text = "pumped 2023-06-01; ticket 12-2023-06-01-7; 2023-13-01"
    assert plain_days(text) == "pumped June 1, 2023; ticket 12-2023-06-01-7; 2023-13-01"
