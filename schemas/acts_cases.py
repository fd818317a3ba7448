"""Acts on what the county pursues: findings to it, cases and their deadlines, dates of the system itself."""

from __future__ import annotations

from typing import Literal

from schemas.acts_base import Act


class Designation(Act, frozen=True, tag="designation", kw_only=True):
    """The owner names the contractor who is told when the component needs service; none on file is a finding."""


class Tampering(Act, frozen=True, tag="tampering", kw_only=True):
    """A report of tampering is a finding to the county."""


class Defective(Act, frozen=True, tag="defective", kw_only=True):
    """A defect reported and not corrected is a finding that proposes a case to the county."""


class NoAccess(Act, frozen=True, tag="no_access", kw_only=True):
    """A hauler's report that there was no access is a finding."""


class FailureCodes(Act, frozen=True, tag="failure_codes", kw_only=True):
    """The conditions that make a system a failing one; a report of one of them is a finding that proposes a case.

    `surface`: the condition that a report of surface discharge means which names no condition.
    """

    codes: dict[str, str]
    surface: str = ""


class CaseDeadline(Act, frozen=True, tag="case_deadline", kw_only=True):
    """A case of one of `cases` gives the duty `kind`, so many `days`, `business_days` or `months` after the first date
    on file of `counted_from`.

    `counted_from`: case dates in order of preference. `met_by`: the case dates of which one ends the duty. `after`: a
    case date that must be on file first. `own_period`: the county sets the date on the case (`due_on`); with no time
    here, there is no duty without it. `at_most`: the county's own date holds only if it is the earlier. `with_date`:
    only for a case opened on or after that date of the system, and then in place of the case's other deadlines.
    `components`: only where the system's main tank is one of them. `late_as`: the finding once it has passed.
    """

    cases: tuple[str, ...]
    kind: str
    counted_from: tuple[str, ...]
    met_by: tuple[str, ...]
    days: int | None = None
    business_days: int | None = None
    months: int | None = None
    after: str = ""
    own_period: bool = False
    at_most: bool = False
    with_date: Literal["", "permit_issued_on", "installed_on", "occupied_on", "sewer_available_on"] = ""
    late_as: str = "correction_overdue"


class CaseClosing(Act, frozen=True, tag="case_closing", kw_only=True):
    """A case of one of `cases` is closed only when its step `needs` has been taken; then the duty `kind` is met."""

    cases: tuple[str, ...]
    kind: str
    needs: str


class Handover(Act, frozen=True, tag="handover", kw_only=True):
    """The duty `kind` of a case past its last day is handed `to` another office; its step `step` says that it was.

    `cases`: only of cases of these kinds. `office`: whose address among the county's settings is told.
    """

    kind: str
    step: str
    to: str
    cases: tuple[str, ...] = ()
    office: Literal["sanitarian", "counsel", "municipality"] = "sanitarian"


class OpenInquiry(Act, frozen=True, tag="open_inquiry", kw_only=True):
    """An inquiry that the owner has not answered is a finding; the text gives no period.

    `not_in`: kinds of cases whose inquiries have a period of their own.
    """

    not_in: tuple[str, ...] = ()


class PermitHold(Act, frozen=True, tag="permit_hold", kw_only=True):
    """Permits are withheld for a parcel on which a violation is outstanding."""


class SystemDeadline(Act, frozen=True, tag="system_deadline", kw_only=True):
    """The system's date `counted_from` opens the duty `kind`, due `months` later (`at_once`: on that day), until the
    system is out of use."""

    kind: str
    counted_from: str
    months: int | None = None
    at_once: bool = False

    def __post_init__(self) -> None:
        """Refuse a deadline without a time, and one with two. Raises ValueError."""
        if (self.months is None) != self.at_once:
            raise ValueError("a deadline says either its months or that it is at once")


class Abandonment(Act, frozen=True, tag="abandonment", kw_only=True):
    """A component is pumped by a holder of one of `credentials` before it is abandoned: on that day or in the days of
    `days_setting` before it; else that is a finding.

    `observed_as`: the documents that say that an inspector of the county was there; where the documents on file are
    known and there is none, that is a finding too.
    """

    credentials: tuple[str, ...]
    days_setting: str
    observed_as: tuple[str, ...] = ()
