"""What a system owes on a fee roll of one year: charged how much by which rule, or free and why. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from reporting.domain.fees import Freedom, fee_cents, freedom, until_certificate
from reporting.domain.records import INACTIVE_STATES
from reporting.domain.turns import next_turn
from reporting.domain.view import View
from schemas.acts import Fee
from schemas.program import Program, Provision

ONCE = "once"
"""The period of a fee that is due once and never again."""


@dataclass(frozen=True, kw_only=True)
class RollLine:
    """One fee of one system: `cents` to be charged for `period`, or 0 and why it is free.

    `kind`: the name under which payments of it are filed. `of_property`: the systems of a parcel owe it together.
    """

    rule: str
    cite: str
    kind: str
    period: str
    cents: int
    because: str
    of_property: bool = False

    @property
    def is_free(self) -> bool:
        """Whether nothing is owed."""
        return self.cents == 0


def judged_on(year: int, today: dt.date) -> dt.date:
    """The day on which a year's roll is judged: today, or the nearest day of that year."""
    return max(dt.date(year, 1, 1), min(dt.date(year, 12, 31), today))


def has_roll(program: Program, day: dt.date) -> bool:
    """Whether the text in force knows a fee that every system of a kind owes yearly or once."""
    return any(p.act.every in ("year", ONCE) for p in program.at(day).of(Fee))


def roll_lines(view: View, year: int) -> Iterator[RollLine]:
    """The fees of a system for a year; nothing for a system that has no tank of a kind that owes one."""
    for p in view.program.at(view.as_of).of(Fee):
        if p.act.every not in ("year", ONCE) or not view.applies(p.act, view.system.main_tank):
            continue
        free = _at_rest(view, p)
        if p.act.every == ONCE:
            yield free or _line(view, p, ONCE, p.cite, "once for each system")
        else:
            yield free or _of_year(view, p, year)


def _of_year(view: View, p: Provision[Fee], year: int) -> RollLine:
    found = freedom(view, year)
    if found is not None:
        return _free(p, str(year), found.provision.cite, _why_free(view, found))
    by = until_certificate(view, year)
    if by is not None:
        said = f"for {year}: no certificate was in force on January 1"
        return _line(view, p, str(year), f"{p.cite}; {by.cite}", said)
    return _line(view, p, str(year), p.cite, f"for {year}")


def _why_free(view: View, found: Freedom) -> str:
    said = f"certificate ({found.grant.kind.replace('_', ' ')}) of {found.grant.granted_on}"
    if found.provision.act.yearly_fee == "none":
        return f"{said}: no fee"
    turn = next_turn(view)
    return f"{said}: a fee only in the year in which the area is served{f', next in {turn.value}' if turn else ''}"


def _at_rest(view: View, p: Provision[Fee]) -> RollLine | None:
    """A system that is out of use, or that nobody has taken into the inventory yet, is not charged."""
    period = ONCE if p.act.every == ONCE else str(view.as_of.year)
    system = view.system
    if system.status == "provisional":
        return _free(p, period, p.cite, "not in the inventory yet: provisional")
    if not view.active_components:
        state = system.status if system.status in INACTIVE_STATES else INACTIVE_STATES[0]
        since = f" since {system.status_since}" if system.status_since else ""
        return _free(p, period, p.cite, f"{state}{since}")
    return None


def _line(view: View, p: Provision[Fee], period: str, cite: str, because: str) -> RollLine:
    return RollLine(
        rule=p.id, cite=cite, kind=p.act.paid_as[0], period=period, cents=fee_cents(view, p), because=because,
        of_property=p.act.of == "property",
    )  # fmt: skip


def _free(p: Provision[Fee], period: str, cite: str, because: str) -> RollLine:
    return RollLine(rule=p.id, cite=cite, kind=p.act.paid_as[0], period=period, cents=0, because=because)
