"""The service's log: one JSON object a line on standard error, in UTC."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog


def make_log(level: str, stream: TextIO | None = None) -> structlog.typing.FilteringBoundLogger:
    """A logger that leaves out lines below `level` (`INFO`, …); `stream` in the place of standard error."""
    logger: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(stream or sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        cache_logger_on_first_use=True,
    )
    return logger
