"""Report files for Ozaukee: a dispatch program's CSV export with its mistakes, and an Excel workbook."""

from datetime import date

from maker.columns import Row
from maker.contractors import licence
from maker.county import County
from maker.sheets import Line, Sheet, Stock, native, next_pumping, us_text
from maker.tickets import pumped

_EXPORT = (
    ("Ticket #", "report_ref"),
    ("Permit #", "permit_number"),
    ("Tax Key", "parcel_number"),
    ("Address", "site_address"),
    ("Town", "municipality"),
    ("Owner", "owner_name"),
    ("Tank Type", "component"),
    ("Event", "event_type"),
    ("Date Pumped", "service_date"),
    ("Gallons", "gallons_pumped"),
    ("Meter", "meter_reading"),
    ("Work Performed", "work_description"),
    ("Condition", "tank_condition"),
    ("Ponding", "ponding"),
    ("Dump Site", "disposal_site"),
    ("Company", "business_name"),
    ("Company Address", "business_address"),
    ("Tech", "technician_name"),
    ("Lic No", "license_number"),
    ("Credential", "credential_kind"),
    ("Signed By", "signature"),
    ("Truck", "truck"),
)

_WORKBOOK = (
    ("Report Ref", "report_ref"),
    ("Permit Number", "permit_number"),
    ("Parcel Number", "parcel_number"),
    ("Site Address", "site_address"),
    ("Owner Name", "owner_name"),
    ("Component", "component"),
    ("Event Type", "event_type"),
    ("Service Date", "service_date"),
    ("Gallons Pumped", "gallons_pumped"),
    ("Meter Reading", "meter_reading"),
    ("Tank Condition", "tank_condition"),
    ("Ponding", "ponding"),
    ("Work Description", "work_description"),
    ("Disposal Site", "disposal_site"),
    ("Business Name", "business_name"),
    ("Business Address", "business_address"),
    ("Technician Name", "technician_name"),
    ("License Number", "license_number"),
    ("Credential Kind", "credential_kind"),
    ("Signature", "signature"),
    ("Signed On", "signed_on"),
)


def _spoken(row: Row, ref: int) -> Row:
    """Say a report the way the dispatch program does: choices with capitals, its own ticket numbers, a truck."""
    return row | {
        "report_ref": f"T-{ref}",
        "component": str(row["component"]).capitalize(),
        "event_type": str(row["event_type"]).capitalize(),
        "truck": "T2" if ref % 2 else "T4",
    }


def export(stock: Stock) -> Sheet:
    """Make ozaukee-hauler-export.csv: 13 rows, six in order, the rest with the mistakes that come in most often."""
    county = stock.county
    stock.used.add("SP-1987")
    tank = next(row for row in county.inventory if row["permit_number"] == "SP-1987")
    first = _spoken(pumped(tank, date(2026, 6, 30), licence("00412"), 1000), 20611)
    held = _held(stock, date(2026, 7, 6), 20634)
    bare = _held(stock, date(2026, 7, 7), 20635) | {"meter_reading": None}
    plain = _spoken(_septic(stock, date(2026, 7, 9), "00412"), 20641)
    spaced = _spoken(_septic(stock, date(2026, 7, 8), "00412"), 20639)
    spaced |= {
        "permit_number": f" {str(spaced['permit_number']).lower().replace('-', ' ')} ",
        "owner_name": "OWNER ON FILE",
    }
    unknown = plain | {
        "report_ref": "T-20640",
        "permit_number": "SP-9417",
        "parcel_number": "09-071-03-940.00",
        "site_address": "W9999 Shady Ln",
        "owner_name": "Ottoline Brandvold",
    }
    last = _held(stock, date(2026, 7, 10), 20650)
    lines = [
        Line(cells=first, why="Pumped June 30: the tenth day was July 10, so it is late", findings=("late_report",)),
        Line(cells=held, why="Holding tank with its meter reading; gallons and reading written with a comma"),
        Line(cells=bare, why="Holding tank without the meter reading", outcome="rejected", field="meter_reading"),
        Line(cells=held, why="The row of ticket T-20634 once more", outcome="duplicate"),
        _wrong(stock, 20636, "The year is mistyped: 7/2/2062 lies ahead", "service_date", date(2062, 7, 2)),
        _wrong(stock, 20637, "Gallons are a guess, `~1500`, not a number", "gallons_pumped", "~1500"),
        Line(
            cells=spaced, why="Permit in lower case with blanks, owner not named: found by its exact normalised permit"
        ),
        Line(
            cells=unknown,
            why="Permit and address that the inventory does not know: kept for review (S3)",
            outcome="queued_for_review",
        ),
        Line(cells=plain, why="In order"),
        Line(
            cells=plain | {"gallons_pumped": 750},
            why="Ticket T-20641 again with other gallons: amend the first instead",
            outcome="rejected",
            field="report_ref",
        ),
        _wrong(stock, 20643, "Neither gallons nor why it was not pumped", "gallons_pumped", None),
        _wrong(stock, 20644, "No licence number", "license_number", None),
        Line(cells=last, why="In order"),
    ]
    return Sheet(
        name="ozaukee-hauler-export.csv",
        county="ozaukee",
        headings=_EXPORT,
        lines=lines,
        encoding="utf-8-sig",
        newline="\r\n",
        show=us_text,
        about="a dispatch program's export: BOM, CRLF, US dates, own headings, an unknown column (Truck)",
    )


def _held(stock: Stock, on: date, ref: int) -> Row:
    return _spoken(next_pumping(stock.holding(on, ("00412", "00413")), on), ref)


def _septic(stock: Stock, on: date, number: str) -> Row:
    return pumped(stock.septic(), on, licence(number), 1000)


def _wrong(stock: Stock, ref: int, why: str, name: str, value: object) -> Line:
    row = _spoken(_septic(stock, date(2026, 7, 8), "00412"), ref) | {name: value}
    return Line(cells=row, why=why, outcome="rejected", field=name)


def workbook(stock: Stock) -> Sheet:
    """Make ozaukee-reports.xlsx: real Excel days and numbers, but for one day typed as text and one that is none."""
    lines = []
    for number, on in enumerate((date(2026, 7, 10), date(2026, 7, 10), date(2026, 7, 11))):
        row = next_pumping(stock.holding(on, ("00518",), least=0.25), on) | {"report_ref": f"LP-26-9{number:03}"}
        lines.append(Line(cells=row, why="In order: holding tank, Excel day and numbers"))
    typed = _septic(stock, date(2026, 7, 8), "00518") | {"report_ref": "LP-26-9003", "service_date": "7/8/2026"}
    lines.append(Line(cells=typed, why="The day is text, 7/8/2026, beside the real ones"))
    vague = _septic(stock, date(2026, 7, 8), "00518") | {"report_ref": "LP-26-9004", "service_date": "last Wednesday"}
    lines.append(Line(cells=vague, why="`last Wednesday` is no date", outcome="rejected", field="service_date"))
    whole = _septic(stock, date(2026, 7, 9), "00518") | {"report_ref": "LP-26-9005", "gallons_pumped": 1250.5}
    lines.append(Line(cells=whole, why="Gallons are whole numbers", outcome="rejected", field="gallons_pumped"))
    return Sheet(
        name="ozaukee-reports.xlsx",
        county="ozaukee",
        headings=_WORKBOOK,
        lines=lines,
        kind="xlsx",
        show=native,
        about="an Excel workbook with real days and numbers",
    )


def make(county: County) -> list[Sheet]:
    """Make Ozaukee's report files."""
    pointed_out = [str(row["permit_number"]) for row in county.inventory if row["component"] == "holding"][:7]
    stock = Stock(county=county, used=set(pointed_out))
    return [export(stock), workbook(stock)]
