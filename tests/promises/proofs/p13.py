"""P13: tampering is found by one command, against a checkpoint that was kept outside, and the first bad entry is named.

Full size, on each database: 1,000 clean exports without a false alarm; 1,000 flipped bits in exports and 1,000 in the
database; deleted, inserted, swapped and edited entries, edited ones with everything computed anew, cut tails and
databases of yesterday, 100 of each; and a log of a million reports checked with its tables by `pumper verify` in less
than 30 seconds. Controls: a check without a kept checkpoint, one that compares no roots, and one that looks at the log
alone and not at the tables.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from reporting import export_verifier
from reporting.store import log
from reporting.store.engine import Database, Store
from reporting.store.export import export_log, new_bundle
from reporting.store.facts import insert_events, insert_systems
from reporting.store.journal import projected_tables
from reporting.store.log import NewEntry
from reporting.store.merkle import Frontier, leaf_hash
from reporting.store.signing import SignedHead, Signer, checkpoint_note, read_heads
from reporting.store.verify import VerifyResult, verify
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.reporting.tampering import Hands, tampered
from tests.services.databases import DatabaseUrls

COUNTY, SEED = "portage", 20_261_130
NOON: Final = datetime(2026, 7, 13, 12, tzinfo=UTC)
ENTRIES = {Size.SMOKE: 60, Size.FULL: 200}
EXPORTS = {Size.SMOKE: 25, Size.FULL: 1_000}
FLIPS = {Size.SMOKE: 40, Size.FULL: 1_000}
EACH = {Size.SMOKE: 6, Size.FULL: 100}
LONG = {Size.SMOKE: 5_000, Size.FULL: 1_000_000}
LIMIT_S = 30.0
"""For the long log at full size."""
_BATCH = 5_000

Check = Callable[[Store, Signer, Sequence[SignedHead]], VerifyResult]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A county's database with its owner's hands, and the checkpoint that its clerk has kept: as the text of a mail."""

    urls: DatabaseUrls
    database: Database
    owner: Database
    signer: Signer
    kept: str
    yesterday: int

    @property
    def saved(self) -> list[SignedHead]:
        """The checkpoint, read from its text."""
        return read_heads(self.kept, "the clerk's mail", NOON)

    @property
    def size(self) -> int:
        """How many entries the checkpoint covers."""
        return self.saved[0].size


# --- Logs ---


def add_reports(store: Store, first: int, count: int, now: datetime) -> None:
    """Reports with their raw bytes, their rows and their details, as intake records them."""
    content = {
        "report_ref": "T-1", "permit_number": "SP-1987", "parcel_number": "12-034-05", "gallons_pumped": 1000,
        "site_address": "N1234 County Road K", "owner_name": "Laverne Krueger", "tank_condition": "good",
        "disposal_site": "City of Port Washington WWTP", "business_name": "Badger Septic LLC", "signature": "D. Meyer",
    }  # fmt: skip
    raw = ",".join(map(str, content.values())).encode()
    base = {"submission": "sub_1", "by": "key_1", "historical": False, "system": "sys_1", "component": "septic"}
    entries = [
        NewEntry(type="report", content={**base, "id": f"rep_{first + n}", "row": n}, raw=raw) for n in range(count)
    ]
    appended = log.append(store, entries, now)
    rows = [
        {
            "id": f"rep_{first + n}", "seq": one.seq, "system": "sys_1", "component": "septic",
            "event_type": "pumping", "service_date": date(2026, 7, 1), "received_at": now, "first_received_at": now,
            "license_number": "00412", "license_norm": "412", "report_ref": f"T-{first + n}",
            "identity": f"business:T-{first + n}", "content_sha": "a" * 64, "submission": "sub_1", "row": n,
            "content": content,
        }
        for n, one in enumerate(appended)
    ]  # fmt: skip
    insert_events(store, rows)


def fill(database: Database, signer: Signer, count: int, *, signed_each: int) -> SignedHead:
    """A log of a system and reports, signed every so many; gives the last signed head."""
    with database.transaction(COUNTY) as store:
        [first] = log.append(store, [NewEntry(type="system", content={"id": "sys_1"})], NOON)
        insert_systems(store, [{"id": "sys_1", "created_seq": first.seq, "status": "active", "content": {}}])
        signed = log.checkpoint(store, signer, NOON)
    done = 1
    while done < count:
        now = NOON + timedelta(seconds=done)
        more = min(signed_each, count - done)
        with database.transaction(COUNTY) as store:
            add_reports(store, done, more, now)
            signed = log.checkpoint(store, signer, now)
        done += more
    return signed


@contextmanager
def a_site(arena: Arena, count: int) -> Iterator[Site]:
    """A county's log of `count` entries, each signed, with the checkpoint of the last one kept."""
    urls = arena.new_database()
    database, owner = Database.connect(urls.app_url), Database.connect(urls.owner_url)
    signer = Signer.load(arena.folder / "p13" / "signing.key")
    signed = fill(database, signer, count, signed_each=1)
    yesterday = count * 2 // 3
    kept = f"> From: the service\n> To: the clerk\n>\n> {checkpoint_note(signed).replace(chr(10), chr(10) + '> ')}\n"
    try:
        yield Site(urls=urls, database=database, owner=owner, signer=signer, kept=kept, yesterday=yesterday)
    finally:
        database.dispose()
        owner.dispose()


# --- What hands can do to a database ---

_COLUMNS = "county, seq, type, recorded_at, entry, leaf"


def _delete_from(hands: Hands, where: str, **values: int) -> None:
    for table in ("log_raw", "log_detail", "log_entry"):
        hands.run(f"DELETE FROM {table} WHERE county = :county AND {where}", **values)


def delete_entry(hands: Hands, seq: int, chance: random.Random) -> int:
    """One entry is gone."""
    _delete_from(hands, "seq = :seq", seq=seq)
    return seq


def insert_entry(hands: Hands, seq: int, chance: random.Random) -> int:
    """A copy of an entry comes in after the last one."""
    last = hands.one("SELECT max(seq) FROM log_entry WHERE county = :county")
    columns = _COLUMNS.replace("seq", ":last", 1)
    statement = f"INSERT INTO log_entry SELECT {columns} FROM log_entry WHERE county = :county AND seq = :seq"
    hands.run(statement, seq=seq, last=last + 1)
    return int(last) + 1


def swap_entries(hands: Hands, seq: int, chance: random.Random) -> int:
    """An entry and the next one change places, hashes and all."""
    first, second = (
        hands.run("SELECT entry, leaf FROM log_entry WHERE county = :county AND seq = :seq", seq=n).one()
        for n in (seq, seq + 1)
    )
    for n, (entry, leaf) in ((seq, second), (seq + 1, first)):
        _put(hands, n, entry, leaf)
    return seq


def edit_entry(hands: Hands, seq: int, chance: random.Random) -> int:
    """One character of an entry is another."""
    entry = _entry(hands, seq)
    place = chance.randrange(len(entry))
    _put(hands, seq, entry[:place] + bytes([entry[place] ^ 1]) + entry[place + 1 :])
    return seq


def rewrite(hands: Hands, seq: int, chance: random.Random) -> int:
    """An entry says something else, and whoever has the service's key has computed and signed everything anew."""
    entry = _entry(hands, seq).replace(b'"rep_', b'"rpe_').replace(b'"id":"sys_1"', b'"id":"sys_2"')
    _put(hands, seq, entry, leaf_hash(entry))
    tree = Frontier()
    for (leaf,) in hands.run("SELECT leaf FROM log_entry WHERE county = :county ORDER BY seq").all():
        tree.append(bytes(leaf))
    _move_head(hands, tree)
    hands.run("DELETE FROM checkpoint WHERE county = :county")
    return seq


def cut_tail(hands: Hands, seq: int, chance: random.Random) -> int:
    """The last entries are gone with all that came of them, as if they had never been."""
    return back_to(hands, seq)


def back_to(hands: Hands, size: int) -> int:
    """The database as it was when the log had so many entries."""
    for table in projected_tables():
        made = "created_seq" if table.name in ("system", "review") else "seq"
        hands.run(f"DELETE FROM {table.name} WHERE county = :county AND {made} > :size", size=size)
    _delete_from(hands, "seq > :size", size=size)
    hands.run("DELETE FROM checkpoint WHERE county = :county AND size > :size", size=size)
    tree = Frontier()
    for (leaf,) in hands.run("SELECT leaf FROM log_entry WHERE county = :county ORDER BY seq").all():
        tree.append(bytes(leaf))
    _move_head(hands, tree)
    return size + 1


def flip_bit(hands: Hands, seq: int, chance: random.Random) -> int:
    """One bit of something that the log keeps."""
    places = (("log_entry", "entry"), ("log_entry", "leaf"), ("log_raw", "raw"), ("log_detail", "detail"))
    table, column = chance.choice([*places, ("log_raw", "salt"), ("log_detail", "salt")])
    where = "WHERE county = :county AND seq = :seq"
    value = bytearray(hands.one(f"SELECT {column} FROM {table} {where}", seq=seq))
    bit = chance.randrange(len(value) * 8)
    value[bit // 8] ^= 1 << bit % 8
    hands.run(f"UPDATE {table} SET {column} = :value {where}", seq=seq, value=bytes(value))
    return seq


def edit_row(hands: Hands, seq: int, chance: random.Random) -> int:
    """What the screens show is another than what was reported; the log is as it was."""
    column, value = chance.choice([("component_ref", "2"), ("license_number", "1"), ("service_date", "2020-01-01")])
    statement = f"UPDATE event SET {column} = '{value}' WHERE county = :county AND seq = :seq"
    hands.run(statement, seq=seq)
    return seq


CHANGES: dict[str, Callable[[Hands, int, random.Random], int]] = {
    "deleted": delete_entry, "inserted": insert_entry, "swapped": swap_entries, "edited": edit_entry,
    "rewritten": rewrite, "tails_cut": cut_tail, "rows_edited": edit_row,
}  # fmt: skip


def _entry(hands: Hands, seq: int) -> bytes:
    return bytes(hands.one("SELECT entry FROM log_entry WHERE county = :county AND seq = :seq", seq=seq))


def _put(hands: Hands, seq: int, entry: bytes, leaf: bytes | None = None) -> None:
    if leaf is None:
        hands.run("UPDATE log_entry SET entry = :entry WHERE county = :county AND seq = :seq", seq=seq, entry=entry)
        return
    statement = "UPDATE log_entry SET entry = :entry, leaf = :leaf WHERE county = :county AND seq = :seq"
    hands.run(statement, seq=seq, entry=bytes(entry), leaf=bytes(leaf))


def _move_head(hands: Hands, tree: Frontier) -> None:
    last = hands.one("SELECT max(recorded_at) FROM log_entry WHERE county = :county")
    statement = "UPDATE log_head SET size = :size, root = :root, frontier = :edge, last_at = :at WHERE county = :county"
    hands.run(statement, size=tree.size, root=tree.root(), edge=tree.pack(), at=last)


# --- The checks ---


def check_all(store: Store, signer: Signer, saved: Sequence[SignedHead]) -> VerifyResult:
    """As `pumper verify --against` checks."""
    return verify(store, [signer.verifying_key], saved)


def check_without_checkpoint(store: Store, signer: Signer, saved: Sequence[SignedHead]) -> VerifyResult:
    """As one would check who has kept nothing."""
    return verify(store, [signer.verifying_key])


def check_without_roots(store: Store, signer: Signer, saved: Sequence[SignedHead]) -> VerifyResult:
    """One that looks at each entry by itself."""
    found = check_all(store, signer, saved)
    return replace(found, problems=tuple(p for p in found.problems if p.code not in ("root", "head", "cut")))


def check_log_alone(store: Store, signer: Signer, saved: Sequence[SignedHead]) -> VerifyResult:
    """One that does not look at the tables."""
    return verify(store, [signer.verifying_key], saved, rows=False)


# --- The proof ---


class Tally:
    """What was tried and found, and what failed."""

    def __init__(self) -> None:
        self.figures: dict[str, int | float | str] = {}
        self.failures: list[str] = []

    def count(self, name: str, *, good: bool, words: str) -> None:
        """One trial."""
        self.figures[name] = int(self.figures.get(name, 0)) + int(good)
        if not good and len(self.failures) < 20:
            self.failures.append(f"{name}: {words}")


def tamper_with_database(site: Site, size: Size, check: Check, tally: Tally) -> None:
    """Every change, each on the database as it was; found, and the first bad entry named."""
    chance = random.Random(SEED)
    clean = 0
    with site.database.reading(COUNTY) as store:
        clean = len(check(store, site.signer, site.saved).problems)
    tally.count("clean_databases", good=clean == 0, words=f"{clean} false alarms")
    trials = [(name, change) for name, change in CHANGES.items() for _ in range(EACH[size])]
    trials += [("bits_in_database", flip_bit)] * FLIPS[size]
    for name, change in trials:
        seq = chance.randrange(2, site.size - 1)
        _try(site, check, tally, name, lambda hands, c=change, n=seq: c(hands, n, chance))
    for _ in range(EACH[size]):
        before = chance.randrange(site.yesterday, site.size)
        _try(site, check, tally, "yesterdays", lambda hands, n=before: back_to(hands, n))


def _try(site: Site, check: Check, tally: Tally, name: str, change: Callable[[Hands], int]) -> None:
    expected: list[int] = []
    with tampered(site.owner, COUNTY, lambda hands: expected.append(change(hands))) as store:
        found = check(store, site.signer, site.saved)
    first = found.first_bad
    # Of what was computed anew nothing but the root differs: it may be any entry since the checkpoint before.
    named = first is not None and (first <= expected[0] if name == "rewritten" else first == expected[0])
    tally.count(name, good=not found.ok and named, words=f"entry {expected[0]}, named {first}: {found.problems[:2]}")


def export_clean(site: Site, arena: Arena, size: Size, tally: Tally) -> None:
    """Exports of the log as it stood at many sizes, each checked by the file that goes with it."""
    chance = random.Random(SEED + 1)
    for number in range(EXPORTS[size]):
        at = chance.randrange(1, site.size + 1)
        folder = export(site, arena, f"clean-{number}", at)
        found = export_verifier.verify_export(folder, [("kept", checkpoint_note(_head(site, at)))])
        tally.count("clean_exports", good=not found.problems, words=str(found.problems[:2]))
        _remove(folder)


def flip_exports(site: Site, arena: Arena, size: Size, tally: Tally) -> None:
    """One bit of one file of an export, checked against the kept checkpoint; in an entry, that entry is named."""
    chance = random.Random(SEED + 2)
    folder = export(site, arena, "flipped", site.size)
    files = {path: path.read_bytes() for path in sorted(folder.iterdir())}
    weights = [len(data) if path.name != export_verifier.ENTRIES else 5 * len(data) for path, data in files.items()]
    for path in chance.choices(list(files), weights, k=FLIPS[size]):
        data = bytearray(files[path])
        bit = chance.randrange(len(data) * 8)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bytes(data))
        line = files[path][: bit // 8].count(b"\n") + 1
        tally.count("bits_in_exports", good=_is_found(folder, site, path.name, line), words=f"{path.name}, bit {bit}")
        path.write_bytes(files[path])
    _remove(folder)


def _is_found(folder: Path, site: Site, name: str, line: int) -> bool:
    try:
        found = export_verifier.verify_export(folder, [("kept", site.kept)])
    except export_verifier.Unreadable:
        return name != export_verifier.ENTRIES or line >= site.size  # a file that breaks off is named as such
    if name == export_verifier.ENTRIES:
        return found.first_bad == line
    return bool(found.problems)


def export(site: Site, arena: Arena, name: str, at: int) -> Path:
    """The log's first `at` entries as an export."""
    folder = arena.folder / "p13" / name
    with site.database.reading(COUNTY) as store, new_bundle(folder) as bundle:
        export_log(store, bundle, _head(site, at), NOON)
    return folder


def _head(site: Site, at: int) -> SignedHead:
    with site.database.reading(COUNTY) as store:
        found = log.signed_head(store, at, exact=True)
    assert found is not None
    return found


def _remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def verify_long(arena: Arena, size: Size, tally: Tally) -> None:
    """A long log with its tables, by the command itself and against a kept checkpoint."""
    urls = arena.new_database()
    database = Database.connect(urls.app_url)
    key = arena.folder / "p13" / "signing.key"
    signed = fill(database, Signer.load(key), LONG[size], signed_each=_BATCH)
    database.dispose()
    kept = arena.folder / "p13" / "kept.txt"
    kept.write_text(checkpoint_note(signed), encoding="utf-8")
    environ = {**os.environ, "DATABASE_URL": urls.app_url, "PUMPER_SIGNING_KEY_FILE": str(key)}
    command = [sys.executable, "-m", "reporting.cli", "verify", "--county", COUNTY, "--against", str(kept)]
    started = time.monotonic()
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    tally.figures |= {"long_log_entries": LONG[size], "long_log_seconds": round(seconds, 1)}
    if done.returncode != 0:
        tally.failures.append(f"long log: {done.stdout[-300:]}{done.stderr[-300:]}")
    if size is Size.FULL and seconds >= LIMIT_S:
        tally.failures.append(f"long log: {seconds:.1f} s for {LONG[size]:,} entries, not less than {LIMIT_S} s")


def run_with(check: Check, *, exports: bool = True, long: bool = True) -> Callable[[Arena, Size], Outcome]:
    """The whole proof with one way to check the database."""

    def run(arena: Arena, size: Size) -> Outcome:
        tally = Tally()
        (arena.folder / "p13").mkdir(parents=True, exist_ok=True)
        with a_site(arena, ENTRIES[size]) as site:
            tamper_with_database(site, size, check, tally)
            if exports:
                export_clean(site, arena, size, tally)
                flip_exports(site, arena, size, tally)
        if long:
            verify_long(arena, size, tally)
        return Outcome(figures=tally.figures, failures=tuple(tally.failures))

    return run


def _control(check: Check) -> Callable[[Arena, Size], Outcome]:
    return run_with(check, exports=False, long=False)


PROOF: Final = Proof(
    promise="P13",
    says="tampering is found by one command",
    run=run_with(check_all),
    in_small=("sqlite",),
    controls={
        "without a kept checkpoint": _control(check_without_checkpoint),
        "without roots": _control(check_without_roots),
        "the log alone": _control(check_log_alone),
    },
)
