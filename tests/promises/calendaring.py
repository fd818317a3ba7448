"""Months of the schedule's work in seconds: a worker process with a clock of its own, in a host's time zone.

TZ=ZONE python -m tests.promises.calendaring DATABASE_URL '{"first": INSTANT, "hours": N, "off": [FROM, TO], "due": […],
"sabotage": ""}': ticks each hour, switched off between two hours, and prints what was told, when and to whom, as JSON.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from notifications.delivery import deliver
from notifications.outbox import MessageState, list_messages
from notifications.records import Channel
from notifications.worker import Job, Turn, WorkerOptions, take_turn
from reporting.cli.mail import scan_county
from reporting.store.engine import Database
from schemas.calendar import COUNTY_TIME_ZONE, local_date
from tests.notifications.builders import BASE_URL, add_people
from tests.notifications.sending import Postman
from tests.reporting.counties import load

COUNTY = "ozaukee"
A_MINUTE = 60
"""Mails a minute at most."""


@dataclass
class HandClock:
    """A clock that stands where it is put, and goes on while somebody waits."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.now += timedelta(seconds=seconds)


def stock(database: Database, due: list[str], first: datetime) -> None:
    """A tank for each day on which one is due, with its owner's address and its contractor; permit `SP-<day>`."""
    add_people(database)
    rows = []
    for number, day in enumerate(due):
        pumped = date.fromisoformat(day)
        place = {
            "permit_number": f"SP-{day}", "parcel_number": f"08-{number:04}", "municipality": "Town of Saukville",
            "site_address": f"N{number} County Road K", "owner_name": "Laverne Lor",
            "owner_email": f"owner{number}@lor.example", "designated_license_number": "00412",
        }  # fmt: skip
        tank = {"component": "septic", "capacity_gallons": "1000"}
        rows.append({**place, **tank, "last_pumped_on": pumped.replace(year=pumped.year - 3).isoformat()})
    load(database, *rows, now=first - timedelta(days=1))


def work(database: Database, plan: dict[str, Any]) -> list[dict[str, str]]:
    """Tick through the hours; every mail's moment and recipient."""
    first, sabotage = datetime.fromisoformat(plan["first"]), plan["sabotage"]
    zone = os.environ["TZ"] if sabotage == "the host's day" else COUNTY_TIME_ZONE
    clock, postman = HandClock(now=first), Postman()
    done: list[date] = []

    def scan(turn: Turn) -> None:
        today = local_date(turn.now, zone)
        missed = (today - done[-1]).days - 1 if done else 0
        for back in range(missed if sabotage == "each day made up for" else 0, 0, -1):
            scan_county(database, COUNTY, today - timedelta(days=back), turn.now, BASE_URL)
        scan_county(database, COUNTY, today, turn.now, BASE_URL)
        done.append(today)

    job = Job(name="daily scan", run=scan, daily_at=time(5, 0))
    rate = None if sabotage == "no rate" else A_MINUTE
    for hour in range(plan["hours"]):
        if plan["off"][0] <= hour < plan["off"][1]:
            continue
        clock.now = first + timedelta(hours=hour)
        if take_turn(database, job, WorkerOptions(name="w", zone=zone), clock):
            deliver(database, [COUNTY], postman, clock, rate_per_minute=rate, sleep=clock.sleep)
    return [{"at": mail.dated_at.isoformat(), "to": mail.recipient, "id": mail.message_id} for mail in postman.mails]


def messages(database: Database) -> list[dict[str, Any]]:
    """Everything that was queued: kind, recipient, the local day of its making, and the duties that it tells of."""
    with database.reading(COUNTY) as store:
        rows = list_messages(store, list(MessageState), 1_000_000)
    found = []
    for row in rows:
        lines = row["content"].get("lines") or [row["content"].get("tank") or {}]
        duties = [
            [line["permit_number"], line["rule"], line["due_on"], _told(line)] for line in lines if line.get("rule")
        ]
        day = row["created_at"].astimezone(ZoneInfo(COUNTY_TIME_ZONE)).date().isoformat()
        found.append(
            {"kind": row["kind"], "to": row["recipient"], "day": day, "duties": sorted(duties), "state": row["state"],
             "id": row["message_id"], "mail": row["channel"] == Channel.MAIL}
        )  # fmt: skip
    return sorted(found, key=lambda one: json.dumps(one, sort_keys=True))


def _told(line: dict[str, Any]) -> str:
    """A duty's cause without the ids, which are others in each database."""
    return re.sub(r"(sys|rep|evt|bas)_[0-9a-z]+", r"\1", str(line.get("cause_key") or ""))


def main(url: str, plan_text: str) -> None:
    """Stock the database, work, and tell."""
    plan = json.loads(plan_text)
    database = Database.connect(url)
    stock(database, plan["due"], datetime.fromisoformat(plan["first"]))
    sent = work(database, plan)
    print(json.dumps({"messages": messages(database), "sent": sent}))


if __name__ == "__main__":
    main(*sys.argv[1:])
