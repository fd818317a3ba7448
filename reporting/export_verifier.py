"""Checks an export of a county's log with nothing but Python's standard library: for whoever holds one.

    python3 verify_export.py EXPORT [--checkpoint FILE ...] [--receipt FILE ...] [--key-id ID ...] [--json]

EXPORT is the folder or .zip file that `pumper export COUNTY --log` wrote, in which this file lies too. It computes
the log again as RFC 6962 has it: every entry, what lies beside it, the root over all, and the signatures (Ed25519,
RFC 8032) of the checkpoints. Exit code 0: all holds; 1: it does not, and the first bad entry is named; 2: it cannot be
read.

Without a checkpoint, a receipt or a key id that was kept outside, only what disagrees with itself is found: whoever has
the signing key can make an export that agrees with itself. Give the checkpoints that were mailed to the county's clerk.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from base64 import b64decode, b64encode
from contextlib import ExitStack
from hashlib import sha256, sha512
from pathlib import Path
from typing import IO, Any, Iterable, Iterator, Sequence  # noqa: UP035 - runs on old Pythons too

FORMAT = "pumper log export 1"
MANIFEST, ENTRIES, BESIDE, CHECKPOINTS = "manifest.json", "entries.jsonl", "beside.jsonl", "checkpoints.txt"
LEAVES = "leaves.txt"
SIGNING_KEY, DESTRUCTION = "signing_key", "destruction"
_LONGEST_LINE = 64_000_000


Point = Any
"""A point of the curve in extended coordinates: four whole numbers."""


class Unreadable(Exception):
    """The export, or a file given beside it, is not what it should be."""


class Report:
    """What was found. `problems`: (code, entry or None, words)."""

    def __init__(self) -> None:
        self.county, self.size, self.root = "", 0, b""
        self.checkpoints, self.signatures = 0, 0
        self.key_ids: list[str] = []
        self.problems: list[tuple[str, int | None, str]] = []

    def add(self, code: str, seq: int | None, words: str) -> None:
        """Note one problem; after the first hundred, no more."""
        if len(self.problems) < 100:
            self.problems.append((code, seq, words))

    @property
    def first_bad(self) -> int | None:
        """The first entry that a problem concerns, or None."""
        return min((seq for _code, seq, _words in self.problems if seq is not None), default=None)

    def as_json(self) -> dict[str, Any]:
        """The findings as plain JSON values."""
        return {
            "county": self.county,
            "ok": not self.problems,
            "size": self.size,
            "root": self.root.hex(),
            "checkpoints": self.checkpoints,
            "signatures": self.signatures,
            "key_ids": self.key_ids,
            "first_bad": self.first_bad,
            "problems": [{"code": code, "seq": seq, "message": words} for code, seq, words in self.problems],
        }


# --- The tree of RFC 6962, section 2.1 ---


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry."""
    return sha256(b"\x00" + entry).digest()


class Tree:
    """The right edge of a tree that grows: (height, hash) of its perfect subtrees, widest first."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[tuple[int, bytes]] = []

    def append(self, leaf: bytes) -> None:
        """Add one leaf's hash."""
        height, node = 0, leaf
        while self._edge and self._edge[-1][0] == height:
            node = sha256(b"\x01" + self._edge.pop()[1] + node).digest()
            height += 1
        self._edge.append((height, node))
        self.size += 1

    def root(self) -> bytes:
        """The hash over all leaves."""
        if not self._edge:
            return sha256(b"").digest()
        root = self._edge[-1][1]
        for _height, node in reversed(self._edge[:-1]):
            root = sha256(b"\x01" + node + root).digest()
        return root


# --- Ed25519, RFC 8032, section 5.1: verification alone, points in extended coordinates ---

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)


def _sum(a: Point, b: Point) -> Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    m, n = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = 2 * t1 * t2 * _D % _P, 2 * z1 * z2 % _P
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: Point) -> Point:
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = _sum(total, point)
        point = _sum(point, point)
        factor >>= 1
    return total


def _x_of(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    return _P - x if x & 1 != sign else x


def _point(data: bytes) -> Point:
    if len(data) != 32:
        return None
    number = int.from_bytes(data, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    x = _x_of(y, sign) if y < _P else None
    return None if x is None else (x, y, 1, x * y % _P)


def _same(a: Point, b: Point) -> bool:
    return not (a[0] * b[2] - b[0] * a[2]) % _P and not (a[1] * b[2] - b[1] * a[2]) % _P


_BASE = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def signed(key: bytes, text: bytes, signature: bytes) -> bool:
    """Whether the key (32 bytes) made this signature (64 bytes) of the text."""
    if len(signature) != 64:
        return False
    a, r = _point(key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= _ORDER:
        return False
    k = int.from_bytes(sha512(signature[:32] + key + text).digest(), "little") % _ORDER
    return _same(_times(s, _BASE), _sum(r, _times(k, a)))


# --- Checkpoints and receipts ---


class Head:
    """A signed head of a log: its first `size` entries have this root. `where`: the file that says so."""

    def __init__(self, county: str, size: int, root: bytes, key_id: str, signature: bytes, where: str) -> None:
        self.county, self.size, self.root = county, size, root
        self.key_id, self.signature, self.where = key_id, signature, where


def origin(county: str) -> str:
    """The first line of the checkpoints of a county's log, and the name of its keys."""
    return "pumper/" + county


def head_text(county: str, size: int, root: bytes) -> bytes:
    """The bytes that are signed (C2SP tlog-checkpoint)."""
    return f"{origin(county)}\n{size}\n{b64encode(root).decode()}\n".encode()


def rotation_text(county: str, key: bytes) -> bytes:
    """The bytes that the old key signs to hand a log over to a new one."""
    return f"{origin(county)}\nsigning key\n{b64encode(key).decode()}\n".encode()


def key_id(county: str, key: bytes) -> str:
    """The id of a key that signs the county's log (C2SP signed-note)."""
    return sha256(origin(county).encode() + b"\n\x01" + key).hexdigest()[:8]


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or (text[0] == "0" and text != "0"):
        raise ValueError(text)
    return int(text)


def read_checkpoints(text: str, where: str) -> list[Head]:
    """The checkpoints in a text, such as a mail's; raises Unreadable where there is none."""
    # A mail that was passed on has marks before its lines, and ends of lines of its own.
    lines = [line.strip().lstrip("> ") for line in text.replace("\r\n", "\n").split("\n")]
    heads = []
    for number, line in enumerate(lines):
        if not line.startswith("\N{EM DASH} pumper/") or number < 4:
            continue
        try:
            _dash, name, signature = line.split(" ")
            first, size, root, empty = lines[number - 4 : number]
            data, digest = b64decode(signature, validate=True), b64decode(root, validate=True)
            if first != name or empty or len(data) != 68 or len(digest) != 32:
                raise ValueError(line)
            if b64encode(data).decode() != signature or b64encode(digest).decode() != root:
                raise ValueError(line)
            county = name[len("pumper/") :]
            heads.append(Head(county, _number(size), digest, data[:4].hex(), data[4:], where))
        except ValueError:
            raise Unreadable(f"{where}: the checkpoint that ends in line {number + 1} cannot be read") from None
    if not heads:
        raise Unreadable(f"{where}: there is no checkpoint in it")
    return heads


def read_receipt(text: str, where: str) -> tuple[int, bytes, Head, str]:
    """A receipt as (number of its entry, leaf hash, head, when it was recorded); raises Unreadable."""
    try:
        said = json.loads(text)
        root, leaf = bytes.fromhex(said["root"]), bytes.fromhex(said["leaf"])
        signature = b64decode(said["signature"], validate=True)
        seq, size = said["seq"], said["size"]
        if type(seq) is not int or type(size) is not int or not 1 <= seq <= size:
            raise ValueError(seq)
        return seq, leaf, Head(said["county"], size, root, said["key_id"], signature, where), said["recorded_at"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise Unreadable(f"{where}: it is no receipt") from None


# --- The export ---


class Export:
    """The files of an export, in a folder or a zip file; for a `with` block."""

    def __init__(self, path: str | Path) -> None:
        self._path, self._stack = Path(path), ExitStack()
        self._zip: zipfile.ZipFile | None = None

    def __enter__(self) -> Export:
        if not self._path.is_dir():
            try:
                self._zip = self._stack.enter_context(zipfile.ZipFile(self._path))
            except (OSError, zipfile.BadZipFile) as error:
                raise Unreadable(f"{self._path} is no folder and no zip file: {error}") from None
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def open(self, name: str) -> IO[bytes]:
        """One of the files, as bytes; raises Unreadable."""
        try:
            return self._zip.open(name) if self._zip else (self._path / name).open("rb")
        except (OSError, KeyError, zipfile.BadZipFile, NotImplementedError) as error:
            raise Unreadable(f"{name} is not in the export: {error}") from None

    def names(self) -> list[str]:
        """The names of all files."""
        if self._zip:
            return sorted(self._zip.namelist())
        return sorted(str(path.relative_to(self._path)) for path in self._path.rglob("*") if path.is_file())

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file without their ends; raises Unreadable."""
        with self.open(name) as file:
            while line := file.readline(_LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise Unreadable(f"{name} breaks off within a line")
                yield line[:-1]

    def digest(self, name: str) -> str:
        """The SHA-256 of a file in hex."""
        total = sha256()
        with self.open(name) as file:
            while part := file.read(1 << 20):
                total.update(part)
        return total.hexdigest()


def canonical(value: object) -> bytes:
    """A value as the export writes it: keys sorted, no spaces, UTF-8."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True).encode()


def verify_export(
    path: str | Path,
    checkpoints: Iterable[tuple[str, str]] = (),
    receipts: Iterable[tuple[str, str]] = (),
    key_ids: Iterable[str] = (),
) -> Report:
    """Check an export against itself and against what was kept outside.

    checkpoints, receipts: (name, text) of files. key_ids: of keys that are known to be the log's. Gives a Report;
    raises Unreadable.
    """
    outside = [head for where, text in checkpoints for head in read_checkpoints(text, where)]
    given = [read_receipt(text, where) for where, text in receipts]
    with Export(path) as export:
        try:
            return _Check(export, outside, given, key_ids).run()
        except (OSError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, UnicodeDecodeError) as error:
            raise Unreadable(f"{path} is damaged: {error}") from None
        except Exception as error:
            if type(error).__module__ == "zlib":
                raise Unreadable(f"{path} is damaged: {error}") from None
            raise


class _Check:
    """One pass over an export."""

    def __init__(
        self, export: Export, outside: list[Head], receipts: list[tuple[int, bytes, Head, str]], key_ids: Iterable[str]
    ) -> None:
        self.export, self.receipts, self.known = export, receipts, set(key_ids)
        self.outside, self.report, self.tree = outside, Report(), Tree()
        self.rotations: list[tuple[int, bytes, bytes, bytes]] = []
        self.missing: dict[tuple[str, int], None] = {}
        self.leaves: dict[int, tuple[bytes, str | None]] = {}
        self.last_text, self.last_good = "", 0

    def run(self) -> Report:
        """Check everything; gives the report."""
        manifest = self._manifest()
        county = self.report.county = manifest["county"]
        own = read_checkpoints(self._text(CHECKPOINTS), CHECKPOINTS)
        receipts = [head for _seq, _leaf, head, _at in self.receipts]
        given = [*own, *self.outside, *receipts]
        # A mail may hold the checkpoints of several logs; one of them must be of this one.
        for where in sorted({head.where for head in given} - {head.where for head in given if head.county == county}):
            others = ", ".join(sorted({head.county for head in given if head.where == where}))
            self.report.add("county", None, f"{where}: it is of the log of {others}, not of {county}.")
        heads = sorted((head for head in given if head.county == county), key=lambda head: head.size)
        self._entries(heads, {seq for seq, *_rest in self.receipts})
        self._receipts()
        self._keys(heads, b64decode(manifest["first_key"]))
        for of, seq in self.missing:
            self.report.add(of, seq, f"What lay beside entry {seq} ({of}) is gone, and no entry says why.")
        if (self.tree.size, self.tree.root().hex()) != (manifest["size"], manifest["root"]):
            cut = self.tree.size + 1 if manifest["size"] > self.tree.size else None
            self.report.add("manifest", cut, f"The manifest names {manifest['size']} entries with another root.")
        self.report.size, self.report.root = self.tree.size, self.tree.root()
        return self.report

    def _text(self, name: str) -> str:
        with self.export.open(name) as file:
            return file.read().decode("utf-8")

    def _manifest(self) -> dict[str, Any]:
        with self.export.open(MANIFEST) as file:
            data = file.read()
        try:
            manifest: dict[str, Any] = json.loads(data)
            shapes = {"county": str, "first_key": str, "format": str, "files": dict, "root": str, "size": int}
            if canonical(manifest) + b"\n" != data or {k: type(v) for k, v in manifest.items()} != shapes:
                raise ValueError
            if len(b64decode(manifest["first_key"], validate=True)) != 32:
                raise ValueError
        except (ValueError, AttributeError, RecursionError):
            raise Unreadable("manifest.json is not as it was written") from None
        if manifest["format"] != FORMAT:
            raise Unreadable(f"this is a {manifest['format']!r}, and I read {FORMAT!r}")
        names = [name for name in self.export.names() if name != MANIFEST]
        for name in sorted({*names, *manifest["files"]}):
            if name not in names:
                self.report.add("file", None, f"The file {name} is missing.")
            elif name not in manifest["files"]:
                self.report.add("file", None, f"The file {name} does not belong to the export.")
            elif self.export.digest(name) != manifest["files"][name]:
                self.report.add("file", None, f"The file {name} was changed.")
        return manifest

    def _entries(self, heads: list[Head], wanted: set[int]) -> None:
        at = self._compare(heads, 0)
        beside = self._beside()
        aside = next(beside, None)
        leaves = self.export.lines(LEAVES)
        last = 0
        for line in self.export.lines(ENTRIES):
            expected = last + 1
            words = self._words(line, expected)
            seq = words["seq"] if words else expected
            while aside is not None and aside["seq"] < seq:
                self.report.add(
                    "beside", aside["seq"], f"Something lies beside entry {aside['seq']}, which is not here."
                )
                aside = next(beside, None)
            own = aside if aside is not None and aside["seq"] == seq else {}
            if own:
                aside = next(beside, None)
            # One that calls itself an earlier one is not believed: it is the next in its place.
            place = max(seq, expected)
            if words:
                self._commitments(words, own, place)
                self._acts(words)
            leaf = leaf_hash(line)
            # Of one who changed both, the checkpoints tell; of one who did not, this names the entry.
            if next(leaves, b"") != leaf.hex().encode():
                self.report.add("leaf", place, f"Entry {place} was changed: its hash is another.")
            if seq in wanted:
                self.leaves[seq] = (leaf, words["recorded_at"] if words else None)
            self.tree.append(leaf)
            last = max(last, seq)
            at = self._compare(heads, at)
        if aside is not None:
            self.report.add("beside", aside["seq"], f"Something lies beside entry {aside['seq']}, which is not here.")
        if next(leaves, None) is not None:
            self.report.add("cut", last + 1, f"{LEAVES} has more entries than there are.")
        for head in heads[at:]:
            cut = f"{head.where}: the checkpoint covers {head.size} entries, but there are {self.tree.size}."
            self.report.add("cut", self.tree.size + 1, cut)

    def _words(self, line: bytes, expected: int) -> dict[str, Any] | None:
        try:
            words: dict[str, Any] = json.loads(line)
            shapes = {"seq": int, "recorded_at": str, "type": str, "content": dict}
            if any(type(words[name]) is not shape for name, shape in shapes.items()) or canonical(words) != line:
                raise ValueError(expected)
            seq, text = words["seq"], words["recorded_at"]
        except (ValueError, KeyError, TypeError, RecursionError):
            self.report.add("entry", expected, f"Entry {expected} cannot be read.")
            return None
        if seq != expected:
            missing = f"Entry {expected} is missing." if seq > expected else "Entries are out of order."
            self.report.add("missing", expected, missing)
        if words.get("county") != self.report.county:
            self.report.add("entry", seq, f"Entry {seq} is of another log.")
        if text < self.last_text:
            self.report.add("time", seq, f"Entry {seq} is dated before the one that it follows.")
        self.last_text = text
        return words

    def _beside(self) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(self.export.lines(BESIDE), 1):
            try:
                said = json.loads(line)
                if type(said["seq"]) is not int or canonical(said) != line or not set(said) <= {"seq", "raw", "detail"}:
                    raise ValueError(number)
                found: dict[str, Any] = {"seq": said["seq"]}
                for of in said.keys() - {"seq"}:
                    found[of] = tuple(b64decode(said[of][name], validate=True) for name in ("salt", "data"))
                yield found
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                self.report.add("beside", None, f"Line {number} of {BESIDE} cannot be read.")

    def _commitments(self, words: dict[str, Any], beside: dict[str, Any], seq: int) -> None:
        for of, name in (("raw", "commit"), ("detail", "detail")):
            said = words.get(name)
            if of not in beside:
                if said is not None:
                    self.missing[of, seq] = None
            elif sha256(b"".join(beside[of])).hexdigest() != said:
                self.report.add(of, seq, f"What lies beside entry {seq} ({of}) was changed.")

    def _acts(self, words: dict[str, Any]) -> None:
        """What entries say of the log itself: that things were destroyed, that another key signs."""
        seq, content = words["seq"], words["content"]
        try:
            if words["type"] == DESTRUCTION:
                ranges = [(one, one) for one in content.get("seqs", ())] + [tuple(r) for r in content.get("ranges", ())]
                for first, last in ranges:
                    for one in range(max(first, 1), min(last, seq - 1) + 1):
                        self.missing.pop(("raw", one), None)
                        self.missing.pop(("detail", one), None)
            elif words["type"] == SIGNING_KEY:
                old, new, by = (b64decode(content[name], validate=True) for name in ("replaces", "key", "signature"))
                self.rotations.append((seq, old, new, by))
        except (ValueError, KeyError, TypeError, AttributeError):
            self.report.add("entry", seq, f"Entry {seq} cannot be read.")

    def _compare(self, heads: list[Head], at: int) -> int:
        """Compare the roots of the heads of just this size; gives the place of the next head."""
        while at < len(heads) and heads[at].size == self.tree.size:
            head = heads[at]
            self.report.checkpoints += 1
            if head.root == self.tree.root():
                self.last_good = head.size
            elif head.size <= self.last_good:
                words = f"{head.where}: the checkpoint of {head.size} entries is not of this log."
                self.report.add("root", None, words)
            else:
                bad = [seq for _code, seq, _words in self.report.problems if seq is not None and seq > self.last_good]
                first = min(bad, default=self.last_good + 1)
                words = (
                    f"{head.where}: the checkpoint of {head.size} entries has another root: entry {first} or a later "
                    "one was changed, added or taken away."
                )
                self.report.add("root", first, words)
            at += 1
        return at

    def _receipts(self) -> None:
        for seq, leaf, head, recorded_at in self.receipts:
            if head.county == self.report.county and self.leaves.get(seq) != (leaf, recorded_at):
                self.report.add("receipt", seq, f"{head.where}: entry {seq} is not the one that the receipt names.")

    def _keys(self, heads: list[Head], first_key: bytes) -> None:
        """Follow the keys from the first on, and check each head with the one in force at its size."""
        county, keys = self.report.county, [(0, first_key)]
        for seq, old, new, signature in self.rotations:
            if old != keys[-1][1] or not signed(old, rotation_text(county, new), signature):
                words = f"Entry {seq} hands the log over to a key that the one before has not signed."
                self.report.add("key", seq, words)
            keys.append((seq, new))
        self.report.key_ids = [key_id(county, key) for _seq, key in keys]
        for unknown in sorted(self.known - set(self.report.key_ids)):
            self.report.add("key", None, f"The key {unknown} never signed this log.")
        for head in heads:
            key = [one for seq, one in keys if seq <= head.size][-1]
            self.report.signatures += 1
            text = head_text(county, head.size, head.root)
            if head.key_id != key_id(county, key) or not signed(key, text, head.signature):
                words = f"{head.where}: the signature of the head of {head.size} entries is not by the key in force."
                self.report.add("signature", None, words)


# --- The command ---


def as_text(report: Report, *, outside: bool) -> str:
    """The findings for people."""
    keys = ", ".join(report.key_ids)
    if report.problems:
        first = f"the first at entry {report.first_bad}" if report.first_bad else "none of them at one entry"
        lines = [f"{report.county}: {len(report.problems)} problems, {first}"]
        return "\n".join([*lines, *(f"  {words}" for _code, _seq, words in report.problems)])
    lines = [
        f"{report.county}: {report.size} entries, {report.checkpoints} checkpoints: all hold",
        f"  root {report.root.hex()}",
        f"  signed with the key {keys}",
    ]
    if not outside:
        lines.append(
            "  Nothing was compared that had been kept outside: give a checkpoint (--checkpoint), a receipt "
            "(--receipt) or the key id printed on one (--key-id)."
        )
    return "\n".join(lines)


def _read(path: str) -> tuple[str, str]:
    try:
        return path, Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit code."""
    parser = argparse.ArgumentParser(description="Checks an export of a county's log.")
    parser.add_argument("export", help="the folder or .zip file")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="FILE", help="a checkpoint kept outside")
    parser.add_argument("--receipt", action="append", default=[], metavar="FILE", help="a receipt (JSON)")
    parser.add_argument("--key-id", action="append", default=[], metavar="ID", help="the id of a key known to sign it")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    given = parser.parse_args(arguments)
    try:
        checkpoints, receipts = [_read(path) for path in given.checkpoint], [_read(path) for path in given.receipt]
        report = verify_export(given.export, checkpoints, receipts, given.key_id)
    except Unreadable as error:
        print(f"{error}.", file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
    else:
        print(as_text(report, outside=bool(given.checkpoint or given.receipt or given.key_id)))
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
