"""One generated case of P3: a call with a key, its repeats, and what is wrong with their answers."""

from __future__ import annotations

import json
import random
import string
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from werkzeug.test import TestResponse

from reporting import tables
from reporting.store.log import head
from tests.promises.dying import Killed, killed_after
from tests.reporting.api.world import AWAY, HOME, NOW, World, a_report
from tests.reporting.counties import csv_of

KEPT = timedelta(days=400)
VISIBLE = "".join(chr(code) for code in range(33, 127) if chr(code) != '"')
AT_ONCE = 50


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One call without its key: sent again it is the same, byte for byte."""

    path: str
    body: bytes
    who: str = "contractor"
    content_type: str = "application/json"


@dataclass(kw_only=True)
class Case:
    """One case over a world: `faults` is what came out wrong, `hits` which of the promise's parts it went through.

    statements: how many a report takes, among which a process may die.
    """

    world: World
    number: int
    pick: random.Random
    systems: int
    statements: int
    faults: list[str] = field(default_factory=list)
    hits: Counter[str] = field(default_factory=Counter)

    def run(self) -> None:
        """The case from its first call to its last repeat."""
        ask, other, wrong = self._asks()
        key = self._key()
        if self.pick.random() < 0.3:
            self._refused_first(wrong, key)
        size = self._size()
        lived = self.dies_first(ask, key) if self.pick.random() < 0.1 else None
        first = lived or self._send(ask, key)
        if first.status_code not in (200, 201, 207):
            self._fault(f"{ask.path}: {first.status_code} {first.text[:200]}")
            return
        self._fault_if(replayed(first), "the first call was answered as a repeat")
        self._fault_if(self._size() <= size, "the call was answered and nothing recorded")
        self._repeats(ask, other, key, first)
        self._others(ask, key, first)

    def run_at_once(self) -> None:
        """Many of the same call at once: one is carried out."""
        ask, _other, _wrong = self.a_report_to_send()
        key, size = self._key(), self._size()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda _n: self._send(ask, key), range(AT_ONCE)))
        first = [a for a in answers if a.status_code == 201 and not replayed(a)]
        again = [a for a in answers if replayed(a)]
        told = Counter(a.status_code for a in answers)
        self._fault_if(len(first) != 1, f"at once: {len(first)} carried out, {dict(told)}")
        self._fault_if(not set(told) <= {201, 409}, f"at once: {dict(told)}")
        self._fault_if(any(a.data != first[0].data for a in again if first), "at once: a repeat differs")
        self._fault_if(self._size() - size > 3, f"at once: {self._size() - size} entries recorded")
        self.hits["calls at once"] += AT_ONCE
        self.hits["at once, replayed"] += len(again)
        self.hits["at once, 409"] += told[409]

    def _refused_first(self, wrong: Ask, key: str) -> None:
        """An answer that refuses is not kept: the key is free for the mended body, and for the same one again."""
        for _ in range(self.pick.randrange(1, 3)):
            refused = self._send(wrong, key)
            self._fault_if(refused.status_code != 422, f"{wrong.path}: refused with {refused.status_code}")
            self._fault_if(replayed(refused), "a refusal was replayed")
            self._fault_if(
                "key" in str((refused.json or {}).get("type")), f"a refusal took the key: {refused.text[:99]}"
            )
        self._fault_if(self._holds(key), "a refusal was stored")
        self.hits["refused, then mended under the same key"] += 1

    def dies_first(self, ask: Ask, key: str, earliest: int = 4) -> TestResponse | None:
        """The process dies at a statement or a commit: neither the record nor the key is there. None: it died."""
        size = self._size()
        try:
            with killed_after(self.world.database, self.pick.randrange(earliest, self.statements + 4)):
                return self._send(ask, key)
        except Killed:
            kept, there = self._holds(key), self._size() > size
            self._fault_if(kept or there, f"died on the way: key kept {kept}, record there {there}")
            self.hits["died on the way"] += 1
            return None

    def _repeats(self, ask: Ask, other: Ask, key: str, first: TestResponse) -> None:
        size, start = self._size(), self.world.clock.now
        for _ in range(self.pick.randrange(1, 4)):
            self.world.clock.now = NOW + self.pick.random() * KEPT
            again = self._send(ask, f'"{key}"' if self.pick.random() < 0.2 else key)
            self._fault_if(again.status_code != first.status_code, f"repeat: {again.status_code} {again.text[:200]}")
            self._fault_if(again.data != first.data, "a repeat's body differs")
            self._fault_if(again.headers.get("Location") != first.headers.get("Location"), "its Location differs")
            self._fault_if(not replayed(again), "a repeat does not say so")
            self.hits["repeats"] += 1
        told = self._send(other, key)
        kind = (told.json or {}).get("type")
        wanted = (422, "urn:pumper:problem:key-reused")
        self._fault_if((told.status_code, kind) != wanted, f"another body: {told.status_code} {kind}")
        self.world.clock.now = start
        self._fault_if(self._size() != size, "repeats were recorded")
        self.hits["another body"] += 1

    def _others(self, ask: Ask, key: str, first: TestResponse) -> None:
        """The same key of another holder or on another route is another key; the same event under another is a copy."""
        elsewhere = self.pick.random() < 0.5
        path = ask.path.replace(HOME, AWAY) if elsewhere else ask.path
        told = self._send(replace(ask, path=path, who="admin"), key)
        self._fault_if(replayed(told) or about_key(told), "a key went beyond its scope")
        self.hits["another route" if elsewhere else "another holder"] += 1
        if ask.path == f"/v1/{HOME}/reports":
            self._same_event(ask, first)

    def _same_event(self, ask: Ask, first: TestResponse) -> None:
        again = self._send(ask, self._key())
        told = again.json or {}
        copy = (told.get("outcome"), told.get("id"))
        self._fault_if(copy != ("duplicate", first.json["id"]), f"the same under another key: {copy}")
        body = {**json.loads(ask.body), "report_ref": f"again-{self.number}"}
        doubt = self._send(replace(ask, body=json.dumps(body).encode()), self._key())
        if doubt.status_code != 201:
            self._fault(f"the same event under another ticket: {doubt.status_code} {doubt.text[:200]}")
            return
        shown = self.world.get(doubt.headers["Location"], "county").json
        self._fault_if(shown["possible_duplicate_of"] != first.json["id"], "the second report is not pointed out")
        self.hits["same event under another key"] += 1

    def _asks(self) -> tuple[Ask, Ask, Ask]:
        """A call that is taken, one with another body, and one that is refused."""
        often = (self.a_report_to_send,) * 3
        makers = (*often, self._file, self._amendment, self._void, self._undo, self._notice)
        return self.pick.choice(makers)()

    def _body(self, **values: Any) -> dict[str, Any]:
        permit = f"P-{self.number % self.systems}"
        usual = {
            "report_ref": f"R-{self.number}", "permit_number": permit, "parcel_number": f"08-{permit}",
            "site_address": f"N{sum(permit.encode())} County Road K", "gallons_pumped": self.pick.randrange(1, 3_000),
            "service_date": f"2026-0{self.pick.randrange(1, 7)}-1{self.pick.randrange(10)}",
            "notes": "".join(self.pick.choices("abc é漢🚛\t'\"\\%{}", k=self.pick.randrange(30))) or None,
        }  # fmt: skip
        return a_report(**{**usual, **values})

    def a_report_to_send(self) -> tuple[Ask, Ask, Ask]:
        body = self._body()
        path = f"/v1/{HOME}/reports"
        return (
            _json(path, body),
            _json(path, {**body, "gallons_pumped": body["gallons_pumped"] + 1}),
            _json(path, {**body, "gallons_pumped": "many"}),
        )

    def _file(self) -> tuple[Ask, Ask, Ask]:
        rows = [self._body(report_ref=f"F-{self.number}-{n}") for n in range(self.pick.randrange(1, 4))]
        spoilt = [{**row, "gallons_pumped": "~5"} for row in rows]
        mixed = [*rows, *spoilt[:1]] if self.pick.random() < 0.5 else rows
        path = f"/v1/{HOME}/submissions"
        asks = [Ask(path=path, body=csv_of(*some), content_type="text/csv") for some in (mixed, [*rows, *rows], spoilt)]
        return asks[0], asks[1], asks[2]

    def _amendment(self) -> tuple[Ask, Ask, Ask]:
        path = f"{self._sent_before()}/amendments"
        body = {"reason": "Misread", "changes": {"gallons_pumped": 3_001}}
        return (
            _json(path, body),
            _json(path, {**body, "reason": "Misread twice"}),
            _json(path, {**body, "changes": {"gallons_pumped": "many"}}),
        )

    def _void(self) -> tuple[Ask, Ask, Ask]:
        path = f"{self._sent_before()}/void"
        return _json(path, {"reason": "x"}), _json(path, {"reason": "y"}), _json(path, {"reason": ""})

    def _undo(self) -> tuple[Ask, Ask, Ask]:
        sent = self._send(Ask(path=f"/v1/{HOME}/submissions", body=csv_of(self._body()), content_type="text/csv"), None)
        path = f"{sent.headers['Location']}/undo"
        return _json(path, {"reason": "x"}), _json(path, {"reason": "y"}), _json(path, {"reason": ""})

    def _notice(self) -> tuple[Ask, Ask, Ask]:
        path = f"/v1/{HOME}/owner-notices"
        body = {"permit_number": f"P-{self.number % self.systems}", "on": "2026-07-01", "kind": "full"}
        return (
            _json(path, body, "county"),
            _json(path, {**body, "on": "2026-07-02"}, "county"),
            _json(path, {**body, "kind": "empty"}, "county"),
        )

    def _sent_before(self) -> str:
        """The address of a report that is there."""
        return str(self._send(_json(f"/v1/{HOME}/reports", self._body()), None).headers["Location"])

    def _send(self, ask: Ask, key: str | None) -> TestResponse:
        headers: Mapping[str, str] = {} if key is None else {"Idempotency-Key": key}
        return self.world.call("POST", ask.path, ask.who, data=ask.body, content_type=ask.content_type, headers=headers)

    def _key(self) -> str:
        """A key of any length and characters that the draft allows, and that no other case has."""
        rest = self.pick.choice([VISIBLE, string.hexdigits])
        length = self.pick.choice([0, 1, 20, 240])
        return f"{self.number}-{self.pick.randrange(10**9)}-" + "".join(self.pick.choices(rest, k=length))

    def _size(self) -> int:
        with self.world.database.reading(HOME) as store:
            return head(store).size

    def _holds(self, key: str) -> bool:
        table = tables.idempotency
        with self.world.database.reading(HOME) as store:
            return store.connection.execute(select(table.c.key).where(table.c.key == key)).first() is not None

    def _fault(self, words: str) -> None:
        self.faults.append(f"case {self.number}: {words}")

    def _fault_if(self, wrong: bool, words: str) -> None:
        if wrong:
            self._fault(words)


def replayed(answer: TestResponse) -> bool:
    """Whether an answer says that it is one given before."""
    return answer.headers.get("Idempotency-Replayed") == "true"


def about_key(answer: TestResponse) -> bool:
    """Whether an answer is a problem with the key itself."""
    return ":key-" in str((answer.json or {}).get("type"))


def _json(path: str, body: Mapping[str, Any], who: str = "contractor") -> Ask:
    return Ask(path=path, body=json.dumps(body).encode(), who=who)
