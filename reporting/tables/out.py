"""What leaves reporting: domain events, and the messages made of them."""

from __future__ import annotations

from sqlalchemy import Column, Index, UniqueConstraint

from reporting.tables.columns import IDENTIFIER, count, ident, instant, json_value, tenant_table, words

domain_event = tenant_table(
    "domain_event",
    ident("id", key=True),
    ident("kind"),
    ident("cause_key"),
    ident("system", null=True),
    instant("occurred_at"),
    json_value("content"),
    instant("handled_at", null=True),
    instant("hooked_at", null=True),  # when it was made into what webhooks are sent
    UniqueConstraint("county", "cause_key"),
    Index("ix_domain_event_county_handled_at", "county", "handled_at"),
    Index("ix_domain_event_county_hooked_at", "county", "hooked_at"),
)

message = tenant_table(
    "message",
    ident("dedupe_key", key=True),
    ident("id"),
    ident("kind"),
    words("recipient", null=False),
    ident("state"),
    json_value("content"),
    instant("created_at"),
    instant("not_before"),
    instant("lease_until", null=True),
    count("fence"),
    count("attempts"),
    ident("message_id"),
    instant("sent_at", null=True),
    words("last_error"),
    Column("channel", IDENTIFIER, nullable=False, default="mail", server_default="mail"),
    ident("system", null=True),
    UniqueConstraint("id"),
    Index("ix_message_county_channel_state_not_before", "county", "channel", "state", "not_before"),
    Index("ix_message_county_system", "county", "system"),
)
