"""Headings: what is the same, what is only near."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.headings import match_headings, normalize_heading

FIELDS = {
    "permit_number": ["Permit", "Sanitary Permit #"],
    "parcel_number": ["Parcel", "Tax key"],
    "gallons_pumped": ["Gallons", "Gal"],
    "service_date": ["Date of service", "Date"],
    "notes": ["Comments"],
    "owner_name": [],
    "owner_phone": [],
}


@pytest.mark.parametrize(
    "heading",
    [
        "permit_number",
        "Permit Number",
        "PERMIT  NO.",
        "permit #",
        "Permit-Nr",
        "\ufeffPermit\u200b Num",
        " permit\nnumber: ",
        "Pérmit №",
        "Ｐermit number",
    ],
)
def test_case_space_punctuation_and_invisible_characters_do_not_matter(heading: str) -> None:
    assert normalize_heading(heading) == "permitnumber"


def test_what_is_different_stays_so() -> None:
    assert normalize_heading("owner_name") != normalize_heading("owner_phone")
    assert normalize_heading("notes") == "notes"  # the "no" in it is no number
    assert normalize_heading("***") == ""


def test_names_and_aliases_are_matched_and_the_rest_is_named() -> None:
    match = match_headings(["Sanitary permit no", "GALLONS", "Truck", "service date"], FIELDS)
    assert match.mapping == {
        "Sanitary permit no": "permit_number",
        "GALLONS": "gallons_pumped",
        "service date": "service_date",
    }
    assert match.unknown == ("Truck",)
    assert match.suggested == {}


@pytest.mark.parametrize(
    ("heading", "field"),
    [("Galons pumped", "gallons_pumped"), ("Permt number", "permit_number"), ("Servcie Date", "service_date")],
)
def test_a_near_miss_is_suggested_and_not_assumed(heading: str, field: str) -> None:
    match = match_headings([heading], FIELDS)
    assert match.mapping == {}
    assert match.unknown == (heading,)
    assert match.suggested == {heading: field}


def test_nothing_is_suggested_for_a_field_that_is_there_or_between_two() -> None:
    assert match_headings(["Gallons", "Galons"], FIELDS).suggested == {}
    assert match_headings(["owner_xname"], {"owner_lname": [], "owner_fname": []}).suggested == {}
    assert match_headings(["Dat"], FIELDS).suggested == {}


def test_two_headings_for_one_field_are_named_and_neither_is_taken() -> None:
    match = match_headings(["Notes", "Comments", "Permit"], FIELDS)
    assert match.duplicates == {"notes": ("Notes", "Comments")}
    assert match.mapping == {"Permit": "permit_number"}


def test_what_a_sender_confirmed_goes_before_the_aliases() -> None:
    learned = {normalize_heading("Truck"): "notes", normalize_heading("Date"): "owner_name"}
    match = match_headings(["Truck", "Date"], FIELDS, learned=learned)
    assert match.mapping == {"Truck": "notes", "Date": "owner_name"}


def test_one_name_for_two_fields_is_a_mistake_in_the_program() -> None:
    with pytest.raises(ValueError, match="claimed by permit_number and parcel_number"):
        match_headings([], {"permit_number": ["Number"], "parcel_number": ["number"]})


@given(st.lists(st.text("permit_nubgalos 1#\u200b", max_size=14), max_size=6))
def test_every_heading_is_in_exactly_one_place(headings: list[str]) -> None:
    match = match_headings(headings, FIELDS)
    doubled = [each for found in match.duplicates.values() for each in found]
    assert sorted([*match.mapping, *match.unknown, *doubled]) == sorted(headings)
    assert set(match.suggested) <= set(match.unknown)
