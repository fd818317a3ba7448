"""Files as nobody would send them on purpose: a good one, and what a seeded hand does to its text and bytes."""

import gzip
import random
from collections.abc import Callable, Iterator

from tests.files.faults import text
from tests.files.shapes import NAMES, USUAL

ODD = [
    "9223372036854775808", "-9223372036854775809", "1e999999", "NaN", "Infinity", "-0", "1_000", "١٢٣", "1.9", "~5",
    "0x10", "0001-01-01", "9999-12-31", "0001-01-31", "9999-12-01", "2/29/2025", "13/13/2026", "2026-W27-3", "45845",
    "", "=cmd|' /C calc'!A0", "+1", "@A1", "\u202eevil", "\u200b\u200b", "\ufeff", "é" * 60, "🚛" * 40, "\x00", "\x1f",
    '"', '""', "'", ",,,,", ";", "|", "\t", "\r", "\n", "\r\n\r\n", "TOTAL", "n/a", "true", "1/0", "-1/4", "999%",
    "a" * 3_000, "00" * 200, "((((((((((", "\\", "%s%n", "{{7*7}}", "../../etc/passwd", "'; DROP TABLE x; --", "\u2028",
]  # fmt: skip
SYSTEMS = 200
Edit = Callable[[bytes, random.Random], bytes]


def address_of(permit: str) -> str:
    """Where the system with this permit lies, as `tests.reporting.counties.a_row` says."""
    return f"N{sum(permit.encode())} County Road K"


def a_good_file(pick: random.Random) -> bytes:
    """One to four reports, each different, in the shape of an office's export; of systems `P-0` to `P-199`."""
    rows = []
    for _ in range(pick.randrange(1, 5)):
        permit = f"P-{pick.randrange(SYSTEMS)}"
        place = {"permit_number": permit, "parcel_number": f"08-{permit}", "site_address": address_of(permit)}
        ticket = {"report_ref": f"T-{pick.randrange(10**6)}", "gallons_pumped": str(pick.randrange(1, 3000))}
        row = {**USUAL, **place, **ticket}
        rows.append([row.get(name, "") for name in NAMES])
    return text(*rows, comma=pick.choice(",;\t|"), end=pick.choice(["\r\n", "\n", "\r"])).encode()


def _flip(data: bytes, pick: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(pick.randrange(1, 6)):
        changed[pick.randrange(len(changed))] = pick.randrange(256)
    return bytes(changed)


def _odd_cell(data: bytes, pick: random.Random) -> bytes:
    """A cell in the place of another one."""
    parts = data.replace(b";", b",").replace(b"\t", b",").replace(b"|", b",").split(b",")
    for _ in range(pick.randrange(1, 4)):
        parts[pick.randrange(len(parts))] = pick.choice(ODD).encode()
    return b",".join(parts)


def _insert(data: bytes, pick: random.Random) -> bytes:
    at = pick.randrange(len(data))
    return data[:at] + pick.choice(ODD).encode() + data[at:]


def _cut(data: bytes, pick: random.Random) -> bytes:
    at, end = sorted(pick.sample(range(len(data)), 2))
    return data[:at] + data[end:]


def _repeat(data: bytes, pick: random.Random) -> bytes:
    at, end = sorted(pick.sample(range(len(data)), 2))
    return data[:end] + data[at:end] * pick.randrange(1, 4) + data[end:]


def _encode(data: bytes, pick: random.Random) -> bytes:
    shown = data.decode("utf-8", "replace")
    codec = pick.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "cp1252", "latin-1", "utf-7"])
    return shown.encode(codec, "replace")


def _surrogate(data: bytes, pick: random.Random) -> bytes:
    at = pick.randrange(len(data))
    return (
        data[:at] + pick.choice([b"\xed\xa0\x80", b"\xc0\xaf", b"\xff", b"\xf8\x88\x80\x80\x80", b"\x80"]) + data[at:]
    )


def _quote(data: bytes, pick: random.Random) -> bytes:
    at = pick.randrange(len(data))
    return data[:at] + b'"' * pick.randrange(1, 4) + data[at:]


EDITS: tuple[Edit, ...] = (_flip, _odd_cell, _odd_cell, _odd_cell, _insert, _cut, _repeat, _encode, _surrogate, _quote)


def mutated(count: int, seed: int) -> Iterator[bytes]:
    """`count` files, the same for the same seed."""
    pick = random.Random(seed)
    for _ in range(count):
        data = a_good_file(pick)
        for _ in range(pick.choice([1, 1, 1, 2, 3])):
            data = pick.choice(EDITS)(data, pick) if len(data) > 2 else data
        yield data


def monsters() -> Iterator[bytes]:
    """Single files that are large, deep or packed."""
    good = text([USUAL.get(name, "") for name in NAMES])
    yield good.replace("Pumped tank", "x" * 5_000_000).encode()
    yield ",".join(f"column {n}" for n in range(10_000)).encode() + b"\r\n1,2\r\n"
    yield (",".join(NAMES) + "," * 10_000 + "\r\n" + good).encode()
    yield good.encode() + b'"' + b"a,b\r\n" * 20_000
    yield good.encode() + b'"x"y\r\n' * 5_000
    yield good.encode() + b"\r\n" * 200_000
    yield good.encode() + b"," * 500_000
    yield b"\r" * 1_000_000
    yield b'"' * 100_001
    yield gzip.compress(good.encode())
    yield b"[" * 100_000
    yield b'[{"notes": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}]"
    yield b'[{"gallons_pumped": 1e999999999, "gallons_pumped": 2}]'
    yield b'[{"gallons_pumped": 1' + b"0" * 10_000 + b"}]"
    yield b"PK\x03\x04" + bytes(10_000)
