"""The databases that tests against mutants copy: made once before the first, and anew where the schema is broken."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text

from reporting.store import migrate
from reporting.store.engine import Database
from tests.services import databases
from tests.services.postgres import PostgresDatabase, PostgresServer, running_postgres


def everywhere(old: object, new: object) -> None:
    """Put something in the place of a function in every module that holds it."""
    for module in list(sys.modules.values()):
        names = vars(module) if hasattr(module, "__dict__") else {}
        for name, value in list(names.items()):
            if value is old:
                setattr(module, name, new)


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """What the tests' fixtures hand out in this process, and in each child of it."""

    sqlite: Callable[[Path], Path]
    postgres: Callable[[PostgresServer], PostgresDatabase]

    @classmethod
    def as_they_are(cls) -> Grounds:
        """What makes them."""
        return cls(sqlite=databases.migrated_sqlite, postgres=databases.migrated_postgres)

    @contextmanager
    def prepared(self, folder: Path, postgresql: bool) -> Iterator[None]:
        """Migrated databases, and a server that ends with this process's own run and with no child's."""
        ready = self.sqlite(folder)
        everywhere(self.sqlite, lambda _folder: ready)
        with ExitStack() as stack:
            if postgresql:
                server = stack.enter_context(running_postgres())
                frozen = self.postgres(server)
                everywhere(self.postgres, lambda _server: frozen)

                @contextmanager
                def at_hand(*_arguments: Any, **_options: Any) -> Iterator[PostgresServer]:
                    yield server

                everywhere(running_postgres, at_hand)
            yield

    def broken_by(self, statements: Sequence[str], kind: str) -> None:
        """From here on the migrated databases of a kind are made anew, and broken by their owner."""
        upgrade = migrate.upgrade

        def upgrade_and_break(url: str, *arguments: Any, **options: Any) -> Any:
            came = upgrade(url, *arguments, **options)
            if url.startswith(kind):
                database = Database.connect(url)
                with database.transaction(None) as store:
                    for statement in statements:
                        store.connection.execute(text(statement))
                database.dispose()
            return came

        everywhere(upgrade, upgrade_and_break)
        for name in ("sqlite", "postgres"):
            kept = getattr(self, name)
            for module in list(sys.modules.values()):
                if getattr(module, f"migrated_{name}", None) is not None:
                    setattr(module, f"migrated_{name}", kept)
