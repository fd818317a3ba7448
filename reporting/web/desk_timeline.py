"""What happened with a system, newest first: services, notices, letters and mails, steps of cases, papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from notifications.outbox import MessageState, list_messages
from notifications.records import Channel
from reporting.domain.ledger import EntryKind
from reporting.store.cases import mailed_about
from reporting.store.engine import Store
from reporting.web.desk_words import sentence
from schemas.calendar import local_date
from schemas.program import Program

_DATED: Final = ("on", "filed_on", "period", "starts_on", "from", "granted_on", "mailed_on", "asked_on")
_MOST: Final = 200


@dataclass(frozen=True, kw_only=True)
class Happened:
    """One event: its day as YYYY-MM-DD, what it was, and where more stands of it."""

    on: str
    what: str
    href: str | None = None


def timeline(store: Store, program: Program, system: Mapping[str, Any]) -> list[Happened]:
    """The last two hundred events of a system as `GET /v1/{county}/systems/{id}` answers it, newest first."""
    found = [*_services(system), *_facts(system), *_letters(store, system), *_mails(store, program, system)]
    return sorted(found, key=lambda one: one.on, reverse=True)[:_MOST]


def _services(system: Mapping[str, Any]) -> Iterator[Happened]:
    for row in system["reports"]:
        tank = f" of {row['component']}" if row["component"] else ""
        number = f", licence {row['license_number']}" if row["license_number"] else ""
        source = ", from the inventory" if row["baseline"] else f", reported {row['received_at'][:10]}"
        yield Happened(
            on=row["service_date"],
            what=f"{sentence(row['event_type'])}{tank}{number}{source}",
            href=None if row["baseline"] else f"/desk/reports/{row['report_id']}",
        )


def _facts(system: Mapping[str, Any]) -> Iterator[Happened]:
    for kind, rows in system["facts"].items():
        for row in rows:
            if kind == "case":
                yield from _case(row)
                continue
            day = next((str(row[name]) for name in _DATED if row.get(name)), "")
            if day and kind not in list(EntryKind):
                about = row.get("kind") or row.get("note") or ""
                yield Happened(on=day, what=f"{sentence(kind)}{f': {sentence(about).lower()}' if about else ''}")


def _case(row: Mapping[str, Any]) -> Iterator[Happened]:
    for name, day in row.items():
        if name.endswith("_on") and name != "due_on" and day:
            what = f"Case “{sentence(row['kind']).lower()}”: {sentence(name).lower()}"
            yield Happened(on=str(day), what=what, href=f"/desk/cases/{row['id']}")


def _letters(store: Store, system: Mapping[str, Any]) -> Iterator[Happened]:
    for row in mailed_about(store, system["id"]):
        what = f"Letter mailed: {sentence(row['kind']).lower()}, {sentence(row['mail_class']).lower()} mail"
        yield Happened(on=row["mailed_on"].isoformat(), what=what)


def _mails(store: Store, program: Program, system: Mapping[str, Any]) -> Iterator[Happened]:
    states = (MessageState.SENT, MessageState.FAILED)
    for row in list_messages(store, states, _MOST, channel=Channel.MAIL, system=system["id"]):
        at = local_date(row["sent_at"] or row["created_at"], program.timezone).isoformat()
        failed = f", did not arrive: {row['last_error']}" if row["state"] == MessageState.FAILED else ""
        yield Happened(on=at, what=f"Mail: {sentence(row['kind']).lower()}{failed}")
