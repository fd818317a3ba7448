"""CSV in all the shapes that office software gives it."""

from __future__ import annotations

import csv
import io
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reporting.intake.csv_rows import read_csv, records
from reporting.intake.headings import normalize_heading
from reporting.intake.sheet import Cell, FileRefused, Limits, Row, RowFault, Sheet

KNOWN = {"permitnumber", "servicedate", "gallonspumped", "notes", "ownername"}


def is_known(heading: str) -> bool:
    return normalize_heading(heading) in KNOWN


def read(data: bytes | str, **limits: int) -> Sheet:
    sent = data.encode() if isinstance(data, str) else data
    return read_csv(sent, known_heading=is_known, limits=Limits(**limits))


def rows(data: bytes | str) -> list[Row]:
    return list(read(data).rows)


def texts(row: Row) -> dict[str, str]:
    return {heading: cell.text for heading, cell in row.cells.items()}


PLAIN = "permit_number,service_date,notes\nSP-1,2026-07-02,fine\nSP-2,2026-07-03,\n"
ROWS = [
    (2, {"permit_number": "SP-1", "service_date": "2026-07-02", "notes": "fine"}),
    (3, {"permit_number": "SP-2", "service_date": "2026-07-03"}),
]


def seen(data: bytes | str) -> list[tuple[int, dict[str, str]]]:
    return [(row.number, texts(row)) for row in rows(data)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_line_ends_delimiters_and_encodings(line_end: str, delimiter: str, encoding: str) -> None:
    text = PLAIN.replace(",", delimiter).replace("\n", line_end)
    assert seen(text.encode(encoding)) == ROWS
    assert seen(text.rstrip().encode(encoding))[0] == ROWS[0]


def test_windows_1252_keeps_names_and_curly_marks() -> None:
    sheet = read("permit_number,owner_name,notes\nSP-1,Nuñez,“lid” – broken’s\n".encode("cp1252"))
    (row,) = sheet.rows
    assert texts(row) == {"permit_number": "SP-1", "owner_name": "Nuñez", "notes": "“lid” – broken’s"}
    assert row.raw == "SP-1,Nuñez,“lid” – broken’s".encode("cp1252")
    assert sheet.notes == ("The file was read as Windows-1252.",)


def test_bytes_that_are_no_text_refuse_the_file_and_say_where() -> None:
    with pytest.raises(FileRefused, match="CSV UTF-8") as refused:
        read(b"permit_number,notes\nSP-1,\x81\xff\n")
    assert (refused.value.code, refused.value.status) == ("encoding", 422)
    with pytest.raises(FileRefused):
        read(b"\xff\xfep\x00e")  # half a character of UTF-16 is missing: odd length


def test_the_delimiter_is_the_one_that_yields_known_headings() -> None:
    data = 'permit_number;notes;owner_name\nSP-1;"a, b";Smith, John\n'
    assert seen(data) == [(2, {"permit_number": "SP-1", "notes": "a, b", "owner_name": "Smith, John"})]


def test_excels_own_separator_line() -> None:
    assert seen("sep=;\r\npermit_number;notes\r\nSP-1;x\r\n") == [(3, {"permit_number": "SP-1", "notes": "x"})]


def test_line_breaks_and_quotes_inside_quotes() -> None:
    data = 'permit_number,notes\r\n"SP-1","lid\r\nbroken, ""bad"""\r\nSP-2,6" pipe\r\nSP-3, "a, b" \r\n'
    assert seen(data) == [
        (2, {"permit_number": "SP-1", "notes": 'lid\r\nbroken, "bad"'}),
        (3, {"permit_number": "SP-2", "notes": '6" pipe'}),
        (4, {"permit_number": "SP-3", "notes": "a, b"}),
    ]
    assert rows(data)[0].raw == b'"SP-1","lid\r\nbroken, ""bad"""'


def test_a_lone_quote_spoils_its_own_row_only() -> None:
    data = 'permit_number,notes\nSP-1,"open\nSP-2,"fine"\nSP-3,fine\n'
    found = rows(data)
    assert [(row.number, row.fault) for row in found] == [(2, RowFault.QUOTES), (3, None), (4, None)]
    assert texts(found[1]) == {"permit_number": "SP-2", "notes": "fine"}
    last = rows('permit_number,notes\nSP-1,fine\nSP-2,"open\nSP-3,fine\n')
    assert [(row.number, row.fault) for row in last] == [(2, None), (3, RowFault.QUOTES), (4, None)]
    assert last[1].raw == b'SP-2,"open'
    assert RowFault.QUOTES.message.startswith("A quotation mark")


def test_short_and_long_rows_are_values() -> None:
    short, long, padded = rows("permit_number,service_date,notes\nSP-1\nSP-2,2026-07-02,Smith, John,x\nSP-3,,,,\n")
    assert (short.missing, short.surplus) == (("service_date", "notes"), ())
    assert (long.missing, long.surplus) == ((), (" John", "x"))
    assert (padded.missing, padded.surplus) == ((), ())


def test_the_same_heading_twice_is_refused_and_named() -> None:
    with pytest.raises(FileRefused, match=r"“Notes” stands in column B and again in column D") as refused:
        read("permit_number,notes,x, Notes \nSP-1,a,b,c\n")
    assert refused.value.code == "duplicate_heading"


def test_titles_above_a_total_below_and_blanks_between() -> None:
    data = (
        "Miller Septic Service\nReport for July 2026,,\n\n"
        "Permit Number,Service Date,Gallons Pumped\n"
        'SP-1,7/2/2026,"1,500"\n,,\n \u00a0\n'
        "Permit Number,Service Date,Gallons Pumped\n"
        'SP-2,7/3/2026,1000\n\nTOTAL,,"2,500"\n'
    )
    found = rows(data)
    assert [(row.number, row.is_summary) for row in found] == [(5, False), (9, False), (11, True)]
    assert [row.pointer for row in found] == ["/0", "/4", "/6"]
    assert read(data).heading_row == 4
    assert read(data).row_count == 3


@pytest.mark.parametrize(
    ("line", "is_summary"),
    [
        ("TOTAL,,2500", True),
        (',Grand Total:,"2,500"', True),
        ("Subtotal,,2500 gal", True),
        ("Totals,,=SUM(C2:C9)", True),
        ("Total,7/2/2026,1500", False),  # a date: a report of an owner or site of that name
        ("Total Septic LLC,SP-1,1500", False),
        ("SP-1,total loss,1500", False),
        ("totality,,2500", False),
    ],
)
def test_what_a_summary_row_is(line: str, is_summary: bool) -> None:
    (row,) = rows(f"permit_number,service_date,gallons_pumped\n{line}\n")
    assert row.is_summary is is_summary


def test_pointers_follow_the_rows_of_the_contract() -> None:
    found = rows("permit_number,notes\na,1\nb,2\nc,3\nd,4\n")
    assert (found[3].number, found[3].pointer_to("meter_reading")) == (5, "/3/meter_reading")
    assert found[0].pointer_to("a/b~c") == "/0/a~1b~0c"


@pytest.mark.parametrize("data", ["", "\n\n", " ,,\n,,", "\ufeff"])
def test_empty_files(data: str) -> None:
    with pytest.raises(FileRefused) as refused:
        read(data)
    assert refused.value.code == "empty_file"


def test_header_only_and_unknown_headings() -> None:
    with pytest.raises(FileRefused) as refused:
        read("permit_number,notes\n\n,,\n")
    assert refused.value.code == "no_rows"
    with pytest.raises(FileRefused, match="Foo, Bar") as refused:
        read("Foo,Bar\n1,2\n")
    assert (refused.value.code, refused.value.headings) == ("no_heading", ("Foo", "Bar"))


def test_a_column_without_heading_is_named_only_when_filled() -> None:
    assert read("permit_number,,notes\nSP-1,,x\n").headings == ("permit_number", "notes")
    sheet = read("permit_number,,notes\nSP-1,y,x\n")
    assert sheet.headings == ("permit_number", "(column B)", "notes")
    assert texts(next(sheet.rows))["(column B)"] == "y"


def test_what_spreadsheets_add_to_protect_a_cell_is_taken_off() -> None:
    (row,) = rows('permit_number,notes,owner_name,x\n"=""00412""",\'=cmd,\'quoted,\'-5\n')
    assert texts(row) == {"permit_number": "00412", "notes": "=cmd", "owner_name": "'quoted", "x": "-5"}


def test_nul_and_very_long_cells_are_left_to_the_values() -> None:
    found = rows(b"permit_number,notes\nSP-1,a\x00b\nSP-2," + b"x" * 3_000_000 + b'\nSP-3,"' + b"y" * 300_000 + b'"\n')
    assert found[0].cells["notes"] == Cell("a\x00b")
    assert [len(row.cells["notes"].text) for row in found[1:]] == [3_000_000, 300_000]


def test_limits_are_refusals() -> None:
    with pytest.raises(FileRefused) as refused:
        read("permit_number\n" + "SP\n" * 11, max_rows=10)
    assert (refused.value.code, refused.value.status) == ("too_many_rows", 413)
    assert read("permit_number\n" + "SP\n\n" * 10, max_rows=10).row_count == 10
    with pytest.raises(FileRefused) as refused:
        read("permit_number," + ",".join(f"c{n}" for n in range(10_000)) + "\n1\n")
    assert refused.value.code == "too_many_columns"
    with pytest.raises(FileRefused) as refused:
        read("permit_number," + ",a" * 1_000_000 + "\n1\n")
    assert refused.value.code == "too_many_columns"


def test_rows_can_be_read_again() -> None:
    sheet = read(PLAIN)
    assert list(sheet.rows) == list(sheet.rows)
    assert sheet.row_count == 2


@pytest.mark.parametrize("line", ['"a\n', '"a""\n', '"""\n', ',""""\n', '"\n', '" x\n', '""a"\n', "'\n", '"x""y\n'])
def test_bad_quotes_take_linear_time(line: str) -> None:
    start = time.perf_counter()
    assert sum(1 for _ in records(line * 100_000, ",")) >= 25_000
    assert time.perf_counter() - start < 10


cells = st.text("ab ,;|\t\"'\r\n\x00ñ“\u2028\x85=", max_size=8)


@given(st.lists(st.lists(cells, min_size=1, max_size=4), max_size=6), st.sampled_from(",;\t|"), st.booleans())
@example([["a\rb", '"', " "]], ",", True)
def test_what_the_standard_writer_writes_is_read_back(table: list[list[str]], delimiter: str, quote_all: bool) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL).writerows(table)
    found = [record.cells for record in records(out.getvalue(), delimiter)]
    assert found == table


@given(st.text(st.sampled_from('ab,;"\n\r\t \x00='), max_size=60))
def test_no_text_is_lost_or_read_twice(text: str) -> None:
    end = 0
    for number, record in enumerate(records(text, ","), start=1):
        assert record.number == number
        assert set(text[end : record.start]) <= {"\r", "\n"}
        assert record.start >= end
        end = record.end
    assert set(text[end:]) <= {"\r", "\n"}


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_refusal(data: bytes) -> None:
    for sent in (data, b"permit_number,notes\n" + data):
        try:
            sheet = read(sent)
        except FileRefused:
            continue
        assert len(list(sheet.rows)) == sheet.row_count
