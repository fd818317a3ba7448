"""Queueing, sending and looking at what came of it, for the tests of the outbox and of delivery."""

from types import TracebackType
from typing import Any, Self

from notifications import outbox
from notifications.compose import Mail
from notifications.outbox import MessageState, list_messages
from notifications.outcomes import Outcome, Sent
from notifications.records import Notice
from reporting.store.engine import Database
from tests.notifications.builders import MAIL_FROM, NOON

COUNTY = "ozaukee"


class Postman:
    """A sender that keeps what it gets and answers as the test says (`Sent` when it says nothing)."""

    mail_from = MAIL_FROM

    def __init__(self, *outcomes: Outcome | BaseException) -> None:
        self.outcomes = list(outcomes)
        self.mails: list[Mail] = []

    def send(self, mail: Mail) -> Outcome:
        self.mails.append(mail)
        outcome = self.outcomes.pop(0) if self.outcomes else Sent()
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class Killed(BaseException):
    """The process ends in the middle of its work."""


def queue(database: Database, *notices: Notice, county: str = COUNTY) -> None:
    with database.transaction(county) as store:
        for notice in notices:
            assert outbox.add_message(store, notice, NOON, "reports.example.org")


def rows(database: Database, county: str = COUNTY) -> list[dict[str, Any]]:
    with database.reading(county) as store:
        found = list_messages(store, list(MessageState), 10_000)
    return sorted(found, key=lambda row: row["dedupe_key"])
