"""P15: upgrades are safe. Three `pumper init` at once on an empty database all end well and one applies; the last
migration is applied to a database full of reports while more of them are written; what the code of before writes (rows
with the columns that it knew) can be written afterwards; and an upgrade that was killed is taken up again.

Full size: 100,000 reports, five deaths. The controls: an upgrade that commits each of its statements by itself, and a
migration that takes a column away which the code of before fills.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, func, insert, select, text

from reporting import tables
from reporting.errors import DatabaseUnavailable, QueryTooSlow
from reporting.store import migrate
from reporting.store.copying import of_county
from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.store.verify import verify
from tests.promises.commands import ROOT, Operator
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.proofs.p13 import COUNTY, NOON, add_reports, fill
from tests.services.databases import DatabaseUrls

KEPT = {Size.SMOKE: 2_000, Size.FULL: 100_000}
DEATHS = {Size.SMOKE: (3, 60), Size.FULL: (1, 3, 20, 60, 150)}
"""After how many statements an upgrade of an empty database dies."""
AT_ONCE = 3
OTHER, SOME = "elsewhere", 500
"""Whose rows, and up to which entry, are written as the code of before would."""


@dataclass(kw_only=True)
class Trial:
    """What one run has come to so far."""

    folder: Path
    figures: dict[str, int | float | str] = field(default_factory=dict)
    windows: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def run_with(*, loose: bool = False, narrow: bool = False) -> Run:
    """The proof; `loose`: with upgrades that commit each statement. `narrow`: with a migration that takes a column."""

    def run(arena: Arena, size: Size) -> Outcome:
        trial = Trial(folder=Path(tempfile.mkdtemp(prefix="p15-", dir=arena.folder)))
        whole = not loose and not narrow
        if whole:
            several_at_once(trial, empty_url(arena, trial))
        if whole or loose:
            dying(trial, arena, DEATHS[size], loose=loose)
        if whole or narrow:
            under_traffic(trial, arena, KEPT[size] if whole else 100, narrow=narrow)
        return Outcome(figures=trial.figures, windows=trial.windows, failures=tuple(trial.faults))

    return run


def empty_url(arena: Arena, trial: Trial) -> str:
    """The owner's address of a database in which there is nothing."""
    if arena.kind == "sqlite":
        return f"sqlite:///{Path(tempfile.mkdtemp(dir=trial.folder)) / 'empty.db'}"
    url = arena.new_database().owner_url
    database = Database.connect(url)
    with database.transaction(None) as store:
        store.connection.execute(text("DROP SCHEMA public CASCADE"))
        store.connection.execute(text("CREATE SCHEMA public"))
    database.dispose()
    return url


def operator_of(trial: Trial, url: str) -> Operator:
    """Who runs the commands; here the tables' owner for everything."""
    kind: Any = "sqlite" if url.startswith("sqlite") else "postgresql"
    return Operator(urls=DatabaseUrls(kind=kind, app_url=url, owner_url=url), key=trial.folder / "signing.key")


def several_at_once(trial: Trial, url: str) -> None:
    """`pumper init` several times at once."""
    operator = operator_of(trial, url)
    for process in [operator.start("init") for _ in range(AT_ONCE)]:
        operator.end(process, "init")
    trial.faults += operator.said
    trial.figures["inits at once"] = AT_ONCE
    if not migrate.is_current(url):
        trial.faults.append("after several at once the database is not up to date")


def dying(trial: Trial, arena: Arena, deaths: tuple[int, ...], *, loose: bool) -> None:
    """Upgrades that are killed, each on an empty database, and what the next one makes of it."""
    killed = 0
    for statements in deaths:
        url = empty_url(arena, trial)
        words = [sys.executable, "-m", "tests.promises.upgrading", url, str(statements), *(["loose"] if loose else [])]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
        killed += done.returncode == -9
        if migrate.current(url) is not None:
            trial.faults.append(f"an upgrade that was killed has left the database at {migrate.current(url)}")
        try:
            migrate.upgrade(url)
        except Exception as error:  # whatever it is, it was not taken up again
            trial.faults.append(f"an upgrade that was killed is not taken up again: {str(error)[:200]}")
            continue
        if not migrate.is_current(url):
            trial.faults.append("after a killed upgrade and another one the database is not up to date")
    trial.windows["killed on the way"] = killed


def under_traffic(trial: Trial, arena: Arena, count: int, *, narrow: bool) -> None:
    """The last migration on a database full of reports, while more come; then what the code of before writes."""
    url = empty_url(arena, trial)
    before = the_one_before()
    upgrade_to(url, before)
    database = Database.connect(url)
    signer = Signer.load(trial.folder / "signing.key")
    fill(database, signer, count, signed_each=5_000)
    known = MetaData()
    with database.engine.connect() as connection:
        known.reflect(connection)
    writer = Writer(database=database, first=count)
    begun = time.monotonic()
    with_traffic(writer, lambda: trial.faults.extend(init(trial, url)))
    trial.figures |= {
        "reports on record": count,
        "written meanwhile": writer.done,
        "seconds to upgrade": round(time.monotonic() - begun, 1),
        "longest wait of a writer, s": round(writer.longest, 1),
    }  # fmt: skip
    trial.windows["written meanwhile"] = writer.done
    trial.faults += writer.faults
    if narrow:
        with database.transaction(None) as store:
            store.connection.execute(text("ALTER TABLE system RENAME COLUMN created_seq TO made_seq"))
    trial.faults += write_as_before(database, known)
    if not narrow:
        trial.faults += held(database, signer, count, writer.done)
    database.dispose()


def held(database: Database, signer: Signer, count: int, written: int) -> list[str]:
    """What is wrong with the record after it."""
    with database.reading(COUNTY) as store:
        query = select(func.count()).select_from(tables.event).where(tables.event.c.county == COUNTY)
        there = int(store.connection.execute(query).scalar_one())
        found = verify(store, [signer.verifying_key])
    faults = [problem.message for problem in found.problems[:3]]
    expected = count - 1 + written
    return faults if there == expected else [*faults, f"{there} reports are on record and not {expected}"]


def the_one_before() -> str:
    """The last migration but one."""
    script = ScriptDirectory(str(migrate.migrations_folder())).get_revision("head")
    assert script is not None
    return str(script.down_revision)


def upgrade_to(url: str, revision: str) -> None:
    """A database as an older version of the service has it."""
    with migrate._connection(url) as connection:
        command.upgrade(migrate._alembic(connection), revision)


def init(trial: Trial, url: str) -> list[str]:
    """`pumper init`; what went wrong."""
    operator = operator_of(trial, url)
    operator.run("init")
    return operator.said if migrate.is_current(url) else [*operator.said, "the database is not up to date"]


@dataclass(kw_only=True)
class Writer:
    """Somebody who reports one thing after the other, each until it is taken. `longest`: the longest of it, in s."""

    database: Database
    first: int
    done: int = 0
    longest: float = 0.0
    faults: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def work(self) -> None:
        """Until it is told to stop."""
        while not self.stop.is_set() and not self.faults:
            begun = time.monotonic()
            while not self._write() and not self.faults:
                time.sleep(0.05)
            self.longest = max(self.longest, time.monotonic() - begun)
            self.stop.wait(0.01)

    def _write(self) -> bool:
        with suppress(DatabaseUnavailable, QueryTooSlow):
            try:
                with self.database.transaction(COUNTY) as store:
                    add_reports(store, self.first + self.done, 1, NOON)
                self.done += 1
            except (DatabaseUnavailable, QueryTooSlow):
                raise
            except Exception as error:
                self.faults.append(f"a report could not be written: {type(error).__name__}: {str(error)[:200]}")
            return True
        return False


def with_traffic(writer: Writer, work: Callable[[], None]) -> None:
    """Do something while somebody writes, before it and after it too."""
    thread = threading.Thread(target=writer.work, daemon=True)
    thread.start()
    try:
        time.sleep(0.3)
        work()
        time.sleep(0.3)
    finally:
        writer.stop.set()
        thread.join(120)


def write_as_before(database: Database, known: MetaData) -> list[str]:
    """Rows of the county once more, as another's, with the columns that were known before; what is wrong."""
    try:
        with database.transaction(COUNTY) as store:
            for table in known.sorted_tables:
                if "county" not in table.c or table.name not in {one.name for one in tables.tenant_tables()}:
                    continue
                query = select(table).where(table.c.county == COUNTY)
                if "seq" in table.c:
                    query = query.where(table.c.seq <= SOME)
                rows = store.connection.execute(query).mappings().all()
                if rows:
                    there = of_county(store, OTHER)
                    there.connection.execute(insert(table), [{**row, "county": OTHER} for row in rows])
                    of_county(store, COUNTY)
    except Exception as error:
        return [f"what the code of before writes is refused: {type(error).__name__}: {str(error)[:300]}"]
    return []


PROOF = Proof(
    promise="P15",
    says="Upgrades are safe: several at once, under traffic, with code of before at work, and killed on the way.",
    run=run_with(),
    controls={
        "each statement is committed by itself": run_with(loose=True),
        "a column is taken away": run_with(narrow=True),
    },
    least={"killed on the way": (2, 5), "written meanwhile": (5, 20)},
    in_small=(),
)
