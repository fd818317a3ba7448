"""Counties with an inventory, reports as haulers send them, and what is stored of both: for the tests of intake."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from reporting import tables
from reporting.contractors import import_contractors
from reporting.intake.accept import Options, Upload, submit
from reporting.intake.answer import Answer, Refused, RowAnswer
from reporting.intake.credentials import Sender
from reporting.inventory.importing import import_inventory
from reporting.store.engine import Database
from reporting.store.signing import Signer
from schemas.loader import shipped_program, shipped_slugs
from tests.reporting.counties import csv_of

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
NOW = datetime(2026, 7, 13, 14, 5, tzinfo=UTC)
STOCKED = datetime(2026, 6, 1, 15, 0, tzinfo=UTC)
STAFF = Sender(name="clerk")

CONTRACTORS = csv_of(
    {
        "license_number": "00412", "credential_kind": "septage_operator",
        "business_name": "Kettle Moraine Septic LLC", "expires_on": "2027-09-30", "counties": "ozaukee;winnebago",
    },
    {
        "license_number": "PM-2207", "credential_kind": "powts_maintainer",
        "business_name": "Kettle Moraine Septic LLC", "expires_on": "2028-06-30", "counties": "ozaukee",
    },
    {
        "license_number": "00518", "credential_kind": "septage_operator",
        "business_name": "Lakeshore Pumping Co.", "expires_on": "2026-06-30", "counties": "ozaukee",
    },
)  # fmt: skip


def a_system(permit: str = "SP-1", **columns: Any) -> dict[str, Any]:
    """An inventory row."""
    return {
        "permit_number": permit,
        "parcel_number": f"08-{permit}",
        "site_address": f"N{sum(permit.encode())} County Road K",
        "municipality": "Town of Saukville",
        "owner_name": "Laverne Lor",
        "component": "septic",
        "capacity_gallons": "1000",
        "installed_on": "1998-05-01",
        **columns,
    }


def a_report(ref: str = "T-1", permit: str = "SP-1", **fields: Any) -> dict[str, Any]:
    """A pumping that every program but Winnebago's amended text takes, of the system `a_system(permit)`."""
    return {
        "report_ref": ref,
        "permit_number": permit,
        "parcel_number": f"08-{permit}",
        "site_address": f"N{sum(permit.encode())} County Road K",
        "owner_name": "Laverne Lor",
        "component": "septic",
        "event_type": "pumping",
        "service_date": "2026-07-06",
        "gallons_pumped": "1000",
        "tank_condition": "good",
        "ponding": "none",
        "work_description": "Pumped tank",
        "technician_name": "Dale Krueger",
        "license_number": "00412",
        "credential_kind": "septage_operator",
        "signature": "Dale Krueger",
        **fields,
    }


@dataclass(frozen=True, kw_only=True)
class Desk:
    """One county's counter: takes submissions and says what is stored."""

    database: Database
    signer: Signer
    county: str = "ozaukee"

    def stock(self, *systems: Mapping[str, Any]) -> None:
        """Import contractors and an inventory."""
        with self.database.transaction(None) as store:
            import_contractors(store, CONTRACTORS, counties=shipped_slugs(), now=STOCKED)
        if systems:
            self.stock_file(csv_of(*systems))

    def stock_file(self, data: bytes, now: datetime = STOCKED) -> None:
        with self.database.transaction(self.county) as store:
            answer = import_inventory(
                store, shipped_program(self.county), data, file_name="systems.csv", content_type=None,
                principal="clerk", now=now,
            )  # fmt: skip
        assert answer.rejected == 0, [o for o in answer.outcomes if o.errors]

    def business(self, license_norm: str = "00412") -> Sender:
        """The key of the business that holds a licence."""
        with self.database.reading(None) as store:
            query = select(tables.credential.c.contractor_id).where(tables.credential.c.license_norm == license_norm)
            return Sender(name="key_1", contractor_id=store.connection.execute(query).scalars().first())

    def send(
        self,
        data: bytes | Sequence[Mapping[str, Any]],
        *,
        name: str | None = "reports.csv",
        kind: str | None = None,
        sender: Sender = STAFF,
        now: datetime = NOW,
        settings: Mapping[str, object] | None = None,
        **options: Any,
    ) -> Answer | Refused:
        """Submit a file, or rows as CSV."""
        content = data if isinstance(data, bytes) else csv_of(*data)
        program = shipped_program(self.county).with_settings(settings or {})
        upload = Upload(data=content, file_name=name, content_type=kind)
        with self.database.transaction(self.county) as store:
            return submit(store, program, sender, upload, now, self.signer, Options(**options))

    def take(self, *rows: Mapping[str, Any], **how: Any) -> Answer:
        """Submit rows as CSV; the file can be read."""
        answer = self.send(rows, **how)
        assert isinstance(answer, Answer), answer
        return answer

    def row(self, row: Mapping[str, Any], **how: Any) -> RowAnswer:
        """Submit one row as CSV."""
        return self.take(row, **how).outcomes[0]

    def rows(self, table: str, *columns: str) -> list[dict[str, Any]]:
        """What a table holds of the county."""
        found = tables.metadata.tables[table]
        query = select(*(found.c[c] for c in columns) if columns else found.c).where(found.c.county == self.county)
        with self.database.reading(self.county) as store:
            return [dict(row) for row in store.connection.execute(query).mappings()]

    def count(self, table: str) -> int:
        """How many rows a table holds of the county."""
        found = tables.metadata.tables[table]
        with self.database.reading(self.county) as store:
            query = select(func.count()).select_from(found).where(found.c.county == self.county)
            return int(store.connection.execute(query).scalar_one())

    def events(self) -> list[dict[str, Any]]:
        """The reports that stand, in the order in which they were recorded; no baselines."""
        found = [e for e in self.rows("event") if e["submission"] and e["ended_seq"] is None]
        return sorted(found, key=lambda e: e["seq"])


def outcomes(answer: Answer) -> list[str]:
    return [o.outcome.value for o in answer.outcomes]


def tally(answer: Answer) -> Counter[str]:
    return Counter(outcomes(answer))


def codes(row: RowAnswer) -> list[tuple[str | None, str]]:
    return [(issue.field, str(issue.code)) for issue in row.errors]


def as_json(*rows: Mapping[str, Any]) -> bytes:
    return json.dumps([{k: v for k, v in row.items() if v != ""} for row in rows], ensure_ascii=False).encode()
