"""What a meter says between two readings: whose they are, past its last digit, over a meter that was replaced."""

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest

from reporting.domain.meters import Metering, Reading, Span, metered_between, metering, plain, usual_use
from reporting.domain.records import Component, Event, History, Meter, System
from reporting.domain.view import View
from tests.reporting.domain.programs import PROGRAMS

APRIL = dt.date(2026, 4, 1)


def day(number: int) -> dt.date:
    return APRIL + dt.timedelta(days=number)


def read(on: int, value: int, **more: Any) -> Event:
    names = {"serial": "meter_serial", "unit": "meter_unit", "estimated": "meter_estimated"}
    said = {names[name]: given for name, given in more.items()}
    return Event(
        id=f"E{on}-{value}", event_type="meter_reading", service_date=day(on), component="holding",
        meter_reading=Fraction(value), **said,
    )  # fmt: skip


def metered(*events: Event, **meter: Any) -> Metering:
    tank = Component(kind="holding", meter=Meter(**meter))
    view = View(
        program=PROGRAMS["portage"],
        system=System(components=(tank,)),
        history=History(events=events),
        as_of=day(400),
        known_at=None,
    )
    return metering(view, tank)


def spans(found: Metering) -> list[tuple[int, int, int]]:
    return [((s.start.on - APRIL).days, (s.end.on - APRIL).days, int(s.gallons)) for s in found.spans]


def span(start: int, end: int, gallons: int, serial: str = "A1", days: int | None = None) -> Span:
    first, last = (Reading(event=read(on, 0), on=day(on), serial=serial, gallons=0, wrap=None) for on in (start, end))
    return Span(start=first, end=last, gallons=gallons, days=end - start if days is None else days)


def test_a_reading_without_a_serial_number_is_of_the_only_meter_that_is_named() -> None:
    assert spans(metered(read(0, 100), read(30, 400, serial="A1"), read(60, 900))) == [(0, 30, 300), (30, 60, 500)]
    assert spans(metered(read(0, 100), read(30, 400, serial="A1"), read(60, 900), serial="A1")) == [
        (0, 30, 300), (30, 60, 500),
    ]  # fmt: skip
    assert spans(metered(read(0, 100), read(30, 400, serial="A1"), read(60, 900), serial="B2")) == [(0, 60, 800)]
    two = metered(read(0, 100), read(30, 400, serial="A1"), read(31, 7, serial="B2"), read(60, 900))
    assert spans(two) == [(0, 60, 800)]


def test_of_two_meters_the_span_that_began_first_comes_first() -> None:
    found = metered(
        read(0, 10, serial="B2"), read(5, 10, serial="A1"), read(30, 40, serial="A1"), read(30, 90, serial="B2")
    )
    assert spans(found) == [(0, 30, 80), (5, 30, 30)]
    longer = metered(
        read(0, 10, serial="A1"), read(10, 10, serial="B2"), read(30, 40, serial="B2"), read(60, 90, serial="A1")
    )
    assert spans(longer) == [(10, 30, 30), (0, 60, 80)]


def test_units_count_in_gallons_and_what_is_estimated_or_of_no_unit_is_left_out() -> None:
    assert spans(metered(read(0, 1), read(30, 3), unit="gal_x100")) == [(0, 30, 200)]
    assert metered(read(0, 0), read(30, 1), unit="m3").spans[0].gallons == Fraction("264.172")
    assert spans(metered(read(0, 100), read(10, 999, estimated=True), read(30, 400))) == [(0, 30, 300)]
    assert spans(metered(read(0, 100), read(10, 999, unit="barrel"), read(30, 400))) == [(0, 30, 300)]


@pytest.mark.parametrize(
    ("readings", "expected", "fell"),
    [
        ((9_900, 100), [(0, 10, 200)], 0),
        ((9_900, 9_899), [(0, 10, 9_999)], 0),  # of at most 1,000 a day for ten days
        ((0, 0), [(0, 10, 0)], 0),
        ((10_003, 2), [], 1),  # what the meter cannot have shown has no last digit to go past
        ((10_003, 3), [(0, 10, 0)], 0),
    ],
)
def test_past_the_last_digit_a_plausible_use_counts(
    readings: tuple[int, int], expected: list[tuple[int, int, int]], fell: int
) -> None:
    found = metered(read(0, readings[0]), read(10, readings[1]), digits=4)
    assert (spans(found), len(found.decreased)) == (expected, fell)


def test_without_digits_or_past_what_is_usual_a_lower_reading_is_one_that_fell() -> None:
    assert len(metered(read(0, 9_900), read(10, 100)).decreased) == 1
    # 10 a day is usual, and four times that what is taken for a rollover
    for last, fell in ((9_900 + 400 - 10_000, 0), (9_900 + 401 - 10_000, 1)):
        found = metered(read(0, 9_800), read(10, 9_900), read(20, last), digits=4)
        assert len(found.decreased) == fell, last
    assert len(metered(read(0, 999_999), read(1, 1_000), digits=6).decreased) == 1
    assert len(metered(read(0, 999_999), read(1, 999), digits=6).decreased) == 0


def test_usual_is_the_use_of_the_last_five_spans_with_days() -> None:
    assert usual_use([]) is None
    assert usual_use([span(0, 10, 50, days=0)]) is None
    six = [span(0, 10, 9_000), *(span(10 * n, 10 * n + 10, 100) for n in range(1, 6))]
    assert usual_use(six) == 10
    assert usual_use([*six, span(60, 70, 7_000, days=0)]) == 10
    assert usual_use([span(0, 10, 100), span(10, 40, 600)]) == Fraction(700, 40)
    assert usual_use([span(0, 1, 50)]) == 50


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (span(30, 60, 500), 800),
        (span(31, 60, 500), None),  # of one meter nothing may be missing
        (span(30, 60, 500, "B2"), 800),
        (span(31, 60, 500, "B2"), 800),
        (span(33, 60, 500, "B2"), 800),  # replaced within three days
        (span(34, 60, 500, "B2"), None),
        (span(29, 60, 500, "B2"), None),  # both at once
        (span(30, 59, 500), None),  # does not reach
    ],
)
def test_metered_over_a_replaced_meter(second: Span, expected: int | None) -> None:
    found = Metering(spans=(span(0, 30, 300), second), decreased=())
    assert metered_between(found, day(0), day(60)) == expected
    assert metered_between(found, day(0), day(60)) == expected  # as it is asked again
    assert metered_between(found, day(0), day(30)) == 300
    assert metered_between(found, day(1), day(30)) is None


def test_gallons_are_written_as_people_write_them() -> None:
    assert [plain(one) for one in (None, 0, 3_000, Fraction(1, 3), Fraction("1200.50"))] == [
        "", "0", "3000", "0.33", "1200.5",
    ]  # fmt: skip
