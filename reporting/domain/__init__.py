"""The law applied to facts: pure functions from a system's history and a program to what is due, late or missing."""
