"""Money that comes in or is let go: payments, each once for its reference; waivers and refunds with their reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reporting.domain.ledger import Account, EntryKind, dollars
from reporting.errors import RecordNotFound
from reporting.fees.charging import read_cents, whole
from reporting.fees.ledger import Draft, accounts_of, money_id, write
from reporting.fees.open_charges import Found, find_charge
from reporting.forms import PLACE, Form
from reporting.owners import NotTold, Teller, Told, Values
from reporting.store.engine import Store
from reporting.store.fees import money_by_id, money_of
from reporting.store.log import hold
from schemas.issues import Code, Issue

PAYMENT_FIELDS: Final = ("charge", *PLACE, "fee", "year", "cents", "amount", "on", "reference", "method")
_RELIEF: Final = ("cents", "amount", "on", "reason", "authority", "reference")


@dataclass(frozen=True, kw_only=True)
class Paid:
    """A payment, waiver or refund on file, and how the charge stands with it.

    told: the receipt of the entry just made; None where this had been entered before.
    """

    id: str
    charge: str
    system: str
    account: Account
    told: Told | None

    @property
    def duplicate(self) -> bool:
        """Whether it had been entered before: nothing was added."""
        return self.told is None


def pay(store: Store, teller: Teller, values: Values) -> Paid | NotTold:
    """A payment of a fee.

    Values: `charge` (its id), or a place with `fee` (a rule, or a name such as `annual`) and, where several are open,
    `year`; `cents`, or `amount` in dollars; `on` (today), `reference` (the receipt's or check's number), `method`.
    The same reference for the same charge again is a duplicate. A yearly fee may be paid before it is charged.
    """
    hold(store)
    planned = plan_payment(store, teller, values)
    if not isinstance(planned, Draft):
        return planned
    [told] = write(store, teller, [planned])
    return _paid(store, planned.id, planned.content["charge"], planned.system, told)


def plan_payment(store: Store, teller: Teller, values: Values, planned: Iterable[Draft] = ()) -> Draft | Paid | NotTold:
    """The entry of a payment, not written yet; or what was paid before under its reference; or what is wrong.

    planned: entries of the same file, which count as made.
    """
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(PAYMENT_FIELDS)
    cents, on = read_cents(form, required=True), form.day("on", past=True) or teller.today
    reference, method = form.text("reference", required=True, longest=100), form.text("method", longest=60)
    fee, year = form.text("fee", longest=60), whole(form, "year", 1900, 2199)
    found = find_charge(store, teller, form, fee=fee, year=year, on=on, reference=reference, planned=planned)
    if form.issues or found is None or cents is None:
        return NotTold(issues=tuple(form.issues))
    content: dict[str, Any] = {
        "charge": found.id, "kind": found.kind, "cents": cents, "on": on.isoformat(), "reference": reference,
    }  # fmt: skip
    content |= {"year": found.year} if found.year else {}
    content |= {"rule": found.rule} if found.rule else {}
    content |= {"method": method} if method else {}
    draft = Draft(
        kind=EntryKind.PAYMENT, id=payment_id(found.id, reference), system=found.system, on=on, content=content,
        values=values,
    )  # fmt: skip
    return _told_before(store, draft, found, planned) or draft


def payment_id(charge_id: str, reference: str) -> str:
    """The id of the payment of a charge under a reference, in whatever spelling."""
    return money_id(EntryKind.PAYMENT, charge_id, " ".join(reference.casefold().split()))


def waive(store: Store, teller: Teller, charge_id: str, values: Values) -> Paid | NotTold:
    """Let what is left of a charge go, or part of it. Raises RecordNotFound.

    Values: `reason` and `authority` (who decided it, by what), `cents` or `amount` (all that is left), `on` (today).
    """
    return _relieve(store, teller, EntryKind.WAIVER, charge_id, values)


def refund(store: Store, teller: Teller, charge_id: str, values: Values) -> Paid | NotTold:
    """Give back what was paid of a charge, or part of it; also a payment entered by mistake. Raises RecordNotFound.

    Values: as of `waive`; without an amount it is all that was paid.
    """
    return _relieve(store, teller, EntryKind.REFUND, charge_id, values)


def _relieve(store: Store, teller: Teller, kind: EntryKind, charge_id: str, values: Values) -> Paid | NotTold:
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(_RELIEF)
    reason = form.text("reason", required=True, longest=2_000)
    authority, reference = form.text("authority", required=True), form.text("reference", longest=100)
    cents, on = read_cents(form, required=False), form.day("on", past=True) or teller.today
    hold(store)
    charge = money_by_id(store, [charge_id]).get(charge_id)
    if charge is None or charge["kind"] != EntryKind.CHARGE:
        raise RecordNotFound
    account = _account(store, charge_id, charge["system"])
    most = account.left if kind is EntryKind.WAIVER else account.paid - account.refunded
    cents = most if cents is None else cents
    if not form.issues and not 0 < cents <= most:
        said = "left of it to pay" if kind is EntryKind.WAIVER else "paid of it and not given back"
        form.issues.append(_issue("cents", f"Give at most what is {said}: ${dollars(max(most, 0))}.", str(cents)))
    if form.issues:
        return NotTold(issues=tuple(form.issues))
    told = charge["content"]
    content: dict[str, Any] = {
        "charge": charge_id, "kind": told["kind"], "year": told["year"], "cents": cents, "on": on.isoformat(),
        "reason": reason, "authority": authority, **({"rule": told["rule"]} if told.get("rule") else {}),
        **({"reference": reference} if reference else {}),
    }  # fmt: skip
    number = sum(1 for row in _rows(store, charge_id, charge["system"]) if row["kind"] == kind)
    entry_id = money_id(kind, charge_id, str(number + 1))
    draft = Draft(kind=kind, id=entry_id, system=charge["system"], on=on, content=content, values=values)
    [receipt] = write(store, teller, [draft])
    return _paid(store, entry_id, charge_id, charge["system"], receipt)


def _told_before(store: Store, draft: Draft, found: Found, planned: Iterable[Draft]) -> Paid | NotTold | None:
    """What there is under the reference of a payment: the same one, or another that must not bear it."""
    row = money_by_id(store, [draft.id]).get(draft.id)
    before: Mapping[str, Any] | None = row["content"] if row else None
    before = before or next((one.content for one in planned if one.id == draft.id), None)
    if before is None:
        return None
    if before["cents"] != draft.content["cents"]:
        message = (
            f"A payment of ${dollars(before['cents'])} was entered for {before['on']} under this reference: give this "
            "one its own, or enter a refund of the one that is wrong."
        )
        return NotTold(issues=(_issue("reference", message, str(draft.content["reference"])),))
    return _paid(store, draft.id, found.id, found.system, None)


def _paid(store: Store, entry_id: str, charge_id: str, system: str, told: Told | None) -> Paid:
    return Paid(
        id=entry_id, charge=charge_id, system=system, account=_account(store, charge_id, system), told=told
    )  # fmt: skip


def _rows(store: Store, charge_id: str, system: str) -> list[dict[str, Any]]:
    rows = money_of(store, [system])[system]
    return [row for row in rows if charge_id in (row["id"], row["content"].get("charge"))]


def _account(store: Store, charge_id: str, system: str) -> Account:
    return accounts_of(_rows(store, charge_id, system)).get(charge_id, Account())


def _issue(name: str, message: str, value: str) -> Issue:
    return Issue(code=Code.INCONSISTENT, field=name, message=message, pointer=f"/{name}", value=value)
