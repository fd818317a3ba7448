"""JSON lists and single reports, read strictly."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.json_rows import load_json, read_json, read_json_report
from reporting.intake.sheet import Cell, FileRefused, Limits, RowFault, Sheet


def read(text: str, **limits: int) -> Sheet:
    return read_json(text.encode(), limits=Limits(**limits))


def test_a_list_has_the_rows_of_the_same_csv() -> None:
    sheet = read(
        '[ {"permit_number": "SP-1", "gallons_pumped": 1500.0, "partial": true, "notes": null, "x": " "},\n {}]'
    )
    first, second = sheet.rows
    assert (first.number, first.pointer, second.number, second.pointer) == (2, "/0", 3, "/1")
    assert first.cells == {
        "permit_number": Cell("SP-1"),
        "gallons_pumped": Cell("1500.0", Decimal("1500.0")),
        "partial": Cell("true", True),
    }
    assert sheet.headings == ("permit_number", "gallons_pumped", "partial", "notes", "x")
    assert first.raw.startswith(b'{"permit_number": "SP-1"')
    assert second.raw == b"{}"
    assert sheet.row_count == 2


def test_what_is_no_object_is_one_bad_row() -> None:
    assert [row.fault for row in read('[{"a": 1}, 7, "x", [], null]').rows] == [None, *[RowFault.NOT_AN_OBJECT] * 4]


def test_one_report_points_from_the_root() -> None:
    (row,) = read_json_report(b'\xef\xbb\xbf {"meter_reading": "12", "defects": ["lid"]} ', limits=Limits()).rows
    assert row.pointer_to("meter_reading") == "/meter_reading"
    assert row.cells["defects"] == Cell('["lid"]', ["lid"])


@pytest.mark.parametrize("body", [b"null", b"[]", b"7", b'"x"', b"true"])
def test_one_report_is_an_object(body: bytes) -> None:
    with pytest.raises(FileRefused) as refused:
        read_json_report(body, limits=Limits())
    assert refused.value.code == "not_an_object"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[{"a": 1, "a": 2}]', "duplicate_key"),
        ('[{"a": {"b": 1, "b": 2}}]', "duplicate_key"),
        ('[{"a": NaN}]', "number"),
        ('[{"a": Infinity}]', "number"),
        ('[{"a": -Infinity}]', "number"),
        ('[{"a": ' + "9" * 41 + "}]", "number"),
        ('[{"a": ' + "9" * 5000 + "}]", "number"),
        ('[{"a": 1e9999999999999999999999}]', "number"),
        ('[{"\\ud800": 1}]', "surrogate"),
        ("[" * 100_000, "too_deep"),
        ("[" + '{"a":' * 100_000, "too_deep"),
        ('[{"a": ' + "[" * 20 + "]" * 20 + "}]", "too_deep"),
        ("[{}", "not_json"),
        ("[{},]", "not_json"),
        ("[{} {}]", "not_json"),
        ("[{}] x", "not_json"),
        ("[{'a': 1}]", "not_json"),
        ('[{"a": "\n"}]', "not_json"),
        ("{}", "not_a_list"),
        ("7", "not_a_list"),
        ("[]", "no_rows"),
        ("  ", "empty_file"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    with pytest.raises(FileRefused) as refused:
        read(text)
    assert (refused.value.code, refused.value.status) == (code, 422)
    assert refused.value.detail.endswith(".")


def test_numbers_are_exact_and_large_exponents_are_left_to_the_values() -> None:
    (row,) = read('[{"a": 1e400, "b": 0.1, "c": 12345678901234567890}]').rows
    assert [row.cells[name].native for name in "abc"] == [Decimal("1e400"), Decimal("0.1"), 12345678901234567890]


def test_lone_surrogates_in_values_are_left_to_the_values() -> None:
    (row,) = read('[{"a": "x\\ud800"}]').rows
    assert row.cells["a"].text == "x\ud800"
    assert row.raw == b'{"a": "x\\ud800"}'


def test_limits_and_encodings() -> None:
    with pytest.raises(FileRefused) as refused:
        read("[{},{},{}]", max_rows=2)
    assert refused.value.status == 413
    with pytest.raises(FileRefused) as refused:
        read(json.dumps([{f"n{n}": n} for n in range(100)]))
    assert refused.value.code == "too_many_columns"
    with pytest.raises(FileRefused) as refused:
        read_json('[{"a": "ñ"}]'.encode("cp1252"), limits=Limits())
    assert refused.value.code == "encoding"
    assert read_json('[{"a": "ñ"}]'.encode("utf-16"), limits=Limits()).row_count == 1


words = st.text('ab"\\/ñ☃\n\x00', max_size=5)
simple = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | words


@given(st.lists(st.dictionaries(words, simple, max_size=4), max_size=5))
def test_what_the_standard_writer_writes_is_read_back(value: list[dict[str, object]]) -> None:
    assert load_json(json.dumps(value)) == value
    assert load_json(json.dumps(value, indent=2)) == value


@given(st.text(st.sampled_from('[]{}:,"\\ud80e1-.aN \n'), max_size=40))
def test_any_text_is_rows_or_a_refusal(text: str) -> None:
    try:
        sheet = read(text)
    except FileRefused:
        return
    assert len(list(sheet.rows)) == sheet.row_count
