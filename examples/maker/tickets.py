"""Reports as a hauler or inspector would have filed them."""

from datetime import date

from maker.columns import Row
from maker.contractors import Licence

SITE = ("permit_number", "parcel_number", "site_address", "municipality", "owner_name", "component", "component_ref")


def ticket(tank: Row, on: date, who: Licence, **found: object) -> Row:
    """Write one report: the tank's identity, the day, who did it with signature, and what was found or done.

    `ref` is left to number_tickets(); rows with one `visit` share a ticket.
    """
    signed: Row = {
        "service_date": on,
        "business_name": who.business.name,
        "business_address": who.business.address,
        "technician_name": who.holder,
        "license_number": who.number,
        "credential_kind": who.kind,
        "signature": who.holder,
        "signed_on": on,
        "visit": (tank["permit_number"], on, who.business.ref),
        "prefix": who.business.ref,
    }
    return {name: tank.get(name) for name in SITE} | signed | found


def pumped(tank: Row, on: date, who: Licence, gallons: int, **found: object) -> Row:
    """Write a pumping that also states tank condition and ponding, and says where the load went."""
    usual: Row = {
        "event_type": "pumping",
        "gallons_pumped": gallons,
        "tank_condition": "good",
        "ponding": "none",
        "work_description": "Pumped tank, checked baffles and lid",
        "disposal_site": who.business.disposal,
    }
    return ticket(tank, on, who, **(usual | found))


def inspected(tank: Row, on: date, who: Licence, next_pump_on: date, fraction: float, **found: object) -> Row:
    """Write a tank inspection that found less than a third, with why it was not pumped and when it will be."""
    usual: Row = {
        "event_type": "inspection",
        "not_pumped_reason": "Sludge and scum under one third",
        "next_pump_date": next_pump_on,
        "sludge_scum_fraction": f"{fraction:.2f}",
        "tank_condition": "good",
        "ponding": "none",
        "work_description": "Measured sludge and scum, checked baffles and cell",
    }
    return ticket(tank, on, who, **(usual | found))


def second_person(who: Licence) -> Row:
    """The columns of the inspector beside the pumper: the law wants both to sign."""
    return {
        "inspector_name": who.holder,
        "inspector_license_number": who.number,
        "inspector_credential_kind": who.kind,
        "inspector_signature": who.holder,
    }


def number_tickets(reports: list[Row]) -> list[Row]:
    """Put reports in order of their days and number each visit in its business's own series (KM-24-0031)."""
    ordered = sorted(
        reports, key=lambda row: (str(row["service_date"]), str(row["permit_number"]), str(row.get("component_ref")))
    )
    refs: dict[object, str] = {}
    counts: dict[str, int] = {}
    for row in ordered:
        if row["visit"] not in refs:
            series = f"{row['prefix']}-{str(row['service_date'])[2:4]}"
            counts[series] = counts.get(series, 0) + 1
            refs[row["visit"]] = f"{series}-{counts[series]:04}"
    return [row | {"report_ref": refs[row["visit"]]} for row in ordered]
