"""Webhooks: who is told over HTTPS, of which kinds of event; and what was sent to them, each thing once."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, UniqueConstraint

from reporting.tables.columns import count, global_table, ident, instant, json_value, octets, tenant_table, words

webhook = global_table(
    "webhook",
    ident("id", key=True),
    ident("county", null=True),  # a county's own, or else
    ident("contractor_id", null=True),  # a business's, in whatever county it is named
    words("url", null=False),
    words("label", null=False),
    json_value("kinds"),  # names of kinds of event; none: all that the holder may have
    ident("state"),  # `active`, `disabled`, `removed`
    octets("secret"),  # sealed
    octets("former_secret", null=True),
    instant("former_ends_at", null=True),
    instant("created_at"),
    ident("created_by"),
    instant("ended_at", null=True),
    words("ended_because"),
    count("failures"),  # in a row
    instant("failing_since", null=True),
    instant("rest_until", null=True),  # after a failure: what answers badly is not asked at once again
    instant("busy_until", null=True),  # somebody is sending to it
    instant("last_sent_at", null=True),
    words("last_error"),
    ForeignKeyConstraint(["contractor_id"], ["contractor.id"]),
    Index("ix_webhook_county", "county"),
    Index("ix_webhook_contractor_id", "contractor_id"),
)

webhook_delivery = tenant_table(
    "webhook_delivery",
    ident("id", key=True),  # the receiver's `webhook-id`, the same in every attempt
    ident("webhook"),
    ident("source"),  # the event, the kind made of it, and which part
    ident("kind"),
    ident("state"),
    json_value("content", verbatim=True),  # the body
    instant("created_at"),
    instant("not_before"),
    instant("lease_until", null=True),
    count("fence"),
    count("attempts"),
    instant("tried_at", null=True),
    instant("sent_at", null=True),
    Column("status", Integer, nullable=True),  # of the last answer
    words("last_error"),
    ForeignKeyConstraint(["webhook"], ["webhook.id"]),
    UniqueConstraint("county", "webhook", "source"),
    Index("ix_webhook_delivery_county_state_not_before", "county", "state", "not_before"),
    Index("ix_webhook_delivery_county_webhook_created_at", "county", "webhook", "created_at"),
)
