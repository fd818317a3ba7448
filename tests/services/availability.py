"""What happens to a test whose service cannot be had: skipped by name at a desk, failed in CI."""

import os
from typing import NoReturn

import pytest

SERVICE_MARKERS = ("needs_postgres", "needs_smtp", "needs_browser", "needs_strace")


class ServiceUnavailable(Exception):
    """A server that the tests need cannot be started here; the text says why."""


def in_ci() -> bool:
    """Whether `CI` is set to something that means yes."""
    return os.environ.get("CI", "").strip().lower() not in {"", "0", "false", "no"}


def unavailable(service: str, reason: object) -> NoReturn:
    """Fail the test in CI, skip it elsewhere; the closing summary names the service and the reason."""
    message = f"{service}: {reason}"
    if in_ci():
        pytest.fail(f"{message} (in CI this test must run)", pytrace=False)
    pytest.skip(message)
