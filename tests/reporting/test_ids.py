"""Ids: 26 characters of base32 in the order of their time, none twice."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from reporting.ids import new_id, new_ids

NOW = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)


def test_ids_have_their_form_and_are_never_the_same() -> None:
    found = new_ids("rep", NOW, 2_000)
    assert all(re.fullmatch(r"rep_[0-9abcdefghjkmnpqrstvwxyz]{26}", one) for one in found)
    assert len(set(found)) == 2_000


def test_ids_follow_time_and_rise_within_one_moment() -> None:
    found = [
        *new_ids("sys", NOW, 50),
        new_id("sys", NOW + timedelta(milliseconds=1)),
        new_id("sys", NOW.replace(year=2126)),
    ]
    assert found == sorted(found)


def test_a_moment_needs_its_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        new_id("sub", datetime(2026, 7, 13))  # noqa: DTZ001 - a naive time is what is refused
