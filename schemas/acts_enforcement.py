"""Acts on what a violation comes to: which finding proposes a case, what it may cost, who prosecutes, how to appeal."""

from __future__ import annotations

from typing import Literal

from schemas.acts_base import Act, Positive


class CaseProposal(Act, frozen=True, tag="case_proposal", kw_only=True):
    """One of the `findings` of this rule (`any_rule`: of any) proposes a `case` of that kind, or the `step` of the case
    that it is of. Staff confirm it or dismiss it; nothing is opened by itself."""

    findings: tuple[str, ...]
    case: str = ""
    step: str = ""
    any_rule: bool = False

    def __post_init__(self) -> None:
        """Refuse a proposal of neither or of both. Raises ValueError."""
        if bool(self.case) == bool(self.step):
            raise ValueError("a proposal says either the kind of case to open or the step to take")


class Penalty(Act, frozen=True, tag="penalty", kw_only=True):
    """What a violation costs, from `cents_min` to `cents_max`: of each day where `per_day`, else once.

    `name`: as the schedule calls the violation. `violations`: the duties, findings and kinds of cases that it is for;
    none: all that no other penalty of the text is for. `after_notice`: only after written notice. `costs`: what comes
    on top. `called`: what the sum is.
    """

    name: str
    cents_min: Positive
    cents_max: Positive
    violations: tuple[str, ...] = ()
    per_day: bool = False
    after_notice: bool = False
    costs: str = ""
    called: Literal["forfeiture", "cash deposit"] = "forfeiture"

    def __post_init__(self) -> None:
        """Refuse a range that is none. Raises ValueError."""
        if self.cents_min > self.cents_max:
            raise ValueError("cents_min is more than cents_max")


class Appeal(Act, frozen=True, tag="appeal", kw_only=True):
    """An appeal goes `to` a body within `days` of the first date on file of `counted_from`; None: the text gives no
    period. `fee_cents`: what it costs. `more`: what else the text says of it."""

    to: str
    days: Positive | None = None
    counted_from: tuple[str, ...] = ("notified_on", "ordered_on", "opened_on")
    fee_cents: Positive | None = None
    more: str = ""


class Referral(Act, frozen=True, tag="referral", kw_only=True):
    """Violations are referred `to` whoever prosecutes; `step` of the case says that one was, `office` who is told."""

    to: str
    office: Literal["counsel", "sanitarian", "municipality"] = "counsel"
    step: str = "referred_on"


class SheetSentence(Act, frozen=True, tag="sheet_sentence", kw_only=True):
    """What the law says of a violation, for the enforcement sheet. `cases`: only of cases of these kinds."""

    sentence: str
    cases: tuple[str, ...] = ()
