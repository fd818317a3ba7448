"""P10's talk with a real server, and with its twin on the other database; what is wrong with their answers."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.files.shapes import NAMES, USUAL
from tests.promises.arenas import sqlite_arena
from tests.promises.mutating import SYSTEMS
from tests.promises.proof import Arena
from tests.promises.seeds import DRY, FILES, JSON, REPORTS, Seed, framings, send_raw
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.services.databases import migrated_sqlite

KINDS = ("text/csv", "application/json", "application/octet-stream", "text/plain", "")
OF_THE_WHOLE = {"shifted_row", "unreadable_row"}
_ID = re.compile(r"\b([a-z]{2,5})_[0-9A-Za-z]{12,}\b")
_PASSING = {"receipt", "root", "key_id"}
"""Members of an answer that another salt and another key make another one on every database."""


@dataclass(frozen=True, kw_only=True)
class Heard:
    """An answer: its status (0: none came), its body, and how long it took."""

    status: int
    body: Any
    seconds: float


@dataclass(kw_only=True)
class Caller:
    """One client with one connection to one server, in the name of a contractor."""

    group: ServerGroup
    patience: float
    connection: http.client.HTTPConnection | None = None

    def ask(self, path: str, body: bytes, headers: Mapping[str, str]) -> Heard:
        """One POST; a connection that the server closed after the call before is opened anew, as every client does."""
        kept = self.connection is not None
        heard = self._try(path, body, headers)
        return self._try(path, body, headers) if kept and heard.status == 0 else heard

    def _try(self, path: str, body: bytes, headers: Mapping[str, str]) -> Heard:
        start = time.perf_counter()
        key = self.group.world.keys["contractor"]
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.group.port, timeout=self.patience * 2)
        status, data = 0, b""
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before the body is through
                self.connection.request("POST", path, body, {"Authorization": f"Bearer {key}", **headers})
            answer = self.connection.getresponse()
            status, data = answer.status, answer.read()
            if answer.will_close:
                self.close()
        except (OSError, http.client.HTTPException):
            self.close()
        try:
            value = json.loads(data) if data else None
        except ValueError:
            value = {"not JSON": data[:200].decode("latin-1")}
        return Heard(status=status, body=value, seconds=time.perf_counter() - start)

    def close(self) -> None:
        """Hang up."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None


@dataclass(kw_only=True)
class Talk:
    """Everything said to one server (the first of `callers`), and to its twin if there is one."""

    callers: list[Caller]
    patience: float
    faults: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    named: set[str] = field(default_factory=set)
    compared: int = 0
    taken: int = 0
    files: int = 0

    @property
    def twin(self) -> bool:
        """Whether answers are compared."""
        return len(self.callers) > 1

    def send_seeds(self, sent: Iterable[Seed]) -> None:
        """Inputs that the promise names."""
        for seed in sent:
            self._send_seed(seed)
            self.named.add(seed.name)

    def _send_seed(self, seed: Seed) -> None:
        headers = {"Content-Type": seed.content_type, **seed.headers}
        answers = self._say(seed.name, seed.path, seed.body, headers)
        if answers[0].status not in seed.answers:
            self.faults.append(f"{seed.name}: {answers[0].status}, must be one of {sorted(seed.answers)}")

    def send_file(self, data: bytes, kind: str, *, dry_run: bool) -> None:
        """One mutated file."""
        self.files += 1
        headers = {"Content-Type": kind} if kind else {}
        self._say(f"file {self.files}", DRY if dry_run else FILES, data, headers)

    def send_frames(self) -> None:
        """Requests whose frame is wrong: refused or hung up on, and never waited for."""
        for caller in self.callers:
            for seed in framings(caller.group.world.keys["contractor"]):
                assert seed.raw is not None
                self.named.add(seed.name)
                start = time.perf_counter()
                try:
                    status = send_raw(caller.group.port, seed.raw, self.patience)
                except TimeoutError:
                    status = -1
                self.slowest = max(self.slowest, time.perf_counter() - start)
                self.statuses[status] += 1
                if status == -1 or status >= 500 or status in (200, 201):
                    self.faults.append(f"{seed.name}: answered {status}")

    def still_works(self) -> None:
        """After all that, a good report is taken."""
        good = {name: value for name, value in USUAL.items() if name in NAMES}
        body = json.dumps({**good, "report_ref": "LAST", "gallons_pumped": 900}).encode()
        answer = self.callers[0].ask(REPORTS, body, {"Content-Type": JSON})
        if answer.status != 201:
            self.faults.append(f"a good report after all that: {answer.status} {answer.body}")

    def resident(self) -> int:
        """Bytes of memory of the server's processes."""
        return self.callers[0].group.resident()

    def _say(self, name: str, path: str, body: bytes, headers: Mapping[str, str]) -> list[Heard]:
        answers = [caller.ask(path, body, headers) for caller in self.callers]
        first = answers[0]
        self.statuses[first.status] += 1
        self.slowest = max(self.slowest, first.seconds)
        if first.seconds > self.patience:
            self.faults.append(f"{name} took {first.seconds:.1f} s")
        if first.status == 0 or first.status >= 500 or not isinstance(first.body, dict):
            self.faults.append(f"{name}: {first.status} {str(first.body)[:200]}")
            return answers
        self._judge(name, first.body)
        if self.twin:
            self.compared += 1
            mine, others = ([a.status, alike(a.body)] for a in answers)
            if differs := difference(mine, others):
                self.faults.append(f"{name}: the databases answer otherwise: {differs}")
        return answers

    def _judge(self, name: str, body: Mapping[str, Any]) -> None:
        """Each rejection names row, column and reason; a refusal of the whole is a sentence."""
        errors = [*body.get("errors", ()), *(e for o in body.get("outcomes", ()) for e in o["errors"])]
        self.taken += sum(o["outcome"] != "rejected" for o in body.get("outcomes", ()))
        self.codes.update(str(error["code"]) for error in errors)
        for error in errors:
            whole = error["code"] in OF_THE_WHOLE
            if not (error["row"] and (error["field"] or whole) and len(error["message"]) > 10):
                self.faults.append(f"{name}: an error without row, column or reason: {error}")
        if body.get("status", 0) in range(400, 600) and len(str(body.get("detail", ""))) < 10:
            self.faults.append(f"{name}: a problem without a reason: {body}")


def alike(value: Any) -> Any:
    """An answer without what is another one each time: made ids and receipts."""
    if isinstance(value, dict):
        return {name: alike(item) for name, item in value.items() if name not in _PASSING}
    if isinstance(value, list):
        return [alike(item) for item in value]
    return _ID.sub(r"\1_", value) if isinstance(value, str) else value


def difference(mine: Any, others: Any, where: str = "answer") -> str:
    """The first place in which two answers differ, in words; empty: they are alike."""
    if isinstance(mine, dict) and isinstance(others, dict) and mine.keys() == others.keys():
        pairs = [(name, mine[name], others[name]) for name in mine]
    elif isinstance(mine, list) and isinstance(others, list) and len(mine) == len(others):
        pairs = [(str(at), one, other) for at, (one, other) in enumerate(zip(mine, others, strict=True))]
    else:
        return "" if mine == others else f"{where}: {str(mine)[:150]} and {str(others)[:150]}"
    found = (difference(one, other, f"{where}/{name}") for name, one, other in pairs)
    return next((words for words in found if words), "")


@contextmanager
def talking(arena: Arena, patience: float, *, spoil: str = "", unlike: bool = False) -> Iterator[Talk]:
    """A server over the arena's database and, where that is PostgreSQL, one over SQLite beside it.

    unlike: a twin over other data, which must be found out.
    """
    options = ["--spoil", spoil] if spoil else []
    with ExitStack() as stack:
        worlds = [stack.enter_context(stocked(arena, SYSTEMS))]
        if unlike or (arena.kind != "sqlite" and not spoil):
            beside = stack.enter_context(stocked(_beside(arena), SYSTEMS))
            if unlike:
                beside.post(REPORTS, {**USUAL, "gallons_pumped": 1})
            worlds.append(beside)
        groups = [stack.enter_context(serving(ServerGroup(world=w, options=options, workers=1))) for w in worlds]
        callers = [Caller(group=group, patience=patience) for group in groups]
        for caller in callers:
            stack.callback(caller.close)
        yield Talk(callers=callers, patience=patience)


def _beside(arena: Arena) -> Arena:
    """An arena on SQLite in the folder of another."""
    folder = arena.folder / "beside"
    folder.mkdir(exist_ok=True)
    template = folder / "migrated.sqlite"
    return sqlite_arena(template if template.exists() else migrated_sqlite(folder), folder)
