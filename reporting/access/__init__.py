"""Who gets in: keys, invitations, sign-in, sessions, staff; every step of it in a log."""
