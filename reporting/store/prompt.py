"""Connections to PostgreSQL for calls that somebody waits for: no answer for a while is taken for an outage.

The server's own limits end a statement that is slow. Nothing ends one whose server hangs, or from which nothing comes
any more: the kernel goes on waiting, and so does whoever called.
"""

from __future__ import annotations

import time
from typing import Any, Final

import psycopg
from psycopg import errors
from sqlalchemy import Connection, Engine, event

PING_S: Final = 2.0
"""How long anything takes that the server need not think about: the look whether it is there."""
ANSWER_S: Final = 4.0
"""How long a statement may take: with what came before it, a call is answered within 5 s."""
LOOK_S: Final = 2.0
"""How long a statement waits for another writer's lock before it is looked whether the server still lives."""
LOCK_S: Final = 60.0
"""How long it waits for that lock in all."""


class PromptConnection(psycopg.Connection[Any]):
    """A connection that is given up when nothing comes within `patience` seconds.

    locking: whether what is waited for is another writer; then a server that still lives is given `LOCK_S`.
    """

    patience = PING_S
    locking = False

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """What the driver waits with, each time."""
        end = time.monotonic() + LOCK_S
        while True:
            try:
                return super().wait(gen, interval, self.patience if timeout is None else timeout)
            except errors._WaitTimeout as error:
                if self.locking and time.monotonic() < end and self._server_lives():
                    continue
                self.pgconn.finish()
                raise psycopg.OperationalError("no answer for too long") from error

    def _server_lives(self) -> bool:
        try:
            psycopg.connect(self.info.dsn, password=self.info.password, connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True


def make_prompt(engine: Engine) -> None:
    """Have an engine use such connections."""
    event.listen(engine, "do_connect", _connect)
    event.listen(engine, "before_cursor_execute", _before_statement)
    event.listen(engine, "checkin", _returned)


def _connect(_dialect: object, _record: object, positional: Any, named: Any) -> PromptConnection:
    return PromptConnection.connect(*positional, **named)


def _before_statement(
    connection: Connection, _cursor: object, statement: str, _values: object, _context: object, _many: bool
) -> None:
    driver = connection.connection.driver_connection
    if isinstance(driver, PromptConnection):
        driver.locking = "FOR UPDATE" in statement
        driver.patience = LOOK_S if driver.locking else ANSWER_S


def _returned(driver: Any, _record: object) -> None:
    # What is done with it next is to look whether it still lives.
    if isinstance(driver, PromptConnection):
        driver.patience, driver.locking = PING_S, False
