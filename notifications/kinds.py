"""Every kind of notice: what it is called, who gets it, whether the law asks for it, and by which section. Pure.

Optional kinds are reminders, which people may refuse; a notice of law goes whether its recipient likes it or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from notifications.records import NoticeKind
from schemas.acts import (
    Act,
    AreaNotice,
    CaseDeadline,
    ContractNeeded,
    ContractRenewal,
    Designation,
    Exemption,
    ExemptionTerm,
    Handover,
    Presumption,
    Referral,
    ReportCopies,
    ReportDeadline,
    ServicedNotice,
    WhoMay,
    WindowDeferral,
    WindowNotice,
)
from schemas.program import Program


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of notice. `audience`: who gets it, each in words of its own; `letter`: to owners it goes by post too.

    basis: what asks for it, in the state's law or in words; effects: of which rules of a county it tells, and whose
    sections are its basis there.
    """

    title: str
    audience: tuple[str, ...]
    legal: bool
    basis: str = ""
    effects: tuple[type[Act], ...] = ()
    letter: bool = False


_RECORD: Final = "40 CFR 3.2000(b) as the model"
_REPORTS: Final = "SPS 383.55(2)(b)"
_OWNER, _COUNTY, _CONTRACTOR = ("owner",), ("county",), ("contractor",)


def _case(title: str, *more: str, effects: tuple[type[Act], ...] = (CaseDeadline,)) -> Kind:
    return Kind(title=title, audience=("owner", "county", *more), legal=True, effects=effects, letter=True)


def _copy(kind: Kind) -> Kind:
    return replace(kind, title=f"{kind.title} (copy)", audience=_COUNTY)


_LATE: Final = Kind(
    title="report received late", audience=_CONTRACTOR, legal=True, basis=_REPORTS, effects=(ReportDeadline,)
)
_MISSING: Final = Kind(
    title="report missing", audience=_CONTRACTOR, legal=True, basis=_REPORTS, effects=(ServicedNotice,)
)
KINDS: Final[Mapping[NoticeKind, Kind]] = {
    NoticeKind.RECEIPT: Kind(title="receipt for reports", audience=("submitter",), legal=True, basis=_RECORD),
    NoticeKind.DUE_DIGEST: Kind(
        title="tanks due for service", audience=_CONTRACTOR, legal=False, basis="a reminder", effects=(Designation,)
    ),
    NoticeKind.UNDESIGNATED_DIGEST: Kind(
        title="holding tanks that need service, and no contractor to tell",
        audience=_COUNTY,
        legal=True,
        basis="SPS 383.54",
        effects=(Designation,),
    ),
    NoticeKind.LATE_REPORT: _LATE,
    NoticeKind.LATE_REPORT_COPY: _copy(_LATE),
    NoticeKind.MISSING_REPORT: _MISSING,
    NoticeKind.MISSING_REPORT_COPY: _copy(_MISSING),
    NoticeKind.VERIFICATION_REQUESTED: Kind(
        title="report to be verified", audience=_CONTRACTOR, legal=True, basis="SPS 383.55(4)"
    ),
    NoticeKind.CHECKPOINT: Kind(title="signed head of the record", audience=_COUNTY, legal=True, basis=_RECORD),
    NoticeKind.SIGNIN_LINK: Kind(
        title="link to sign in", audience=("person",), legal=True, basis="the person asked for it"
    ),
    NoticeKind.INVITATION: Kind(title="invitation", audience=("person",), legal=True, basis="somebody invited them"),
    NoticeKind.OWNER_LINK: Kind(
        title="link to the own system", audience=("person",), legal=True, basis="the owner asked for it"
    ),
    NoticeKind.OWNER_REMINDER: Kind(
        title="service due soon", audience=_OWNER, legal=False, basis="a reminder", letter=True
    ),
    NoticeKind.DELINQUENT_OWNER: Kind(
        title="service or report overdue", audience=_OWNER, legal=True, basis="SPS 383.255(2)(b)4", letter=True
    ),
    NoticeKind.CONTRACT_EXPIRING: Kind(
        title="contract about to expire",
        audience=("contractor", "owner"),
        legal=False,
        basis="a reminder",
        effects=(ContractRenewal, ContractNeeded),
        letter=True,
    ),
    NoticeKind.CREDENTIAL_EXPIRING: Kind(
        title="license about to expire",
        audience=("contractor", "county"),
        legal=False,
        basis="a reminder",
        effects=(WhoMay,),
    ),
    NoticeKind.EXEMPTION_EXPIRING: Kind(
        title="exemption about to expire",
        audience=("owner", "county"),
        legal=False,
        basis="a reminder",
        effects=(ExemptionTerm,),
        letter=True,
    ),
    NoticeKind.WINDOW_NOTICE: Kind(
        title="pumping window", audience=_OWNER, legal=True, effects=(WindowNotice, Presumption), letter=True
    ),
    NoticeKind.AREA_NOTICE: Kind(
        title="service area being pumped", audience=_OWNER, legal=True, effects=(AreaNotice, Presumption), letter=True
    ),
    NoticeKind.DEFERRAL_ANSWER: Kind(
        title="request for other days answered",
        audience=("owner", "contractor"),
        legal=True,
        effects=(WindowDeferral,),
        letter=True,
    ),
    NoticeKind.EXEMPTION_ANSWER: Kind(
        title="certificate of exemption decided on",
        audience=_OWNER,
        legal=True,
        effects=(Exemption, ExemptionTerm),
        letter=True,
    ),
    NoticeKind.CONTACT_CHANGED: Kind(
        title="contact changed", audience=_OWNER, legal=True, basis="told at the address from before"
    ),
    NoticeKind.EXEMPTION_CHANGE: Kind(
        title="change reported for a certificate of exemption", audience=_COUNTY, legal=True, effects=(ExemptionTerm,)
    ),
    NoticeKind.REPORT_COPIES: Kind(
        title="copies of the contractor's reports",
        audience=("county", "sanitarian"),
        legal=True,
        effects=(ReportCopies,),
    ),
    NoticeKind.CASE_OPENED: _case("case opened"),
    NoticeKind.CASE_STEP: _case("further step in a case"),
    NoticeKind.CASE_OVERDUE: _case("deadline of a case passed", "sanitarian", "municipality"),
    NoticeKind.CASE_HANDED_OVER: _case(
        "case handed over", "sanitarian", "counsel", "municipality", effects=(Handover, Referral)
    ),
    NoticeKind.CASE_CLOSED: _case("case closed"),
    NoticeKind.WEEKLY_SUMMARY: Kind(title="the county's week", audience=_COUNTY, legal=False, basis="for its staff"),
}
"""The table that `pumper notices kinds` prints."""


def basis_of(kind: NoticeKind, program: Program, on: date) -> str:
    """What asks for a kind of notice in a county: the kind's own basis, and the sections of the county's rules."""
    one, text = KINDS[kind], program.at(on)
    cites = dict.fromkeys(p.cite for effect in one.effects for p in text.of(effect))
    return "; ".join([*([one.basis] if one.basis else []), *cites])


def is_legal(kind: str, content: Mapping[str, Any]) -> bool:
    """Whether a message may not be refused: its kind's, or a digest with a tank that an ordinance wants told of."""
    return KINDS[NoticeKind(kind)].legal or any(line.get("required_by") for line in content.get("lines") or ())
