"""The database: engine, migrations, the log, and every query."""
