"""From a domain event to a message that arrived once, at the right person."""
