# ruff: noqa: E501 - one line a file
"""The fault files and what each comes to. `python -m tests.files.faults` writes them; a test holds them against this.

A file stands beside `<name>.expected.json`: `why`; `refused` (the code) or `rows`, each `[row, outcome]` with, for a
rejected one, its `field` and `code`; `warnings` by row; `unknown` columns. County: ozaukee, whose inventory has
`SP-1` (septic, parcel 08-SP-1), `SP-2` (holding) and `0412` (septic, parcel 08-412).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.files.shapes import BOTH, GOOD, NAMES, USUAL, Fault
from tests.files.workbooks import workbooks

HERE = Path(__file__).resolve().parent


def cells(**changes: str) -> list[str]:
    row = {**USUAL, **changes}
    return [row.get(name, "") for name in NAMES]


def text(*rows: list[str], comma: str = ",", end: str = "\r\n", names: tuple[str, ...] = NAMES) -> str:
    """A table as text; cells are quoted where they must be."""

    def shown(cell: str) -> str:
        must = any(c in cell for c in (comma, '"', "\r", "\n"))
        return '"' + cell.replace('"', '""') + '"' if must else cell

    return end.join([comma.join(names), *(comma.join(map(shown, row)) for row in rows)]) + end


TWO = (cells(), cells(report_ref="T-2", service_date="7/7/2026"))


def shapes() -> Iterator[Fault]:
    """Files whose form is unusual."""
    ok = text(*TWO)
    yield Fault(name="bom.csv", why="UTF-8 with its mark", data=b"\xef\xbb\xbf" + ok.encode(), rows=BOTH)
    yield Fault(name="utf16.csv", why="UTF-16, as Excel's Unicode text", data=ok.encode("utf-16"), rows=BOTH)
    yield Fault(name="utf16-no-mark.csv", why="UTF-16 without its mark", data=ok.encode("utf-16-le"), rows=BOTH)
    curly = text(cells(notes="the owner’s “old” tank – north"))
    yield Fault(name="windows-1252.csv", why="Curly quotes in Windows-1252", data=curly.encode("cp1252"), rows=GOOD)
    for name, comma in (("semicolon", ";"), ("tab", "\t"), ("pipe", "|")):
        yield Fault(name=f"{name}.csv", why=f"Cells parted by {name}", data=text(*TWO, comma=comma).encode(), rows=BOTH)
    for name, end in (("lf", "\n"), ("cr-only", "\r")):
        yield Fault(name=f"{name}.csv", why=f"Lines end in {name}", data=text(*TWO, end=end).encode(), rows=BOTH)
    broken = text(cells(notes="first line\nsecond line"), TWO[1])
    yield Fault(name="quoted-line-break.csv", why="A line break in a quoted cell", data=broken.encode(), rows=BOTH)
    titled = "Kettle Moraine Septic LLC,,\r\nRoute of July,,\r\n\r\n" + ok + ",,\r\nTOTAL,,,,,,,,2000\r\n"
    title = "Title rows above the heading, a TOTAL below"
    yield Fault(name="title-and-total.csv", why=title, data=titled.encode(), rows=((5, "accepted"), (6, "accepted")))
    blank = text(TWO[0], [""] * len(NAMES), TWO[1])
    yield Fault(
        name="blank-row.csv", why="A blank row between", data=blank.encode(), rows=((2, "accepted"), (4, "accepted"))
    )
    short = text(cells()[:15], TWO[1])
    yield Fault(name="short-row.csv", why="A row that ends early", data=short.encode(), rows=BOTH)
    shifted = (3, "rejected", None, "shifted_row")
    long = text(TWO[0], [*cells(report_ref="T-2"), "", "extra"])
    yield Fault(
        name="long-row.csv", why="A row longer than the heading", data=long.encode(), rows=((2, "accepted"), shifted)
    )
    lone = text(TWO[0], TWO[1]).replace("Pumped tank", '"Pumped tank', 1)
    rows = ((2, "rejected", None, "unreadable_row"), (3, "accepted"))
    yield Fault(name="lone-quote.csv", why="A quote that never closes", data=lone.encode(), rows=rows)
    twice = text(cells(), names=(*NAMES[:-1], "Date Pumped"))
    yield Fault(
        name="heading-twice.csv",
        why="Two headings that mean one field",
        data=twice.encode(),
        refused="duplicate_heading",
    )
    nul = text(cells(notes="a\x00b"))
    rows = ((2, "rejected", "notes", "bad_character"),)
    yield Fault(name="nul.csv", why="NUL in a cell", data=nul.encode(), rows=rows)
    very_long = text(cells(notes="x" * 60_000))
    yield Fault(
        name="long-cell.csv",
        why="A cell of 60,000 characters",
        data=very_long.encode(),
        rows=((2, "rejected", "notes", "too_long"),),
    )
    formula = text(cells(notes="'=cmd|' /C calc'!A0", license_number='="00412"'))
    yield Fault(name="formula-as-text.csv", why="What exports put before formulas", data=formula.encode(), rows=GOOD)
    other = text([*cells(), "T2", "Kettle"], names=(*NAMES, "Truck", "Compny name"))
    yield Fault(
        name="unknown-column.csv",
        why="Unknown columns are named",
        data=other.encode(),
        rows=GOOD,
        unknown=("Truck", "Compny name"),
    )
    words = text(cells()).replace("report_ref,permit_number", " TICKET  #,Sanitary\u00a0Permit No.")
    yield Fault(name="headings-in-own-words.csv", why="Aliases, spaces, punctuation", data=words.encode(), rows=GOOD)


def refusals() -> Iterator[Fault]:
    """Files that cannot be read at all."""
    ok = text(*TWO)
    yield Fault(name="empty.csv", why="Nothing in it", data=b"", refused="empty_file")
    yield Fault(name="header-only.csv", why="No row below the heading", data=text().encode(), refused="no_rows")
    yield Fault(
        name="only-total.csv",
        why="A total and no report",
        data=text(["TOTAL", *[""] * 7, "2,000"]).encode(),
        refused="no_rows",
    )
    yield Fault(name="no-heading.csv", why="No known heading", data=b"Route,Stop\r\n1,2\r\n", refused="no_heading")
    less = tuple(n for n in NAMES if n not in ("service_date", "license_number"))
    rows = [[c for n, c in zip(NAMES, cells(), strict=True) if n in less]]
    yield Fault(
        name="missing-columns.csv",
        why="Columns that every row needs",
        data=text(*rows, names=less).encode(),
        refused="missing_columns",
    )
    yield Fault(name="csv.xlsx", why="A CSV named .xlsx", data=ok.encode(), refused="misnamed_text")
    yield Fault(
        name="html.xls",
        why="HTML named .xls",
        data=b"<html><table><tr><td>permit</td></tr></table></html>",
        refused="markup",
    )
    yield Fault(
        name="old.xls",
        why="A workbook of before 2007",
        data=b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504),
        refused="old_excel",
    )
    yield Fault(name="document.pdf", why="A PDF", data=b"%PDF-1.7\n", refused="wrong_kind")
    yield Fault(name="packed.csv", why="Gzip named .csv", data=b"\x1f\x8b\x08\x00" + bytes(20), refused="wrong_kind")
    yield Fault(name="broken.json", why="JSON that breaks off", data=b'[{"report_ref": "T-1"', refused="not_json")
    yield Fault(name="nan.json", why="NaN is no number of JSON", data=b'[{"gallons_pumped": NaN}]', refused="number")
    yield Fault(
        name="huge-number.json",
        why="A number beyond any",
        data=b'[{"gallons_pumped": 1e99999999999999999999}]',
        refused="number",
    )
    yield Fault(
        name="key-twice.json", why="A name twice", data=b'[{"notes": "a", "notes": "b"}]', refused="duplicate_key"
    )
    yield Fault(name="deep.json", why="Nested 100,000 deep", data=b"[" * 100_000, refused="too_deep")


def values() -> Iterator[Fault]:
    """One file for each field, a row for each way to write it."""
    yield table("gallons", "gallons_pumped",
                good=["1,500", "1500 gal", "1500.0", " 1500 ", "1,500 Gallons"],
                bad={"1.500": "ambiguous_number", "~1500": "not_whole", "1_500": "not_whole", "NaN": "not_whole",
                     "1e400": "not_whole", "-5": "negative", "\u0661\u0665": "not_whole", "1500.5": "not_whole",
                     "15,00": "not_whole", "9223372036854775808": "not_whole", "999999999999": "too_large"})  # fmt: skip
    yield table("dates", "service_date",
                good=["2026-07-06", "7/6/2026", "07/06/2026", "7/6/26", "July 6, 2026", "6-Jul-2026",
                      "2026-07-07T03:30:00Z", "2026-07-06 14:30"],
                bad={"2/29/2025": "date_impossible", "13/02/2025": "date_impossible", "0025-07-02": "date_year",
                     "July 2025": "date_incomplete", "7": "date_number", "45845": "date_number",
                     "2025-W27-3": "date", "7/6/62": "date_two_digit_year", "2062-07-02": "in_future",
                     "last Wednesday": "date", "yesterday": "date", "9999-12-31": "date_year"})  # fmt: skip
    yield table("fractions", "sludge_scum_fraction", good=["1/4", "25%", ".25", "0.25", "1", "n/a"],
                bad={"1/0": "fraction", "-1/4": "fraction", "125%": "fraction", "1.5": "fraction",
                     "4-Jan": "excel_date", "a third": "fraction"})  # fmt: skip
    yield table("licences", "license_number", good=["00412", "00-412", "00 412", "00\u2013412", "=\"00412\""],
                bad={"see above": "license", "unknown": "license"})  # fmt: skip
    yield table("components", "component", good=["Septic", "SEPTIC TANK", "septic-tank", ""],
                bad={"tank no. 2": "choice", "yes": "choice"})  # fmt: skip


def table(name: str, column: str, good: list[str], bad: dict[str, str]) -> Fault:
    """A file with one row for each way to fill a column."""
    lines, rows = [], []
    for number, cell in enumerate([*good, *bad], start=2):
        lines.append(cells(**{"report_ref": f"T-{number}", "gallons_pumped": str(1000 + number), column: cell}))
        rows.append((number, "accepted") if cell in good else (number, "rejected", column, bad[cell]))
    return Fault(name=f"{name}.csv", why=f"Ways to write {column}", data=text(*lines).encode(), rows=tuple(rows))


def places() -> Iterator[Fault]:
    """Identifiers as spreadsheets leave them."""
    ways = [
        (cells(report_ref="T-2", permit_number="sp / 1"), "accepted", []),
        (cells(report_ref="T-3", permit_number="SP1"), "queued_for_review", ["review"]),
        (cells(report_ref="T-4", permit_number="S-P1", parcel_number="08-S-P1", site_address="1 Elsewhere Rd"), "queued_for_review", ["review"]),
        (cells(report_ref="T-5", permit_number="412.0", parcel_number="08-412"), "accepted", ["excel_decimal"]),
        (cells(report_ref="T-6", permit_number="1.9E+18", parcel_number="08-SP-1"), "queued_for_review", ["excel_scientific", "review"]),
        (cells(report_ref="T-7", parcel_number="3-Dec"), "queued_for_review", ["excel_date", "review"]),
        (cells(report_ref="T-8", permit_number="XX-1", parcel_number="", site_address="9 Nowhere Ln"), "queued_for_review", ["review"]),
        (cells(report_ref="T-9", permit_number="XX-1", parcel_number="", site_address="9 Nowhere Ln", service_date="2026-07-05"), "queued_for_review", ["review"]),
    ]  # fmt: skip
    yield Fault(
        name="identifiers.csv",
        why="Identifiers as people write them and as Excel leaves them",
        data=text(*(row for row, _, _ in ways)).encode(),
        rows=tuple((n, outcome) for n, (_, outcome, _) in enumerate(ways, start=2)),
        warnings={n: codes for n, (_, _, codes) in enumerate(ways, start=2)},
    )
    same = text(cells(), cells(), cells(gallons_pumped="900"), cells(component=""))
    rows = ((2, "accepted"), (3, "duplicate"), (4, "rejected", "report_ref", "ref_conflict"), (5, "duplicate"))
    yield Fault(
        name="same-row-twice.csv", why="A row twice, and a ticket with other content", data=same.encode(), rows=rows
    )
    meter = text(cells(permit_number="SP-2", parcel_number="08-SP-2", component="holding"),
                 cells(report_ref="T-2", permit_number="SP-2", parcel_number="08-SP-2", component="holding", meter_reading="12,345"))  # fmt: skip
    rows = ((2, "rejected", "meter_reading", "required"), (3, "accepted"))
    yield Fault(name="meter-reading.csv", why="A holding tank without its reading", data=meter.encode(), rows=rows)
    sent = dict(USUAL)
    lists = [
        {**sent, "gallons_pumped": 1000}, {**sent, "report_ref": "T-2", "gallons_pumped": True},
        {**sent, "report_ref": "T-3", "gallons_pumped": 1500.5}, {**sent, "report_ref": "T-4", "notes": "\ud800"}, "a text",
    ]  # fmt: skip
    rows = (
        (2, "accepted"), (3, "rejected", "gallons_pumped", "not_a_number"), (4, "rejected", "gallons_pumped", "not_whole"),
        (5, "rejected", "notes", "bad_character"), (6, "rejected", None, "unreadable_row"),
    )  # fmt: skip
    yield Fault(name="values.json", why="Values of JSON", data=json.dumps(lists, indent=1).encode(), rows=rows)


def faults() -> list[Fault]:
    """All of them."""
    return [*shapes(), *refusals(), *values(), *places(), *workbooks()]


def write(folder: Path) -> None:
    """Write every file with what it comes to beside it."""
    for fault in faults():
        (folder / fault.name).write_bytes(fault.data)
        shown = json.dumps(fault.expected, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{fault.name}.expected.json").write_text(shown, encoding="utf-8")


if __name__ == "__main__":
    write(HERE)
