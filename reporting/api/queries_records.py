"""Parameters of addresses that give out meters, reporting periods and verifications."""

from __future__ import annotations

from reporting.api.queries import DayField, PageQuery, Query, SwitchField, TextField, WordsField
from reporting.domain.periods import PeriodState
from reporting.verifications import STATES as VERIFICATION_STATES


class AsOfQuery(Query):
    """A day judged."""

    as_of = DayField(metadata={"description": "The day judged; by default today, by the county's clock."})


class CasesQuery(Query):
    """Which cases."""

    kind = TextField(metadata={"description": "Only cases of this kind."})
    open = SwitchField(metadata={"description": "Only open cases (true), or only closed ones (false)."})


class PeriodsQuery(PageQuery):
    """Which reporting period."""

    period = TextField(
        metadata={"description": "A year or a half of one, such as 2026-H1; by default the last that has ended."}
    )
    state = WordsField([s.value for s in PeriodState], "Only tanks that stand so")


class VerificationsQuery(PageQuery):
    """Which verifications."""

    state = WordsField(VERIFICATION_STATES, "Only those in this state")
