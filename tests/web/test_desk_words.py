"""The desk's pure parts: values of settings as people write them, the months of the picture."""

from datetime import date

import pytest

from reporting.web.desk_figures import months_before
from reporting.web.desk_settings import read_value, write_value


@pytest.mark.parametrize(
    ("text", "usual", "value"),
    [
        ("60", 30, 60),
        ("1.5", 1.2, 1.5),
        ("x", 30, "x"),
        ("yes", False, True),
        ("maybe", False, "maybe"),
        ("60, 14", [90], [60, 14]),
        ("2026-12-24, 2026-12-25", [], ["2026-12-24", "2026-12-25"]),
        (" Town Hall ", "", "Town Hall"),
        (75, 30, 75),
    ],
)
def test_values_of_settings_are_read_as_they_are_written(text: object, usual: object, value: object) -> None:
    assert read_value(text, usual) == value
    assert read_value(write_value(value), usual) == value


@pytest.mark.parametrize(
    ("today", "first", "last"),
    [
        (date(2026, 7, 1), date(2025, 7, 1), date(2026, 6, 30)),
        (date(2026, 7, 31), date(2025, 7, 1), date(2026, 6, 30)),
        (date(2028, 3, 1), date(2027, 3, 1), date(2028, 2, 29)),
    ],
)
def test_months_are_the_twelve_that_have_ended(today: date, first: date, last: date) -> None:
    found = months_before(today)
    assert (len(found), found[0][0], found[-1][1]) == (12, first, last)
