"""A file of reports, from its bytes to the commit: read, checked in full, matched, de-duplicated, stored with its log
entry, receipts and what is to be assessed.

Beside `csv.reader` over the same bytes; and beside the naive way, a marshmallow schema's `load`, one ORM object and one
commit for each row, without log, identity, matching or lateness.
"""

from __future__ import annotations

import csv
import io
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from bench.generated import COUNTY, NO_LIMITS, reports_csv
from bench.measuring import Figure, seconds
from bench.steps.checking import PlainReport, read_bare
from reporting.intake.accept import Options, Refused, Upload, submit
from reporting.intake.credentials import Sender
from reporting.sweep import sweep
from schemas.loader import shipped_program
from tests.promises.arenas import lasting_arena
from tests.promises.stocking import stocked
from tests.reporting.api.world import World
from tests.services.databases import Kind

ROWS, SYSTEMS, FEWER = 20_000, 8_000, 2_000
SENT_AT = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)
AIM = {"sqlite": 25.0, "postgresql": 30.0}
ASSESSED = 60.0


def measured() -> Iterator[Figure]:
    """Once on each database: a file is taken once, since a second time all of it has been sent before."""
    data = reports_csv(ROWS, SYSTEMS)
    bare = min(seconds(lambda: read_bare(data)) for _ in range(5))
    kinds: tuple[Kind, ...] = ("sqlite", "postgresql")
    for kind in kinds:
        yield from _taken(kind, data, bare)
    few = reports_csv(FEWER, FEWER)
    naive = seconds(lambda: _naively(few)) * ROWS / FEWER
    yield Figure(
        step="for comparison: load, ORM and a commit for each row", note=f"from {FEWER:,} rows", database="sqlite",
        ours=naive, unit="s", baseline=bare, against="csv.reader alone",
    )  # fmt: skip


def _taken(kind: Kind, data: bytes, bare: float) -> Iterator[Figure]:
    program, sender = shipped_program(COUNTY), Sender(name="bench", contractor_id="con_mine")
    upload = Upload(data=data, file_name="round.csv", content_type="text/csv")
    with lasting_arena(kind) as arena, stocked(arena, SYSTEMS) as world:
        begun = time.perf_counter()
        with world.database.transaction(COUNTY) as store:
            answer = submit(store, program, sender, upload, SENT_AT, world.signer, Options(limits=NO_LIMITS))
        taken = time.perf_counter() - begun
        assert not isinstance(answer, Refused), answer
        assert answer.counts["rows"] == ROWS, answer.counts
        assessed = seconds(lambda: _assess(world))
    step, against = f"a file of {ROWS:,} reports, to the commit", "csv.reader alone"
    yield Figure(
        step=step, database=kind, ours=taken, unit="s", baseline=bare, against=against,
        aim=f"≤ {AIM[kind]:.0f} ×", held=taken / bare <= AIM[kind],
    )  # fmt: skip
    yield Figure(
        step=f"{step}, and the {SYSTEMS:,} systems assessed", database=kind, ours=taken + assessed, unit="s",
        baseline=bare, against=against, aim=f"≤ {ASSESSED:.0f} ×", held=(taken + assessed) / bare <= ASSESSED,
    )  # fmt: skip


def _assess(world: World) -> None:
    sweep(world.database, COUNTY, SENT_AT.date(), SENT_AT)


class _Base(DeclarativeBase):
    pass


class _Row(_Base):
    __tablename__ = "report"
    id: Mapped[int] = mapped_column(primary_key=True)
    report_ref: Mapped[str]
    permit_number: Mapped[str]
    service_date: Mapped[str]
    said: Mapped[str]


def _naively(data: bytes) -> None:
    schema = PlainReport()
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{Path(folder) / 'naive.sqlite'}")
        _Base.metadata.create_all(engine)
        with Session(engine) as session:
            for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
                if schema.validate({name: value for name, value in row.items() if value}):
                    continue
                session.add(
                    _Row(
                        report_ref=row["report_ref"], permit_number=row["permit_number"],
                        service_date=row["service_date"], said=str(row),
                    )
                )  # fmt: skip
                session.commit()
        engine.dispose()
