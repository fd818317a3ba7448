"""Fees that are due and not paid, where the payments are known: yearly, once, or for a certificate."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
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


def assess_fees(view: View) -> Outcome:
    """A finding for every fee not paid; where nobody said what was paid, nothing."""
    if view.history.dealings.payments is None:
        return Outcome()
    findings: list[Finding] = []
    changes: list[dt.date] = []
    for p in view.program.at(view.as_of).of(Fee):
        if not any(view.applies(p.act, c) for c in (view.system.main_tank,)):
            continue
        if p.act.every == "year":
            findings += _yearly(view, p)
            changes += [dt.date(view.as_of.year + 1, 1, 1)] if view.as_of.year < dt.MAXYEAR else []
        elif p.act.every == "once" and not _paid(view, p):
            findings.append(_due(view, p, p, "once, not paid"))
        elif p.act.every == "certificate":
            findings += _of_certificates(view, p)
    return Outcome(findings=tuple(findings), changes_on=tuple(changes))


def _due(view: View, p: Provision[Fee], by: Provision[Act], said: str, period: str = "") -> Finding:
    dollars = _amount(view, p)
    return note(by, "fee_due", f"${float(dollars):.2f} {said}", period=period, amount=dollars)


def _amount(view: View, p: Provision[Fee]) -> Fraction:
    return Fraction(p.act.cents or view.program.days(p.act.cents_setting), 100)


def _paid(view: View, p: Provision[Fee], *, untold: bool = False) -> list[Payment]:
    """The payments of a fee made by `as_of`; `untold`: those too that do not say what they were for."""
    names = {*p.act.paid_as, p.id.lower()}
    return [
        x
        for x in view.history.dealings.payments or ()
        if (x.kind in names or (untold and not x.kind)) and (x.on is None or x.on <= view.as_of)
    ]


def _yearly(view: View, p: Provision[Fee]) -> Iterator[Finding]:
    """Each year unpaid, from the first that is known to have been paid or the county's records; else this year."""
    paid = {x.year or (x.on.year if x.on else 0) for x in _paid(view, p, untold=True)}
    known = [y for y in paid if y] + [d.year for d in (view.program.day("records_from"),) if d]
    first = min((y for y in known if y <= view.as_of.year), default=view.as_of.year)
    for year in range(max(first, view.as_of.year - COUNTED_YEARS), view.as_of.year + 1):
        if year not in paid and not _is_free(view, year):
            by = _until_certificate(view, year) or p
            yield _due(view, p, by, f"for {year}, not paid", period=str(year))


def _is_free(view: View, year: int) -> bool:
    """Whether a certificate that frees from the fee held from the year's first day to its last, or to `as_of`."""
    first, last = dt.date(year, 1, 1), min(dt.date(year, 12, 31), view.as_of)
    for grant, pays in _freeing(view):
        covers = grant.granted_on <= first and last <= ending(view, grant).last_day
        if covers and (pays == "none" or is_turn(view, year) is False):
            return True
    return False


def _until_certificate(view: View, year: int) -> Provision[FeesUntilCertificate] | None:
    """The provision by which a fee is collected until a certificate is in force, if one began within the year."""
    began = any(grant.granted_on.year == year and grant.granted_on <= view.as_of for grant, _ in _freeing(view))
    return next(iter(view.program.at(view.as_of).of(FeesUntilCertificate)), None) if began else None


def _freeing(view: View) -> Iterator[tuple[ExemptionGrant, str]]:
    """The certificates that free from the yearly fee, or from it in all years but the area's own."""
    for grant in view.system.exemptions:
        for p in view.program.at(grant.granted_on).of(Exemption):
            if p.act.exemption == grant.kind and p.act.yearly_fee != "pays":
                yield grant, p.act.yearly_fee


def _of_certificates(view: View, p: Provision[Fee]) -> Iterator[Finding]:
    """As many certificates as are not paid for, the latest ones."""
    granted = sorted(g.granted_on for g in view.system.exemptions if g.granted_on <= view.as_of)
    for day in granted[len(_paid(view, p)) :]:
        yield _due(view, p, p, f"for the certificate of {day}, not paid", period=str(day))
