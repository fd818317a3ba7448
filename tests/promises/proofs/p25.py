"""P25: no bombs, no slow patterns. Each regular expression of the source on 100 kB of texts made for it takes less than
100 ms; workbooks that unpack to hundreds of megabytes are refused in less than 100 ms and 10 MB.

Time is the processor's, so that a busy machine changes nothing; a pattern that runs on is stopped. The controls are a
pattern that backtracks without end, and a reader that unpacks what it is given.
"""

from __future__ import annotations

import io
import re
import signal
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from reporting.intake.files import read_sheet
from reporting.intake.sheet import FileRefused, Limits
from tests.promises.bombs import bombs
from tests.promises.patterns import Found, find_patterns, texts_for
from tests.promises.proof import Arena, Outcome, Proof, Size

LIMIT_S = {Size.SMOKE: 1.0, Size.FULL: 0.1}
"""In the tests only a hang is told; the figure is for `make prove`."""
HANGS = 3
"""After so many times the limit it is stopped."""
MEMORY = 10_000_000
EVERY = {Size.SMOKE: 10, Size.FULL: 1}
"""In small, every tenth text."""
HARMLESS = frozenset({"entities of entities"})
"""May be taken: the reader knows no entities but the five, so that nothing of it unpacks. Its size is held."""
CATASTROPHIC = Found(where="control", pattern=re.compile(r"(a+)+$"), ways=("search",))
Reader = Callable[[bytes], object]


class TooSlow(Exception):
    """It ran past its time."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """End what runs on for so many seconds of the processor: `re` looks for signals while it works."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow

    kept = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, kept)


def run(arena: Arena, size: Size) -> Outcome:
    """The promise."""
    found, problems = find_patterns()
    texts, slowest, slow = time_patterns(found, size)
    figures, bad = time_bombs(_read, size)
    return Outcome(
        figures={"patterns": len(found), "texts": texts, "slowest, ms": round(slowest * 1000, 1), **figures},
        windows={"patterns": len(found), "texts": texts, "bombs": len(bombs())},
        failures=(*problems, *slow, *bad),
    )


def time_patterns(found: Sequence[Found], size: Size) -> tuple[int, float, list[str]]:
    """How many texts were tried, the longest that one took, and what took too long."""
    count, slowest, slow = 0, 0.0, []
    for one in found:
        for number, text in enumerate(texts_for(one.pattern)):
            if number % EVERY[size]:
                continue
            given = text.encode("utf-8", "replace") if isinstance(one.pattern.pattern, bytes) else text
            for way in one.ways:
                took = _time(one, way, given, size)
                if LIMIT_S[size] <= took < HANGS * LIMIT_S[size]:  # the collector may have run: once is no measure
                    took = min(took, _time(one, way, given, size), _time(one, way, given, size))
                count += 1
                slowest = max(slowest, took)
                if took >= LIMIT_S[size]:
                    slow.append(f"{one.where}: {one.pattern.pattern!r:.80} {way} {text[:24]!r}…: {took * 1000:.0f} ms")
                    break
            else:
                continue
            break
    return count, slowest, slow


def _time(one: Found, way: str, given: str | bytes, size: Size) -> float:
    begun = time.process_time()
    try:
        with stopped_after(HANGS * LIMIT_S[size]):
            if way == "search":  # as `sub` and `finditer` do: on, after each match
                for _match in one.pattern.finditer(given):
                    pass
            else:
                getattr(one.pattern, way)(given)
    except TooSlow:
        return HANGS * LIMIT_S[size]
    return time.process_time() - begun


def time_bombs(read: Reader, size: Size, enough: int | None = None) -> tuple[dict[str, float], list[str]]:
    """Each bomb read twice: by the clock, and by the memory that was taken on top of the file itself.

    enough: after so many that were not refused as they should be, the others are left out.
    """
    bad: list[str] = []
    longest, most = 0.0, 0
    for name, data in bombs().items():
        if enough is not None and len(bad) >= enough:
            break
        seconds, refused = _refusal(read, data)
        seconds = min(seconds, _refusal(read, data)[0])
        tracemalloc.start()
        try:
            _refusal(read, data)
            memory = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        longest, most = max(longest, seconds), max(most, memory)
        if not refused and name not in HARMLESS:
            bad.append(f"{name}: taken")
        if seconds >= LIMIT_S[size]:
            bad.append(f"{name}: {seconds * 1000:.0f} ms")
        if memory >= MEMORY:
            bad.append(f"{name}: {memory / 1e6:.1f} MB")
    return {"bombs": len(bombs()), "longest, ms": round(longest * 1000, 1), "most, MB": round(most / 1e6, 1)}, bad


def _refusal(read: Reader, data: bytes) -> tuple[float, bool]:
    begun = time.process_time()
    try:
        read(data)
    except FileRefused:
        return time.process_time() - begun, True
    return time.process_time() - begun, False


def _read(data: bytes) -> object:
    return read_sheet(
        data, filename="reports.xlsx", content_type=None, known_heading=lambda _text: True, limits=Limits()
    )


def _unpack(data: bytes) -> None:
    """What a reader without a guard does."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for member in package.infolist():
            if not member.filename.startswith("xl/media/n"):
                with suppress(zipfile.BadZipFile):
                    package.read(member)
    raise FileRefused("control", "it was read whole before it was refused")


def catastrophic(arena: Arena, size: Size) -> Outcome:
    """A pattern that anybody might write."""
    texts, _slowest, slow = time_patterns([CATASTROPHIC], size)
    return Outcome(figures={"texts": texts}, failures=tuple(slow))


def unguarded(arena: Arena, size: Size) -> Outcome:
    """A reader that unpacks first and looks then."""
    figures, bad = time_bombs(_unpack, size, enough=1 if size is Size.SMOKE else None)
    return Outcome(figures=figures, failures=tuple(text for text in bad if text.endswith((" ms", " MB"))))


PROOF = Proof(
    promise="P25",
    says="no bombs, no slow patterns",
    run=run,
    controls={"a pattern that backtracks": catastrophic, "unpacking without a guard": unguarded},
    least={"patterns": (100, 100), "texts": (1_500, 15_000), "bombs": (7, 7)},
    kinds=("sqlite",),
)
