"""A report file for Portage: the contract's own field names, semicolons."""

from datetime import date

from maker.columns import Row
from maker.contractors import licence
from maker.county import County
from maker.sheets import Line, Sheet, Stock, next_pumping
from maker.tickets import inspected, pumped, second_person

_FIELDS = [
    "report_ref",
    "permit_number",
    "parcel_number",
    "site_address",
    "municipality",
    "owner_name",
    "component",
    "component_ref",
    "event_type",
    "service_date",
    "gallons_pumped",
    "not_pumped_reason",
    "next_pump_date",
    "sludge_scum_fraction",
    "tank_condition",
    "ponding",
    "defects",
    "meter_reading",
    "meter_unit",
    "meter_serial",
    "work_description",
    "disposal_site",
    "business_name",
    "business_address",
    "technician_name",
    "license_number",
    "credential_kind",
    "inspector_name",
    "inspector_license_number",
    "inspector_credential_kind",
    "inspector_signature",
    "signature",
    "signed_on",
]


def make(county: County) -> list[Sheet]:
    """Make portage-route-export.csv."""
    stock = Stock(county=county, used=set())
    rows = _good(stock) + _doubtful(stock)
    lines = [
        Line(
            cells=line.cells | {"report_ref": f"PR-26-9{n:03}"},
            why=line.why,
            outcome=line.outcome,
            field=line.field,
            findings=line.findings,
        )
        for n, line in enumerate(rows)
    ]
    return [
        Sheet(
            name="portage-route-export.csv",
            county="portage",
            headings=[(name, name) for name in _FIELDS],
            lines=lines,
            delimiter=";",
            about="the contract's field names, semicolons, ISO dates",
        )
    ]


def _good(stock: Stock) -> list[Line]:
    both = second_person(licence("PI-1092")) | {"event_type": "pumping_and_inspection"}
    first, second, looked = stock.septic(), stock.septic(), stock.septic()
    ordered = stock.holding(date(2026, 7, 6), ("00731", "00732"), flag="meter_ordered")
    return [
        Line(
            cells=pumped(first, date(2026, 6, 29), licence("00731"), 1000, sludge_scum_fraction="1/4"),
            why="In order; a fraction written 1/4",
        ),
        Line(cells=pumped(second, date(2026, 7, 1), licence("00732"), 1250, **both), why="Two people, two signatures"),
        Line(
            cells=next_pumping(ordered, date(2026, 7, 6)),
            why="A holding tank ordered to meter, with its reading",
        ),
        Line(
            cells=inspected(looked, date(2026, 7, 2), licence("PM-2216"), date(2029, 7, 2), 0.2),
            why="Under a third: the inspection puts the pumping off for this cycle (PO2)",
        ),
    ]


def _doubtful(stock: Stock) -> list[Line]:
    late, full, plumber, alone, loose, unseen = (stock.septic() for _ in range(6))
    reading: Row = (
        {"event_type": "pumping_and_inspection"} | second_person(licence("PI-1092")) | {"inspector_signature": None}
    )
    third = inspected(
        full,
        date(2026, 7, 8),
        licence("PM-2216"),
        date(2026, 7, 31),
        0.36,
        not_pumped_reason="Owner not at home to move the deck",
    )
    return [
        Line(
            cells=pumped(late, date(2026, 6, 4), licence("00732"), 1000),
            findings=("late_report",),
            why="Pumped June 4; July 4 is a holiday and a Saturday, July 6 was the last day",
        ),
        Line(cells=third, why="Sludge and scum at 36 %, not pumped: accepted, and pumping is due at once (PO3)"),
        Line(
            cells=pumped(plumber, date(2026, 7, 7), licence("MP-231902"), 1000),
            findings=("not_qualified",),
            why="Pumped by a plumber: recorded, satisfies no pumping duty (PO4)",
        ),
        Line(
            cells=pumped(alone, date(2026, 7, 7), licence("00731"), 1000, **reading),
            outcome="rejected",
            field="inspector_signature",
            why="Two people, one signature (PO5)",
        ),
        Line(
            cells=pumped(loose, date(2026, 7, 7), licence("00731"), 1000, event_type="pumped out"),
            outcome="rejected",
            field="event_type",
            why="`pumped out` is no event type",
        ),
        Line(
            cells=pumped(unseen, date(2026, 7, 8), licence("00732"), 1000, ponding=None),
            outcome="rejected",
            field="ponding",
            why="Says nothing of ponding (PO5)",
        ),
    ]
