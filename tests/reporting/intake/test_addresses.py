"""Addresses as Wisconsin writes them, in one spelling."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.addresses import normalize_address


@pytest.mark.parametrize(
    "road",
    [
        "CTY BB",
        "CTH BB",
        "CO RD BB",
        "Co. Rd. BB",
        "COUNTY TRUNK HWY BB",
        "County Trunk Highway BB",
        "Cty Hwy BB",
        "C.T.H. BB",
        "County Road BB",
        "CTY TRK BB",
        "Cty. Tr. BB",
        "COUNTY BB",
        "CNTY RD BB",
        "county highway bb",
        "CTY RD BB",
        "CO HWY BB",
    ],
)
def test_county_roads(road: str) -> None:
    assert normalize_address(f"4521 {road}") == "4521 COUNTY ROAD BB"
    assert normalize_address(f"4521 {road}, Saukville") == "4521 COUNTY ROAD BB SAUKVILLE"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1 STH 33", "1 STATE ROAD 33"),
        ("1 State Highway 33", "1 STATE ROAD 33"),
        ("1 State Trunk Hwy 33", "1 STATE ROAD 33"),
        ("1 ST RD 33", "1 STATE ROAD 33"),
        ("1 WIS-33", "1 STATE ROAD 33"),
        ("1 Wisconsin Hwy 33", "1 STATE ROAD 33"),
        ("9 USH 41", "9 US HIGHWAY 41"),
        ("9 U.S. Hwy 41", "9 US HIGHWAY 41"),
        ("9 US-41", "9 US HIGHWAY 41"),
        ("9 U S Highway 41", "9 US HIGHWAY 41"),
        ("9 Hwy 57", "9 HIGHWAY 57"),
        ("4521 County Line Rd", "4521 COUNTY LINE ROAD"),
        ("4521 State St", "4521 STATE STREET"),
        ("4521 County Rd CR", "4521 COUNTY ROAD CR"),
        ("4521 County Rd E", "4521 COUNTY ROAD E"),
        ("N5555 Cedar Rd", "N5555 CEDAR ROAD"),
        ("n 5555 Cedar Rd", "N5555 CEDAR ROAD"),
        ("N-5555 Cedar Rd", "N5555 CEDAR ROAD"),
        ("W123N4567 Cedar Rd", "W123N4567 CEDAR ROAD"),
        ("W 123 N 4567 Cedar Rd", "W123N4567 CEDAR ROAD"),
        ("W123 N4567 Cedar Road", "W123N4567 CEDAR ROAD"),
        ("N Main St", "N MAIN STREET"),
        ("123 West Main Street", "123 W MAIN STREET"),
        ("123 W. Main St.", "123 W MAIN STREET"),
        ("123 Main St NW", "123 MAIN STREET NW"),
        ("123 Main Street Northwest", "123 MAIN STREET NW"),
        ("12 St. John's Rd", "12 SAINT JOHNS ROAD"),
        ("12 N St Johns Rd", "12 N SAINT JOHNS ROAD"),
        ("5 1st St, Grafton", "5 1ST STREET GRAFTON"),
        ("1 Oak Ave", "1 OAK AVENUE"),
        ("1 Oak Av.", "1 OAK AVENUE"),
        ("1 Oak Dr", "1 OAK DRIVE"),
        ("1 Oak Ln", "1 OAK LANE"),
        ("1 Oak Ct", "1 OAK COURT"),
        ("1 Oak Ct #4", "1 OAK COURT UNIT 4"),
        ("1 Oak Ct Apt. 4", "1 OAK COURT UNIT 4"),
        ("1 Oak Ct, Suite #4", "1 OAK COURT UNIT 4"),
        ("1 Oak Ct unit 4", "1 OAK COURT UNIT 4"),
        ("Oak & Elm", "OAK AND ELM"),
        ("Oak and Elm", "OAK AND ELM"),
        ("1 Oak Ct, Cedarburg, WI 53012", "1 OAK COURT CEDARBURG"),
        ("1 Oak Ct, Cedarburg WI 53012-1234", "1 OAK COURT CEDARBURG"),
        ("  1\u00a0oak\u200b   ct ", "1 OAK COURT"),
        ("", ""),
        ("---", ""),
    ],
)
def test_one_spelling(text: str, form: str) -> None:
    assert normalize_address(text) == form


def test_two_houses_stay_two() -> None:
    assert normalize_address("N5555 Cedar Rd") != normalize_address("W5555 Cedar Rd")
    assert normalize_address("4521 CTH B") != normalize_address("4521 CTH BB")
    assert normalize_address("12 Oak Ct #1") != normalize_address("12 Oak Ct #2")


WORDS = [
    "N5555",
    "123",
    "CTY",
    "HWY",
    "BB",
    "ST",
    "STATE",
    "33",
    "US",
    "N",
    "NORTH",
    "OAK",
    "RD",
    "APT",
    "#",
    "&",
    "COUNTY",
    "TRUNK",
]


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=40))
def test_spelling_and_spacing_do_not_matter_and_the_form_is_plain(text: str) -> None:
    form = normalize_address(text)
    assert form == " ".join(form.split())
    assert form.upper() == form
    assert normalize_address(f"  {text.replace(' ', '   ')} ") == form


@pytest.mark.parametrize(
    "text", ["C" * 100_000, "COUNTY TRUNK " * 10_000, "N1" * 50_000, ", WI" * 30_000, " " * 100_000 + "x"]
)
def test_long_texts_take_no_time(text: str) -> None:
    start = time.perf_counter()
    normalize_address(text)
    assert time.perf_counter() - start < 1
