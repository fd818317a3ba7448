"""Real servers for the tests: PostgreSQL and SMTP, started here and stopped here."""
