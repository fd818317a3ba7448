"""Letters on paper: print runs, and what each of their letters said, to whom, on which pages."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint, text

from reporting.tables.columns import count, day, ident, instant, json_value, number, tenant_table, words

print_run = tenant_table(
    "print_run",
    ident("id", key=True),
    ident("state"),
    instant("created_at"),
    ident("created_by"),
    day("printed_on", null=False),
    count("letters"),
    count("pages"),
    ident("pdf_sha256"),
    ident("typesetter"),
    json_value("content"),  # the office as its letters name it
    day("mailed_on"),
    ident("mail_class", null=True),
    instant("ended_at", null=True),  # confirmed as mailed, or cancelled
    ident("ended_by", null=True),
    number("seq", null=True),  # the entry of the log that confirms it
    Index("ix_print_run_county_created_at", "county", "created_at"),
)

letter = tenant_table(
    "letter",
    ident("run", key=True),
    number("position", key=True),
    ident("message"),
    ident("message_id"),
    ident("kind"),
    ident("system", null=True),
    ident("postcode"),
    words("address", null=False),
    ident("text_sha256"),
    count("first_page"),
    count("last_page"),
    json_value("content", verbatim=True),  # all that was printed
    instant("cancelled_at", null=True),
    ForeignKeyConstraint(["county", "run"], ["print_run.county", "print_run.id"]),
    ForeignKeyConstraint(["county", "message"], ["message.county", "message.dedupe_key"]),
    UniqueConstraint("county", "run", "message"),
    # In one run at a time: neither two clerks nor a second press of the button print a letter twice.
    Index(
        "uq_letter_live_message",
        "county",
        "message",
        unique=True,
        sqlite_where=text("cancelled_at IS NULL"),
        postgresql_where=text("cancelled_at IS NULL"),
    ),
    Index("ix_letter_county_system", "county", "system"),
)
