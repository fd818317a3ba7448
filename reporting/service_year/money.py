"""The fees of requests and certificates: charged once, and paid where the money came with the form (5.03, 7.02)."""

from __future__ import annotations

import datetime as dt

from reporting.fees.charging import charge
from reporting.fees.paying import pay
from reporting.owners import NotTold, Teller
from reporting.store.engine import Store


def charge_paid(
    store: Store, teller: Teller, *, system: str, rule: str, cause: str, on: dt.date, reference: str
) -> str | None:
    """Charge a fee of the program that came with what it is for; the charge's id, None where the rule asks for none.

    cause: as `reporting.fees.charging.charge` has it; reference: of the payment, such as a check's number.
    """
    charged = charge(store, teller, system=system, rule=rule, cause=cause, on=on)
    if isinstance(charged, NotTold):
        return None
    if charged.is_new:
        paid = {"charge": charged.id, "cents": charged.cents, "on": on.isoformat(), "reference": reference}
        pay(store, teller, paid)
    return charged.id
