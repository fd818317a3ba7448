"""How much of each limit on calls is taken: one row for a bucket and a window of time."""

from __future__ import annotations

from sqlalchemy import Index

from reporting.tables.columns import count, global_table, ident, instant

rate_allowance = global_table(
    "rate_allowance",
    ident("bucket", key=True),
    instant("window_at", key=True),
    count("taken"),
    Index("ix_rate_allowance_window_at", "window_at"),
)
