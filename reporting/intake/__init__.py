"""What haulers and counties send, read into rows, values and identifiers, and put on record."""
