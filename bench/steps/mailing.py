"""Sending what is queued, each message claimed, sent and completed in its own transactions, to a server on loopback;
beside the same messages sent over a connection each, with nothing kept.
"""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from email.message import EmailMessage

from bench.measuring import Figure, seconds
from notifications.delivery import deliver
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outbox import add_message
from reporting.store.engine import Database
from tests.notifications.builders import MAIL_FROM, NOON, a_notice
from tests.promises.arenas import lasting_arena
from tests.reporting.api.world import HOME
from tests.services.databases import Kind
from tests.services.smtp import SmtpServer, running_smtp_server

MESSAGES, AIM = 300, 3.0


def measured() -> Iterator[Figure]:
    """On both databases."""
    kinds: tuple[Kind, ...] = ("sqlite", "postgresql")
    for kind in kinds:
        with lasting_arena(kind) as arena, running_smtp_server() as server:
            database = Database.connect(arena.new_database().app_url)
            with database.transaction(HOME) as store:
                for number in range(MESSAGES):
                    add_message(store, a_notice(number), NOON, "reports.example")
            sender = SmtpSender(read_smtp_url(server.url), MAIL_FROM)
            taken = seconds(lambda: deliver(database, [HOME], sender, lambda: NOON))  # noqa: B023 - called at once
            database.dispose()
            sent = [mail.message for mail in server.mailbox.received]
            assert len(sent) == MESSAGES
            bare = seconds(lambda: _one_by_one(server, sent))  # noqa: B023
        yield Figure(
            step="messages claimed, written, sent and kept", database=kind, ours=MESSAGES / taken, unit="a second",
            baseline=MESSAGES / bare, against="a connection each, nothing kept", aim=f"≥ {AIM:.0f} ×",
            held=bare / taken >= AIM,
        )  # fmt: skip


def _one_by_one(server: SmtpServer, messages: list[EmailMessage]) -> None:
    for message in messages:
        with smtplib.SMTP(server.host, server.port) as connection:
            connection.send_message(message)
