"""The owner's page: how the own system stands and why, what was done and found, what was sent, what is owed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response

from notifications.outbox import MessageState, list_messages
from notifications.records import Channel
from reporting.api.calls import call, service
from reporting.api.fees import show_statement
from reporting.api.meters import show_meters
from reporting.api.records import show_records
from reporting.api.systems import show_system_status
from reporting.domain.ledger import dollars
from reporting.store.cases import mailed_about
from reporting.store.engine import Store
from reporting.web.asking import ask, in_own_county
from reporting.web.owner_asking import own_system, render_owner
from reporting.web.owner_statement import offered_periods
from schemas.calendar import local_date
from schemas.loader import shipped_program

SHOWN: Final = 20
"""How many services, readings and notices are shown; the record as a file has every service."""
_SUMS: Final = ("charged", "paid", "waived", "left")


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What was sent to the owner: the day as YYYY-MM-DD, the kind of notice, and how it went."""

    on: str
    kind: str
    how: str


@in_own_county
def show_own_system() -> Response:
    """The first page of an owner: everything on record of the one system, by the endpoints that owners may call."""
    mine = own_system()
    judged = ask(show_system_status, system_id=mine).body
    record = ask(show_records, system_id=mine).body
    account = ask(show_statement, system_id=mine).body
    with service().database.reading(call().tenant) as store:
        sent = sorted(_sent(store, mine), key=lambda one: one.on, reverse=True)
        has_periods = bool(offered_periods(store))
    services = list(reversed(record["services"]))
    return render_owner(
        "system",
        judged=judged,
        system=judged["system"],
        record=record,
        services=services[:SHOWN],
        older=len(services[SHOWN:]),
        last=_last_services(services),
        next_duty=next((one for one in judged["obligations"] if one["state"] != "met"), None),
        business=business_name(services, judged["system"]["designated_contractor"]),
        tanks=[tank for tank in ask(show_meters, system_id=mine).body["tanks"] if tank["readings"]],
        charges=[{**row, **{name: dollars(row[name] or 0) for name in _SUMS}} for row in account["charges"]],
        owed=dollars(account["total"]["left"]) if account["total"]["left"] > 0 else "",
        sent=sent[:SHOWN],
        most=SHOWN,
        has_periods=has_periods,
    )


def _last_services(services: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The last day of each kind of service, from services newest first."""
    found: dict[str, str] = {}
    for one in services:
        found.setdefault(one["event_type"], one["service_date"])
    return found


def business_name(services: Sequence[Mapping[str, Any]], number: str | None) -> str:
    """The name that the newest report under a licence gives; "" where none does."""
    names = (one.get("business_name") for one in services if number and one.get("license_number") == number)
    return next((str(name) for name in names if name), "")


def _sent(store: Store, system: str) -> Iterator[Sent]:
    for row in mailed_about(store, system):  # letters are to owners alone
        how = "by certified mail" if row["mail_class"] == "certified" else "by letter"
        yield Sent(on=row["mailed_on"].isoformat(), kind=row["kind"], how=how)
    zone = shipped_program(call().tenant).timezone
    states = (MessageState.SENT, MessageState.FAILED)
    for row in list_messages(store, states, SHOWN * 5, channel=Channel.MAIL, system=system):
        if row["content"].get("audience") == "owner":
            at = local_date(row["sent_at"] or row["created_at"], zone).isoformat()
            how = "by e-mail" if row["state"] == MessageState.SENT else "by e-mail, which did not arrive"
            yield Sent(on=at, kind=row["kind"], how=how)
