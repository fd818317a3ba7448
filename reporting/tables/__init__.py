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
from reporting.tables.access import (
    attempt,
    invitation,
    membership,
    oidc_group_role,
    owner_code,
    password,
    person,
    person_identity,
    recovery_code,
    session,
    signin_failure,
    signin_token,
    totp,
)
from reporting.tables.columns import CONTENT, IDENTIFIER, VERBATIM, UtcDateTime, metadata
from reporting.tables.derived import finding, obligation, standing
from reporting.tables.desk import saved_view, standing_month
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
from reporting.tables.intake import idempotency, inventory_file, outcome, submission, submission_file
from reporting.tables.letters import letter, print_run
from reporting.tables.limits import rate_allowance
from reporting.tables.log import checkpoint, log_detail, log_entry, log_head, log_raw
from reporting.tables.mail import mail_bounce, mail_pause, mail_suppression
from reporting.tables.matching import gram, gram_head, identifier, review
from reporting.tables.out import domain_event, message
from reporting.tables.people import api_key, contractor, county, credential, job_run, lease, program_text
from reporting.tables.webhooks import webhook, webhook_delivery

__all__: Final = [
    "CONTENT",
    "IDENTIFIER",
    "VERBATIM",
    "UtcDateTime",
    "api_key",
    "attempt",
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
    "gram_head",
    "idempotency",
    "identifier",
    "inventory_file",
    "invitation",
    "job_run",
    "lease",
    "letter",
    "log_detail",
    "log_entry",
    "log_head",
    "log_raw",
    "mail_bounce",
    "mail_pause",
    "mail_suppression",
    "membership",
    "message",
    "metadata",
    "obligation",
    "oidc_group_role",
    "outcome",
    "owner_code",
    "owner_version",
    "password",
    "person",
    "person_identity",
    "print_run",
    "program_text",
    "rate_allowance",
    "recovery_code",
    "review",
    "saved_view",
    "session",
    "signin_failure",
    "signin_token",
    "standing",
    "standing_month",
    "submission",
    "submission_file",
    "system",
    "system_version",
    "tenant_tables",
    "totp",
    "webhook",
    "webhook_delivery",
]


def tenant_tables() -> list[Table]:
    """Every table whose rows belong to one county, parents before children: those under row security."""
    return [table for table in metadata.sorted_tables if table.info["tenant"]]
