"""The facts of a scenario as the assessment reads them, from JSON values."""
