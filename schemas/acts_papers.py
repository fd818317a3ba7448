"""Acts on papers: reports and what they hold, statements, contracts, documents, fees."""

from __future__ import annotations

from schemas.acts_base import Act


class ReportDeadline(Act, frozen=True, tag="report_deadline", kw_only=True):
    """A report of an event is due within `days` of it.

    `exemption`: only while the system holds an exemption of that kind. `contractor_setting` with `contractor_is`
    (`this`, `other`): only for (all but) the contractor named by that setting; while it is unset, for everybody.
    `date_sent_counts`: a paper copy is in time by the date on which it was sent.
    """

    days: int
    exemption: str = ""
    contractor_setting: str = ""
    contractor_is: str = ""
    date_sent_counts: bool = False


class ReportCopies(Act, frozen=True, tag="report_copies", kw_only=True):
    """Each report of the contractor whom `contractor_setting` names (of anybody while it is unset) goes on as a copy,
    by mail, to the office of the program and to the addresses that the settings `to_settings` name."""

    contractor_setting: str
    to_settings: tuple[str, ...]


class ServicedNotice(Act, frozen=True, tag="serviced_notice", kw_only=True):
    """An owner's notice of service with no contractor's report by the report's deadline opens `missing_report`."""


class PeriodReport(Act, frozen=True, tag="period_report", kw_only=True):
    """A reporting period (`half_year`, `year`) with neither event nor statement opens `period_report`, due the days of
    `days_setting` after its end."""

    period: str
    days_setting: str
    finding_rule: str


class ContractRenewal(Act, frozen=True, tag="contract_renewal", kw_only=True):
    """A contract is renewed before it expires; the duty never rolls."""


class ContractChange(Act, frozen=True, tag="contract_change", kw_only=True):
    """Service by somebody who is not the contracted one: a new contract is filed within `business_days` of it."""

    business_days: int


class ContractNeeded(Act, frozen=True, tag="contract_needed", kw_only=True):
    """A running contract is on file; none is a finding.

    `plan_within_months`: only where the plan asks for service or inspection that often. `kinds`: of which kind it is.
    """

    plan_months: tuple[str, ...] = ()
    plan_within_months: int | None = None
    kinds: tuple[str, ...] = ()


class YearlyCertification(Act, frozen=True, tag="yearly_certification", kw_only=True):
    """While an exemption of kind `exemption` runs, a certification is filed by December 31 of each year.

    `filed_as`: the names under which a document on file is one.
    """

    exemption: str
    filed_as: tuple[str, ...] = ()


class RequiredFields(Act, frozen=True, tag="required_fields", kw_only=True):
    """Fields that a report must hold. `any_of`: at least one whole list of them. `with_field`: only if it is given."""

    fields: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    with_field: str = ""
    metered: bool = False


class AcceptedValues(Act, frozen=True, tag="accepted_values", kw_only=True):
    """How a reported value is to be read (for instance meter readings in multiples of a step are exact)."""

    field: str
    step: int


class Submitter(Act, frozen=True, tag="submitter", kw_only=True):
    """Who may file a report: `owner`, `agent`, `licensed_individual`, or whoever holds a credential of that kind.

    `only`: nobody else may, but for credentials that another act of this kind names; a report filed by somebody else is
    kept and counts, and is a finding. Where a credential is named, whoever does the work with it owes the report, and
    the credential is good for the own tank only.
    """

    who: tuple[str, ...]
    only: bool = False


class Verification(Act, frozen=True, tag="verification", kw_only=True):
    """The county may ask for verification of anything in a report; while it waits for the answer that is a finding."""


class RecordsViolation(Act, frozen=True, tag="records_violation", kw_only=True):
    """An owner who does not have the contractor provide a required report violates: each one missing is a finding."""


class DocumentNeeded(Act, frozen=True, tag="document_needed", kw_only=True):
    """Documents that have to be on file; where the file is known and lacks one, that is a finding.

    `documents`: each by its name, with the other names under which it may be filed. A servicing contract on file among
    the contracts is one under `contract_as`, a recorded agreement of the inventory one under `agreement_as`.
    `recorded`: one of which it is known that it is not recorded with the register of deeds does not count.
    """

    documents: dict[str, tuple[str, ...]]
    recorded: bool = False
    contract_as: str = ""
    agreement_as: str = ""


class DocumentRenewal(Act, frozen=True, tag="document_renewal", kw_only=True):
    """A document of one of `after` asks for new ones of `documents`, filed on its day or later; none is a finding.

    `documents`: each by its name, with the other names under which it may be filed. A contract filed since is one under
    `contract_as`. `waived_as`: the documents by which the county says that none is needed.
    """

    after: tuple[str, ...]
    documents: dict[str, tuple[str, ...]]
    contract_as: str = ""
    waived_as: tuple[str, ...] = ()
