"""Yes and no, choices, licence numbers, mail addresses, free text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.sheet import Cell, CellFault
from reporting.intake.values import BadValue, Raw, parse_text, raw_value
from reporting.intake.words import (
    is_none_word,
    normalize_license,
    parse_choice,
    parse_emails,
    parse_license,
    parse_yes_no,
)

PONDING = {"none": "none", "surface": "surface", "in_cell": "in_cell", "ground surface": "surface"}


def refusal(parse: Callable[[Raw], object], raw: Raw) -> str:
    with pytest.raises(BadValue) as bad:
        parse(raw)
    assert bad.value.message.endswith(".")
    return bad.value.code


@pytest.mark.parametrize("raw", ["yes", "Y", " TRUE ", "x", "X", "1", "✓", True, 1, 1.0])
def test_yes(raw: Raw) -> None:
    assert parse_yes_no(raw) is True


@pytest.mark.parametrize("raw", ["no", "N", "False", "0", "None", "\u200bno", False, 0])
def test_no(raw: Raw) -> None:
    assert parse_yes_no(raw) is False


@pytest.mark.parametrize("raw", ["maybe", "yes and no", "2", 2, 0.5, "n/a", "-", [], {}])
def test_neither(raw: Raw) -> None:
    assert refusal(parse_yes_no, raw) == "yes_no"


def test_the_words_for_nothing() -> None:
    assert all(is_none_word(word) for word in ("None", "N/A", " n.a. ", "nothing", "-", "—", "not  applicable", "no"))
    assert not any(is_none_word(word) for word in ("some", "none seen in cell", ""))


@pytest.mark.parametrize(
    ("raw", "choice"),
    [
        ("Surface", "surface"),
        ("In Cell", "in_cell"),
        ("in-cell", "in_cell"),
        ("INCELL", "in_cell"),
        ("Ground surface", "surface"),
        ("None", "none"),
        ("no", "none"),
        ("N/A", "none"),
        (False, "none"),
    ],
)
def test_choices(raw: Raw, choice: str) -> None:
    assert parse_choice(raw, PONDING) == choice


def test_what_is_no_choice_is_told_the_choices() -> None:
    with pytest.raises(BadValue, match="Give one of: none, surface, in_cell") as bad:
        parse_choice("cell", PONDING)
    assert bad.value.code == "choice"
    for raw in ("yes", True, "", 7, None, "***"):
        with pytest.raises(BadValue):
            parse_choice(raw, PONDING)
    with pytest.raises(BadValue):
        parse_choice("none", {"good": "good"})


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        ("MP-123 456", "MP123456"),
        ("mp–123456", "MP123456"),
        ("Lic. 00412", "LIC00412"),
        ("00412", "00412"),
        ("#412", "412"),
        ("412.0", "412"),
        (412, "412"),
        ("４１２", "412"),
    ],
)
def test_licences(raw: Raw, number: str) -> None:
    assert parse_license(raw) == number


@pytest.mark.parametrize(
    "raw", ["none", "-", "", "pending", "4 1 2 é", True, -4, 1.5, 1e18, None, date(2026, 1, 1), "1" * 41]
)
def test_what_is_no_licence(raw: Raw) -> None:
    assert refusal(parse_license, raw) in {"license", "blank"}


def test_leading_zeros_of_a_licence_are_kept() -> None:
    assert normalize_license("00-412") != normalize_license("412")


@pytest.mark.parametrize(
    ("raw", "addresses"),
    [
        ("Ann@Example.COM", ("Ann@example.com",)),
        ("a@x.org; b@y.org,c@z.org ;", ("a@x.org", "b@y.org", "c@z.org")),
        ("a@x.org;a@X.org", ("a@x.org",)),
        ("o'neil+septic@mail.example.org", ("o'neil+septic@mail.example.org",)),
    ],
)
def test_mail_addresses(raw: str, addresses: tuple[str, ...]) -> None:
    assert parse_emails(raw) == addresses


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "ann",
        "ann@",
        "@x.org",
        "ann@x",
        "ann@x..org",
        "a..b@x.org",
        ".a@x.org",
        "a.@x.org",
        "a b@x.org",
        "a@x.org b@y.org",
        "a@x.org\nBcc: b@y.org",
        "Ann <a@x.org>",
        "a@-x.org",
        ";",
        ";".join(["a@x.org"] * 11),
        "ä@x.org",
        "a@x.org\x00",
        "a@" + "x" * 64 + ".org",
        "a" * 65 + "@x.org",
        5,
        None,
    ],
)
def test_what_is_no_mail_address(raw: Raw) -> None:
    assert refusal(parse_emails, raw) in {"email", "blank", "bad_character"}


def test_text_keeps_lines_and_loses_what_cannot_be_seen() -> None:
    assert parse_text(" lid\nbroken\u200b ") == "lid\nbroken"
    assert parse_text(412) == "412"
    assert parse_text("a" * 10_000) == "a" * 10_000
    refused: list[tuple[Raw, str]] = [
        ("a" * 10_001, "too_long"),
        ("a\x00b", "bad_character"),
        ("a\x07b", "bad_character"),
        ("\udc80", "bad_character"),
        ("\u200b", "blank"),
        (None, "not_text"),
        (True, "not_text"),
        (["a"], "not_text"),
    ]
    for raw, code in refused:
        assert refusal(parse_text, raw) == code


def test_a_cell_gives_its_native_value_its_text_or_its_fault() -> None:
    assert raw_value(Cell("1500", 1500)) == 1500
    assert raw_value(Cell("FALSE", False)) is False
    assert raw_value(Cell("1500")) == "1500"
    for fault in CellFault:
        with pytest.raises(BadValue) as bad:
            raw_value(Cell("", None, fault))
        assert (bad.value.code, bad.value.message) == (fault.value, fault.message)


@given(
    st.text(max_size=20) | st.text("MP-412 .0#é\u200b\x00", max_size=10) | st.integers() | st.floats() | st.booleans()
)
def test_what_is_accepted_prints_back(raw: Raw) -> None:
    parsers: list[Callable[[Raw], object]] = [parse_license, parse_text, lambda each: parse_choice(each, PONDING)]
    for parse in parsers:
        try:
            value = parse(raw)
        except BadValue:
            continue
        assert isinstance(value, str)
        assert parse(value) == value


@given(st.booleans())
def test_yes_and_no_print_back(value: bool) -> None:
    assert parse_yes_no(str(value)) is parse_yes_no("yes" if value else "no") is value


@given(st.lists(st.emails(), min_size=1, max_size=3))
def test_mail_addresses_print_back_when_accepted(addresses: list[str]) -> None:
    try:
        value = parse_emails("; ".join(addresses))
    except BadValue:
        return
    assert parse_emails("; ".join(value)) == value
