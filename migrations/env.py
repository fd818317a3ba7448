"""Alembic's entry: runs the migrations on the connection that `reporting.store.migrate` hands over.

There is no command-line use of Alembic here: `pumper init` upgrades, and the transaction is the caller's.
"""

from __future__ import annotations

from alembic import context

from reporting.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
