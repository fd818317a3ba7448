"""A county's own list of systems: read, compared with what is stored, and written with each change in the log."""
