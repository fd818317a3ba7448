"""The shapes of fees: charges, payments, rolls, statements of account. Amounts are in cents unless they say dollars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.shapes import COUNT, DAY, MAYBE_DAY, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict

_CENTS: Final[Json] = {"type": "integer"}
_MAYBE_CENTS: Final[Json] = {"type": ["integer", "null"]}
_SUMS: Final[dict[str, Json]] = {
    "charged": _CENTS,
    "paid": _CENTS,
    "refunded": _CENTS,
    "waived": _CENTS,
    "left": {**_CENTS, "description": "charged - paid + refunded - waived; below 0: paid too much."},
}
_PLACE: Final[dict[str, Json]] = {
    "system": {**TEXT, "description": "The system's id; or name it by its numbers or address."},
    "permit_number": TEXT,
    "parcel_number": TEXT,
    "site_address": TEXT,
}
_FEE: Final[dict[str, Json]] = {
    "charge": {**TEXT, "description": "The charge's id."},
    "what": TEXT,
    "rule": MAYBE_TEXT,
    "cite": MAYBE_TEXT,
    "period": TEXT,
    "year": {"type": ["integer", "null"]},
    "on": DAY,
    "due_on": MAYBE_DAY,
    "usual_cents": {**_MAYBE_CENTS, "description": "Before it was multiplied, where it was asked for after the fact."},
    "note": MAYBE_TEXT,
}
_AMOUNT: Final[dict[str, Json]] = {
    "cents": {"type": "integer", "minimum": 1},
    "amount": {**TEXT, "description": "In dollars and cents, in place of `cents`: 40.00."},
}
_BILL: Final[dict[str, Json]] = {
    "parcel_number": MAYBE_TEXT,
    "owner_name": MAYBE_TEXT,
    "legal_description": MAYBE_TEXT,
    "owner_mailing_address": MAYBE_TEXT,
    "outcome": {"enum": ["charged", "free", "not_charged_yet"]},
    "because": TEXT,
    "charged": _MAYBE_CENTS,
    "paid": _MAYBE_CENTS,
    "waived": _MAYBE_CENTS,
    "left": _MAYBE_CENTS,
    "cite": MAYBE_TEXT,
    "taxed_as": {**MAYBE_TEXT, "description": "What it is on the tax bill, where the ordinance says so."},
    "lien": {"type": ["boolean", "null"]},
    "taxed_by": {**MAYBE_TEXT, "description": "The section by which it goes onto the tax bill."},
    "charge": MAYBE_TEXT,
    "system": TEXT,
}

FEES: Final[Mapping[str, Json]] = {
    "NewFee": {
        **strict(
            "",
            **_PLACE,
            rule={**TEXT, "description": "The rule whose fee it is; or say what else it is for."},
            what={**TEXT, "description": "What else it is for, such as a permit or an appeal."},
            cause={**TEXT, "description": "Which one: its number or its day. It is charged once for each."},
            year={"type": "integer", "description": "The year of a yearly fee; by default of the day."},
            cents={"type": "integer", "minimum": 1, "description": "Where no rule sets the amount."},
            on={**DAY, "description": "The day of the charge; by default today."},
            due_on=DAY,
            after_the_fact={"type": "boolean", "description": "A permit asked for after the work was done."},
            cite=TEXT,
            note=TEXT,
        ),
        "description": "A place, the rule or what it is for, and what makes it this one and no other.",
    },
    "NewPayment": strict(
        "reference",
        charge={**TEXT, "description": "The charge's id; or a place and the fee."},
        **_PLACE,
        fee={**TEXT, "description": "The fee by a name (annual) or its rule."},
        year={"type": "integer"},
        **_AMOUNT,
        on={**DAY, "description": "The day it was paid; by default today."},
        reference={**TEXT, "description": "The number of the receipt or check."},
        method=TEXT,
    ),
    "FeeRelief": strict(
        "reason authority",
        **_AMOUNT,
        on=DAY,
        reason=TEXT,
        authority={**TEXT, "description": "Who decided it, by what."},
        reference=TEXT,
    ),
    "Money": an_object(
        "id charge county system duplicate receipt",
        id=TEXT,
        charge=TEXT,
        county=TEXT,
        system=TEXT,
        duplicate={"type": "boolean", "description": "It had been entered before; nothing was added."},
        cents=_CENTS,
        due_on=MAYBE_DAY,
        account=an_object("charged left", **{**_SUMS, "charged": _MAYBE_CENTS}),
        receipt={"type": ["object", "null"]},
    ),
    "Payments": an_object(
        "county",
        county=TEXT,
        rows=COUNT,
        accepted=COUNT,
        duplicates=COUNT,
        rejected=COUNT,
        cents=COUNT,
        dollars=TEXT,
        outcomes=list_of(
            an_object(
                "row outcome errors",
                row=COUNT,
                outcome={"enum": ["accepted", "duplicate", "rejected"]},
                payment=MAYBE_TEXT,
                charge=MAYBE_TEXT,
                errors={"type": "array", "items": dict(ref("Issue"))},
            )
        ),
    ),
    "Fees": an_object(
        "county fees totals",
        county=TEXT,
        fees=list_of(an_object("charge system what charged left", system=TEXT, **_FEE, **_SUMS)),
        totals={
            **an_object("charges left", charges=COUNT, **_SUMS),
            "description": "Of all, or of the year asked for.",
        },
    ),
    "FeeStatement": an_object(
        "county system charges entries total paid_ahead",
        county=TEXT,
        system=TEXT,
        charges=list_of(an_object("charge what charged left", **_FEE, **_SUMS)),
        entries=list_of(
            an_object(
                "id kind charge on cents",
                id=TEXT,
                kind={"enum": ["charge", "payment", "refund", "waiver"]},
                charge=TEXT,
                on=DAY,
                cents=_CENTS,
                reason=TEXT,
                authority=TEXT,
                reference=TEXT,
                method=TEXT,
            )
        ),
        total=an_object("charged left", **_SUMS),
        paid_ahead={**_CENTS, "description": "Paid for what is not charged yet."},
    ),
    "NewFeeRoll": strict(
        "year",
        year={"type": "integer", "minimum": 1900, "maximum": 2199},
        dry_run={"type": "boolean", "description": "Say what would be charged and keep nothing."},
    ),
    "FeeRoll": an_object(
        "county year dry_run totals lines all",
        county=TEXT,
        year=COUNT,
        dry_run={"type": "boolean"},
        totals=an_object(
            "systems charged free already_charged charged_cents already_charged_cents free_because",
            systems=COUNT,
            charged=COUNT,
            free=COUNT,
            already_charged=COUNT,
            charged_cents=_CENTS,
            already_charged_cents=_CENTS,
            free_because={"type": "object", "additionalProperties": COUNT},
        ),
        lines=list_of(
            an_object(
                "system outcome cents because",
                system=TEXT,
                permit_number=MAYBE_TEXT,
                parcel_number=MAYBE_TEXT,
                outcome={"enum": ["charged", "free", "already_charged"]},
                rule=MAYBE_TEXT,
                cite=MAYBE_TEXT,
                cents=_CENTS,
                because=TEXT,
                charge=MAYBE_TEXT,
            )
        ),
        all={**TEXT, "description": "The address of all lines."},
    ),
    "FeeBills": an_object(
        "county year rows", county=TEXT, year=COUNT, rows=list_of(an_object("system outcome because", **_BILL))
    ),
}
