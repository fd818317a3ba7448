"""What must be reported, by when, and the shape of a report. Knows no database and no HTTP."""
