"""What the county's desk keeps for itself: saved views of its lists, and how systems stood month by month."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint

from reporting.tables.columns import count, day, ident, instant, tenant_table, words

saved_view = tenant_table(
    "saved_view",
    ident("id", key=True),
    ident("of_list"),
    ident("name"),
    words("query", null=False),  # the filters as they stand in the page's address
    instant("saved_at"),
    ident("saved_by"),
    UniqueConstraint("county", "of_list", "name"),
)

standing_month = tenant_table(
    "standing_month",
    ident("month", key=True),  # YYYY-MM
    ident("state", key=True),
    count("systems"),
    day("counted_on", null=False),
)
