"""The command line `pumper`: parse, one call, format. Each command's words stand in its own help."""
