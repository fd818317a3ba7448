"""What a rule of a program does: one frozen value per effect, read from the program file's `[[rule.act]]` tables.

The file names the effect (`effect = "service_interval"`), the value carries its parameters, `reporting.domain` carries
it out. A county's law changes by changing these values; only a wholly new *kind* of effect needs code. Every act may
narrow itself to texts of the ordinance (`texts`), to components, events, buildings, uses or flags, and may name a
subsection of its own (`cite`).
"""

from __future__ import annotations

from schemas.acts_areas import (
    AreaNotice,
    AreaWindow,
    Presumption,
    Questionnaire,
    ServiceAreas,
    ServiceYearInspection,
    WindowDeferral,
    WindowNotice,
)
from schemas.acts_base import (
    Act,
    Group,
)
from schemas.acts_cases import (
    Abandonment,
    CaseClosing,
    CaseDeadline,
    Defective,
    Designation,
    FailureCodes,
    Handover,
    NoAccess,
    OpenInquiry,
    PermitHold,
    SystemDeadline,
    Tampering,
)
from schemas.acts_enforcement import Appeal, CaseProposal, Penalty, Referral, SheetSentence
from schemas.acts_fees import AfterTheFact, Fee, FeesUntilCertificate, TaxRoll
from schemas.acts_papers import (
    AcceptedValues,
    ContractChange,
    ContractNeeded,
    ContractRenewal,
    DocumentNeeded,
    DocumentRenewal,
    PeriodReport,
    RecordsViolation,
    ReportCopies,
    ReportDeadline,
    RequiredFields,
    ServicedNotice,
    Submitter,
    Verification,
    YearlyCertification,
)
from schemas.acts_service import (
    Deferral,
    Exemption,
    ExemptionConditions,
    ExemptionTerm,
    FlowLimit,
    FullTank,
    MeterChecks,
    NotNecessary,
    PlanIntervals,
    PumpingGap,
    ServiceInterval,
    ServiceLevel,
    SizeClasses,
    Suspension,
    WhoMay,
    YearlyService,
)
from schemas.words import COMPONENTS, CREDENTIALS, EVENT_TYPES, OBLIGATION_KINDS

__all__ = [
    "COMPONENTS",
    "CREDENTIALS",
    "EVENT_TYPES",
    "OBLIGATION_KINDS",
    "Abandonment",
    "AcceptedValues",
    "Act",
    "AfterTheFact",
    "AnyAct",
    "Appeal",
    "AreaNotice",
    "AreaWindow",
    "CaseClosing",
    "CaseDeadline",
    "CaseProposal",
    "ContractChange",
    "ContractNeeded",
    "ContractRenewal",
    "Defective",
    "Deferral",
    "Designation",
    "DocumentNeeded",
    "DocumentRenewal",
    "Exemption",
    "ExemptionConditions",
    "ExemptionTerm",
    "FailureCodes",
    "Feature",
    "Fee",
    "FeesUntilCertificate",
    "FlowLimit",
    "FullTank",
    "Group",
    "Handover",
    "MeterChecks",
    "NoAccess",
    "NotNecessary",
    "OpenInquiry",
    "Penalty",
    "Pending",
    "PeriodReport",
    "PermitHold",
    "PlanIntervals",
    "Presumption",
    "PumpingGap",
    "Questionnaire",
    "RecordsViolation",
    "Referral",
    "ReportCopies",
    "ReportDeadline",
    "RequiredFields",
    "ServiceAreas",
    "ServiceInterval",
    "ServiceLevel",
    "ServiceYearInspection",
    "ServicedNotice",
    "SheetSentence",
    "SizeClasses",
    "Submitter",
    "Suspension",
    "SystemDeadline",
    "Tampering",
    "TaxRoll",
    "Verification",
    "WhoMay",
    "WindowDeferral",
    "WindowNotice",
    "YearlyCertification",
    "YearlyService",
]


class Feature(Act, frozen=True, tag="feature", kw_only=True):
    """A part of the service that carries the rule out (`accept_unknown_system`, …), and cites it where it does."""

    feature: str


class Pending(Act, frozen=True, tag="pending", kw_only=True):
    """The rule is written down and does nothing yet."""


# fmt: off
AnyAct = (
    ServiceInterval | PlanIntervals | Deferral | FullTank | NotNecessary | WhoMay | PumpingGap | YearlyService
    | ServiceLevel | MeterChecks | FlowLimit | Suspension | Exemption | ExemptionConditions | ExemptionTerm
    | SizeClasses | ReportDeadline | ReportCopies | ServicedNotice | PeriodReport | ContractRenewal | ContractChange
    | ContractNeeded | YearlyCertification
    | RequiredFields | AcceptedValues | Submitter | Verification | RecordsViolation | DocumentNeeded | DocumentRenewal
    | Fee | FeesUntilCertificate | AfterTheFact | TaxRoll | Abandonment | Designation
    | Tampering | Defective | NoAccess | FailureCodes | CaseDeadline | CaseClosing | Handover | OpenInquiry
    | CaseProposal | Penalty | Appeal | Referral | SheetSentence
    | PermitHold | SystemDeadline | ServiceAreas | AreaWindow | WindowNotice | AreaNotice | Presumption
    | WindowDeferral | Questionnaire | ServiceYearInspection | Feature | Pending
)
# fmt: on
