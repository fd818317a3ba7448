"""Fees that are due and not paid, where the payments are known: yearly, once, or for a certificate."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

from reporting.domain.answers import Finding, Outcome, note
from reporting.domain.dealings import Payment
from reporting.domain.exemptions import ending
from reporting.domain.records import ExemptionGrant
from reporting.domain.turns import is_turn
from reporting.domain.view import View
from schemas.acts import Act, Exemption, Fee, FeesUntilCertificate
from schemas.program import Provision

COUNTED_YEARS = 10  # arrears further back than that are for the roll and no longer for this answer


@dataclass(frozen=True, kw_only=True)
class Freedom:
    """A certificate that frees from a year's fee, and the provision by which it does."""

    grant: ExemptionGrant
    provision: Provision[Exemption]


def assess_fees(view: View) -> Outcome:
    """A finding for every fee not paid; where nobody said what was paid, nothing."""
    if view.history.dealings.payments is None:
        return Outcome()
    findings: list[Finding] = []
    changes: list[dt.date] = []
    for p in view.program.at(view.as_of).of(Fee):
        if not view.applies(p.act, view.system.main_tank):
            continue
        if p.act.every == "year":
            findings += _yearly(view, p)
            changes += [dt.date(view.as_of.year + 1, 1, 1)] if view.as_of.year < dt.MAXYEAR else []
        elif p.act.every == "once":
            findings += _once(view, p)
        elif p.act.every == "certificate":
            findings += _of_certificates(view, p)
    return Outcome(findings=tuple(findings), changes_on=tuple(changes))


def fee_names(p: Provision[Fee]) -> set[str]:
    """The names under which payments of a fee are filed."""
    return {*p.act.paid_as, p.id.lower()}


def fee_cents(view: View, p: Provision[Fee]) -> int:
    """The amount of a fee in cents."""
    return p.act.cents or view.program.days(p.act.cents_setting)


def paid_by(view: View, names: Collection[str], *, untold: bool = False) -> list[Payment]:
    """What was paid of a fee by `as_of`: each payment that stands alone, and each charge as it stands last.

    untold: those too that do not say what they were for.
    """
    alone: list[Payment] = []
    last: dict[str, Payment] = {}
    for x in view.history.dealings.payments or ():
        if (x.kind in names or (untold and not x.kind)) and (x.on is None or x.on <= view.as_of):
            if x.charge:
                last[x.charge] = x
            else:
                alone.append(x)
    return [*alone, *last.values()]


def freedom(view: View, year: int) -> Freedom | None:
    """The certificate that frees from a year's fee: it held from the year's first day to its last, or to `as_of`."""
    first, last = dt.date(year, 1, 1), min(dt.date(year, 12, 31), view.as_of)
    for found in _freeing(view):
        covers = found.grant.granted_on <= first and last <= ending(view, found.grant).last_day
        if covers and (found.provision.act.yearly_fee == "none" or is_turn(view, year) is False):
            return found
    return None


def until_certificate(view: View, year: int) -> Provision[FeesUntilCertificate] | None:
    """The provision by which a fee is collected until a certificate is in force, if one began within the year."""
    began = any(f.grant.granted_on.year == year and f.grant.granted_on <= view.as_of for f in _freeing(view))
    return next(iter(view.program.at(view.as_of).of(FeesUntilCertificate)), None) if began else None


def _freeing(view: View) -> Iterator[Freedom]:
    """The certificates that free from the yearly fee, or from it in all years but the area's own."""
    for grant in view.system.exemptions:
        for p in view.program.at(grant.granted_on).of(Exemption):
            if p.act.exemption == grant.kind and p.act.yearly_fee != "pays":
                yield Freedom(grant=grant, provision=p)


def _due(view: View, p: Provision[Fee], by: Provision[Act], said: str, period: str, charged: Payment | None) -> Finding:
    """The fee, or what is left of the charge."""
    dollars = Fraction(fee_cents(view, p), 100)
    if charged is not None and charged.left is not None:
        dollars = charged.left
    return note(by, "fee_due", f"${float(dollars):.2f} {said}", period=period, amount=dollars)


def _yearly(view: View, p: Provision[Fee]) -> Iterator[Finding]:
    """Each year unpaid, from the first that is known to have been paid or charged or the county's records; else this
    year."""
    found = {x.year or (x.on.year if x.on else 0): x for x in sorted(_told(view, p), key=lambda x: not x.is_open)}
    known = [y for y in found if y] + [d.year for d in (view.program.day("records_from"),) if d]
    first = min((y for y in known if y <= view.as_of.year), default=view.as_of.year)
    for year in range(max(first, view.as_of.year - COUNTED_YEARS), view.as_of.year + 1):
        charged = found.get(year)
        if charged.is_open if charged else freedom(view, year) is None:
            by = until_certificate(view, year) or p
            yield _due(view, p, by, f"for {year}, not paid", str(year), charged)


def _told(view: View, p: Provision[Fee]) -> list[Payment]:
    return paid_by(view, fee_names(p), untold=True)


def _once(view: View, p: Provision[Fee]) -> Iterator[Finding]:
    found = paid_by(view, fee_names(p))
    if not any(not x.is_open for x in found):
        yield _due(view, p, p, "once, not paid", "", found[-1] if found else None)


def _of_certificates(view: View, p: Provision[Fee]) -> Iterator[Finding]:
    """As many certificates as are not paid for, the latest ones."""
    granted = sorted(g.granted_on for g in view.system.exemptions if g.granted_on <= view.as_of)
    found = paid_by(view, fee_names(p))
    still = [x for x in found if x.is_open]
    for number, day in enumerate(granted[len(found) - len(still) :]):
        charged = still[number] if number < len(still) else None
        yield _due(view, p, p, f"for the certificate of {day}, not paid", str(day), charged)
