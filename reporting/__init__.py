"""From a raw report to a system's standing."""
