"""A report file for Lake Beulah: the district's contractor on its round of area 1."""

from datetime import date

from maker.contractors import licence
from maker.county import County
from maker.sheets import Line, Sheet, Stock, next_pumping
from maker.tickets import pumped, ticket

_FIELDS = [
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
    "meter_reading",
    "meter_unit",
    "meter_serial",
    "tank_condition",
    "ponding",
    "defects",
    "no_access",
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


def make(county: County) -> list[Sheet]:
    """Make lake-beulah-area-round.csv."""
    stock = Stock(county=county, used=set())
    lines = [
        Line(
            cells=line.cells | {"report_ref": f"LC-26-9{n:03}"},
            why=line.why,
            outcome=line.outcome,
            field=line.field,
            findings=line.findings,
        )
        for n, line in enumerate(_round(stock))
    ]
    return [
        Sheet(
            name="lake-beulah-area-round.csv",
            county="lake-beulah",
            headings=[(name, name) for name in _FIELDS],
            lines=lines,
            about="the contract's field names, ISO dates: a contractor's round of service area 1",
        )
    ]


def _round(stock: Stock) -> list[Line]:
    first, second, late, broken, shut, unsigned = (stock.septic(last_after=date(2023, 6, 1)) for _ in range(6))
    held = stock.holding(date(2026, 7, 7), ("00934", "00935"))
    locked = ticket(
        shut,
        date(2026, 7, 9),
        licence("00935"),
        event_type="inspection",
        no_access=True,
        tank_condition="not seen",
        ponding="none",
        not_pumped_reason="Gate locked, nobody home",
        work_description="Called on site, could not reach the tank",
    )
    return [
        Line(cells=pumped(first, date(2026, 7, 6), licence("00934"), 1000), why="In order"),
        Line(cells=pumped(second, date(2026, 7, 6), licence("00934"), 1250), why="In order"),
        Line(cells=next_pumping(held, date(2026, 7, 7)), why="In order: holding tank"),
        Line(
            cells=pumped(late, date(2026, 6, 9), licence("00935"), 1000),
            findings=("late_report",),
            why="Pumped June 9: the thirtieth day was July 9",
        ),
        Line(
            cells=pumped(
                broken,
                date(2026, 7, 8),
                licence("00934"),
                1000,
                tank_condition="defective",
                defects="Inlet baffle missing",
            ),
            findings=("defect_not_corrected",),
            why="A defect found: accepted, and proposed to the district as a case (LB8)",
        ),
        Line(cells=locked, findings=("no_access",), why="The owner gave no access (LB20)"),
        Line(
            cells=pumped(unsigned, date(2026, 7, 10), licence("00934"), 1000, license_number=None),
            outcome="rejected",
            field="license_number",
            why="No licence number (S8)",
        ),
    ]
