"""What the fault files have in common: the usual report, and a file with what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NAMES = (
    "report_ref", "permit_number", "parcel_number", "site_address", "owner_name", "component", "event_type",
    "service_date", "gallons_pumped", "meter_reading", "sludge_scum_fraction", "work_description", "technician_name",
    "license_number", "signature", "notes",
)  # fmt: skip
USUAL = {
    "report_ref": "T-1", "permit_number": "SP-1", "parcel_number": "08-SP-1", "site_address": "N257 County Road K",
    "owner_name": "Laverne Lor", "component": "septic", "event_type": "pumping", "service_date": "2026-07-06",
    "gallons_pumped": "1000", "work_description": "Pumped tank", "technician_name": "Dale Krueger",
    "license_number": "00412", "signature": "Dale Krueger",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One file: its bytes, why it is here, and what it comes to."""

    name: str
    why: str
    data: bytes
    refused: str = ""
    rows: tuple[tuple[Any, ...], ...] = ()
    warnings: dict[int, list[str]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def expected(self) -> dict[str, Any]:
        """What stands beside the file."""
        if self.refused:
            return {"why": self.why, "refused": self.refused}
        shown: dict[str, Any] = {"why": self.why, "rows": [list(row) for row in self.rows]}
        if self.warnings:
            shown["warnings"] = {str(row): codes for row, codes in self.warnings.items()}
        return {**shown, "unknown": list(self.unknown)} if self.unknown else shown


GOOD = ((2, "accepted"),)
BOTH = ((2, "accepted"), (3, "accepted"))
