"""Events, people and tanks of an invented county, with everything filled in that a test does not care about."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from typing import Any

from notifications.compose import Mail
from notifications.records import DomainEvent, Notice, NoticeKind
from reporting.store.counties import save_counties
from reporting.store.engine import Database, Store
from reporting.store.events_out import record_domain_events
from reporting.store.facts import insert_owners, insert_systems
from reporting.store.people import upsert_contractors, upsert_credentials
from schemas.loader import shipped_program
from schemas.program import Program

NOON = datetime(2026, 7, 13, 17, 0, tzinfo=UTC)
TODAY = date(2026, 7, 13)
BASE_URL = "https://reports.example.org"
MAIL_FROM = "Ozaukee reporting <reporting@ozaukee.example>"
OFFICE = "office@ozaukee.example"
KETTLE = "con_kettle"
KETTLE_MAIL = "office@kettle-septic.example"


class Clock:
    """A clock that the test moves; safe to read from several threads."""

    def __init__(self, at: datetime = NOON) -> None:
        self._at = at
        self._lock = Lock()

    def __call__(self) -> datetime:
        with self._lock:
            return self._at

    def move(self, **by: float) -> None:
        with self._lock:
            self._at += timedelta(**by)

    def sleep(self, seconds: float) -> None:
        """What a sender sleeps by: time passes at once."""
        self.move(seconds=seconds)


def a_program(slug: str = "ozaukee", **settings: object) -> Program:
    return shipped_program(slug).with_settings({"county_email": OFFICE, **settings})


def tank_content(number: int = 1, **values: Any) -> dict[str, Any]:
    return {
        "system": f"sys_{number}",
        "permit_number": f"SP-{1986 + number}",
        "parcel_number": f"08-058-02-{number:03}.00",
        "site_address": f"N{5550 + number} County Road K",
        "municipality": "Town of Saukville",
        "component": "septic",
        "component_ref": "",
        "rule": "OZ1",
        "cite": "9.029(2)(a)1",
        "because": "pumped 2023-07-19; every 36 months",
        "due_on": "2026-07-19",
        "last_day": "2026-07-20",
        "contractor_license": "00412",
        **values,
    }


def due_event(number: int = 1, *, cycle: str = "rep_1", **values: Any) -> DomainEvent:
    content = tank_content(number, **values)
    tank = f"{content['system']}:{content['component']}:{content['component_ref']}"
    return an_event("service_due", f"due:{tank}:pump_or_inspect:{content['rule']}:{cycle}", content)


def needs_event(number: int = 1, *, cycle: str = "rep_1", **values: Any) -> DomainEvent:
    about = {
        "component": "holding",
        "rule": "S10",
        "cite": "component manuals under SPS 383.54",
        "because": "forecast: full on 2026-07-19 at 61 gallons a day",
        "last_day": "2026-07-19",
    }
    content = tank_content(number, **{**about, **values})
    return an_event("needs_service", f"needs:{content['system']}:holding:{content['component_ref']}:{cycle}", content)


def late_event(number: int = 1, **values: Any) -> DomainEvent:
    about = {
        "rule": "OZ5",
        "cite": "9.023(2)(b)",
        "because": "received 2026-07-10",
        "event": f"rep_{number}",
        "service_date": "2026-06-24",
        "report_ref": f"T-{100 + number}",
        "received_on": "2026-07-10",
        "contractor_id": KETTLE,
        "due_on": "2026-07-04",
        "last_day": "2026-07-06",
    }
    content = tank_content(number, **{**about, **values})
    return an_event("late_report", f"late:{content['event']}:{content['rule']}", content)


def missing_event(number: int = 1, *, stage: int = 1, **values: Any) -> DomainEvent:
    about = {
        "component": "holding",
        "rule": "OZ6",
        "cite": "9.029(4)(b)1",
        "because": "the owner reported serviced on 2026-07-01",
        "due_on": "2026-07-11",
        "last_day": "2026-07-13",
        "contractor_id": KETTLE,
    }
    content = tank_content(number, **{**about, **values})
    key = f"missing:{content['system']}:holding:{content['component_ref']}:notice:2026-07-01:{stage}"
    return an_event("missing_report", key, content)


def receipt_event(submission: str = "sub_1", **values: Any) -> DomainEvent:
    content = {
        "submission": submission,
        "contractor_id": KETTLE,
        "principal": "key_1",
        "received_at": "2026-07-13T14:05:00Z",
        "file_name": "july-route.csv",
        "counts": {"rows": 4, "accepted": 2, "duplicate": 1, "rejected": 1, "queued_for_review": 0},
        "rows": [
            {"row": 2, "outcome": "accepted", "report_id": "rep_1", "permit_number": "SP-1987", "receipt": "oz-000017"},
            {"row": 3, "outcome": "accepted", "report_id": "rep_2", "permit_number": "SP-1988", "receipt": "oz-000018"},
            {"row": 4, "outcome": "duplicate", "report_id": "rep_1", "permit_number": "SP-1987"},
            {
                "row": 5,
                "outcome": "rejected",
                "report_id": None,
                "errors": ["Give the water meter reading: holding tanks are reported with it."],
            },
        ],
        **values,
    }
    return an_event("receipt", f"receipt:{submission}", content)


NOTE = (
    "pumper/{}\n{}\nXZd5rG6iZ2Z0pGhGHVfWvFv4u1cDCrP3nyrT1KQ1kAg=\n\n\N{EM DASH} pumper/{} "
    "jWyWzq6jFz8cM2qGx8pZ3tqTzE3fW2oB7sVhKxYb1nQeRr5uLmPiA0dC9gHkXwJvT4yN6lSfUoZaEbIcMpGtDqOeYsRhVjBkWnFxQmLzTgI=\n"
)
"""A checkpoint's text, of a log and a size; nobody has signed it."""


def checkpoint_event(size: int = 1204, **values: Any) -> DomainEvent:
    content = {
        "size": size,
        "key_id": "8d6c96ce",
        "note": NOTE.format("ozaukee", size, "ozaukee"),
        "service_note": NOTE.format("_service", 31, "_service"),
        **values,
    }
    return an_event("checkpoint", f"checkpoint:{size}", content)


def an_event(kind: str, cause_key: str, content: Mapping[str, Any]) -> DomainEvent:
    return DomainEvent(
        id=f"evt {cause_key}", kind=kind, cause_key=cause_key, system=content.get("system"), content=content
    )


def record(store: Store, *events: DomainEvent, at: datetime = NOON) -> None:
    rows = [
        {
            "id": event.id,
            "kind": event.kind,
            "cause_key": event.cause_key,
            "system": event.system,
            "occurred_at": at,
            "content": dict(event.content),
        }
        for event in events
    ]
    record_domain_events(store, rows)


def add_people(database: Database, email: str | None = KETTLE_MAIL) -> None:
    """Kettle Moraine Septic with licence 00412."""
    with database.transaction(None) as store:
        save_counties(store, {"ozaukee": "Ozaukee County", "portage": "Portage County"})
        add_contractor(store, KETTLE, "Kettle Moraine Septic LLC", email, "00412")


def add_contractor(
    store: Store, key: str, name: str, email: str | None, license_norm: str, kind: str = "septage_operator"
) -> None:
    business = {"id": key, "business_name": name, "email": email, "created_at": NOON}
    upsert_contractors(store, [business])
    row = {"license_norm": license_norm, "kind": kind, "license_number": license_norm, "contractor_id": key}
    upsert_credentials(store, [row])


def add_tanks(store: Store, numbers: Sequence[int], owner: str = "Laverne Lor", **columns: Any) -> None:
    content = {"access_notes": "Lid under the lilac; dog in the yard."}
    systems = [
        {"id": f"sys_{number}", "created_seq": 1, "status": "active", "content": content, **columns}
        for number in numbers
    ]
    insert_systems(store, systems)
    insert_owners(store, [{"system": f"sys_{number}", "seq": 1, "name": owner, "content": {}} for number in numbers])


def a_notice(number: int = 1, recipient: str = KETTLE_MAIL) -> Notice:
    """A receipt, ready to be queued without any event behind it."""
    context = {
        "county": "ozaukee",
        "county_name": "Ozaukee County",
        "timezone": "America/Chicago",
        "unit": "the office",
        "authority": "the code",
        "base_url": BASE_URL,
        "reply_to": "",
        "addressee": "Kettle Moraine Septic LLC",
        "submission": f"sub_{number}",
        "received_at": "2026-07-13T14:05:00Z",
        "file_name": "",
        "counts": {"accepted": 1},
        "total": 1,
        "rows": [],
        "event_kind": "receipt",
        "cause_key": f"receipt:sub_{number}",
        "system": None,
    }
    return Notice(
        kind=NoticeKind.RECEIPT,
        recipient=recipient,
        dedupe_key=f"receipt|sub_{number}|{recipient}",
        context=context,
    )


def a_mail(**values: Any) -> Mail:
    about: dict[str, Any] = {
        "recipient": KETTLE_MAIL,
        "subject": "Nuñez: § 16.08",
        "text": "Pump by 2 July.\n.a line that begins with a dot\n",
        "html": "<p>Pump by 2 July.</p>\n",
        "message_id": "<receipt.abc@reports.example.org>",
        "dated_at": NOON,
    }
    return Mail(**{**about, **values})
