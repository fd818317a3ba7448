"""What would go out today, and why the rest would not: judged as at the moment of sending, and nothing is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from notifications.eligibility import Cancel, Verdict, judge_now
from notifications.outbox import Claim, MessageState
from notifications.records import Channel
from reporting.store.engine import Store
from reporting.store.letters import count_letters
from reporting.store.mail import waiting_mails

LATER: Final = "on_a_later_day"
PAUSED: Final = "paused"
LETTER: Final = "on_paper"


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One mail that would go: whom to, of which kind; `state` `uncertain`: it would go again."""

    id: str
    kind: str
    recipient: str
    state: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A county's mails that wait: those that would go by `until`, and the others counted by reason."""

    county: str
    until: datetime
    going: tuple[Planned, ...] = ()
    staying: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        going = [{name: getattr(one, name) for name in ("id", "kind", "recipient", "state")} for one in self.going]
        return {"county": self.county, "until": self.until.isoformat(), "going": going, "staying": dict(self.staying)}


def plan_mails(
    store: Store, now: datetime, until: datetime, judge: Callable[[Store, Claim], Verdict] = judge_now
) -> Plan:
    """Judge every mail of the county that waits, as of now; changes nothing. until: the end of the county's day."""
    going: list[Planned] = []
    staying: Counter[str] = Counter()
    for row in waiting_mails(store):
        if row["held"]:
            staying[PAUSED] += 1
            continue
        if row["not_before"] >= until:
            staying[LATER] += 1
            continue
        verdict = judge(store, _claim(row, now))
        if isinstance(verdict, Cancel):
            staying[str(verdict.reason)] += 1
        else:
            going.append(Planned(**{name: row[name] for name in ("id", "kind", "recipient", "state")}))
    letters = count_letters(store).get("queued", 0)
    staying.update({LETTER: letters} if letters else {})
    return Plan(county=store.tenant, until=until, going=tuple(going), staying=dict(sorted(staying.items())))


def _claim(row: Mapping[str, Any], now: datetime) -> Claim:
    """The mail as the judge takes it; nobody has claimed it."""
    taken = {name: row[name] for name in ("county", "dedupe_key", "id", "kind", "recipient", "content", "message_id")}
    assert row["channel"] == Channel.MAIL
    return Claim(
        **taken,
        state_before=MessageState(row["state"]),
        attempts=row["attempts"],
        fence=row["fence"],
        lease_until=now + timedelta(minutes=15),
    )
