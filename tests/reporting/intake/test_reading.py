"""One row of a file: values read by their fields, and everything that is wrong said at once."""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.contents import content_hash, content_of
from reporting.intake.reading import Reader, ReadRow, keepable
from reporting.intake.sheet import Cell, CellFault, Row, RowFault
from schemas.fields import FIELDS
from schemas.loader import shipped_program

TODAY = date(2026, 7, 13)


def read(cells: dict[str, str | Cell], **row: object) -> ReadRow:
    reader = Reader(mapping={name: name for name in FIELDS}, program=shipped_program("ozaukee"), today=TODAY)
    given_cells = {h: c if isinstance(c, Cell) else Cell(c) for h, c in cells.items()}
    return reader.read(Row(number=5, pointer="/3", cells=given_cells, raw=b"raw", **row))  # type: ignore[arg-type]


def test_values_are_read_by_their_fields() -> None:
    row = read(
        {
            "gallons_pumped": "1,500 gal", "service_date": "7/2/2026", "sludge_scum_fraction": "1/4",
            "meter_reading": "012,345.5", "partial": "x", "defects": "lid; baffle ;", "component": "Septic Tank",
            "license_number": "412.0", "service_time": "2:30 PM", "Truck": "T2",
        }
    )  # fmt: skip
    assert row.issues == ()
    assert row.values["gallons_pumped"] == 1500
    assert row.values["service_date"] == date(2026, 7, 2)
    assert row.values["sludge_scum_fraction"] == Fraction(1, 4)
    assert row.values["meter_reading"] == Decimal("12345.5")
    assert row.values["partial"] is True
    assert row.values["defects"] == ("lid", "baffle")
    assert row.values["component"] == "septic"
    assert row.values["license_number"] == "412"
    assert "Truck" not in row.values
    assert row.cells["Truck"] == "T2"


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        ("notes", "n/a", None), ("meter_reading", "none", None), ("failure_condition", "None", None),
        ("next_pump_date", "-", None), ("ponding", "none", "none"), ("tank_condition", "N/A", None),
        ("report_ref", "0", "0"), ("license_number", "n/a", None), ("inspector_credential_kind", "NA", None),
        ("permit_number", "\u200b ", None),
    ],
)  # fmt: skip
def test_words_for_nothing_leave_a_field_empty(name: str, text: str, kept: str | None) -> None:
    row = read({name: text})
    assert (row.values.get(name), row.issues) == (kept, ())


def test_gallons_in_words_are_no_number() -> None:
    assert [i.code for i in read({"gallons_pumped": "none"}).issues] == ["not_whole"]


def test_issues_have_row_field_pointer_and_the_value_as_sent() -> None:
    row = read({"gallons_pumped": "~1500", "service_date": "2062-07-02", "signed_on": "2026-07-14", "ponding": "wet"})
    assert [(i.row, i.field, i.pointer, i.code, i.value) for i in row.issues] == [
        (5, "gallons_pumped", "/3/gallons_pumped", "not_whole", "~1500"),
        (5, "service_date", "/3/service_date", "in_future", "2062-07-02"),
        (5, "signed_on", "/3/signed_on", "in_future", "2026-07-14"),
        (5, "ponding", "/3/ponding", "choice", "wet"),
    ]


def test_a_date_to_come_is_no_error_where_it_is_meant() -> None:
    assert read({"next_pump_date": "2029-07-02"}).issues == ()


def test_a_report_of_gallons_without_a_type_is_one_of_pumping_and_says_so() -> None:
    row = read({"gallons_pumped": "900"})
    assert row.values["event_type"] == "pumping"
    assert [w["code"] for w in row.warnings] == ["taken_as_pumping"]
    assert "event_type" not in read({"gallons_pumped": "0"}).values
    unread = read({"gallons_pumped": "900", "event_type": "pumped out back"})
    assert ("event_type" in unread.values, unread.warnings) == (False, ())


def test_surplus_cells_and_faults_are_said_of_the_row() -> None:
    shifted = read({"notes": "a"}, surplus=("b", "c"))
    assert [(i.code, i.pointer, i.value) for i in shifted.issues] == [("shifted_row", "/3", "b; c")]
    assert shifted.cells["(beyond the headings 2)"] == "c"
    broken = read({"notes": "a"}, fault=RowFault.QUOTES)
    assert [i.code for i in broken.issues] == ["unreadable_row"]
    wrong, unsaved = Cell("#N/A", None, CellFault.FORMULA_ERROR), Cell("", None, CellFault.FORMULA_WITHOUT_VALUE)
    formula = read({"meter_reading": wrong, "gallons_pumped": unsaved})
    assert [(i.field, i.code) for i in formula.issues] == [
        ("meter_reading", "formula_error"),
        ("gallons_pumped", "formula_without_value"),
    ]


def test_native_values_of_a_workbook_are_taken_as_they_are() -> None:
    row = read(
        {
            "service_date": Cell("2026-07-02", datetime(2026, 7, 2)),  # noqa: DTZ001 - a workbook knows no zone
            "gallons_pumped": Cell("1500", 1500.0), "permit_number": Cell("412", 412), "partial": Cell("true", True),
            "notes": Cell("7", 7),
        }
    )  # fmt: skip
    assert row.issues == ()
    assert row.values["gallons_pumped"] == 1500
    assert row.values["permit_number"] == "412"
    assert row.values["notes"] == "7"
    assert set(row.damage) == {"permit_number"}


def test_the_same_text_is_read_by_each_field_in_its_own_way() -> None:
    row = read({"report_ref": "1/4", "sludge_scum_fraction": "1/4", "notes": "1/4"})
    assert row.values == {"report_ref": "1/4", "sludge_scum_fraction": Fraction(1, 4), "notes": "1/4"}


@given(st.text(max_size=40))
def test_any_text_can_be_kept_by_both_databases(text: str) -> None:
    kept = keepable(text)
    assert "\x00" not in kept
    assert kept.encode().decode() == kept
    assert keepable(kept) == kept


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), st.text(max_size=30), max_size=8))
def test_whatever_a_row_holds_it_is_read_or_said_and_read_again_from_what_is_kept(cells: dict[str, str]) -> None:
    row = read({**cells})
    said = {i.field for i in row.issues}
    assert not said & (set(row.values) - {"event_type"})
    content = content_of(row.values)
    texts = {
        n: "; ".join(v) if isinstance(v, list) else str(v)
        for n, v in content.items()
        if v is not True and v is not False
    }
    again = content_of(read({n: Cell(t) for n, t in texts.items()}).values)
    assert content_hash({n: again[n] for n in texts if n in again}) == content_hash({n: content[n] for n in texts})
