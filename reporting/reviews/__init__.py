"""Reports in doubt as staff works on them: reading, deciding, undoing, and what is remembered of it."""
