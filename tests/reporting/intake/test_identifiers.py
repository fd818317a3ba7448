"""Identifiers: one form for what is the same, never one for two; and what Excel did to them."""

from __future__ import annotations

import re
from datetime import date, datetime

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from reporting.intake.identifiers import ExcelDamage, ExcelHarm, excel_damage, normalize_identifier
from reporting.intake.sheet import Native


@pytest.mark.parametrize(
    "text",
    [
        "SP-1987",
        "sp 1987",
        "SP–1987",
        "SP—1987",
        "SP‑1987",
        "SP−1987",
        " SP_1987.",
        "sp//1987",
        "S\u200bP-1987",
        "SP\xa01987",
        "ＳＰ－１９８７",
        "#SP-1987",
    ],
)
def test_one_form_for_one_identifier(text: str) -> None:
    assert normalize_identifier(text) == "SP-1987"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("143-6", "14-36"),
        ("143-6", "1436"),
        ("0412", "412"),
        ("SP1987", "SP-1987"),
        ("14½", "141-2"),
        ("14²", "142"),
        ("O1", "01"),
        ("1.9E+18", "1.9E18-"),
        ("ß1", "SS1"),
    ],
)
def test_two_identifiers_are_never_one(one: str, other: str) -> None:
    if one == "1.9E+18":
        assert normalize_identifier(one) == "1-9E-18"
    assert normalize_identifier(one) != normalize_identifier(other)


def test_nothing_in_it() -> None:
    assert normalize_identifier(" - . ") == ""


pieces = st.text("0123456789ABab½²éß", min_size=1, max_size=3)
identifiers = st.lists(pieces, min_size=1, max_size=4)


@given(identifiers, identifiers, st.sampled_from("-. /_–"), st.sampled_from(["-", " ", "--", " - "]))
@example(["143", "6"], ["14", "36"], "-", " ")
def test_the_form_is_the_same_exactly_when_the_pieces_are(one: list[str], other: list[str], a: str, b: str) -> None:
    def plain(words: list[str]) -> list[str]:
        return [re.sub("[a-zé]", lambda found: found[0].upper(), word) for word in words]

    same = normalize_identifier(a.join(one)) == normalize_identifier(b.join(other))
    assert same is (plain(one) == plain(other))


@given(st.text(max_size=20))
def test_the_form_of_a_form_is_itself(text: str) -> None:
    form = normalize_identifier(text)
    assert normalize_identifier(form) == form


def damage(text: str, native: Native = None) -> ExcelDamage:
    found = excel_damage(text, native)
    assert found is not None
    assert found.message.endswith("then save again.")
    return found


@pytest.mark.parametrize(
    ("text", "native", "harm", "was", "was_not"),
    [
        ("1.9E+18", None, ExcelHarm.SCIENTIFIC, "1903456789012345678", "1843456789012345678"),
        ("1.9E+18", None, ExcelHarm.SCIENTIFIC, "1853456789012345678", "190345678901234567"),
        ("1.23457E+11", None, ExcelHarm.SCIENTIFIC, "123456789012", "123446789012"),
        ("1.23457E+11", None, ExcelHarm.SCIENTIFIC, "00123456789012", "12-3456789012"),
        (
            "1.234567890123457E+18",
            1.234567890123457e18,
            ExcelHarm.SCIENTIFIC,
            "1234567890123456789",
            "1234567890123956789",
        ),
        ("9.99E+5", None, ExcelHarm.SCIENTIFIC, "999000", "99900"),
        ("1234567890123450000", None, ExcelHarm.ROUNDED, "1234567890123456789", "1234567890123466789"),
        ("412.0", None, ExcelHarm.DECIMAL, "00412", "4120"),
        ("412.0", None, ExcelHarm.DECIMAL, "412.0", "4-12"),
        ("3-Dec", None, ExcelHarm.DATE, "12-3", "1-23"),
        ("3-Dec", None, ExcelHarm.DATE, "12/03", "12-13"),
        ("3-Dec", None, ExcelHarm.DATE, "DEC 3", "3-12"),
        ("Dec-87", None, ExcelHarm.DATE, "12-1987", "12-1988"),
        ("12/3/2026", None, ExcelHarm.DATE, "12-3", "123"),
        ("2026-12-03", date(2026, 12, 3), ExcelHarm.DATE, "12-03", "12-30"),
        ("2026-12-03T00:00:00", datetime(2026, 12, 3), ExcelHarm.DATE, "12/3", "2026-1203"),  # noqa: DTZ001
        ("12/1/1987", None, ExcelHarm.DATE, "12-1987", "1-1987"),
        ("412", 412, ExcelHarm.ZEROS, "000412", "4120"),
    ],
)
def test_what_excel_did(text: str, native: Native, harm: ExcelHarm, was: str, was_not: str) -> None:
    found = damage(text, native)
    assert found.harm is harm
    assert found.could_be(was)
    assert not found.could_be(was_not)


@pytest.mark.parametrize(
    ("text", "native"),
    [
        ("SP-1987", None),
        ("0412", None),
        ("412", None),
        ("143-6", None),
        ("1E5", None),
        ("13-14", None),
        ("3-Foo", None),
        ("99/99/2026", None),
        ("412.05", None),
        ("TRUE", True),
        ("", None),
        ("123456789012345", None),
    ],
)
def test_what_looks_as_it_was_typed(text: str, native: Native) -> None:
    assert excel_damage(text, native) is None


@given(st.integers(10**15, 10**25), st.integers(1, 6))
def test_a_number_is_found_again_from_what_excel_shows_of_it(number: int, places: int) -> None:
    shown = f"{number:.{places}E}"
    assume("E+" in shown)
    assert damage(shown).could_be(str(number))
    kept = str(number)[:15] + "0" * (len(str(number)) - 15)
    assert damage(kept, int(kept)).could_be(str(number))


@given(st.integers(1, 10**14), st.integers(0, 5))
def test_lost_zeros_are_found_again(number: int, zeros: int) -> None:
    typed = "0" * zeros + str(number)
    assert damage(str(number), number).could_be(typed)
    assert damage(f"{number}.0").could_be(typed)


@given(st.dates(date(2001, 1, 1), date(2030, 12, 31)))
def test_what_became_a_date_is_found_again(day: date) -> None:
    assert damage(f"{day.day}-{day:%b}").could_be(f"{day.month}-{day.day}")
    assert damage(day.isoformat(), day).could_be(f"{day.month:02}-{day.day:02}")
    assert damage(f"{day.month}/{day.day}/{day.year}").could_be(f"{day.month}-{day.day}-{day.year % 100:02}")


@given(st.text("0123456789.E+-/ADJanDec:T\u200b", max_size=20))
def test_any_text_has_an_answer(text: str) -> None:
    found = excel_damage(text)
    assert found is None or not found.could_be("no such permit")
