"""Requests for another window: granted, or refused and why."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reporting.domain.dealings import DeferralRequest, Window
from reporting.domain.view import View
from schemas.acts import WindowDeferral
from schemas.calendar import add_days
from schemas.program import Provision


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A window as it stands for the system: as it was set, and its days after the deferrals that were granted."""

    window: Window
    from_on: dt.date
    to_on: dt.date
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A request that is not granted: by which provision, the last day for it, and every reason."""

    provision: Provision[WindowDeferral]
    request: DeferralRequest
    slot: Slot
    last_day: dt.date
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Grant:
    """A request that is granted: the window as it stood, its days from then on, and the last day for the request."""

    provision: Provision[WindowDeferral]
    request: DeferralRequest
    slot: Slot
    last_day: dt.date
    from_on: dt.date
    to_on: dt.date


def defer(
    view: View, slots: Sequence[Slot], length: int
) -> tuple[tuple[Slot, ...], tuple[Refusal, ...], tuple[Grant, ...]]:
    """The windows after the requests made by `as_of`, the requests refused, those granted. `length`: of a window."""
    moved, refused, granted = list(slots), [], []
    requests = [r for r in view.history.dealings.deferrals if r.requested_on <= view.as_of]
    for request in sorted(requests, key=lambda r: (r.requested_on, r.from_on or dt.date.max)):
        for p in view.program.at(view.as_of).of(WindowDeferral):
            at = _meant(request, moved)
            if at is None:
                continue
            last = view.calendar.business_days_before(moved[at].from_on, p.act.business_days, filing=p.filing)
            reasons = tuple(_reasons(view, p, request, moved[at], last, length))
            if reasons or request.from_on is None:
                refused.append(Refusal(provision=p, request=request, slot=moved[at], last_day=last, reasons=reasons))
            else:
                until = request.to_on or add_days(request.from_on, length - 1)
                said = f"; deferred on request of {request.requested_on}, {p.cite}"
                about = {"from_on": request.from_on, "to_on": until, "last_day": last}
                granted.append(Grant(provision=p, request=request, slot=moved[at], **about))
                moved[at] = replace(moved[at], from_on=request.from_on, to_on=until, said=said)
    return tuple(moved), tuple(refused), tuple(granted)


def _meant(request: DeferralRequest, slots: Sequence[Slot]) -> int | None:
    """The window that a request asks to put off: the one it names, else the first not yet over."""
    for i, slot in enumerate(slots):
        if request.window_from is not None and request.window_from in (slot.from_on, slot.window.from_on):
            return i
    return next((i for i, slot in enumerate(slots) if slot.to_on >= request.requested_on), None)


def _reasons(
    view: View, p: Provision[WindowDeferral], request: DeferralRequest, slot: Slot, last: dt.date, length: int
) -> Iterator[str]:
    if request.requested_on > last:
        yield f"asked {request.requested_on}, {p.act.business_days} business days before {slot.from_on} is {last}"
    if request.written is False:
        yield "not in writing"
    if not _is_paid(view, p, request, last):
        yield f"without the fee of ${p.act.fee_cents / 100:.2f}"
    if request.from_on is None:
        yield "no desired window"
        return
    until = request.to_on or add_days(request.from_on, length - 1)
    season = _season(view, p, slot.window.from_on.year)
    if season and not season[0] <= request.from_on <= until <= season[1]:
        yield f"{request.from_on} to {until} is not within the season from {season[0]} to {season[1]}"


def _is_paid(view: View, p: Provision[WindowDeferral], request: DeferralRequest, last: dt.date) -> bool:
    """Whether the fee came with the request; where nobody said and the payments are not known, it is taken to have."""
    if request.fee is not None:
        return request.fee >= Fraction(p.act.fee_cents, 100)
    if request.paid is not None:
        return request.paid
    payments = view.history.dealings.payments
    if payments is None:
        return True
    due = max(last, request.requested_on)
    paid = [x for x in payments if "defer" in x.kind and (x.on is None or x.on <= min(due, view.as_of))]
    return any(x.amount is None or x.amount >= Fraction(p.act.fee_cents, 100) for x in paid)


def _season(view: View, p: Provision[WindowDeferral], year: int) -> tuple[dt.date, dt.date] | None:
    """The pumping season of a year; None where the county's settings name none."""
    try:
        first = dt.date.fromisoformat(f"{year:04}-{view.program.text_of(p.act.season_from_setting)}")
        last = dt.date.fromisoformat(f"{year:04}-{view.program.text_of(p.act.season_to_setting)}")
    except ValueError:
        return None
    return (first, last) if first <= last else None
