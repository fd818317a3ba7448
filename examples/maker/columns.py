"""The columns of each kind of sample file, and how a value is written in a cell."""

from collections.abc import Iterable
from datetime import date

#: One line of a sample file, by column name. Keys that are no column (`visit`) are left out when it is written.
Row = dict[str, object]

INVENTORY = [
    "permit_number",
    "parcel_number",
    "site_address",
    "municipality",
    "postcode",
    "legal_description",
    "owner_name",
    "owner_email",
    "owner_phone",
    "owner_mailing_address",
    "component",
    "capacity_gallons",
    "use",
    "season_from",
    "season_to",
    "building",
    "status",
    "permit_issued_on",
    "installed_on",
    "occupied_on",
    "design_flow_gpd",
    "service_area",
    "plan_pump_months",
    "plan_inspect_months",
    "plan_dispersal_months",
    "meter_serial",
    "meter_unit",
    "meter_digits",
    "component_ref",
    "agreement_recorded_on",
    "exemption_kind",
    "exemption_granted_on",
    "designated_license_number",
    "contract_from",
    "contract_to",
    "last_pumped_on",
    "last_inspected_on",
    "assigned_due_on",
    "latitude",
    "longitude",
    "access_notes",
    "flags",
]

CONTRACTORS = [
    "license_number",
    "credential_kind",
    "business_name",
    "email",
    "phone",
    "address",
    "expires_on",
    "counties",
]

REPORTS = [
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
    "defects_corrected_on",
    "meter_reading",
    "meter_unit",
    "meter_serial",
    "meter_estimated",
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
    "notes",
]


def text(value: object) -> str:
    """Write a value as it stands in a CSV: nothing for None, ISO 8601 days, true and false in lower case."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def cells(row: Row, columns: Iterable[str]) -> list[str]:
    """Pick a row's cells in the order of the columns; what the row does not hold is empty."""
    return [text(row.get(column)) for column in columns]
