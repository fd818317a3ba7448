"""Files that cannot be taken at all, one for each common reason. They are all sent to Ozaukee."""

from dataclasses import dataclass

from maker.sheets import Sheet
from maker.written import sheet_bytes


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A file with a fault and what the answer should say of it."""

    name: str
    content: bytes
    why: str


def make(export: Sheet) -> list[Fault]:
    """Make the faulty files; those that look like reports are cut from Ozaukee's good export."""
    whole = sheet_bytes(export).decode("utf-8-sig").splitlines(keepends=True)
    known = [pair for pair in export.headings if pair[1] not in {"service_date", "license_number", "signature"}]
    lacking = Sheet(name="", county="ozaukee", about="", headings=known, lines=export.lines[:2], show=export.show)
    named_twice = [("Date Pumped" if key == "truck" else heading, key) for heading, key in export.headings]
    twice = Sheet(name="", county="ozaukee", about="", headings=named_twice, lines=export.lines[:2], show=export.show)
    return [
        Fault(name="empty.csv", content=b"", why="Nothing in it"),
        Fault(name="header-only.csv", content=whole[0].encode(), why="Headings and no row"),
        Fault(
            name="no-known-heading.csv",
            content=b"Route,Stop,Minutes\n4,Elm St,25\n4,Oak St,40\n",
            why="None of its headings is a report's",
        ),
        Fault(
            name="missing-columns.csv",
            content=sheet_bytes(lacking),
            why="No column for the service date, the licence number and the signature: all three are named at once",
        ),
        Fault(name="two-date-columns.csv", content=sheet_bytes(twice), why="The heading `Date Pumped` stands twice"),
        Fault(name="not-a-table.xlsx", content="".join(whole[:3]).encode(), why="A CSV named .xlsx"),
        Fault(
            name="not-text.csv",
            content=b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(32)),
            why="A picture named .csv",
        ),
        Fault(
            name="broken.json",
            content=b'[{"report_ref": "FV-26-1", "gallons_pumped": 1000},\n',
            why="Breaks off in the middle",
        ),
        Fault(
            name="unknown-key.json",
            content=b'{"report_ref": "T-1", "galons": 1000}\n',
            why="One report with a key that no field has (`galons`)",
        ),
    ]
