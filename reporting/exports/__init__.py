"""What the record gives out again: a system's service record, a hauler's service log, a county's year."""
