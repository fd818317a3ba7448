"""`python -m reporting.cli`: the same as `pumper`, for processes that start one another."""

from reporting.cli.main import main

main()
