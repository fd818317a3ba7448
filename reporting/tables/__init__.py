"""Every table of the service, as SQLAlchemy Core tables on one `MetaData`.

Shape only, for whoever writes a query (`reporting.store`) or a migration. County comes first in every tenant key, and
identifiers compare by bytes on both databases. Inside a key, an absent `component`, `component_ref`, `cycle` or (for a
county's own facts) `system` is `""`. A versioned row is known at sequence number S when
`seq <= S and (ended_seq is null or ended_seq > S)`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Table

# One door to all of them: a `MetaData` that knew half the tables would make half a migration.
from reporting.tables.columns import CONTENT, IDENTIFIER, VERBATIM, UtcDateTime, metadata
from reporting.tables.derived import finding, obligation, standing
from reporting.tables.facts import (
    component_version,
    contract,
    designation,
    event,
    fact,
    owner_version,
    system,
    system_version,
)
from reporting.tables.intake import idempotency, outcome, submission, submission_file
from reporting.tables.log import checkpoint, log_entry, log_head, log_raw
from reporting.tables.matching import gram, identifier, review
from reporting.tables.out import domain_event, message
from reporting.tables.people import api_key, contractor, county, credential, job_run, lease, program_text

__all__: Final = [
    "CONTENT",
    "IDENTIFIER",
    "VERBATIM",
    "UtcDateTime",
    "api_key",
    "checkpoint",
    "component_version",
    "contract",
    "contractor",
    "county",
    "credential",
    "designation",
    "domain_event",
    "event",
    "fact",
    "finding",
    "gram",
    "idempotency",
    "identifier",
    "job_run",
    "lease",
    "log_entry",
    "log_head",
    "log_raw",
    "message",
    "metadata",
    "obligation",
    "outcome",
    "owner_version",
    "program_text",
    "review",
    "standing",
    "submission",
    "submission_file",
    "system",
    "system_version",
    "tenant_tables",
]


def tenant_tables() -> list[Table]:
    """Every table whose rows belong to one county, parents before children: those under row security."""
    return [table for table in metadata.sorted_tables if table.info["tenant"]]
