"""P14: a backup restores. It is made while clients post, restored into an empty database, verified against a checkpoint
that was kept before it, and asked what is known.

Full size, on each database: 100,000 reports on record and 2,000 posted by 8 clients; every report acknowledged before
the backup began is in it, with the leaf that its receipt names; making, restoring and verifying take no more than
5 minutes for a million reports, scaled from what was measured. The controls: a backup of before (which verifies), and
a copy of what lies there instead of one moment: of a WAL database's file, or of tables one after the other.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from reporting import tables
from reporting.errors import PumperError
from reporting.store import copying, engine
from reporting.store.engine import Database
from reporting.store.log import checkpoint
from reporting.store.signing import checkpoint_note
from tests.promises.commands import Operator
from tests.promises.posting import Acknowledged, Posting, posts
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.promises.proofs.p13 import add_reports, fill
from tests.promises.sabotage import changed
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.reporting.api.world import AWAY, HOME, NOW, World
from tests.services.databases import DatabaseUrls

SEED, CLIENTS, SYSTEMS = 20_260_714, 8, 20
KEPT = {Size.SMOKE: 200, Size.FULL: 100_000}
"""Reports on record before anything is posted."""
POSTS = {Size.SMOKE: 100, Size.FULL: 2_000}
MOST_MINUTES = 5.0
"""For a million reports, at full size."""
PATIENCE = 900.0


@dataclass(frozen=True, kw_only=True)
class Made:
    """A backup: where it lies, what was acknowledged before it, and while it was made; how long it took."""

    path: Path
    before: Sequence[Acknowledged]
    meanwhile: int
    seconds: float


def run(arena: Arena, size: Size) -> Outcome:
    """The promise itself."""
    return back_up_and_restore(arena, size, early=False)


def old_backup(arena: Arena, size: Size) -> Outcome:
    """The control whose backup was made before the clients began."""
    return back_up_and_restore(arena, Size.SMOKE, early=True)


def back_up_and_restore(arena: Arena, size: Size, *, early: bool) -> Outcome:
    """Back up under load, restore, verify, ask."""
    folder = Path(tempfile.mkdtemp(prefix="p14-", dir=arena.folder))
    with stocked(arena, SYSTEMS) as world:
        fill(world.database, world.signer, KEPT[size], signed_each=5_000)
        operator = operator_of(world)
        kept = kept_outside(world, folder)
        made, faults = back_up(operator, world, folder / "backup", POSTS[size], early=early)
    operator.said.extend(faults)
    begun = time.monotonic()
    other = restore(operator, arena, made.path, folder, kept)
    took = made.seconds + time.monotonic() - begun
    lost, wrong = ask(other.urls.app_url, made.before, KEPT[size] - 1)
    reports = KEPT[size] + len(made.before)
    minutes = took / 60 * 1_000_000 / reports
    scaled = {"minutes per million reports (scaled)": round(minutes, 1)} if size is Size.FULL else {}
    if scaled and minutes > MOST_MINUTES:
        wrong.append(f"{minutes:.1f} minutes for a million reports, more than {MOST_MINUTES:.0f}")
    return Outcome(
        figures={
            **scaled,
            "acknowledged before the backup": len(made.before), "of these missing": lost,
            "seconds to back up": round(made.seconds, 1),
            "seconds to restore and verify": round(took - made.seconds, 1),
        },
        windows={"acknowledged while it was made": made.meanwhile},
        failures=(*operator.said, *other.said, *wrong),
    )  # fmt: skip


def kept_outside(world: World, folder: Path) -> Path:
    """The signed head of each log, as a clerk keeps them."""
    kept = folder / "kept.txt"
    notes = []
    for county in (HOME, AWAY):
        with world.database.transaction(county) as store:
            notes.append(checkpoint_note(checkpoint(store, world.signer, NOW)))
    kept.write_text("\n".join(notes), encoding="utf-8")
    return kept


def operator_of(world: World) -> Operator:
    """Who runs the service over a world's database."""
    url = world.config.database_url
    kind = "sqlite" if url.startswith("sqlite") else "postgresql"
    return Operator(
        urls=DatabaseUrls(kind=kind, app_url=url, owner_url=url),  # type: ignore[arg-type]
        key=world.config.signing_key_file,
    )


def back_up(operator: Operator, world: World, path: Path, count: int, *, early: bool) -> tuple[Made, list[str]]:
    """A backup while clients post, and what went wrong with these."""
    if early:
        operator.run("backup", str(path))
    with serving(ServerGroup(world=world)) as group:
        posting = Posting(port=group.port, key=world.keys["contractor"])
        posting.start(posts(count, SYSTEMS, SEED), CLIENTS)
        end = time.monotonic() + PATIENCE
        while len(posting.acknowledged) < count // 4 and not posting.done and time.monotonic() < end:
            time.sleep(0.005)
        before = list(posting.acknowledged)
        begun = time.monotonic()
        if not early:
            operator.run("backup", str(path))
        seconds = time.monotonic() - begun
        meanwhile = len(posting.acknowledged) - len(before)
        posting.join(PATIENCE)
    return Made(path=path, before=before, meanwhile=meanwhile, seconds=seconds), posting.faults


def restore(operator: Operator, arena: Arena, backup: Path, folder: Path, kept: Path) -> Operator:
    """Restore into an empty database and verify against what was kept before; the operator of that one."""
    urls = arena.new_database()
    if urls.kind == "sqlite":
        url = f"sqlite:///{folder / 'restored.db'}"
        urls = DatabaseUrls(kind="sqlite", app_url=url, owner_url=url)
    other = Operator(urls=urls, key=operator.key)
    other.run("restore", str(backup))
    other.run("verify", "--against", str(kept))
    return other


def ask(url: str, before: Sequence[Acknowledged], on_record: int) -> tuple[int, list[str]]:
    """How many of the acknowledged reports a restored database lacks, and what else is wrong with it."""
    database = Database.connect(url)
    event, entry = tables.event, tables.log_entry
    try:
        with database.reading(HOME) as store:
            query = select(event.c.id, event.c.seq).where(event.c.county == HOME)
            found = {row.id: row.seq for row in store.connection.execute(query)}
            leaves = select(entry.c.seq, entry.c.leaf).where(entry.c.county == HOME)
            signed = {seq: leaf.hex() for seq, leaf in store.connection.execute(leaves)}
        with database.reading(AWAY) as store:
            of_before = event.c.county == AWAY, event.c.id.like("rep_%"), event.c.submission == "sub_1"
            there: Any = store.connection.execute(select(func.count()).where(*of_before)).scalar_one()
    finally:
        database.dispose()
    lost = [one.number for one in before if one.report_id not in found or signed.get(one.seq) != one.leaf]
    wrong = [f"{len(lost)} of {len(before)} acknowledged reports are missing: {lost[:5]}"] if lost else []
    return len(lost), wrong if there == on_record else [*wrong, f"{there} reports of before and not {on_record}"]


# --- A copy of what lies there ---


def not_one_moment(arena: Arena, size: Size) -> Outcome:
    """The control that copies a file beside which a part lies, or tables one after the other, while reports come."""
    folder = Path(tempfile.mkdtemp(prefix="p14-raw-", dir=arena.folder))
    with written_in_wal(), stocked(arena, 1) as world:
        fill(world.database, world.signer, 300, signed_each=100)
        kept = kept_outside(world, folder)
        try:
            if arena.kind == "sqlite":
                copy = shutil.copyfile(str(world.database.engine.url.database), folder / "copy.db")
                url = f"sqlite:///{copy}"
            else:
                url = copied_piecemeal(world, arena)
        except (PumperError, DBAPIError) as error:
            return Outcome(figures={}, failures=(f"what was copied is not whole: {type(error).__name__}",))
        other = Operator(urls=DatabaseUrls(kind=arena.kind, app_url=url, owner_url=url), key=operator_of(world).key)
        other.run("verify", "--against", str(kept))
    return Outcome(figures={}, failures=tuple(other.said))


@contextmanager
def written_in_wal() -> Iterator[None]:
    """SQLite writes beside the file, as it does where its version is not known to lose anything by that."""
    with changed(engine, "journal_mode", lambda _version: "WAL"):
        yield


def copied_piecemeal(world: World, arena: Arena) -> str:
    """Tables copied as each stands when its turn comes."""
    urls = arena.new_database()
    target = Database.connect(urls.owner_url)
    kept = copying._copy

    def copy(source: Any, other: Any, table: Any, county: str | None) -> int:
        if table.name == "log_head" and county == AWAY:
            with world.database.transaction(AWAY) as store:
                add_reports(store, 300, 20, NOW + timedelta(days=1))
        return kept(source, other, table, county)

    try:
        with (
            changed(copying, "_copy", copy),
            world.database.transaction(None) as reader,
            target.transaction(None) as writer,
        ):
            copying.copy_rows(reader, writer)
    finally:
        target.dispose()
    return urls.app_url


PROOF = Proof(
    promise="P14",
    says="A backup made under load restores: nothing acknowledged before it is missing, and the record verifies.",
    run=run,
    controls={"a backup of before": old_backup, "a copy of what lies there": not_one_moment},
    least={"acknowledged while it was made": (1, 20)},
    in_small=(),
)
