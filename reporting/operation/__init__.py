"""Operating the service: backing it up, restoring it, moving it to another database, and a county's leaving it."""
