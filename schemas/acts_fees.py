"""Acts on money: fees, who is free of them, what becomes of them on the tax bill."""

from __future__ import annotations

from typing import Literal

import msgspec

from schemas.acts_base import Act, Positive


class Fee(Act, frozen=True, tag="fee", kw_only=True):
    """A fee of `cents` (or of the setting `cents_setting`), due `every` `year`, `once`, for each `certificate` or for
    each `abandonment`.

    Where the payments are known, one not paid is a finding. `paid_as`: the names under which a payment of it is filed.
    `free_with`: documents on file with which an abandonment is free of it; `free_within`: those that free from it only
    if they are filed within so many days of the abandonment. `of`: whether each system owes it or each property, the
    systems of which share a parcel. `once_a_year`: the setting may be changed at most once in a calendar year.
    """

    every: Literal["year", "once", "certificate", "abandonment"]
    paid_as: tuple[str, ...]
    cents: Positive | None = None
    cents_setting: str = ""
    free_with: tuple[str, ...] = ()
    free_within: dict[str, int] = msgspec.field(default_factory=dict)
    of: Literal["system", "property"] = "system"
    once_a_year: bool = False

    def __post_init__(self) -> None:
        """Refuse a fee of which nobody says how much it is. Raises ValueError."""
        if (self.cents is None) == (not self.cents_setting):
            raise ValueError("a fee says either its cents or the setting that holds them")
        if self.once_a_year and not self.cents_setting:
            raise ValueError("once_a_year is of the setting that holds the cents: name it as cents_setting")


class FeesUntilCertificate(Act, frozen=True, tag="fees_until_certificate", kw_only=True):
    """A certificate frees from a yearly fee only the years that it covers from their first day."""


class AfterTheFact(Act, frozen=True, tag="after_the_fact", kw_only=True):
    """A fee for a permit, application or review asked for after the work was done is so many `times` the usual one."""

    times: Positive


class TaxRoll(Act, frozen=True, tag="tax_roll", kw_only=True):
    """What is charged and not paid goes onto the tax roll. `charges_as`: what it is there; `lien`: on the property."""

    charges_as: str
    lien: bool = False
