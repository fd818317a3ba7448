"""What the service's own role may do on PostgreSQL: it owns nothing, and what must last it can only add to."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text

from reporting import tables

APP_ROLE: Final = "pumper_app"

_ADD_ONLY: Final = frozenset({"log_entry", "log_raw", "log_detail", "checkpoint"})
"""Raw rows and details are destroyed under a retention schedule only, by a role of its own."""


def role_exists(connection: Connection, role: str) -> bool:
    """Whether the server knows `role`."""
    return connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}).first() is not None


def grant(connection: Connection, role: str) -> None:
    """Give `role` what it needs on every table, and take back whatever more it had; in the caller's transaction."""
    quote = connection.dialect.identifier_preparer.quote
    schema = quote(connection.exec_driver_sql("SELECT current_schema()").scalar_one())
    grantee = quote(role)
    database = quote(connection.exec_driver_sql("SELECT current_database()").scalar_one())
    # Temporary tables carry bulk rows in. A server whose owner may not give this away warns and goes on.
    connection.exec_driver_sql(f"GRANT TEMPORARY ON DATABASE {database} TO {grantee}")
    connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {schema} TO {grantee}")
    connection.exec_driver_sql(f"GRANT SELECT ON {schema}.alembic_version TO {grantee}")
    for table in tables.metadata.sorted_tables:
        allowed = "SELECT, INSERT" if table.name in _ADD_ONLY else "SELECT, INSERT, UPDATE, DELETE"
        target = f"{schema}.{quote(table.name)}"
        connection.exec_driver_sql(f"REVOKE ALL ON {target} FROM {grantee}")
        connection.exec_driver_sql(f"GRANT {allowed} ON {target} TO {grantee}")
