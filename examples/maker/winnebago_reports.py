"""Report files for Winnebago: a tab-separated route sheet over both versions of Chapter 16, and JSON."""

from datetime import date

from maker.columns import Row
from maker.contractors import licence
from maker.county import County
from maker.sheets import Line, Sheet, Stock, native, next_pumping, us_text
from maker.tickets import inspected, pumped

_ROUTE = (
    ("Invoice", "report_ref"),
    ("Sanitary Permit", "permit_number"),
    ("Tax Parcel", "parcel_number"),
    ("Site", "site_address"),
    ("Customer", "owner_name"),
    ("Component", "component"),
    ("Event Type", "event_type"),
    ("Service Date", "service_date"),
    ("Gallons Pumped", "gallons_pumped"),
    ("Reason Not Pumped", "not_pumped_reason"),
    ("Next Pump Date", "next_pump_date"),
    ("Sludge Scum Fraction", "sludge_scum_fraction"),
    ("Meter Reading", "meter_reading"),
    ("Tank Condition", "tank_condition"),
    ("Ponding", "ponding"),
    ("Description", "work_description"),
    ("Disposal Site", "disposal_site"),
    ("Business", "business_name"),
    ("Business Address", "business_address"),
    ("Technician", "technician_name"),
    ("License Number", "license_number"),
    ("Credential Kind", "credential_kind"),
    ("Signature", "signature"),
    ("Remarks", "notes"),
)
_JSON = [
    "report_ref",
    "permit_number",
    "parcel_number",
    "site_address",
    "owner_name",
    "component",
    "component_ref",
    "event_type",
    "service_date",
    "gallons_pumped",
    "not_pumped_reason",
    "next_pump_date",
    "sludge_scum_fraction",
    "meter_reading",
    "meter_unit",
    "meter_serial",
    "tank_condition",
    "ponding",
    "work_description",
    "disposal_site",
    "business_name",
    "business_address",
    "technician_name",
    "license_number",
    "credential_kind",
    "signature",
    "signed_on",
]

#: Fox Valley Liquid Waste's operators: the route sheet is theirs.
_FOX = ("00855", "00856")


def make(county: County) -> list[Sheet]:
    """Make Winnebago's report files."""
    stock = Stock(county=county, used=set())
    route = Sheet(
        name="winnebago-route-sheet.csv",
        county="winnebago",
        headings=_ROUTE,
        lines=_route(stock),
        delimiter="\t",
        encoding="cp1252",
        newline="\r\n",
        show=us_text,
        about="tabs, Windows-1252, US dates, days on both sides of 2026-07-01",
    )
    fields = [(name, name) for name in _JSON]
    one = pumped(stock.septic(), date(2026, 7, 8), licence("00856"), 1000) | {"report_ref": "FV-26-9100"}
    single = Sheet(
        name="winnebago-report.json",
        county="winnebago",
        headings=fields,
        kind="object",
        show=native,
        lines=[Line(cells=one, why="One report, as it is posted to /reports")],
        about="one report as a JSON object",
    )
    many = Sheet(
        name="winnebago-reports.json",
        county="winnebago",
        headings=fields,
        kind="list",
        show=native,
        lines=_list(stock),
        about="a JSON list",
    )
    return [route, single, many]


def _route(stock: Stock) -> list[Line]:
    """Pairs on both sides of July 1: the same omission is in order before and not after (WI8)."""
    named: Row = {"notes": "Mrs. Nuñez next door asks for a quote"}
    omitted: Row = {"disposal_site": None, "parcel_number": None}
    june, july = stock.septic(), stock.septic()
    held, later, grounds = (
        stock.holding(date(2026, 6, 29), _FOX, least=0.4),
        stock.holding(date(2026, 7, 7), ("00871",)),
        _grounds(stock),
    )
    looked, expired, double = stock.septic(), stock.septic(), stock.septic()
    twice = pumped(double, date(2026, 7, 6), licence("00856"), 1000)
    bare = stock.holding(date(2026, 7, 8), _FOX)
    lines = [
        Line(
            cells=pumped(june, date(2026, 6, 26), licence("00855"), 1000, **omitted, **named),
            findings=("late_report",),
            why="June 26, the 2019 text: septic needs no disposal site; the last day was July 6",
        ),
        Line(
            cells=pumped(july, date(2026, 7, 3), licence("00855"), 1000, **omitted),
            outcome="rejected",
            field="disposal_site",
            why="July 3, by the amended text: disposal site and parcel number are asked of every pumping",
        ),
        Line(cells=next_pumping(held, date(2026, 6, 29)), why="Holding tank under the 2019 text (30 days, S7)"),
        Line(
            cells=next_pumping(later, date(2026, 7, 7), "00856"),
            findings=("contract_mismatch",),
            why="Holding tank under the amended text; its contract is with Omro Septic (WI10)",
        ),
        Line(cells=grounds, why="Event grounds, reading to the nearest 100 gallons (WI11)"),
        Line(
            cells=grounds | {"meter_reading": None, "report_ref": "x"},
            outcome="rejected",
            field="meter_reading",
            why="Event grounds without the reading (WI11)",
        ),
        Line(
            cells=inspected(looked, date(2026, 7, 8), licence("PM-2231"), date(2027, 7, 8), 0.2),
            why="Under a third: deferred one year (WI2)",
        ),
        Line(
            cells=pumped(expired, date(2026, 7, 6), licence("00857"), 1000),
            findings=("not_qualified", "credential_expired"),
            why="Gus Oestreich's licence ran out on March 31: recorded, satisfies nothing",
        ),
        Line(cells=twice, why="In order"),
        Line(
            cells=twice | {"report_ref": "x"},
            why="The same pumping under another invoice: accepted, marked a possible duplicate",
        ),
        Line(
            cells=next_pumping(bare, date(2026, 7, 8), disposal_site=None),
            outcome="rejected",
            field="disposal_site",
            why="Holding tank, nowhere said where the load went",
        ),
    ]
    return [
        Line(
            cells=line.cells | {"report_ref": f"9{n:03}"},
            why=line.why,
            outcome=line.outcome,
            field=line.field,
            findings=line.findings,
        )
        for n, line in enumerate(lines, start=1)
    ]


def _grounds(stock: Stock) -> Row:
    """Report the July pumping of a festival's tank whose last reading was in June."""
    row = [past for past in stock.county.history if past["component_ref"] == "Main stage"][-1]
    tank = next(item for item in stock.county.inventory if item["permit_number"] == row["permit_number"])
    stock.used.add(str(tank["permit_number"]))
    reading = int(str(row["meter_reading"])) + 2400
    return pumped(
        tank, date(2026, 7, 10), licence("00855"), 2400, meter_reading=reading, notes="After the July weekend"
    )


def _list(stock: Stock) -> list[Line]:
    business = stock.holding(date(2026, 7, 9), (*_FOX, "00871"), "industrial", least=0.4)
    words = pumped(stock.septic(), date(2026, 7, 9), licence("00855"), 1000, gallons_pumped="about a truck load")
    rows = [
        Line(
            cells=next_pumping(business, date(2026, 7, 9)),
            why="A business's holding tank with its reading (WI12)",
        ),
        Line(cells=pumped(stock.septic(), date(2026, 7, 9), licence("00856"), 1000), why="In order"),
        Line(cells=words, outcome="rejected", field="gallons_pumped", why="Gallons in words"),
    ]
    return [
        Line(cells=line.cells | {"report_ref": f"FV-26-92{n:02}"}, why=line.why, outcome=line.outcome, field=line.field)
        for n, line in enumerate(rows)
    ]
