"""A county's log as files that anybody can check without the service: see `reporting.export_verifier`."""

from __future__ import annotations

import zipfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy import Select, select

from reporting import export_verifier, tables
from reporting.errors import ExportRefused
from reporting.export_verifier import BESIDE, CHECKPOINTS, ENTRIES, FORMAT, LEAVES, MANIFEST, canonical
from reporting.store.engine import Store
from reporting.store.rotation import SIGNING_KEY, keys_of
from reporting.store.signing import SignedHead, checkpoint_note
from reporting.store.verify import take_time

VERIFIER: Final = "verify_export.py"
_README: Final = """The log of {county}, {size} entries, as it stood on {at}.

To check it, with Python 3.9 or newer and nothing else:

    python3 verify_export.py . --checkpoint FILE

FILE is a checkpoint that was mailed to the county's clerk, or any text that holds one. Without it only what disagrees
with itself is found. A receipt (JSON) is checked with --receipt FILE.

entries.jsonl      the log: an entry a line, as the bytes that are hashed (SHA-256, RFC 6962)
leaves.txt         the hash of each entry, a line each
beside.jsonl       what lies beside the entries under a salted commitment: raw bytes as received, details (base64)
checkpoints.txt    signed heads (C2SP tlog-checkpoint): the last of each day, and the last of all
manifest.json      what is here: the log's size, root and first key, and the SHA-256 of each file
"""
_PAGE: Final = 2_000
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


class Bundle:
    """The files of an export being written, into a new folder or a new .zip file. `written`: their SHA-256 in hex."""

    def __init__(self, path: Path, archive: zipfile.ZipFile | None) -> None:
        self._path, self._archive = path, archive
        self.written: dict[str, str] = {}

    @contextmanager
    def file(self, name: str) -> Iterator[_Hashed]:
        """One file, written part by part."""
        with ExitStack() as stack:
            if self._archive is not None:
                entry = zipfile.ZipInfo(name, _ZIP_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                target: IO[bytes] = stack.enter_context(self._archive.open(entry, "w", force_zip64=True))
            else:
                (self._path / name).parent.mkdir(exist_ok=True)
                target = stack.enter_context((self._path / name).open("xb"))
            hashed = _Hashed(target)
            yield hashed
        self.written[name] = hashed.digest.hexdigest()

    def write(self, name: str, data: bytes) -> None:
        """One file at once."""
        with self.file(name) as file:
            file.write(data)


class _Hashed:
    def __init__(self, target: IO[bytes]) -> None:
        self._target, self.digest = target, sha256()

    def write(self, data: bytes) -> None:
        self._target.write(data)
        self.digest.update(data)


@contextmanager
def new_bundle(path: Path) -> Iterator[Bundle]:
    """A bundle at `path`, a .zip file or else a folder; nothing that is there is replaced. Raises `ExportRefused`."""
    try:
        if path.suffix.lower() == ".zip":
            with path.open("xb") as file, zipfile.ZipFile(file, "w") as archive:
                yield Bundle(path, archive)
            return
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise ExportRefused(f"{path} is not empty: name a new folder, or a new .zip file.")
        yield Bundle(path, None)
    except FileExistsError as error:
        raise ExportRefused(f"{path} is there already: name a new folder, or a new .zip file.") from error
    except OSError as error:
        raise ExportRefused(f"{path} cannot be written: {error.strerror or error}.") from error


def export_log(store: Store, bundle: Bundle, head: SignedHead, now: datetime) -> None:
    """Write the log of this transaction up to a signed head, with what checks it. Streams."""
    take_time(store)
    table = tables.log_entry
    with bundle.file(ENTRIES) as file:
        for (entry,) in _rows(store, select(table.c.entry), table, head.size):
            file.write(entry + b"\n")
    with bundle.file(LEAVES) as file:
        for (leaf,) in _rows(store, select(table.c.leaf), table, head.size):
            file.write(leaf.hex().encode() + b"\n")
    with bundle.file(BESIDE) as file:
        for line in _beside(store, head.size):
            file.write(canonical(line) + b"\n")
    notes = "\n".join(checkpoint_note(one) for one in _heads(store, head))
    bundle.write(CHECKPOINTS, notes.encode())
    at = f"{now:%Y-%m-%d %H:%M} UTC"
    bundle.write("README.txt", _README.format(county=store.tenant, size=head.size, at=at).encode())
    bundle.write(VERIFIER, Path(export_verifier.__file__).read_bytes())
    manifest = {
        "county": store.tenant,
        "files": dict(bundle.written),
        "first_key": b64encode(keys_of(store)[0][1].raw).decode(),
        "format": FORMAT,
        "root": head.root.hex(),
        "size": head.size,
    }
    bundle.write(MANIFEST, canonical(manifest) + b"\n")


def _rows(store: Store, query: Select[Any], table: Any, size: int) -> Iterator[Any]:
    bounded = query.where(table.c.county == store.tenant, table.c.seq <= size).order_by(table.c.seq)
    yield from store.connection.execute(bounded, execution_options={"yield_per": _PAGE})


def _beside(store: Store, size: int) -> Iterator[dict[str, Any]]:
    """What lies beside each entry, in order: `raw` and `detail`, each with salt and data."""
    sources = {
        "raw": _rows(store, select(*_parts(tables.log_raw, "raw")), tables.log_raw, size),
        "detail": _rows(store, select(*_parts(tables.log_detail, "detail")), tables.log_detail, size),
    }
    waiting = {of: next(rows, None) for of, rows in sources.items()}
    while left := [row[0] for row in waiting.values() if row is not None]:
        seq = min(left)
        line: dict[str, Any] = {"seq": seq}
        for of, row in waiting.items():
            if row is not None and row[0] == seq:
                line[of] = {"salt": b64encode(row[1]).decode(), "data": b64encode(row[2]).decode()}
        for of in line.keys() - {"seq"}:
            waiting[of] = next(sources[of], None)
        yield line


def _parts(table: Any, name: str) -> tuple[Any, ...]:
    return table.c.seq, table.c.salt, table.c[name]


def _heads(store: Store, last: SignedHead) -> list[SignedHead]:
    """The last signed head of each day, those that a rotation of keys made, and the last of all; by size."""
    table, entry = tables.checkpoint, tables.log_entry
    query = select(table).where(table.c.county == store.tenant, table.c.size <= last.size).order_by(table.c.size)
    of_key = select(entry.c.seq).where(entry.c.county == store.tenant, entry.c.type == SIGNING_KEY)
    rotated = set(store.connection.execute(of_key).scalars())
    kept: dict[object, SignedHead] = {}
    for row in store.connection.execute(query, execution_options={"yield_per": _PAGE}).mappings():
        head = SignedHead(**row)
        kept[head.signed_at.date()] = head
        if head.size in rotated:
            kept[head.size] = head
    heads = {head.size: head for head in (*kept.values(), last)}
    return [heads[size] for size in sorted(heads)]
