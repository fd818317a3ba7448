"""Small files, one for each fault that files from haulers' offices have, each with what it comes to beside it."""
