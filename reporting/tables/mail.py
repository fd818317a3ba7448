"""What keeps mails from going: a county's pauses, addresses that get none or not all, and the reports of bounces."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, text

from reporting.tables.columns import ident, instant, tenant_table, words

mail_pause = tenant_table(
    "mail_pause",
    ident("id", key=True),
    ident("kind"),  # "": every kind
    ident("recipient"),  # "": everybody
    words("reason", null=False),
    instant("created_at"),
    ident("created_by"),
    instant("ended_at", null=True),
    ident("ended_by", null=True),
    words("end_reason"),
    Index(
        "uq_mail_pause_live",
        "county",
        "kind",
        "recipient",
        unique=True,
        sqlite_where=text("ended_at IS NULL"),
        postgresql_where=text("ended_at IS NULL"),
    ),
)

mail_suppression = tenant_table(
    "mail_suppression",
    ident("address", key=True),
    ident("reason", key=True),  # bounce, complaint, unsubscribed
    ident("kind", key=True),  # of unsubscribed: one kind of reminder; "": all that the reason is about
    instant("since"),
    words("detail"),
    ident("message", null=True),  # the id of the message that it came of
)

mail_bounce = tenant_table(
    "mail_bounce",
    ident("message", key=True),  # its dedupe_key
    ident("outcome"),  # permanent, transient, complaint
    ident("status"),
    words("detail"),
    instant("noted_at"),
    ForeignKeyConstraint(["county", "message"], ["message.county", "message.dedupe_key"]),
)
