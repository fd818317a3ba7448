"""P7: deadlines right over DST, leap day, year end, outages. A worker process ticks through every hour by a clock of
its own, on a host set to UTC, Chicago and Tokyo, and on one that is switched off for seven days.

Told must be the same on the same dates everywhere; each tank on the day that the law's own count gives (lead days
before its date), none missing, none twice; after the outage each cause once, one digest a contractor, and no more than
60 mails a minute. Full size: 800 days from 2026-01-01, over a leap day and five changes of the clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from schemas.loader import shipped_program
from tests.notifications.builders import KETTLE_MAIL
from tests.promises.proof import Arena, Outcome, Proof, Run, Size

ROOT = Path(__file__).resolve().parents[3]
ZONES = ("UTC", "America/Chicago", "Asia/Tokyo")
OFF_DAYS = 7
RULE = "OZ1"
STAGES = (60, 14)
Answer = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Span:
    """Days in a row: the first, how many, the day on which the outage begins, and how far apart tanks are due."""

    first: date
    days: int
    off: date
    apart: int
    special: tuple[date, ...]

    @property
    def last(self) -> date:
        """The last whole day."""
        return self.first + timedelta(days=self.days - 1)

    def due(self) -> list[date]:
        """Days on which tanks are due: spread, and such that they are told on the days that are special."""
        spread = [self.first + timedelta(days=n) for n in range(30, self.days + 50, self.apart)]
        named = [day + timedelta(days=lead) for day in self.special for lead in STAGES]
        return sorted({day for day in (*spread, *named) if (day.month, day.day) != (2, 29)})


SPANS = {
    Size.SMOKE: Span(
        first=date(2028, 2, 24), days=20, off=date(2028, 2, 27), apart=11,
        special=(date(2028, 2, 29), date(2028, 3, 12)),
    ),
    Size.FULL: Span(
        first=date(2026, 1, 1), days=800, off=date(2026, 6, 10), apart=6,
        special=(date(2026, 3, 8), date(2026, 11, 1), date(2027, 1, 1), date(2027, 3, 14), date(2028, 2, 29)),
    ),
}  # fmt: skip


def told_on(span: Span, due: date, lead: int, off: bool) -> date | None:
    """The day on which the law's count tells of a tank; counted here by hand. `None`: not within the span."""
    day = max(due - timedelta(days=lead), span.first)
    back = span.off + timedelta(days=OFF_DAYS)
    day = back if off and span.off <= day < back else day
    return day if day <= span.last else None


def tick(arena: Arena, span: Span, zone: str, off: bool, sabotage: str = "") -> Answer:
    """The whole span on a host of that zone."""
    first = datetime(span.first.year, span.first.month, span.first.day, 6, tzinfo=UTC)  # midnight or 1 a.m. there
    begin = (span.off - span.first).days * 24
    plan = {
        "first": first.isoformat(), "hours": span.days * 24, "off": [begin, begin + OFF_DAYS * 24] if off else [0, 0],
        "due": [day.isoformat() for day in span.due()], "sabotage": sabotage,
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.promises.calendaring", arena.new_database().app_url, json.dumps(plan)]
    ran = subprocess.run(command, cwd=ROOT, env={**os.environ, "TZ": zone}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2_000:]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def day_faults(answer: Answer, span: Span, off: bool) -> Iterator[str]:
    """Tanks told of on another day than the count gives, or not, or twice: to the contractor and to the owner."""
    seen: Counter[tuple[str, str, str, int]] = Counter()
    for one in answer["messages"]:
        for permit, rule, _due, cause in one["duties"]:
            if rule == RULE and one["kind"] in ("due_digest", "owner_reminder"):
                stage = int(cause.rpartition(":")[2]) if one["kind"] == "owner_reminder" else 1
                seen[one["kind"], permit, one["day"], stage] += 1
    wanted: Counter[tuple[str, str, str, int]] = Counter()
    for due in span.due():
        for kind, leads in (("due_digest", STAGES[:1]), ("owner_reminder", STAGES)):
            reached = [(told_on(span, due, lead, off), stage) for stage, lead in enumerate(leads, start=1)]
            for day, stage in reached:
                later = [one for one, number in reached if number > stage and one is not None and day is not None]
                if day is not None and day not in later and due >= day:
                    wanted[kind, f"SP-{due}", day.isoformat(), stage] = 1
    yield from (f"not told: {one}" for one in sorted((wanted - seen).keys())[:5])
    yield from (f"told besides: {one}" for one in sorted((seen - wanted).keys())[:5])


def order_faults(answer: Answer) -> Iterator[str]:
    """More than one digest a day for a contractor, a message sent twice or not at all, or more than the rate."""
    digests = Counter(
        one["day"] for one in answer["messages"] if one["kind"] == "due_digest" and one["to"] == KETTLE_MAIL
    )
    yield from (f"{count} digests on {day}" for day, count in digests.items() if count > 1)
    ids = Counter(one["id"] for one in answer["sent"])
    yield from (f"sent twice: {one}" for one, count in ids.items() if count > 1)
    unsent = [one for one in answer["messages"] if one["mail"] and one["state"] not in ("sent", "cancelled")]
    yield from (f"not sent: {one['kind']} of {one['day']}" for one in unsent[:5])
    moments = sorted(datetime.fromisoformat(one["at"]) for one in answer["sent"])
    close = sum(later - earlier < timedelta(seconds=1) for earlier, later in pairwise(moments))
    if close:
        yield f"{close} mails less than a second after the one before: more than 60 a minute"


def work(arena: Arena, size: Size, sabotage: str = "") -> Outcome:
    """All hosts, and what is wrong with what they told."""
    span = SPANS[size]
    program = shipped_program("ozaukee")
    assert tuple(program.setting("notice_lead_days")) == STAGES, "the proof counts with other lead days"  # type: ignore[arg-type]
    hosts = [*((zone, False) for zone in ZONES), ("America/Chicago", True)]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda host: tick(arena, span, *host, sabotage), hosts))
    faults: list[str] = []
    for (zone, off), answer in zip(hosts, answers, strict=True):
        name = f"{zone}, switched off for a week" if off else zone
        faults += [f"{name}: {text}" for text in (*day_faults(answer, span, off), *order_faults(answer))]
    for zone, answer in zip(ZONES[1:], answers[1:3], strict=True):
        if told_by(answer) != told_by(answers[0]):
            faults.append(f"{zone} and {ZONES[0]} tell other things or on other dates")
    told = sum(len(one["duties"]) for one in answers[0]["messages"])
    gap = sum(len(one["duties"]) for one in answers[3]["messages"])
    return Outcome(
        figures={
            "days, each hour": span.days, "hosts": len(hosts), "tanks": len(span.due()),
            "messages on each host": len(answers[0]["messages"]), "duties told": told,
            "duties told with a week off": gap, "wrong dates, missing or double": len(faults),
        },
        windows={"messages": len(answers[0]["messages"]), "told in the week off elsewhere": in_gap(answers[0], span)},
        failures=tuple(faults),
    )  # fmt: skip


def told_by(answer: Answer) -> list[str]:
    """What was told, when and to whom, without the names that each database gives."""
    return sorted(json.dumps({**one, "id": ""}, sort_keys=True) for one in answer["messages"])


def in_gap(answer: Answer, span: Span) -> int:
    """How many messages a host that was on made in the week in which the other was off."""
    week = {(span.off + timedelta(days=n)).isoformat() for n in range(OFF_DAYS)}
    return sum(one["day"] in week for one in answer["messages"])


def run(arena: Arena, size: Size) -> Outcome:
    """The service as it is."""
    return work(arena, size)


def broken(sabotage: str) -> Run:
    """The control, at small size."""
    return lambda arena, size: work(arena, Size.SMOKE, sabotage)


SABOTAGES = ("the host's day", "each day made up for", "no rate")
PROOF = Proof(
    promise="P7",
    says="Deadlines are told on the same right dates over DST, leap day and year end; after a week off, each once.",
    in_small=(),
    run=run,
    controls={sabotage: broken(sabotage) for sabotage in SABOTAGES},
    least={"messages": (10, 300), "told in the week off elsewhere": (2, 2)},
)
