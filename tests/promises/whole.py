"""The steps of P22: the service and the model side by side, each step on both, compared after each."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from werkzeug.test import TestResponse

from notifications.outbox import MessageState, list_messages
from reporting.cli.mail import deliver_all, scan_county
from reporting.store.verify import verify
from tests.promises.commands import Operator
from tests.promises.dying import Killed, killed_after
from tests.promises.model import IN_TIME, LATE, Model, Said
from tests.promises.proof import Arena
from tests.promises.tanks import long_ago, mail_to, tank_rows
from tests.reporting.api.world import HOME, World, a_report, serve_world
from tests.reporting.counties import a_row, csv_of
from tests.services.databases import DatabaseUrls

REPORTS = f"/v1/{HOME}/reports"
SERVICES_SHOWN = 5
SELDOM = 0.6
"""How often a backup and a restore are passed over: they take as long as a hundred other steps."""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A call that was answered: sent again with its key it must be answered the same."""

    path: str
    body: bytes
    key: str
    answer: bytes


@dataclass(kw_only=True)
class Whole:
    """One walk: the world, the model, what was sent, a backup; `faults` where they part."""

    arena: Arena
    world: World
    urls: DatabaseUrls
    folder: Path
    pick: Random
    model: Model
    number: int
    sent: list[Sent] = field(default_factory=list)
    backup: tuple[Path, Model, list[Sent]] | None = None
    faults: list[str] = field(default_factory=list)
    hits: Counter[str] = field(default_factory=Counter)
    made: int = 0

    # --- Steps ---

    def submit(self) -> None:
        """A report: new, as before, or with a used ticket and other content."""
        ref, day, system, gallons = self._some_report()
        said, first = self.model.submit(system, ref, day, gallons)
        answer = self._send(REPORTS, self._body(ref, day, system, gallons))
        told = answer.json or {}
        codes = {error["code"] for error in told.get("errors", ())}
        if said is Said.TAKEN and (answer.status_code, told.get("outcome")) == (201, "accepted"):
            self.model.take(told["id"], system, ref, day, gallons)
        elif said is Said.DUPLICATE:
            self._same("a repeated report", (told.get("outcome"), told.get("id")), ("duplicate", first))
        elif said is Said.CONFLICT:
            self._same("a used ticket", (answer.status_code, codes, told.get("id")), (422, {"ref_conflict"}, None))
        else:
            self._same("a report", (answer.status_code, told), (201, "accepted"))
        self.hits[f"reports {said}"] += 1

    def correct(self) -> None:
        """A correction of any version, which only the one that stands allows."""
        if not self.model.reports:
            return
        old = self.pick.choice([*self.model.reports.values()])
        gallons = old.gallons + self.pick.randrange(1, 50)
        answer = self._send(
            f"{REPORTS}/{old.id}/amendments", {"reason": "Misread", "changes": {"gallons_pumped": gallons}}
        )
        if old.stands:
            self._same("a correction", answer.status_code, 201)
            self.model.correct(old.id, (answer.json or {}).get("id", ""), gallons)
        else:
            self._ended(answer)
        self.hits["corrections" if old.stands else "of a report that had ended"] += 1

    def void(self) -> None:
        """A report taken back, which only the version that stands allows."""
        if not self.model.reports:
            return
        old = self.pick.choice([*self.model.reports.values()])
        answer = self._send(f"{REPORTS}/{old.id}/void", {"reason": "Wrong tank"})
        if old.stands:
            self._same("a void", answer.status_code, 200)
            self.model.void(old.id)
        else:
            self._ended(answer)
        self.hits["voids" if old.stands else "of a report that had ended"] += 1

    def retry(self) -> None:
        """An earlier call again, with its key."""
        if not self.sent:
            return
        one = self.pick.choice(self.sent)
        again = self._call(one.path, one.body, one.key)
        self._same("a retry", (again.headers.get("Idempotency-Replayed"), again.data), ("true", one.answer))
        self.hits["retries"] += 1

    def crash(self) -> None:
        """The process dies somewhere within a report, another one starts, and the client sends the same again."""
        ref, day, system, gallons = self._new_ref(), self._day(), self._system(), self.pick.randrange(1, 3_000)
        body, key = json.dumps(self._body(ref, day, system, gallons)).encode(), self._key()
        answer = None
        try:
            with killed_after(self.world.database, self.pick.randrange(3, 90)):
                answer = self._call(REPORTS, body, key)
        except Killed:
            self.hits["died within a report"] += 1
        self._restart(self.urls)
        again = self._call(REPORTS, body, key)
        self._same("after the crash", again.status_code, 201)
        if answer is not None:
            self._same("after a crash behind the answer", again.data, answer.data)
        self.model.take((again.json or {}).get("id", ""), system, ref, day, gallons)
        self.sent.append(Sent(path=REPORTS, body=body, key=key, answer=again.data))

    def bring_inventory(self) -> None:
        """The county's inventory again, with a system more or nothing new."""
        permit = f"W{self.number}-{len(self.model.pumped)}" if len(self.model.pumped) < 7 else self._system()
        pumped = self.model.pumped.setdefault(permit, long_ago(self.model.today, self.pick))
        rows = tank_rows(permit, pumped)
        answer = self.world.call("POST", f"/v1/{HOME}/inventory", "county", data=csv_of(*rows), content_type="text/csv")
        self._same("an inventory", (answer.status_code, (answer.json or {}).get("rejected")), (200, 0))
        self.hits["inventories"] += 1

    def forward(self) -> None:
        """Some hours or days go by."""
        self.world.clock.forward(hours=self.pick.choice([1, 1, 3, 24]))
        self.set_today()

    def tick(self) -> None:
        """The worker judges what is due, makes the notices and sends them."""
        now = self.world.clock.now
        scan_county(self.world.database, HOME, self.model.today, now, self.world.config.base_url)
        deliver_all(self.world.config, self.world.database, lambda: now)
        self.model.tick()
        self._same("told of late reports", self._told(), Counter(self.model.told))
        self.hits["ticks"] += 1

    def back_up(self) -> None:
        """A backup, once: to be restored later."""
        if self.backup is not None or self.pick.random() < SELDOM:
            return
        path = self.folder / f"backup-{self._key()}"
        operator = self._operator(self.urls)
        operator.run("backup", str(path))
        self.faults += operator.said
        self.backup = path, deepcopy(self.model), list(self.sent)
        self.hits["backups"] += 1

    def restore(self) -> None:
        """The database is lost, and the backup takes its place: what came after it is gone, all before is there."""
        if self.backup is None or self.pick.random() < SELDOM:
            return
        path, model, sent = self.backup
        urls = self.arena.new_database()
        if urls.kind == "sqlite":
            url = f"sqlite:///{self.folder / f'restored-{self._key()}.db'}"
            urls = DatabaseUrls(kind="sqlite", app_url=url, owner_url=url)
        operator = self._operator(urls)
        operator.run("restore", str(path))
        self.faults += operator.said
        self.model, self.sent, self.backup = model, sent, None
        self._restart(urls)
        self.set_today()
        self.hits["restores"] += 1

    def verify(self) -> None:
        """The home county's log and its tables agree."""
        with self.world.database.reading(HOME) as store:
            result = verify(store, [self.world.signer.verifying_key], [])
        self._same("verify", [problem.message for problem in result.problems], [])
        self.hits["verified"] += 1

    # --- Comparing ---

    def compare(self) -> None:
        """One system's page against the model."""
        system = self._system()
        answer = self.world.get(f"/v1/{HOME}/status?permit={system}", "county").json or {}
        services = {
            (one["report_id"], one["service_date"], one["gallons_pumped"])
            for one in answer.get("services", ())
            if not one["baseline"]
        }
        known = self.model.services(system)
        self._same(f"services of {system}", services - known, set())
        self._same(f"services of {system}", len(services), min(len(known), self._most_shown(answer)))
        duty: dict[str, Any] = next((o for o in answer.get("obligations", ()) if o["kind"] == "pump_or_inspect"), {})
        due = self.model.due_on(system)
        self._same(f"{system} is due", duty.get("due_on"), due.isoformat())
        over = self.model.today > date.fromisoformat(duty.get("last_day", "9999-12-31"))
        self._same(f"{system} is overdue", answer.get("standing") == "overdue", over)
        self._same(f"{system}, last day", 0 <= (date.fromisoformat(duty["last_day"]) - due).days <= 4, True)
        self.hits["comparisons"] += 1

    @staticmethod
    def _most_shown(answer: Mapping[str, Any]) -> int:
        """Of how many the page names the last ones, what the inventory brought among them."""
        return SERVICES_SHOWN - sum(1 for one in answer.get("services", ()) if one["baseline"])

    def _told(self) -> Counter[str]:
        """The first versions of the late reports that the business was told of, each as often as it was."""
        with self.world.database.reading(HOME) as store:
            rows = list_messages(store, [MessageState.SENT], 100_000)
        first = {report.id: report.first for report in self.model.reports.values()}
        named = (row["dedupe_key"] for row in rows if row["kind"] == "late_report")
        return Counter(first[one] for key in named for one in re.findall(r"rep_\w+", key) if one in first)

    def _same(self, what: str, got: object, wanted: object) -> None:
        if got != wanted:
            self.faults.append(f"walk {self.number}: {what}: {got!r:.300}, and by the model {wanted!r:.300}")

    def _ended(self, answer: TestResponse) -> None:
        kind = str((answer.json or {}).get("type", ""))
        self._same("of a report that has ended", (answer.status_code, kind.endswith(Said.ENDED)), (409, True))

    # --- Making ---

    def _some_report(self) -> tuple[str, date, str, int]:
        known = list(self.model.reports.values())
        if known and self.pick.random() < 0.3:
            old = self.pick.choice(known)
            # One that has ended may be sent anew, of a day that is in time or late for sure.
            day = old.day if self.model.standing_of(old.ref) else self._day()
            return old.ref, day, old.system, old.gallons + (self.pick.random() < 0.5)
        return self._new_ref(), self._day(), self._system(), self.pick.randrange(1, 3_000)

    def _new_ref(self) -> str:
        self.made += 1
        return f"W{self.number}-{self.made}"

    def _key(self) -> str:
        self.made += 1
        return f"key-{self.number}-{self.made}"

    def _day(self) -> date:
        since = self.pick.choice([*range(IN_TIME + 1), LATE, LATE + 20, 300])
        return self.model.today - timedelta(days=since)

    def _system(self) -> str:
        return self.pick.choice([*self.model.pumped])

    def _body(self, ref: str, day: date, system: str, gallons: int) -> dict[str, Any]:
        row = a_row(system)
        return a_report(
            report_ref=ref, permit_number=system, parcel_number=row["parcel_number"], site_address=row["site_address"],
            service_date=day.isoformat(), signed_on=day.isoformat(), gallons_pumped=gallons,
        )  # fmt: skip

    def _send(self, path: str, body: dict[str, Any]) -> TestResponse:
        data, key = json.dumps(body).encode(), self._key()
        answer = self._call(path, data, key)
        if answer.status_code in (200, 201):
            self.sent.append(Sent(path=path, body=data, key=key, answer=answer.data))
        return answer

    def _call(self, path: str, body: bytes, key: str) -> TestResponse:
        headers = {"Idempotency-Key": key}
        return self.world.call("POST", path, data=body, content_type="application/json", headers=headers)

    def _restart(self, urls: DatabaseUrls) -> None:
        now = self.world.clock.now
        self.world.database.dispose()
        key = self.world.config.signing_key_file.parent
        self.urls = urls
        self.world = serve_world(urls, key, self.world.keys, **mail_to(self.folder))
        self.world.clock.now = now

    def set_today(self) -> None:
        self.model.today = self.world.clock.now.astimezone(ZoneInfo("America/Chicago")).date()

    def _operator(self, urls: DatabaseUrls) -> Operator:
        return Operator(urls=urls, key=self.world.config.signing_key_file)
