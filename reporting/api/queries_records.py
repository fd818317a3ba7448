"""Parameters of addresses that give out meters, reporting periods and verifications."""

from __future__ import annotations

from reporting.api.queries import CountField, DayField, PageQuery, Query, SwitchField, TextField, WordsField
from reporting.domain.periods import PeriodState
from reporting.service_year.exemptions import STATES as EXEMPTION_STATES
from reporting.service_year.mailings import KINDS as MAILING_KINDS
from reporting.service_year.mailings import STATES as MAILING_STATES
from reporting.verifications import STATES as VERIFICATION_STATES


class AsOfQuery(Query):
    """A day judged."""

    as_of = DayField(metadata={"description": "The day judged; by default today, by the county's clock."})


class CasesQuery(PageQuery):
    """Which cases."""

    kind = TextField(metadata={"description": "Only cases of this kind."})
    open = SwitchField(metadata={"description": "Only open cases (true), or only closed ones (false)."})
    overdue = SwitchField(metadata={"description": "Only those with a duty past its last day (true), or without one."})
    referred = SwitchField(
        metadata={"description": "Only those handed over or referred for prosecution (true), or the others."}
    )


class HoldQuery(Query):
    """Of what or whom it is asked whether permits are withheld."""

    parcel = TextField(metadata={"description": "The parcel on which something is to be permitted."})
    permit = TextField(metadata={"description": "The sanitary permit of a system on it."})
    license = TextField(metadata={"description": "A licence number of the contractor who applies."})


class PeriodsQuery(PageQuery):
    """Which reporting period."""

    period = TextField(
        metadata={"description": "A year or a half of one, such as 2026-H1; by default the last that has ended."}
    )
    state = WordsField([s.value for s in PeriodState], "Only tanks that stand so")


class VerificationsQuery(PageQuery):
    """Which verifications."""

    state = WordsField(VERIFICATION_STATES, "Only those in this state")


class FeesQuery(Query):
    """Which charges."""

    system = TextField(metadata={"description": "Only those of this system, by its id."})
    year = CountField(metadata={"description": "Only those of this calendar year."})
    unpaid = SwitchField(
        metadata={"description": "Only those of which something is left to pay (true), or of which nothing is (false)."}
    )


class FeesListQuery(FeesQuery, PageQuery):
    """One page of charges."""


class MailingsQuery(Query):
    """Which mailings."""

    kind = WordsField(MAILING_KINDS, "Only these kinds")
    state = WordsField(
        MAILING_STATES, "Only those that stand so: `late` is a notice mailed, or an answer due, too late"
    )


class DeferralsQuery(Query):
    """Which requests."""

    year = CountField(metadata={"description": "Only of windows of this year."})


class ExemptionsQuery(Query):
    """Which certificates and applications."""

    kind = TextField(metadata={"description": "Only of this kind, as the county's program has it."})
    state = WordsField(EXEMPTION_STATES, "Only those that stand so")
